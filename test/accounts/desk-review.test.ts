// The review at the desk: the queue, one object as a reviewer sees it, and the decisions, which are about the version that
// was shown.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readReviewQueue } from '../../src/domain/monitoring/queues.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { createOperator, deskOf, type TestOperator } from '../support/desk-client.ts';
import { BOAT, EVENT, OFFERING } from '../support/review-samples.ts';
import { commandLine } from '../support/run-command.ts';
import type { Json } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let ines: TestOperator;
let desk: ReturnType<typeof deskOf>;
beforeAll(async () => {
  world = await openTestWorld();
  ines = await createOperator(world.context, 'reviewer');
  await world.db.query("update accounts set name = 'Ines' where account_id = $1", [ines.accountId]);
  desk = deskOf(world, ines);
});
afterAll(() => world.close());

async function partner() {
  const { venue } = await world.venue();
  const { key } = await world.key(venue.id);
  return {
    venue: venue.id,
    send: async (path: string, body: object): Promise<Json> =>
      (await world.call('POST', path, { key, body })).json.data,
    get: (path: string) => world.call('GET', path, { key }),
  };
}

const caseOf = async (id: string): Promise<Json> => (await desk('GET', `/reviews/${id}`)).json;

async function decide(id: string, action: string, note?: string): Promise<Json> {
  const { version } = await caseOf(id);
  const { status, json, text } = await desk('POST', `/reviews/${id}/${action}`, {
    version,
    ...(note === undefined ? {} : { note }),
  });
  expect(status, text).toBe(200);
  return json;
}

describe('the queue of the desk', () => {
  it('lists what waits oldest first, and a change waits from when it was sent', async () => {
    const { venue, send } = await partner();
    const offering = await send('/v1/offerings', OFFERING);
    await decide(offering.id, 'approve');
    const boat = await send('/v1/boats', BOAT);
    const event = await send('/v1/experiences', EVENT);
    await send('/v1/offerings', { ...OFFERING, title: 'Poolside cabana for six' });
    const { json } = await desk('GET', `/reviews?venue=${venue}&limit=2`);
    expect(json.data.map(({ id, kind, is_change }: Json) => [id, kind, is_change])).toEqual([
      [boat.id, 'boat', false],
      [event.id, 'event', false],
    ]);
    const next = await desk('GET', `/reviews?venue=${venue}&limit=2&after=${encodeURIComponent(json.next_after)}`);
    expect(next.json.data).toMatchObject([{ id: offering.id, title: 'Poolside cabana for six', is_change: true }]);
    expect(next.json.next_after).toBe(null);
    const wrong = await desk('GET', '/reviews?after=yesterday');
    expect([wrong.status, wrong.json.error.field]).toEqual([422, '/query/after']);
    const noDay = await desk('GET', `/reviews?after=2027-02-30T10:00:00.000000Z,${boat.id}`);
    expect(noDay.status, 'no such day').toBe(422);
    expect(json.waiting).toBeGreaterThanOrEqual(3);
    expect(json.reasons[0]).toMatchObject({ key: 'photos' });
  });

  it('lists, counts and measures each mode alone: an old test object hides no live one', async () => {
    const { venue, send } = await partner();
    const old = await send('/v1/offerings', OFFERING);
    await world.db.query(`update offerings set changed_at = now() - interval '3 days' where offering_id = $1`, [
      old.id,
    ]);
    const { key } = await world.key(venue, { mode: 'live', scopes: ['offerings:write'] });
    const live: Json = (await world.call('POST', '/v1/offerings', { key, body: OFFERING })).json.data;
    const { json } = await desk('GET', '/reviews?mode=live&limit=1');
    expect([json.data.map(({ id }: Json) => id), json.waiting]).toEqual([[live.id], 1]);
    const both = await desk('GET', '/reviews?limit=1');
    expect(both.json.data).toMatchObject([{ id: old.id }]);
    expect(both.json.waiting).toBeGreaterThan(1);
    const now = world.context.clock.now() + 60_000;
    const ageOf = async (mode: 'live' | 'test'): Promise<number> =>
      now - ((await readReviewQueue(world.db, mode, now)).oldestDueAt ?? 0);
    expect(await ageOf('test')).toBeGreaterThan(2 * 86_400_000);
    expect(await ageOf('live')).toBeLessThan(86_400_000);
  });
});

