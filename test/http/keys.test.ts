// Authorization by key: which keys are accepted, which are refused with which error, and what is stored of a key.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importKey } from '../../src/domain/keys/issue-key.ts';
import { addOrigin, linkVenue, revokeVenue } from '../../src/domain/venues/change-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const ENDPOINT = { url: 'https://harbor.example/hooks', events: ['checkout.completed'] };

describe('GET /v1/me', () => {
  it('shows the key, its venue, mode, scopes, limits and the categories', async () => {
    const { venue, secretTest } = await world.venue();
    const { status, json } = await world.call('GET', '/v1/me', { key: secretTest });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      venue: { id: venue.id, name: 'Harbor Club' },
      mode: 'test',
      limits: { writes_per_hour: 60, reads_per_hour: 600 },
      key: { kind: 'secret', expires_at: null },
    });
    expect(json.data.scopes).toHaveLength(9);
    expect(json.data.categories.length).toBeGreaterThan(5);
    expect(json.data.next_steps).toBeUndefined();
  });

  it('shows a sandbox its venue without an id, and the next steps', async () => {
    const { secretTest } = await world.venue({ sandbox: true });
    const { json } = await world.call('GET', '/v1/me', { key: secretTest });
    expect(json.data.venue.id).toBeNull();
    expect(json.data.next_steps.length).toBeGreaterThan(0);
  });

  it('responds as its published schema defines', async () => {
    const { secretTest } = await world.venue({ sandbox: true });
    const { json, text } = await world.call('GET', '/v1/me', { key: secretTest });
    expect(world.context.validator.problems('me', { value: json.data, text, badTexts: [] })).toEqual([]);
  });
});

describe('401', () => {
  it('is the same for a missing, malformed, unknown, revoked and expired key', async () => {
    const { venue } = await world.venue();
    const revoked = await world.key(venue.id);
    await world.revoke(revoked.id);
    const expired = await world.key(venue.id, { expiresAt: new Date(Date.now() + 60_000).toISOString() });
    await world.db.query("update keys set expires_at = now() - interval '1 second' where key_id = $1", [expired.id]);
    const bodies = new Set<string>();
    for (const headers of [
      {},
      { authorization: 'Basic abc' },
      { authorization: 'Bearer' },
      { authorization: `Bearer ${'x'.repeat(600)}` },
      { authorization: 'Bearer svc_test_00000000000000000000000000000000' },
      { authorization: `Bearer ${revoked.key}` },
      { authorization: `Bearer ${expired.key}` },
    ]) {
      const {
        status,
        json,
        headers: responseHeaders,
      } = await world.call('GET', '/v1/me', { headers: headers as Record<string, string> });
      expect(status).toBe(401);
      expect(responseHeaders.get('www-authenticate')).toMatch(/^Bearer/);
      expect(responseHeaders.get('x-ratelimit-limit')).toBe('600');
      const { request_id, ...rest } = json.error;
      bodies.add(JSON.stringify(rest));
    }
    expect(bodies.size).toBe(1);
  });

  it('is the response to the next request after a key is revoked, on both servers', async () => {
    const { venue } = await world.venue();
    const { key, id } = await world.key(venue.id);
    for (const server of [0, 1]) expect((await world.call('GET', '/v1/me', { key, server })).status).toBe(200);
    await world.revoke(id);
    for (const server of [0, 1]) expect((await world.call('GET', '/v1/me', { key, server })).status).toBe(401);
  });

  it('is the response to every key of a revoked venue', async () => {
    const { venue, secretTest } = await world.venue();
    await world.db.transaction((tx) => revokeVenue(tx, world.command(), venue.id));
    expect((await world.call('GET', '/v1/me', { key: secretTest })).status).toBe(401);
  });
});

