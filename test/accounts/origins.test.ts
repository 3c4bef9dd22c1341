// The origins of a venue, a list for each mode: which pages may use publishable keys, where guests return to, and how the
// console and the command line change the lists.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOrigin, linkVenue } from '../../src/domain/venues/change-venue.ts';
import { findVenue } from '../../src/domain/venues/queries.ts';
import { callConsole, createAccount, createSession, signInToConsole } from '../support/console-client.ts';
import { commandLine } from '../support/run-command.ts';
import { checkoutBody, expectInvalid, type Json } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

const [TEST_PAGE, LIVE_PAGE] = ['https://staging.harbor.example', 'https://www.harbor.example'];

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

type Mode = 'test' | 'live';
const MODES: readonly Mode[] = ['test', 'live'];

/** A linked venue with one page for each mode. */
async function venueWithPages(): Promise<string> {
  const { venue } = await world.venue();
  await world.db.transaction(async (tx) => {
    await addOrigin(tx, world.command(), venue.id, TEST_PAGE, 'test');
    await addOrigin(tx, world.command(), venue.id, LIVE_PAGE, 'live');
  });
  return venue.id;
}

const secretKey = async (venueId: string, mode: Mode): Promise<string> =>
  (await world.key(venueId, { mode, scopes: ['checkouts:write', 'checkouts:read'] })).key;

async function originsOf(venueId: string): Promise<unknown> {
  const venue = await findVenue(world.db, venueId);
  return { test: venue?.test_origins, live: venue?.live_origins };
}

describe('the origins of a mode', () => {
  it('are those from which its publishable keys are accepted', async () => {
    const venueId = await venueWithPages();
    for (const mode of MODES) {
      const { key } = await world.key(venueId, { kind: 'publishable', mode });
      const from = async (origin: string) =>
        (await world.call('GET', '/v1/public/checkouts/chk_1', { key, headers: { origin } })).json.error.code;
      const codes = [await from(TEST_PAGE), await from(LIVE_PAGE)];
      expect(codes, mode).toEqual(
        mode === 'test' ? ['not_found', 'origin_not_allowed'] : ['origin_not_allowed', 'not_found'],
      );
    }
  });

  it('are those to which its guests return', async () => {
    const venueId = await venueWithPages();
    for (const [mode, own, other] of [
      ['test', TEST_PAGE, LIVE_PAGE],
      ['live', LIVE_PAGE, TEST_PAGE],
    ] as const) {
      const key = await secretKey(venueId, mode);
      const create = (origin: string) =>
        world.call('POST', '/v1/checkouts', { key, body: checkoutBody({ return_url: `${origin}/thanks` }) });
      expect((await create(own)).status, mode).toBe(201);
      const refused = await create(other);
      expectInvalid(refused, 'not_allowed', '/return_url');
      expect(refused.json.errors[0].example_fix).toBe(`${own}/`);
    }
  });

  it('are those whose pages can read its checkouts with a guest’s token', async () => {
    const venueId = await venueWithPages();
    for (const mode of MODES) {
      const key = await secretKey(venueId, mode);
      const page = mode === 'test' ? TEST_PAGE : LIVE_PAGE;
      const { json } = await world.call('POST', '/v1/checkouts', { key, body: checkoutBody({ return_url: page }) });
      const allowed = async (origin: string): Promise<string | null> =>
        (
          await world.call('POST', `/v1/public/checkouts/${json.id}/party`, { headers: { origin }, body: {} })
        ).headers.get('access-control-allow-origin');
      const expected = mode === 'test' ? [TEST_PAGE, null] : [null, LIVE_PAGE];
      expect([await allowed(TEST_PAGE), await allowed(LIVE_PAGE)], mode).toEqual(expected);
    }
  });
});

describe('a sandbox venue', () => {
  it('has its first origin in test mode alone, also one of a sign-up', async () => {
    const { json } = await signInToConsole(world, 'origins-newcomer@harbor.example');
    expect(await originsOf(json.keys.venue_id)).toEqual({ test: ['https://example.com'], live: [] });
  });

  it('gets the https origins of test mode when the operator links it without live ones, and keeps live ones that it has', async () => {
    const link = async (live: readonly string[]) => {
      const { venue } = await world.venue({ sandbox: true });
      await world.db.transaction(async (tx) => {
        for (const page of ['http://localhost:3000', TEST_PAGE])
          await addOrigin(tx, world.command(), venue.id, page, 'test');
        for (const page of live) await addOrigin(tx, world.command(), venue.id, page, 'live');
        await linkVenue(tx, world.command(), venue.id);
      });
      return originsOf(venue.id);
    };
    expect(await link([])).toEqual({ test: ['http://localhost:3000', TEST_PAGE], live: [TEST_PAGE] });
    expect(await link([LIVE_PAGE])).toMatchObject({ live: [LIVE_PAGE] });
  });
});

