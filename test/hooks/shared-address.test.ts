// One address for all venues of a partner application: each delivery goes to the integration of its account, and an API
// token in a delivery is sealed and shown to no caller.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { mewsEvents, mewsIntegration } from '../support/venue-bodies.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

let world: TestWorld;
let address: { readonly id: string; readonly path: string };
beforeAll(async () => {
  world = await openTestWorld();
  address = await createAddress('test');
});
afterAll(() => world.close());

const ENTERPRISE = '851df8c8-90f2-4c4a-8e01-a4fc46b25178';
const TOKEN = '9E5E84E9974D4F169662AB2200F27CB1-00B343A0DDA725CACAC028E38E3EABF';
const create = (mode: string) => ['hook', 'create', '--provider', 'mews', '--mode', mode];

async function createAddress(mode: string): Promise<{ readonly id: string; readonly path: string }> {
  const made = await commandLine(world).json<{ id: string; webhook_url: string }>(...create(mode));
  return { id: made.id, path: new URL(made.webhook_url).pathname };
}

const routeArguments = (system: VenueSystem, account: string): string[] => [
  ...['hook', 'route', '--provider', 'mews', '--mode', 'test', '--venue', system.venueId],
  ...['--integration', system.id, '--account', account],
];
const route = (system: VenueSystem, account: string) => commandLine(world).json(...routeArguments(system, account));
const send = (body: object, path = address.path) => world.call('POST', path, { body });
const of = (EnterpriseId: string): object => ({ ...mewsEvents('ServiceOrderUpdated'), EnterpriseId });
const unrouted = async (): Promise<number> => {
  const rows = await commandLine(world).json<{ id: string; unrouted_count: number }[]>('hook', 'list');
  return rows.find(({ id }) => id === address.id)?.unrouted_count ?? -1;
};

describe('an address that several venues share', () => {
  it('brings each delivery to the integration of its account alone', async () => {
    const [one, two] = [await connectVenueSystem(world, 'mews'), await connectVenueSystem(world, 'mews')];
    await route(one, 'hotel-1');
    await route(two, 'hotel-2');
    const answer = await send(of('hotel-2'));
    expect([answer.status, answer.json.id]).toEqual([200, expect.stringMatching(/^hkd_/)]);
    await applyDueDeliveries(world.context, 100);
    expect(await one.deliveries()).toEqual([]);
    expect(await two.deliveries()).toMatchObject([{ id: answer.json.id, status: 'needs_api_read' }]);
  });

  it('answers a delivery of no venue, stores nothing of it, and counts it', async () => {
    const before = await unrouted();
    for (const body of [of('unknown-hotel'), { Events: [] }, mewsIntegration(TOKEN)])
      expect((await send(body)).json).toEqual({ received: true, id: null, duplicate: false });
    expect(await unrouted()).toBe(before + 3);
  });

  it('brings a message that names only the integration to its venue, once a message has named both', async () => {
    const [one, two] = [await connectVenueSystem(world, 'mews'), await connectVenueSystem(world, 'mews')];
    await route(one, 'hotel-5');
    await route(two, 'hotel-6');
    const connection = {
      Action: 'IntegrationApiKeyCreated',
      Data: { Integration: { Id: 'i-5', Name: 'n' }, ApiKey: 'k' },
    };
    expect((await send(connection)).json.id).toBeNull();
    await send({ ...of('hotel-5'), IntegrationId: 'i-5' });
    await send({ ...of('hotel-6'), IntegrationId: 'i-5' });
    expect((await send(connection)).json.id).toMatch(/^hkd_/);
    expect(await one.deliveries()).toHaveLength(2);
    expect(await two.deliveries()).toHaveLength(1);
  });

  it('brings nothing to a venue that is revoked', async () => {
    const system = await connectVenueSystem(world, 'mews');
    await route(system, 'hotel-7');
    await world.db.query('update venues set revoked_at = now() where venue_id = $1', [system.venueId]);
    expect((await send(of('hotel-7'))).json.id).toBeNull();
  });

  it('never gives an account of one venue to another, until its integration is revoked', async () => {
    const [one, two] = [await connectVenueSystem(world, 'mews'), await connectVenueSystem(world, 'mews')];
    await route(one, 'hotel-3');
    await route(one, 'hotel-3');
    const refusal = await commandLine(world).line(1, ...routeArguments(two, 'hotel-3'));
    expect(refusal).toContain('"hotel-3" is routed to another integration: revoke that integration first.');
    await world.call('POST', `/v1/integrations/${one.id}/revoke`, { key: one.key });
    expect((await send(of('hotel-3'))).json.id).toBeNull();
    await route(two, 'hotel-3');
    expect((await send(of('hotel-3'))).json.id).toMatch(/^hkd_/);
    expect(await two.deliveries()).toHaveLength(1);
  });

  it('serves its own mode and provider alone, and answers 401 once it is revoked', async () => {
    const system = await connectVenueSystem(world, 'mews');
    await route(system, 'hotel-4');
    const live = await createAddress('live');
    expect((await send(of('hotel-4'), live.path)).json.id).toBeNull();
    expect((await send(of('hotel-4'), live.path.replace('mews', 'foreup'))).status).toBe(401);
    expect((await world.call('HEAD', live.path)).status).toBe(200);
    await commandLine(world).json('hook', 'revoke', live.id);
    expect((await send(of('hotel-4'), live.path)).status).toBe(401);
    expect((await commandLine(world).run('hook', 'revoke', live.id)).err).toContain('hook list');
  });

  it('is refused for a provider that gives each venue its own, and for an integration that is not there', async () => {
    const line = await commandLine(world).line(2, 'hook', 'create', '--provider', 'square', '--mode', 'test');
    expect(line).toContain('mews');
    const square = await connectVenueSystem(world, 'foreup');
    expect(await commandLine(world).line(1, ...routeArguments(square, 'x'))).toContain('no active mews integration');
  });

  it('is in the audit log, without its token', async () => {
    const rows = await world.db.query<{ action: string; detail: unknown }>(
      'select action, detail from installation_audit where subject = $1',
      [address.id],
    );
    expect(rows).toEqual([{ action: 'shared_hook.create', detail: { provider: 'mews', mode: 'test' } }]);
  });
});

describe('an API token in a delivery', () => {
  it('is sealed, ignored and shown to no caller, at an address of its own and at a shared one', async () => {
    const system = await connectVenueSystem(world, 'mews');
    await route(system, ENTERPRISE);
    expect((await system.send(mewsIntegration(TOKEN))).status).toBe(200);
    expect((await send(mewsIntegration(`${TOKEN}2`))).json.id).toMatch(/^hkd_/);
    await applyDueDeliveries(world.context, 100);
    const deliveries = await system.deliveries();
    expect(deliveries.map(({ status }) => status)).toEqual(['ignored', 'ignored']);
    expect(JSON.stringify(deliveries)).not.toContain(TOKEN.slice(0, 12));
    const rows = await world.db.query<{ row: string }>(
      "select to_jsonb(d)::text || encode(d.body, 'escape') as row from inbound_deliveries d where integration_id = $1",
      [system.id],
    );
    expect(rows).toHaveLength(2);
    for (const { row } of rows) expect(row).not.toContain(TOKEN.slice(0, 12));
  });
});