describe('403', () => {
  it('wrong_key_kind refuses a publishable key on a partner route, a secret key on a guest route, any key on a member route', async () => {
    const { secretTest, publishableTest } = await world.venue({ origins: ['https://shop.example'] });
    const partner = await world.call('GET', '/v1/me', { key: publishableTest });
    const guest = await world.call('GET', '/v1/public/checkouts/chk_1', { key: secretTest });
    const member = await world.call('POST', '/v1/public/shares/shr_1/hold', { key: publishableTest });
    for (const { status, json } of [partner, guest, member])
      expect([status, json.error.code]).toEqual([403, 'wrong_key_kind']);
  });

  it('origin_not_allowed refuses a publishable key without Origin, or with one that is not registered', async () => {
    const { venue, publishableTest: key } = await world.venue();
    await world.db.transaction((tx) => addOrigin(tx, world.command(), venue.id, 'https://shop.example'));
    const from = (origin: string | null) =>
      world.call('GET', '/v1/public/checkouts/chk_1', { key, ...(origin === null ? {} : { headers: { origin } }) });
    for (const origin of [
      null,
      'https://shop.example.evil.example',
      'http://shop.example',
      'https://shop.example:8443',
      'null',
    ]) {
      const { status, json } = await from(origin);
      expect([origin, status, json.error.code]).toEqual([origin, 403, 'origin_not_allowed']);
    }
    expect((await from('https://shop.example')).json.error.code).toBe('not_found');
    expect((await from('https://SHOP.example:443')).json.error.code).toBe('not_found');
  });

  it('insufficient_scope refuses a live key without the scope; a test key has every scope', async () => {
    const { venue, secretTest } = await world.venue();
    const live = await world.key(venue.id, { mode: 'live', scopes: ['offerings:read'] });
    const refused = await world.call('POST', '/v1/webhook_endpoints', { key: live.key, body: ENDPOINT });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.json.error.message).toContain('webhooks:write');
    const granted = await world.key(venue.id, { mode: 'live', scopes: ['webhooks:write'] });
    expect((await world.call('POST', '/v1/webhook_endpoints', { key: granted.key, body: ENDPOINT })).status).toBe(201);
    expect((await world.call('POST', '/v1/webhook_endpoints', { key: secretTest, body: ENDPOINT })).status).toBe(201);
  });

  it('ip_not_allowed refuses an address outside of the key’s list, also an IPv4-mapped one', async () => {
    const { venue } = await world.venue();
    const foreign = await world.key(venue.id, { allowIps: ['203.0.113.0/24', '2001:db8::/32'] });
    const local = await world.key(venue.id, { allowIps: ['127.0.0.0/8'] });
    const refused = await world.call('GET', '/v1/me', { key: foreign.key });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'ip_not_allowed']);
    expect((await world.call('GET', '/v1/me', { key: local.key })).status).toBe(200);
  });

  it('ip_not_allowed ignores X-Forwarded-For unless it comes from a trusted proxy', async () => {
    const proxied = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
    try {
      const { venue } = await proxied.venue();
      const { key } = await proxied.key(venue.id, { allowIps: ['203.0.113.7'] });
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      expect((await proxied.call('GET', '/v1/me', { key, headers })).status).toBe(200);
      expect(
        (await proxied.call('GET', '/v1/me', { key, headers: { 'x-forwarded-for': '198.51.100.1' } })).status,
      ).toBe(403);
      const { venue: other } = await world.venue();
      const direct = await world.key(other.id, { allowIps: ['203.0.113.7'] });
      expect((await world.call('GET', '/v1/me', { key: direct.key, headers })).status).toBe(403);
    } finally {
      await proxied.close();
    }
  });

  it('venue_not_linked refuses a sandbox that connects a venue system, and a sandbox gets no live key until it is linked', async () => {
    const { venue, secretTest } = await world.venue({ sandbox: true });
    const body = { provider: 'custom' };
    const refused = await world.call('POST', '/v1/integrations', { key: secretTest, body });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_not_linked']);
    await expect(world.key(venue.id, { mode: 'live', scopes: ['boats:read'] })).rejects.toThrow(/sandbox/);
    await world.db.transaction((tx) => linkVenue(tx, world.command(), venue.id));
    expect((await world.call('POST', '/v1/integrations', { key: secretTest, body })).status).toBe(201);
    expect((await world.key(venue.id, { mode: 'live', scopes: ['boats:read'] })).key).toMatch(
      /^svc_live_[A-Za-z0-9]{32}$/,
    );
  });

  it('mode_not_available refuses a mode without a card processor, and a live key on a test helper', async () => {
    const testOnly = await openTestWorld({
      env: { STRIPE_TEST_SECRET_KEY: 'sk_test_x', STRIPE_TEST_PUBLISHABLE_KEY: 'pk_test_x' },
    });
    try {
      const { venue, secretTest } = await testOnly.venue();
      const live = await testOnly.key(venue.id, { mode: 'live', scopes: ['boats:read'] });
      expect((await testOnly.call('GET', '/v1/me', { key: secretTest })).status).toBe(200);
      const refused = await testOnly.call('GET', '/v1/me', { key: live.key });
      expect([refused.status, refused.json.error.code]).toEqual([403, 'mode_not_available']);
    } finally {
      await testOnly.close();
    }
    const { venue } = await world.venue();
    const live = await world.key(venue.id, { mode: 'live', scopes: ['checkouts:write'] });
    const helper = await world.call('POST', '/v1/test_helpers/checkouts/chk_1/expire', { key: live.key });
    expect([helper.status, helper.json.error.code]).toEqual([403, 'mode_not_available']);
  });
});