describe('one object of the review', () => {
  it('shows what members see beside what waits, the differences, and who decided before', async () => {
    const { send } = await partner();
    const { id } = await send('/v1/offerings', OFFERING);
    await decide(id, 'approve');
    await send('/v1/offerings', { ...OFFERING, description: 'A shaded cabana with two bottles of water.' });
    const shown = await caseOf(id);
    expect(shown).toMatchObject({ status: 'pending', is_visible: true, visible: OFFERING });
    expect(shown.waiting.description).toBe('A shaded cabana with two bottles of water.');
    expect(shown.differences).toEqual([{ field: '/description', change: 'changed' }]);
    expect(shown.history).toEqual([{ at: expect.any(String), action: 'review.approve', by: 'Ines', note: null }]);
  });

  it('shows `extra` of a boat, which its partner cannot read back', async () => {
    const { send, get } = await partner();
    const { id } = await send('/v1/boats', BOAT);
    expect((await caseOf(id)).extra).toEqual({ insurance: 'Harbor Mutual' });
    expect((await get(`/v1/boats/${id}`)).text).not.toContain('Harbor Mutual');
  });
});

describe('a decision', () => {
  it('is refused when the object was changed after it was shown, and nothing is approved', async () => {
    const { send, get } = await partner();
    const { id } = await send('/v1/offerings', OFFERING);
    const { version } = await caseOf(id);
    await send('/v1/offerings', { ...OFFERING, title: 'Something else' });
    for (const [action, body] of [
      ['approve', { version }],
      ['reject', { version, note: 'No.' }],
    ] as const) {
      const late = await desk('POST', `/reviews/${id}/${action}`, body);
      expect([late.status, late.json.error.reason]).toEqual([409, 'changed_since']);
    }
    expect((await get(`/v1/offerings/${id}`)).json.data.status).toBe('pending');
  });

  it('of two reviewers counts once: the second is refused', async () => {
    const { send } = await partner();
    const { id } = await send('/v1/boats', BOAT);
    const { version } = await caseOf(id);
    const both = await Promise.all([
      desk('POST', `/reviews/${id}/approve`, { version }),
      desk('POST', `/reviews/${id}/reject`, { version, note: 'Too old.' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('rejects what waits and leaves the version that members see', async () => {
    const { send } = await partner();
    const { id } = await send('/v1/offerings', OFFERING);
    await decide(id, 'approve');
    await send('/v1/offerings', { ...OFFERING, title: 'Call 555-0100' });
    const rejected = await decide(id, 'reject', 'Take the phone number out.');
    expect(rejected).toMatchObject({ status: 'rejected', review_note: 'Take the phone number out.', is_visible: true });
    expect(rejected.visible.title).toBe('Poolside cabana');
  });

  it('takes down what members see, with its waiting change, one event and an entry that names the operator', async () => {
    const { venue, send, get } = await partner();
    const { id } = await send('/v1/offerings', OFFERING);
    await decide(id, 'approve');
    await send('/v1/offerings', { ...OFFERING, title: 'Poolside cabana for six' });
    const down = await decide(id, 'take_down', 'The pool is closed.');
    expect(down).toMatchObject({ status: 'rejected', is_visible: false, visible: null });
    expect((await get(`/v1/offerings/${id}`)).json.data).toMatchObject({
      status: 'rejected',
      review_note: 'The pool is closed.',
    });
    const types = (await get('/v1/events?limit=5')).json.data.map(({ type }: Json) => type);
    expect(types.filter((type: string) => type === 'offering.rejected')).toHaveLength(1);
    const entries = await world.db.query(
      'select actor, via, action, detail from audit_log where venue_id = $1 and subject = $2 order by audit_id desc limit 1',
      [venue, id],
    );
    expect(entries).toEqual([
      {
        actor: `operator ${ines.accountId}`,
        via: 'http',
        action: 'review.take_down',
        detail: { kind: 'offering', mode: 'test', note: 'The pool is closed.' },
      },
    ]);
    const { version } = await caseOf(id);
    const twice = await desk('POST', `/reviews/${id}/take_down`, { version, note: 'Again.' });
    expect([twice.status, twice.json.error.reason]).toEqual([409, 'not_visible']);
  });

  it('takes down what members see although its venue goes on changing what waits', async () => {
    const { send } = await partner();
    const { id } = await send('/v1/offerings', OFFERING);
    await decide(id, 'approve');
    const { version } = await caseOf(id);
    await send('/v1/offerings', { ...OFFERING, title: 'Poolside cabana for six' });
    const refused = await desk('POST', `/reviews/${id}/approve`, { version });
    expect([refused.status, refused.json.error.reason]).toEqual([409, 'changed_since']);
    expect((await desk('POST', `/reviews/${id}/take_down`, { version, note: 'Closed.' })).status).toBe(200);
    expect(await caseOf(id)).toMatchObject({ is_visible: false });
  });

  it('takes an event down at once: its figures and its id are gone from reads', async () => {
    const { send, get } = await partner();
    const { id } = await send('/v1/experiences', EVENT);
    await decide(id, 'approve');
    expect((await get(`/v1/experiences/${id}`)).json.data.experience_id).toEqual(expect.any(String));
    await decide(id, 'take_down', 'Canceled by the harbor.');
    expect((await get(`/v1/experiences/${id}`)).json.data).toMatchObject({ status: 'rejected', experience_id: null });
  });

  it.each([
    ['offering', '/v1/offerings', OFFERING],
    ['event', '/v1/experiences', EVENT],
    ['boat', '/v1/boats', BOAT],
  ])('takes an %s out of what the catalogue shows as visible to members', async (kind, path, body) => {
    const { venue, send } = await partner();
    const account = await createAccount(world.context, `${kind}@harbor.example`, [[venue, 'viewer']]);
    const { token } = await createSession(world.context, account);
    const { id } = await send(path, body);
    const read = async (of: string): Promise<Json> =>
      (await callConsole(world, 'GET', `/console/api/catalogue${of}`, { token, venue })).json;
    const visible = async (): Promise<[unknown, boolean]> => [
      (await read(`/${kind}/${id}`)).visible,
      (await read('')).data.find((item: Json) => item.id === id).is_visible,
    ];
    await decide(id, 'approve');
    const title = 'title' in body ? { title: body.title } : { name: body.name };
    expect(await visible()).toEqual([expect.objectContaining(title), true]);
    await decide(id, 'take_down', 'The harbor is closed.');
    expect(await visible()).toEqual([null, false]);
  });

  it('reopens what was rejected, and nothing else', async () => {
    const { send } = await partner();
    const { id } = await send('/v1/boats', BOAT);
    const { version } = await caseOf(id);
    const early = await desk('POST', `/reviews/${id}/reopen`, { version });
    expect([early.status, early.json.error.reason]).toEqual([409, 'not_rejected']);
    await decide(id, 'reject', 'Not this one.');
    expect(await decide(id, 'reopen')).toMatchObject({ status: 'pending', review_note: null });
  });

  it('needs a note with a rejection and a takedown, and names its field', async () => {
    const { send } = await partner();
    const { id } = await send('/v1/boats', BOAT);
    const { version } = await caseOf(id);
    for (const action of ['reject', 'take_down'])
      for (const note of [undefined, '', '   ']) {
        const { status, json } = await desk('POST', `/reviews/${id}/${action}`, { version, note });
        expect([status, json.error.field]).toEqual([422, '/note']);
      }
  });
});

describe('the command line', () => {
  it('takes down what members see while a change waits, and rejects with a reason of the desk', async () => {
    const cli = commandLine(world);
    const { send } = await partner();
    const { id } = await send('/v1/offerings', OFFERING);
    await decide(id, 'approve');
    await send('/v1/offerings', { ...OFFERING, title: 'Poolside cabana for six' });
    const down = (await cli.json('review', 'take-down', id, '--reason', 'photos')) as Json;
    expect(down).toMatchObject({ status: 'rejected', review_note: expect.stringContaining('send your own photos') });
    expect(await caseOf(id)).toMatchObject({ is_visible: false });
    const twice = await cli.run('review', 'take-down', id, '--note', 'Again.');
    expect([twice.exit, twice.err]).toEqual([1, expect.stringContaining('only what members see can be taken down')]);
    const silent = await cli.run('review', 'reject', id);
    expect([silent.exit, silent.err]).toEqual([2, expect.stringContaining('--reason photos|price|contact')]);
  });
});

describe('operators', () => {
  it('are added, changed, listed and removed on the command line, and audited', async () => {
    const cli = commandLine(world);
    const added = (await cli.json('operator', 'add', 'leo@desk.example', '--role', 'support')) as Json;
    await cli.json('operator', 'add', 'leo@desk.example', '--role', 'finance');
    const listed = (await cli.json('operator', 'list')) as Json[];
    expect(listed.find(({ email }) => email === 'leo@desk.example')).toMatchObject({ role: 'finance' });
    await cli.json('operator', 'remove', 'leo@desk.example');
    const entries = await world.db.query<{ action: string; detail: Json }>(
      'select action, detail from installation_audit where subject = $1 order by audit_id',
      [added.account],
    );
    expect(entries.map(({ action, detail }) => [action, detail.role])).toEqual([
      ['operator.add', 'support'],
      ['operator.add', 'finance'],
      ['operator.remove', 'finance'],
    ]);
    const again = await cli.run('operator', 'remove', 'leo@desk.example');
    expect([again.exit, again.err]).toEqual([1, expect.stringContaining('"everyshare operator list"')]);
  });

  it('sign in as people of the console do, and read their role', async () => {
    expect((await desk('GET', '/session')).json).toMatchObject({ account: { email: ines.email }, role: 'reviewer' });
  });
});
