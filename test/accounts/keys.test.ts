// The keys of a venue in the console: made, changed, rolled with an overlap and revoked by owners and developers; and
// `key roll` on the command line.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/domain/accounts/roles.ts';
import { issueKey } from '../../src/domain/keys/issue-key.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { commandLine } from '../support/run-command.ts';
import { expectConflict, expectInvalid, type Json } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { REQUEST_LOG: 'on' } });
});
afterAll(() => world.close());

type Mode = 'test' | 'live';
interface Member {
  readonly id: string;
  readonly venue: string;
  call(method: string, path: string, body?: object, mode?: Mode): Promise<HttpResponse>;
}

let people = 0;

async function member(role: Role = 'developer', options: { sandbox?: boolean } = {}): Promise<Member> {
  const { venue } = await world.venue(options);
  const id = await createAccount(world.context, `keys${people++}@team.example`, [[venue.id, role]]);
  const { token } = await createSession(world.context, id);
  return {
    id,
    venue: venue.id,
    call: (method, path, body, mode = 'test') =>
      callConsole(world, method, path, { token, venue: venue.id, mode, ...(body === undefined ? {} : { body }) }),
  };
}

async function create(by: Member, body: object = {}, mode: Mode = 'test'): Promise<Json> {
  const response = await by.call('POST', '/console/api/keys', { kind: 'secret', ...body }, mode);
  expect(response.status, response.text).toBe(201);
  return response.json;
}

const roll = (by: Member, id: string, body: object = {}, mode: Mode = 'test') =>
  by.call('POST', `/console/api/keys/${id}/roll`, body, mode);
const meStatus = async (key: string): Promise<number> => (await world.call('GET', '/v1/me', { key })).status;
const outcomeOf = ({ status, json }: HttpResponse) => [status, json.error?.code];

async function auditOf({ venue }: Member): Promise<unknown[]> {
  const rows = await world.db.query<{ action: string; actor: string; subject: string }>(
    "select action, actor, subject from audit_log where venue_id = $1 and actor like 'account %' order by audit_id",
    [venue],
  );
  return rows.map(({ action, actor, subject }) => [action, actor, subject]);
}

