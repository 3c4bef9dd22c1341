// Venues and people at the desk: search, fee, limits, suspend and resume, and a look at a venue without writes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callConsole, createAccount } from '../support/console-client.ts';
import { createOperator, deskOf, type TestOperator } from '../support/desk-client.ts';
import { commandLine } from '../support/run-command.ts';
import { CARDS, checkoutBody, type Json, openTestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let admin: TestOperator;
let desk: ReturnType<typeof deskOf>;
beforeAll(async () => {
  world = await openTestWorld();
  admin = await createOperator(world.context, 'admin');
  desk = deskOf(world, admin);
});
afterAll(() => world.close());

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('the search for venues', () => {
  it('finds a venue by a part of its name, its id, the mail of a person, and the id and hint of a key', async () => {
    const { venue } = await world.venue({ name: 'Lagoon Spa 77' });
    const { id: keyId } = await world.key(venue.id);
    await createAccount(world.context, 'mia@lagoon.example', [[venue.id, 'owner']]);
    const shown = (await desk('GET', `/venues/${venue.id}`)).json;
    const { hint } = shown.keys.find(({ id }: Json) => id === keyId);
    for (const text of ['goon spa 7', venue.id, 'MIA@lagoon.example', keyId, hint]) {
      const { json } = await desk('GET', `/venues?q=${encodeURIComponent(text)}`);
      expect(
        json.data.map(({ id }: Json) => id),
        text,
      ).toEqual([venue.id]);
    }
    for (const text of [
      'chk_00000000000000000000000000',
      'pi_unknown',
      'ch_unknown',
      'du_unknown',
      'no such venue',
      'unknown@lagoon.example',
      'key_unknown',
      '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
    ])
      expect((await desk('GET', `/venues?q=${encodeURIComponent(text)}`)).json.data).toEqual([]);
  });
});

describe('the search for any id', () => {
  it('leads to the venue of a checkout, share, movement, payment, charge, reviewed object and person', async () => {
    const venue = await openTestVenue(world);
    const checkout = await venue.completed({ amount: 10_000, party_size: 2 });
    const [offering] = world.context.registry.get('offering').examples as Json[];
    const reviewed = (await venue.post('/v1/offerings', offering)).json.data.id;
    const person = await createAccount(world.context, 'ada@anyid.example', [[venue.venueId, 'owner']]);
    const [ids] = await world.db.query<Json>(
      `select m.movement_id as movement, h.intent_id as intent, h.charge_id as charge, h.share_id as share
       from movements m join holds h on h.venue_id = m.venue_id and h.hold_id = m.hold_id where m.checkout_id = $1 limit 1`,
      [checkout.id],
    );
    for (const text of [checkout.id, ids?.share, ids?.movement, ids?.intent, ids?.charge, reviewed, person]) {
      const { json } = await desk('GET', `/venues?q=${encodeURIComponent(String(text))}`);
      expect([text, json.data.map(({ id }: Json) => id)]).toEqual([text, [venue.venueId]]);
    }
  });
});

describe('a suspended venue', () => {
  it('creates no checkouts, while those that exist are paid and complete; and it can be resumed', async () => {
    const venue = await openTestVenue(world);
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const body = checkoutBody();
    const before = await venue.post('/v1/checkouts', body);
    const suspended = await desk('POST', `/venues/${venue.venueId}/suspend`, { note: 'Under inquiry.' });
    expect(suspended.json).toMatchObject({ state: 'suspended', suspension_note: 'Under inquiry.' });
    const refused = await venue.post('/v1/checkouts', checkoutBody({ external_booking_id: 'bk-after' }));
    expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_suspended']);
    const replay = await venue.post('/v1/checkouts', body);
    expect([replay.status, replay.json.id]).toEqual([201, before.json.id]);
    await venue.payAll(checkout, [CARDS.good, CARDS.good]);
    await venue.finishDueWork(checkout.id);
    expect((await venue.read(checkout.id)).status).toBe('completed');
    expect((await desk('POST', `/venues/${venue.venueId}/resume`)).json.state).toBe('linked');
    expect((await venue.post('/v1/checkouts', checkoutBody({ external_booking_id: 'bk-after' }))).status).toBe(201);
    const actions = await world.db.query<{ action: string }>(
      'select action from audit_log where venue_id = $1 and actor = $2 order by audit_id',
      [venue.venueId, `operator ${admin.accountId}`],
    );
    expect(actions.map(({ action }) => action)).toEqual(['venue.suspend', 'venue.resume']);
  });

  it('can be suspended and resumed on the command line too', async () => {
    const { venue } = await world.venue();
    const cli = commandLine(world);
    await cli.json('venue', 'suspend', venue.id, '--note', 'Under inquiry.');
    expect((await cli.run('venue', 'show', venue.id)).out).toContain('suspended');
    await cli.json('venue', 'resume', venue.id);
    expect((await cli.run('venue', 'show', venue.id)).out).not.toContain('suspended');
  });
});

describe('limits', () => {
  it('are raised for a key or for every key of a venue until their end, and the lower ones count again after it', async () => {
    const { venue } = await world.venue();
    const [one, two] = [await world.key(venue.id), await world.key(venue.id)];
    const limitOf = async (key: string): Promise<number> =>
      (await world.call('GET', '/v1/me', { key })).json.data.limits.reads_per_hour;
    const own = await limitOf(one.key);
    const raise = { writes_per_hour: 6_001, reads_per_hour: 36_001, until: inDays(7) };
    const raised = await desk('POST', `/venues/${venue.id}/limits`, { ...raise, key_id: one.id });
    expect(raised.status, raised.text).toBe(200);
    expect([await limitOf(one.key), await limitOf(two.key)]).toEqual([36_001, own]);
    await desk('POST', `/venues/${venue.id}/limits`, raise);
    expect(await limitOf(two.key)).toBe(36_001);
    await world.db.query("update keys set raised_until = now() - interval '1 second' where venue_id = $1", [venue.id]);
    expect([await limitOf(one.key), await limitOf(two.key)]).toEqual([own, own]);
  });

  it('that are raised for a venue hold for the keys that it makes later, until their end', async () => {
    const { venue } = await world.venue();
    const limitOf = async (key: string): Promise<number> =>
      (await world.call('GET', '/v1/me', { key })).json.data.limits.reads_per_hour;
    const raise = { writes_per_hour: 6_001, reads_per_hour: 36_001, until: inDays(7) };
    const raised = await desk('POST', `/venues/${venue.id}/limits`, raise);
    expect(raised.status, raised.text).toBe(200);
    const later = await world.key(venue.id);
    expect(await limitOf(later.key)).toBe(36_001);
    await world.db.query("update venue_limit_raises set until = now() - interval '1 second' where venue_id = $1", [
      venue.id,
    ]);
    const last = await world.key(venue.id);
    expect(await limitOf(last.key)).toBeLessThan(36_001);
  });

  it('that are raised are neither lowered nor shortened by a later raise while they run', async () => {
    const { venue } = await world.venue();
    const [one, two] = [await world.key(venue.id), await world.key(venue.id)];
    const raise = async (writes: number, reads: number, days: number, key?: string): Promise<void> => {
      const body = { writes_per_hour: writes, reads_per_hour: reads, until: inDays(days), ...(key && { key_id: key }) };
      expect((await desk('POST', `/venues/${venue.id}/limits`, body)).status).toBe(200);
    };
    const raised = async (): Promise<Json[]> => {
      const { keys } = (await desk('GET', `/venues/${venue.id}`)).json;
      return [one, two].map(({ id }) => keys.find((key: Json) => key.id === id).raised);
    };
    await raise(9_000, 90_000, 14, one.id);
    const [{ until }] = await raised();
    await raise(6_001, 100_000, 7);
    expect(await raised()).toMatchObject([
      { writes_per_hour: 9_000, reads_per_hour: 100_000, until },
      { writes_per_hour: 6_001, reads_per_hour: 100_000 },
    ]);
    // Keys that are made later have the higher of the venue's raises.
    await raise(5_000, 40_000, 3);
    const later = await world.key(venue.id);
    const { limits } = (await world.call('GET', '/v1/me', { key: later.key })).json.data;
    expect(limits).toMatchObject({ writes_per_hour: 6_001, reads_per_hour: 100_000 });
    // What has ended counts for nothing.
    await world.db.query("update keys set raised_until = now() - interval '1 second' where venue_id = $1", [venue.id]);
    await raise(7_000, 50_000, 7, one.id);
    expect((await raised())[0]).toMatchObject({ writes_per_hour: 7_000, reads_per_hour: 50_000 });
  });

  it('end within 90 days', async () => {
    const { venue } = await world.venue();
    for (const until of [inDays(-1), inDays(91)]) {
      const body = { writes_per_hour: 10, reads_per_hour: 10, until };
      const { status, json } = await desk('POST', `/venues/${venue.id}/limits`, body);
      expect([status, json.error.field]).toEqual([422, '/until']);
    }
  });
});

describe('the fee', () => {
  it('below what the processor charges is refused with the comparison, and set once that is accepted', async () => {
    const { venue } = await world.venue();
    const body = { bps: 100, fixed: 0 };
    const refused = await desk('POST', `/venues/${venue.id}/fee`, body);
    expect([refused.status, refused.json.error.reason]).toEqual([409, 'fee_below_cost']);
    expect(refused.json.error.message).toContain('10 guests of $20.00: we get $2.00, the processor takes $8.80');
    const accepted = await desk('POST', `/venues/${venue.id}/fee`, { ...body, accept_below_cost: true });
    const low = accepted.json.fee;
    expect(low).toMatchObject({ bps: 100, fixed: 0, is_below_cost: true });
    const high = (await desk('POST', `/venues/${venue.id}/fee`, { bps: 1_000, fixed: 100 })).json.fee;
    expect(high.is_below_cost).toBe(false);
  });
});

describe('a look at a venue', () => {
  it('shows what its viewers read, for half an hour, and every write is refused', async () => {
    const { venue } = await world.venue({ name: 'Pier 9' });
    const support = await createOperator(world.context, 'support');
    const call = (method: string, path: string, body?: object) =>
      callConsole(world, method, path, {
        ...{ token: support.token, venue: venue.id },
        ...(body === undefined ? {} : { body }),
      });
    expect((await call('GET', '/v1/offerings')).status).toBe(404);
    const view = await deskOf(world, support)('POST', `/venues/${venue.id}/view`);
    expect(view.json).toEqual({ venue_id: venue.id, until: expect.any(String) });
    expect((await call('GET', '/v1/offerings')).status).toBe(200);
    expect((await call('GET', '/console/api/keys')).status).toBe(200);
    const session = (await callConsole(world, 'GET', '/console/api/session', { token: support.token })).json;
    expect(session.venues).toMatchObject([{ id: venue.id, role: 'viewer', viewed_until: expect.any(String) }]);
    for (const [path, body] of [
      ['/v1/checkouts', checkoutBody()],
      ['/console/api/leave', undefined],
      ['/console/api/notifications', {}],
      ['/console/api/keys', { kind: 'secret' }],
    ] as const) {
      const { status, json } = await call('POST', path, body);
      expect([path, status, json.error.code]).toEqual([path, 403, 'role_not_allowed']);
    }
    const [entry] = await world.db.query("select actor from audit_log where venue_id = $1 and action = 'venue.view'", [
      venue.id,
    ]);
    expect(entry).toEqual({ actor: `operator ${support.accountId}` });
    await world.db.query("update desk_views set ends_at = now() - interval '1 second' where venue_id = $1", [venue.id]);
    expect((await call('GET', '/v1/offerings')).status).toBe(404);
  });

  it('ends with the role of the operator', async () => {
    const { venue } = await world.venue();
    const support = await createOperator(world.context, 'support');
    await deskOf(world, support)('POST', `/venues/${venue.id}/view`);
    await world.db.query('delete from operators where account_id = $1', [support.accountId]);
    expect((await callConsole(world, 'GET', '/v1/offerings', { token: support.token, venue: venue.id })).status).toBe(
      404,
    );
  });
});

describe('people', () => {
  it('are found by their whole mail address, with their venues and their role at the desk', async () => {
    const { venue } = await world.venue({ name: 'Harbor Club' });
    const id = await createAccount(world.context, 'leo@harbor.example', [[venue.id, 'finance']]);
    const { json } = await desk('GET', '/people?q=leo@harbor.example');
    const venues = [{ id: venue.id, name: 'Harbor Club', role: 'finance' }];
    expect(json.data).toMatchObject([{ id, email: 'leo@harbor.example', operator_role: null, venues }]);
    expect((await desk('GET', `/people?q=${admin.accountId}`)).json.data).toMatchObject([{ operator_role: 'admin' }]);
    expect((await desk('GET', '/operators')).json.data.map((one: Json) => one.email)).toContain(admin.email);
  });

  it('and what operators did is listed with their names', async () => {
    const { venue } = await world.venue();
    await desk('POST', `/venues/${venue.id}/fee`, { bps: 500, fixed: 50 });
    const { json } = await desk('GET', `/audit?venue=${venue.id}&by=operators`);
    expect(json.data).toMatchObject([{ actor: admin.email, is_operator: true, action: 'venue.fee' }]);
  });
});