describe('older live keys of 48 hex characters', () => {
  it('keep working with every scope', async () => {
    const { venue } = await world.venue();
    const text = `svc_live_${'0123456789abcdef'.repeat(3)}`;
    await world.db.transaction((tx) => importKey(tx, world.command(), venue.id, text));
    const { status, json } = await world.call('GET', '/v1/me', { key: text });
    expect([status, json.data.mode, json.data.scopes.length]).toEqual([200, 'live', 9]);
  });

  it('cannot be imported in any other form, nor a second time', async () => {
    const { venue } = await world.venue();
    const importText = (text: string) => world.db.transaction((tx) => importKey(tx, world.command(), venue.id, text));
    for (const text of ['svc_live_abc', `svc_test_${'a'.repeat(48)}`, `svc_live_${'A'.repeat(48)}`]) {
      await expect(importText(text)).rejects.toThrow(/older form/);
    }
    const text = `svc_live_${'fedcba9876543210'.repeat(3)}`;
    await importText(text);
    await expect(importText(text)).rejects.toThrow(/known already/);
  });
});

describe('what is stored of a key', () => {
  it('is its hash: the text is nowhere in the database and in no log line', async () => {
    const { secretTest, publishableTest } = await world.venue();
    await world.call('GET', '/v1/me', { key: secretTest });
    const rows = await world.db.query<{ dump: string }>(
      `select string_agg(t::text, ' ') as dump from (
         select k::text as t from keys k union all select r::text from key_routes r union all select a::text from audit_log a) x`,
    );
    for (const key of [secretTest, publishableTest]) {
      expect(rows[0]?.dump).not.toContain(key);
      expect(world.logs.join('')).not.toContain(key);
    }
  });

  it('includes an audit entry of who issued and who revoked it', async () => {
    const { venue } = await world.venue();
    const { id } = await world.key(venue.id);
    await world.revoke(id);
    await world.revoke(id);
    const rows = await world.db.query<{ action: string; actor: string; via: string }>(
      'select action, actor, via from audit_log where venue_id = $1 and subject = $2 order by audit_id',
      [venue.id, id],
    );
    expect(rows).toEqual([
      { action: 'key.create', actor: 'test', via: 'cli' },
      { action: 'key.revoke', actor: 'test', via: 'cli' },
    ]);
  });

  it('includes an audit log that can be neither updated, deleted from nor truncated', async () => {
    await world.venue();
    for (const sql of ["update audit_log set actor = 'x'", 'delete from audit_log', 'truncate audit_log']) {
      await expect(world.db.query(sql)).rejects.toThrow(/append-only/);
    }
  });
});