describe('a developer', () => {
  it('creates a key whose text is in that answer only, and which works at once', async () => {
    const developer = await member();
    const made = await create(developer, { name: 'Web shop', allow_ips: ['127.0.0.1'], scopes: ['boats:read'] });
    expect(made).toMatchObject({
      name: 'Web shop',
      kind: 'secret',
      mode: 'test',
      status: 'active',
      allow_ips: ['127.0.0.1'],
      expires_at: null,
      revoked_at: null,
      rolled_to: null,
      last_used_at: null,
      last_used_address: null,
      writes_per_hour: 60,
      reads_per_hour: 600,
    });
    expect(made.key).toMatch(/^svc_test_[A-Za-z0-9]{32}$/);
    expect(made.scopes, 'a test key has every scope').toHaveLength(9);
    expect(await meStatus(made.key)).toBe(200);
    const listed = await developer.call('GET', '/console/api/keys');
    expect(listed.text).not.toContain(made.key);
    // The call above may be in the request log by now.
    const { key: _shownOnce, last_used_at: _never, last_used_address: _none, ...rest } = made;
    expect(listed.json.data[0]).toMatchObject(rest);
    expect(await auditOf(developer)).toEqual([['key.create', `account ${developer.id}`, made.id]]);
  });

  it('pages through the keys of one mode, newest first, and filters by status', async () => {
    const developer = await member('owner');
    const ids: string[] = [];
    for (let made = 0; made < 3; made++) ids.unshift((await create(developer)).id);
    await create(developer, { scopes: ['boats:read'] }, 'live');
    await developer.call('POST', `/console/api/keys/${ids[1]}/revoke`);
    const first = (await developer.call('GET', '/console/api/keys?limit=2')).json;
    expect(first.data.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
    const second = (await developer.call('GET', `/console/api/keys?limit=10&before=${first.next_before}`)).json;
    expect([second.data.length, second.data[0].id, second.next_before]).toEqual([3, ids[2], null]);
    const revoked = (await developer.call('GET', '/console/api/keys?status=revoked')).json;
    expect(revoked.data.map(({ id, status }: Json) => [id, status])).toEqual([[ids[1], 'revoked']]);
    const live = (await developer.call('GET', '/console/api/keys', undefined, 'live')).json;
    expect(live.data.map(({ mode, scopes }: Json) => [mode, scopes])).toEqual([['live', ['boats:read']]]);
  });

  it('changes name, expiry and addresses, and only what is given', async () => {
    const developer = await member();
    const { id, key } = await create(developer, { name: 'Web shop' });
    const path = `/console/api/keys/${id}`;
    const expires_at = '2099-01-01T00:00:00Z';
    const changed = (await developer.call('POST', path, { expires_at, allow_ips: ['203.0.113.0/24'] })).json;
    expect(changed).toMatchObject({ name: 'Web shop', allow_ips: ['203.0.113.0/24'] });
    expect(Date.parse(changed.expires_at)).toBe(Date.parse(expires_at));
    expect(await meStatus(key)).toBe(403);
    const cleared = await developer.call('POST', path, { name: null, expires_at: null, allow_ips: [] });
    expect(cleared.json).toMatchObject({ name: null, expires_at: null, allow_ips: [] });
    expect(await meStatus(key)).toBe(200);
  });

  it('sees when a key was last used, and the address without its last part', async () => {
    const developer = await member();
    const used = await create(developer);
    const unused = await create(developer);
    expect(await meStatus(used.key)).toBe(200);
    const shown = async (): Promise<Json[]> => (await developer.call('GET', '/console/api/keys')).json.data;
    await expect
      .poll(async () => (await shown()).find(({ id }) => id === used.id)?.last_used_address, { timeout: 15_000 })
      .toBe('127.0.0.…');
    const keys = await shown();
    const at = Date.parse(keys.find(({ id }) => id === used.id)?.last_used_at);
    expect(Math.abs(Date.now() - at)).toBeLessThan(120_000);
    expect(keys.find(({ id }) => id === unused.id)).toMatchObject({ last_used_at: null, last_used_address: null });
  });

  it('revokes a key, twice with the same answer', async () => {
    const developer = await member();
    const { id, key } = await create(developer);
    const first = await developer.call('POST', `/console/api/keys/${id}/revoke`);
    expect([first.status, first.json.status]).toEqual([200, 'revoked']);
    expect(await meStatus(key)).toBe(401);
    expect((await developer.call('POST', `/console/api/keys/${id}/revoke`)).json).toEqual(first.json);
    expectConflict(await developer.call('POST', `/console/api/keys/${id}`, { name: 'A' }), 'key_revoked');
  });

  it('gets an error at the field that is wrong', async () => {
    const developer = await member();
    const post = (body: object, mode: Mode = 'test') => developer.call('POST', '/console/api/keys', body, mode);
    expectInvalid(await post({}), 'missing_field', '/kind');
    expectInvalid(await post({ kind: 'secret', scopes: ['money:write'] }), 'invalid_value', '/scopes/0');
    expectInvalid(await post({ kind: 'publishable', scopes: ['boats:read'] }), 'not_allowed', '/scopes');
    expectInvalid(await post({ kind: 'secret', expires_at: '2020-01-01T00:00:00Z' }), 'out_of_range', '/expires_at');
    expectInvalid(await post({ kind: 'secret', allow_ips: ['127.0.0.1', 'home'] }), 'invalid_format', '/allow_ips/1');
    expectInvalid(await post({ kind: 'secret', name: ' ' }), 'invalid_format', '/name');
    expectInvalid(await post({ kind: 'secret' }, 'live'), 'missing_field', '/scopes');
    const { id } = await create(developer);
    expectInvalid(await roll(developer, id, { overlap_hours: 169 }), 'out_of_range', '/overlap_hours');
    const past = await developer.call('POST', `/console/api/keys/${id}`, { expires_at: '2020-01-01T00:00:00Z' });
    expectInvalid(past, 'out_of_range', '/expires_at');
  });

  it('makes and rolls no live key that can refund, since the role cannot, and makes live keys with other scopes', async () => {
    const [developer, owner] = [await member(), await member('owner')];
    const refunding = { kind: 'secret', scopes: ['checkouts:write', 'checkouts:read'] };
    const refused = await developer.call('POST', '/console/api/keys', refunding, 'live');
    expect(outcomeOf(refused)).toEqual([403, 'role_not_allowed']);
    expect(refused.json.error.message).toMatch(/Your role .* is developer.*checkouts:write.* an owner/);
    const { id } = await world.key(developer.venue, { mode: 'live', scopes: ['checkouts:write'] });
    expect(outcomeOf(await roll(developer, id, {}, 'live'))).toEqual([403, 'role_not_allowed']);
    const other = await create(developer, { scopes: ['checkouts:read', 'offerings:write'] }, 'live');
    expect((await roll(developer, other.id, {}, 'live')).status).toBe(201);
    const made = await create(owner, refunding, 'live');
    expect((await roll(owner, made.id, {}, 'live')).status).toBe(201);
    expect((await create(developer, refunding)).scopes).toContain('checkouts:write');
  });

  it('that another program gives wrong values is refused at the field of the API', async () => {
    const { venue } = await world.venue({});
    const base = {
      venueId: venue.id,
      kind: 'secret',
      mode: 'live',
      expiresAt: null,
      writesPerHour: null,
      readsPerHour: null,
    } as const;
    const issue = (values: { scopes: string[]; allowIps: string[] }) =>
      world.db.transaction((tx) => issueKey(tx, world.command(), { ...base, ...values }));
    for (const scopes of [['money:write'], []])
      await expect(issue({ scopes, allowIps: [] })).rejects.toMatchObject({ detail: { field: '/scopes' } });
    for (const allowIps of [['home'], Array.from({ length: 101 }, () => '127.0.0.1')])
      await expect(issue({ scopes: ['boats:read'], allowIps })).rejects.toMatchObject({
        detail: { field: '/allow_ips' },
      });
  });

  it('makes no live key in a sandbox venue, and none without a code of the last ten minutes', async () => {
    const sandbox = await member('owner', { sandbox: true });
    const body = { kind: 'secret', scopes: ['boats:read'] };
    expect(outcomeOf(await sandbox.call('POST', '/console/api/keys', body, 'live'))).toEqual([403, 'venue_not_linked']);
    const owner = await member('owner');
    const { id } = await create(owner, body, 'live');
    await world.db.query(
      "update account_sessions set created_at = now() - interval '11 minutes' where account_id = $1",
      [owner.id],
    );
    expect(outcomeOf(await owner.call('POST', '/console/api/keys', body, 'live'))).toEqual([403, 'step_up_required']);
    expect(outcomeOf(await roll(owner, id, {}, 'live'))).toEqual([403, 'step_up_required']);
    expect((await owner.call('POST', '/console/api/keys', body)).status).toBe(201);
  });

  it('has at most 100 active keys in a mode', async () => {
    const developer = await member();
    await world.db.query(
      `insert into keys (venue_id, key_id, kind, mode, hint, scopes, writes_per_hour, reads_per_hour, created_at)
       select $1, 'key_' || lpad(n::text, 26, '0'), 'secret', 'test', '', '{}', 1, 1, now() from generate_series(1, 97) n`,
      [developer.venue],
    );
    const { id } = await create(developer);
    expectConflict(await developer.call('POST', '/console/api/keys', { kind: 'secret' }), 'too_many_keys');
    await developer.call('POST', `/console/api/keys/${id}/revoke`);
    const last = await create(developer);
    expectConflict(await roll(developer, last.id, { overlap_hours: 24 }), 'too_many_keys');
    expect((await roll(developer, last.id, { overlap_hours: 0 })).status).toBe(201);
  });
});

describe('rolling a key', () => {
  it('gives a new key with the same values, and the old one works until the overlap ends', async () => {
    const owner = await member('owner');
    const values = { name: 'Web shop', scopes: ['boats:read'], allow_ips: ['127.0.0.0/8'] };
    const old = await create(owner, values, 'live');
    const { status, json } = await roll(owner, old.id, { overlap_hours: 2 }, 'live');
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...values, mode: 'live', kind: 'secret', expires_at: null, rolled_to: null });
    expect(json.id).not.toBe(old.id);
    expect(json.rolled).toMatchObject({ id: old.id, status: 'active', rolled_to: json.id });
    const overlap = Date.parse(json.rolled.expires_at) - Date.parse(json.created_at);
    expect(overlap).toBe(2 * 3_600_000);
    expect([await meStatus(old.key), await meStatus(json.key)]).toEqual([200, 200]);
    await world.db.query("update keys set expires_at = now() - interval '1 second' where key_id = $1", [old.id]);
    expect([await meStatus(old.key), await meStatus(json.key)]).toEqual([401, 200]);
    expect((await auditOf(owner)).map((entry) => (entry as string[])[0])).toEqual([
      'key.create',
      'key.create',
      'key.roll',
    ]);
  });

  it('lasts 24 hours when the body says nothing, and ends the old key at once with 0', async () => {
    const developer = await member();
    const old = await create(developer);
    const first = (await roll(developer, old.id)).json;
    expect(Date.parse(first.rolled.expires_at) - Date.parse(first.created_at)).toBe(24 * 3_600_000);
    const second = (await roll(developer, first.id, { overlap_hours: 0 })).json;
    expect(second.rolled).toMatchObject({ status: 'revoked', expires_at: null });
    expect([await meStatus(first.key), await meStatus(second.key)]).toEqual([401, 200]);
  });

  it('never prolongs the old key, and gives the new one the same length of life', async () => {
    const developer = await member();
    const old = await create(developer, { expires_at: new Date(Date.now() + 3_600_000).toISOString() });
    const { json } = await roll(developer, old.id, { overlap_hours: 168 });
    expect(json.rolled.expires_at).toBe(old.expires_at);
    const [life, lifeBefore] = [json, old].map((key) => Date.parse(key.expires_at) - Date.parse(key.created_at));
    expect(life).toBe(lifeBefore);
  });

  it('keeps the kind and the limits that the operator has raised', async () => {
    const developer = await member();
    const raised = await world.key(developer.venue, { writesPerHour: 1_000, readsPerHour: 2_000 });
    expect((await roll(developer, raised.id)).json).toMatchObject({ writes_per_hour: 1_000, reads_per_hour: 2_000 });
    const { id } = await create(developer, { kind: 'publishable' });
    expect((await roll(developer, id)).json).toMatchObject({ kind: 'publishable', scopes: [] });
  });

  it('succeeds once of several at the same time', async () => {
    const developer = await member();
    const { id } = await create(developer);
    const answers = await Promise.all(Array.from({ length: 4 }, () => roll(developer, id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const successor = answers.find(({ status }) => status === 201)?.json.id;
    const again = await roll(developer, id);
    expectConflict(again, 'already_rolled');
    expect(again.json.error.message).toContain(successor);
  });

  it('is refused for a revoked and an expired key', async () => {
    const developer = await member();
    const [revoked, expired] = [await create(developer), await create(developer)];
    await developer.call('POST', `/console/api/keys/${revoked.id}/revoke`);
    await world.db.query("update keys set expires_at = now() - interval '1 second' where key_id = $1", [expired.id]);
    expectConflict(await roll(developer, revoked.id), 'key_revoked');
    expectConflict(await roll(developer, expired.id), 'key_expired');
    expect((await developer.call('GET', '/console/api/keys?status=active')).json.data).toHaveLength(2);
  });

  it('cannot be undone by another expiry, and an expired key stays expired', async () => {
    const developer = await member();
    const { id } = await create(developer);
    expect((await roll(developer, id, { overlap_hours: 1 })).status).toBe(201);
    const change = (body: object) => developer.call('POST', `/console/api/keys/${id}`, body);
    expectConflict(await change({ expires_at: null }), 'already_rolled');
    expectConflict(await change({ expires_at: '2040-01-01T00:00:00Z' }), 'already_rolled');
    expect((await change({ name: 'Old' })).status).toBe(200);
    await world.db.query(`update keys set expires_at = now() - interval '1 second' where key_id = $1`, [id]);
    expectConflict(await change({ expires_at: null }), 'key_expired');
  });

  it('works on the command line', async () => {
    const developer = await member();
    const cli = commandLine(world);
    const old = await create(developer, { name: 'Till' });
    const rolled = await cli.json<Json>('key', 'roll', old.id, '--overlap-hours', '0');
    expect(rolled).toMatchObject({ name: 'Till', rolled: { id: old.id, rolled_to: rolled.id } });
    expect([await meStatus(old.key), await meStatus(rolled.key)]).toEqual([401, 200]);
    expect(await cli.line(1, 'key', 'roll', old.id)).toContain('was revoked: create another one');
    expect(await cli.line(2, 'key', 'roll', old.id, '--overlap-hours', '169')).toContain('from 0 to 168');
    expect(await cli.line(1, 'key', 'roll', 'key_01jz3k8q7v5m2n9t4w6x8y0abc')).toContain('there is no key');
  });
});

describe('a key of another venue or mode', () => {
  it.each(['', '/roll', '/revoke'])('is not found at %s', async (action) => {
    const [owner, other] = [await member('owner'), await member('owner')];
    const foreign = await create(other);
    const live = await create(owner, { scopes: ['boats:read'] }, 'live');
    for (const { id } of [foreign, live])
      expect(outcomeOf(await owner.call('POST', `/console/api/keys/${id}${action}`, {}))).toEqual([404, 'not_found']);
    expect([await meStatus(foreign.key), await meStatus(live.key)]).toEqual([200, 200]);
  });
});