describe('on the command line', () => {
  it('venue origin add and remove change both modes, or one with --mode', async () => {
    const cli = commandLine(world);
    const { id } = await cli.json<Json>('venue', 'create', '--name', 'Harbor Club', '--origin', TEST_PAGE);
    expect(await originsOf(id)).toEqual({ test: [TEST_PAGE], live: [TEST_PAGE] });
    const added = await cli.json<Json>('venue', 'origin', 'add', id, LIVE_PAGE, '--mode', 'live');
    expect(added).toMatchObject({
      origins: [TEST_PAGE, LIVE_PAGE],
      origins_by_mode: { test: [TEST_PAGE], live: [TEST_PAGE, LIVE_PAGE] },
    });
    const shown = (await cli.run('venue', 'show', id)).out;
    expect(shown).toMatch(/origins \(test\) +https:\/\/staging\.harbor\.example\n/);
    expect(shown).toMatch(/origins \(live\) +https:\/\/staging\.harbor\.example, https:\/\/www\.harbor\.example\n/);
    await cli.json('venue', 'origin', 'add', id, LIVE_PAGE);
    expect(await originsOf(id)).toEqual({ test: [TEST_PAGE, LIVE_PAGE], live: [TEST_PAGE, LIVE_PAGE] });
    expect((await cli.run('venue', 'show', id)).out).toMatch(/origins +https:\/\/staging/);
    await cli.json('venue', 'origin', 'remove', id, TEST_PAGE, '--mode', 'live');
    await cli.json('venue', 'origin', 'remove', id, LIVE_PAGE);
    expect(await originsOf(id)).toEqual({ test: [TEST_PAGE], live: [] });
    expect(await cli.line(2, 'venue', 'origin', 'add', id, LIVE_PAGE, '--mode', 'beta')).toContain('test or live');
    const local = await cli.line(2, 'venue', 'origin', 'add', id, 'http://localhost:3000', '--mode', 'live');
    expect(local).toContain('not in live mode');
  });
});

interface Member {
  readonly venue: string;
  call(method: string, path: string, body?: object, mode?: Mode): Promise<HttpResponse>;
}

let people = 0;

async function developer(sandbox = false): Promise<Member> {
  const { venue } = await world.venue({ sandbox });
  const id = await createAccount(world.context, `origins${people++}@team.example`, [[venue.id, 'developer']]);
  const { token } = await createSession(world.context, id);
  return {
    venue: venue.id,
    call: (method, path, body, mode = 'test') =>
      callConsole(world, method, path, { token, venue: venue.id, mode, ...(body === undefined ? {} : { body }) }),
  };
}

describe('in the console', () => {
  it('a developer adds, lists and removes origins of the session’s mode, in their normal form', async () => {
    const member = await developer();
    const added = await member.call('POST', '/console/api/origins', { origin: 'https://SHOP.example.com:443/' });
    expect([added.status, added.json]).toEqual([201, { mode: 'test', origin: 'https://shop.example.com' }]);
    const again = await member.call('POST', '/console/api/origins', { origin: 'https://shop.example.com' });
    expect([again.status, again.json]).toEqual([200, added.json]);
    await member.call('POST', '/console/api/origins', { origin: LIVE_PAGE }, 'live');
    const { data } = (await member.call('GET', '/console/api/origins')).json;
    expect(data).toEqual([
      { mode: 'test', origin: 'https://shop.example.com' },
      { mode: 'live', origin: LIVE_PAGE },
    ]);
    const body = { origin: 'https://shop.example.com' };
    const removed = await member.call('POST', '/console/api/origins/remove', body);
    expect([removed.status, removed.json]).toEqual([200, added.json]);
    expect((await member.call('POST', '/console/api/origins/remove', body)).status).toBe(404);
    expect(await originsOf(member.venue)).toEqual({ test: [], live: [LIVE_PAGE] });
    const rows = await world.db.query<{ action: string; detail: object }>(
      "select action, detail from audit_log where venue_id = $1 and action like 'origin.%' order by audit_id",
      [member.venue],
    );
    expect(rows.map(({ action, detail }) => [action, detail])).toEqual([
      ['origin.add', { modes: ['test'] }],
      ['origin.add', { modes: ['live'] }],
      ['origin.remove', { modes: ['test'] }],
    ]);
  });

  it('a venue that is not linked sets its live origins from a session in test mode', async () => {
    const member = await developer(true);
    const body = { origin: LIVE_PAGE, mode: 'live' };
    expect((await member.call('POST', '/console/api/origins', body)).json).toEqual(body);
    expect(await originsOf(member.venue)).toEqual({ test: [], live: [LIVE_PAGE] });
    expect((await member.call('POST', '/console/api/origins/remove', body)).status).toBe(200);
    expect((await member.call('POST', '/console/api/origins', body, 'live')).json.error.code).toBe('venue_not_linked');
  });

  it('an origin is https; http for localhost counts in test mode alone', async () => {
    const member = await developer();
    const add = (origin: string, mode: Mode) => member.call('POST', '/console/api/origins', { origin, mode });
    expect((await add('http://localhost:3000', 'test')).status).toBe(201);
    for (const [origin, mode] of [
      ['http://localhost:3000', 'live'],
      ['http://shop.example.com', 'test'],
      ['https://shop.example.com/cart', 'test'],
      ['https://user@shop.example.com', 'test'],
      ['shop.example.com', 'test'],
    ] as const) {
      expectInvalid(await add(origin, mode), 'invalid_format', '/origin');
    }
    expectInvalid(await member.call('POST', '/console/api/origins', {}), 'missing_field', '/origin');
  });

  it('a venue has at most 50 origins in each mode', async () => {
    const member = await developer();
    const origins = Array.from({ length: 50 }, (_, index) => `https://shop-${index}.example`);
    await world.db.query('update venues set origins = $2 where venue_id = $1', [member.venue, origins]);
    const add = (mode: Mode) => member.call('POST', '/console/api/origins', { origin: TEST_PAGE, mode });
    expectInvalid(await add('test'), 'too_many_items', '/origin');
    expect((await add('live')).status).toBe(201);
  });
});
