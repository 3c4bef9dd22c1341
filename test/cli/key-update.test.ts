// The operator's command that changes a key, and what requests with the key see afterwards.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

const UNKNOWN_ID = 'key_01jz3k8q7v5m2n9t4w6x8y0abc';

let world: TestWorld;
let cli: CommandLine;
let venueId: string;
beforeAll(async () => {
  world = await openSharedWorld();
  cli = commandLine(world);
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

interface KeyJson {
  readonly id: string;
  readonly name: string | null;
  readonly allow_ips: string[] | null;
  readonly expires_at: string | null;
  readonly writes_per_hour: number;
  readonly reads_per_hour: number;
}

const update = (id: string, ...options: string[]): Promise<KeyJson> => cli.json('key', 'update', id, ...options);
const call = async (key: string) => (await world.call('GET', '/v1/me', { key })).status;

describe('key update', () => {
  it('changes name, limits, addresses and expiry, and only what is given', async () => {
    const { id, key } = await world.key(venueId);
    const expires_at = '2099-01-01T00:00:00Z';
    const named = await update(id, '--name', ' Booking server ', '--writes-per-hour', '7', '--expires-at', expires_at);
    expect(named).toMatchObject({
      id,
      name: 'Booking server',
      writes_per_hour: 7,
      reads_per_hour: 600,
      allow_ips: null,
    });
    expect(Date.parse(named.expires_at ?? '')).toBe(Date.parse(expires_at));
    expect(await update(id, '--reads-per-hour', '9')).toEqual({ ...named, reads_per_hour: 9 });
    expect(await update(id, '--name', '', '--expires-at', '')).toMatchObject({ name: null, expires_at: null });
    const me = await world.call('GET', '/v1/me', { key });
    expect(me.json.data.limits).toMatchObject({ writes_per_hour: 7, reads_per_hour: 9 });
  });

  it('replaces the list of addresses, from the next request on; an empty text allows every address', async () => {
    const { id, key } = await world.key(venueId);
    expect(await call(key)).toBe(200);
    expect((await update(id, '--allow-ip', '203.0.113.0/24', '--allow-ip', '198.51.100.7')).allow_ips).toHaveLength(2);
    expect(await call(key)).toBe(403);
    expect((await update(id, '--allow-ip', '127.0.0.1')).allow_ips).toEqual(['127.0.0.1']);
    expect(await call(key)).toBe(200);
    expect((await update(id, '--allow-ip', '')).allow_ips).toBeNull();
    expect(await call(key)).toBe(200);
  });

  it('is audited with the values before and after; what is already so is not', async () => {
    const { id } = await world.key(venueId);
    await update(id, '--name', 'A');
    await update(id, '--name', 'A');
    const rows = await world.db.query<{ detail: { before: KeyJson; after: KeyJson } }>(
      `select detail from audit_log where venue_id = $1 and subject = $2 and action = 'key.update'`,
      [venueId, id],
    );
    expect(rows.map(({ detail }) => [detail.before.name, detail.after.name])).toEqual([[null, 'A']]);
  });

  it('refuses a revoked key, an unknown one, a past expiry, and limits of a publishable key', async () => {
    const revoked = await world.key(venueId);
    await cli.json('key', 'revoke', revoked.id);
    expect(await cli.line(1, 'key', 'update', revoked.id, '--name', 'A')).toContain('was revoked: create another one');
    expect(await cli.line(1, 'key', 'update', UNKNOWN_ID, '--name', 'A')).toContain(`there is no key ${UNKNOWN_ID}`);
    const { id } = await world.key(venueId);
    const past = await cli.line(1, 'key', 'update', id, '--expires-at', '2020-01-01T00:00:00Z');
    expect(past).toContain('--expires-at: The expiry must be a time in the future');
    const publishable = await world.key(venueId, { kind: 'publishable' });
    expect(await cli.line(1, 'key', 'update', publishable.id, '--writes-per-hour', '5')).toContain('publishable');
    expect(await update(publishable.id, '--name', 'Booking page')).toMatchObject({ name: 'Booking page' });
    expect(await cli.line(1, 'key', 'update', id, '--name', 'x'.repeat(101))).toContain('1 to 100 characters');
  });

  it.each([
    [[UNKNOWN_ID], '"key update" has nothing to change: give some of --name, --expires-at'],
    [['abc', '--name', 'A'], 'which is not the id of a key'],
    [[UNKNOWN_ID, '--allow-ip', 'home'], '--allow-ip is "home": give an address or a CIDR range'],
    [[UNKNOWN_ID, '--allow-ip', '', '--allow-ip', '10.0.0.1'], '--allow-ip is ""'],
    [[UNKNOWN_ID, '--expires-at', 'tomorrow'], '--expires-at is "tomorrow"'],
    [[UNKNOWN_ID, '--writes-per-hour', '0'], '--writes-per-hour is "0"'],
    [[UNKNOWN_ID, '--writes-per-hour', ''], '--writes-per-hour has no value'],
    [[UNKNOWN_ID, '--scope', 'all'], '"key update" has no option "--scope"'],
  ])('refuses %j before the database is opened', async (argv, expected) => {
    expect(await commandLine(null).line(2, 'key', 'update', ...argv)).toContain(expected);
  });
});

it('key create takes a name, and key list has it', async () => {
  const created = await cli.json<KeyJson>(
    ...(['key', 'create', '--venue', venueId, '--kind', 'secret', '--mode', 'test', '--name', 'Till'] as const),
  );
  expect(created.name).toBe('Till');
  const listed = await cli.json<KeyJson[]>('key', 'list', '--venue', venueId);
  expect(listed.find(({ id }) => id === created.id)?.name).toBe('Till');
});
