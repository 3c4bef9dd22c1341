// A person in the console calls the API of partners with a session: in a venue and mode, by their role, with limits of
// their own. A key's request does not pay for it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeVenue } from '../../src/domain/venues/change-venue.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { checkoutBody } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venueId: string;
let accountId: string;
let token: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue({ origins: ['https://harbor.example'] })).venue.id;
  accountId = await createAccount(world.context, 'ada@harbor.example', [[venueId, 'owner']]);
  ({ token } = await createSession(world.context, accountId));
});
afterAll(() => world.close());

const call = (method: string, path: string, more: object = {}): Promise<HttpResponse> =>
  callConsole(world, method, path, { token, venue: venueId, ...more });

describe('a request with a key', () => {
  it('asks the database nothing about sessions, also with a cookie beside the key', async () => {
    const { key } = await world.key(venueId);
    const statementsOf = async (headers: Record<string, string>): Promise<string[]> => {
      const before = world.statements.length;
      expect((await world.call('GET', '/v1/me', { key, headers })).status).toBe(200);
      return world.statements.slice(before);
    };
    expect(await statementsOf({})).toEqual([expect.stringContaining('from admit(')]);
    expect(await statementsOf({ cookie: `everyshare_console=${token}` })).toEqual([
      expect.stringContaining('from admit('),
    ]);
  });
});

describe('a session', () => {
  it('creates and reads what a secret key does, in the mode that it names', async () => {
    const created = await call('POST', '/v1/checkouts', { body: checkoutBody() });
    expect(created.status, created.text).toBe(201);
    const { id } = created.json;
    expect((await call('GET', `/v1/checkouts/${id}`)).json).toMatchObject({ id, mode: 'test' });
    const { key } = await world.key(venueId);
    expect((await world.call('GET', `/v1/checkouts/${id}`, { key })).status).toBe(200);
    expect((await call('GET', `/v1/checkouts/${id}`, { mode: 'live' })).status).toBe(404);
    expect((await call('GET', '/v1/checkouts', { mode: 'live' })).json.data).toEqual([]);
  });

  it('counts an Idempotency-Key as a secret key does', async () => {
    const body = checkoutBody();
    const send = () => call('POST', '/v1/checkouts', { body, headers: { 'idempotency-key': 'from the console' } });
    const [first, second] = [await send(), await send()];
    expect(second.json.id).toBe(first.json.id);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });

  it('is named in the audit log by its account', async () => {
    const endpoint = await call('POST', '/v1/webhook_endpoints', {
      body: { url: 'https://example.com/hook', events: ['checkout.completed'] },
    });
    const audited = await world.db.query('select actor, via from audit_log where venue_id = $1 and actor like $2', [
      venueId,
      'account %',
    ]);
    expect([endpoint.status, audited[0]], endpoint.text).toEqual([201, { actor: `account ${accountId}`, via: 'http' }]);
  });

  it('reads the stream of events', async () => {
    const stream = await call('GET', '/v1/events/stream');
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  it('has 3,600 reads and 600 writes an hour for its account, apart from those of keys', async () => {
    const other = await createSession(world.context, accountId);
    const read = await call('GET', '/v1/offerings');
    expect(read.headers.get('x-ratelimit-limit')).toBe('3600');
    const next = await call('GET', '/v1/offerings', { token: other.token });
    expect(Number(next.headers.get('x-ratelimit-remaining'))).toBe(
      Number(read.headers.get('x-ratelimit-remaining')) - 1,
    );
    expect((await call('POST', '/v1/offerings', { body: {} })).headers.get('x-ratelimit-limit')).toBe('600');
    const busy = await createAccount(world.context, 'busy@harbor.example', [[venueId, 'owner']]);
    const session = await createSession(world.context, busy);
    await world.db.query('select * from count_calls_each($1, 600, $2)', [[`account ${busy} write`], [600]]);
    const refused = await call('POST', '/v1/offerings', { body: {}, token: session.token });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    expect(refused.json.error.message).toContain('600 writes an hour for your account');
    expect((await call('GET', '/v1/offerings', { token: session.token })).status).toBe(200);
  });

  it('is accepted from our own origin by either header, and by any name of this machine', async () => {
    const { port } = new URL(world.urls[0] ?? '');
    const cookie = `everyshare_console=${token}`;
    const venue = { 'everyshare-venue': venueId, 'everyshare-mode': 'test' };
    const send = (headers: Record<string, string>) =>
      world.call('GET', '/v1/offerings', { headers: { cookie, ...venue, ...headers } });
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await send({ origin: `http://localhost:${port}`, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await send({ origin: `http://localhost:${Number(port) + 1}` })).status).toBe(403);
  });

  it('gives way to the key of the Authorization header', async () => {
    const other = await world.venue({ name: 'Other place' });
    const headers = { authorization: `Bearer ${other.secretTest}` };
    const { status, json } = await call('GET', '/v1/me', { headers });
    expect([status, json.data.venue.name]).toEqual([200, 'Other place']);
  });

  it('is refused at a venue that was revoked as at an unknown one', async () => {
    const { venue } = await world.venue();
    const account = await createAccount(world.context, 'late@harbor.example', [[venue.id, 'owner']]);
    const late = await createSession(world.context, account);
    const read = () => call('GET', '/v1/offerings', { token: late.token, venue: venue.id });
    expect((await read()).status).toBe(200);
    await world.db.transaction((tx) => revokeVenue(tx, world.command(), venue.id));
    expect((await read()).status).toBe(404);
    const { json } = await callConsole(world, 'GET', '/console/api/session', { token: late.token });
    expect(json.venues).toEqual([]);
  });

  it('does not use the tool server, and does not describe a key', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    expect((await call('POST', '/mcp', { body })).status).toBe(401);
    expect((await call('GET', '/v1/me')).json.error.code).toBe('wrong_key_kind');
  });
});

describe('the documents', () => {
  it('have the operations of the console and of operators in /console/openapi.json alone', async () => {
    const [partners, people] = await Promise.all([
      world.call('GET', '/v1/openapi.json'),
      world.call('GET', '/console/openapi.json'),
    ]);
    const paths = Object.keys(people.json.paths);
    expect(paths).toContain('/console/api/sign_in');
    expect(paths.filter((path) => !/^\/(console|desk)\/api\//.test(path))).toEqual([]);
    expect(Object.keys(partners.json.paths).filter((path) => /^\/(console|desk)/.test(path))).toEqual([]);
    expect(people.headers.has('access-control-allow-origin')).toBe(false);
  });
});
