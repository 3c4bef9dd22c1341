// Idempotency-Key: a repeated call returns the first response and does nothing twice.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ servers: 2 });
});
afterAll(() => world.close());

const BODY = { url: 'https://harbor.example/hooks', events: ['checkout.completed'] };
const PATH = '/v1/webhook_endpoints';

async function openPartner(): Promise<{ key: string; venueId: string }> {
  const { venue } = await world.venue();
  return { key: (await world.key(venue.id, { writesPerHour: 1000 })).key, venueId: venue.id };
}

async function countOf(venueId: string): Promise<number> {
  const rows = await world.db.query<{ count: number }>(
    'select count(*) as count from webhook_endpoints where venue_id = $1',
    [venueId],
  );
  return rows[0]?.count ?? 0;
}

describe('the Idempotency-Key header', () => {
  it('replays the first status and body byte for byte, marked as a replay', async () => {
    const { key, venueId } = await openPartner();
    const headers = { 'idempotency-key': 'first' };
    const first = await world.call('POST', PATH, { key, body: BODY, headers });
    const repeated = await world.call('POST', PATH, { key, body: BODY, headers, server: 1 });
    expect([first.status, repeated.status]).toEqual([201, 201]);
    expect(repeated.text).toBe(first.text);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(await countOf(venueId)).toBe(1);
  });

  it('creates one object and gives 50 equal responses to 50 identical concurrent calls on two servers', async () => {
    const { key, venueId } = await openPartner();
    const headers = { 'idempotency-key': 'storm' };
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, i) => world.call('POST', PATH, { key, body: BODY, headers, server: i % 2 })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await countOf(venueId)).toBe(1);
  });

  it('compares bodies as JSON values: member order, white space and escapes do not matter', async () => {
    const { key } = await openPartner();
    const headers = { 'idempotency-key': 'order' };
    const first = await world.call('POST', PATH, { key, body: BODY, headers });
    const other = `{ "events": ["checkout.\\u0063ompleted"],\n "url":"https://harbor.example/hooks" }`;
    expect((await world.call('POST', PATH, { key, body: other, headers })).text).toBe(first.text);
  });

  it('refuses another body under the same key with 409 idempotency_key_reused', async () => {
    const { key, venueId } = await openPartner();
    const headers = { 'idempotency-key': 'reused' };
    await world.call('POST', PATH, { key, body: BODY, headers });
    const other = await world.call('POST', PATH, {
      key,
      body: { ...BODY, url: 'https://harbor.example/other' },
      headers,
    });
    expect([other.status, other.json.error.code, other.json.error.reason]).toEqual([
      409,
      'conflict',
      'idempotency_key_reused',
    ]);
    expect(await countOf(venueId)).toBe(1);
  });

  it('leaves the key unused when the call failed validation', async () => {
    const { key } = await openPartner();
    const headers = { 'idempotency-key': 'mended' };
    expect((await world.call('POST', PATH, { key, body: { url: 'x' }, headers })).status).toBe(422);
    expect((await world.call('POST', PATH, { key, body: BODY, headers })).status).toBe(201);
  });

  it('belongs to a venue and a mode: another venue and live mode have their own keys', async () => {
    const one = await openPartner();
    const two = await openPartner();
    const live = await world.key(one.venueId, { mode: 'live', scopes: ['webhooks:write'] });
    const headers = { 'idempotency-key': 'mine' };
    const responses = [];
    for (const key of [one.key, two.key, live.key])
      responses.push(await world.call('POST', PATH, { key, body: BODY, headers }));
    expect(new Set(responses.map(({ json }) => json.id)).size).toBe(3);
  });

  it('expires after 30 days, and can then be used again', async () => {
    const { key, venueId } = await openPartner();
    const headers = { 'idempotency-key': 'old' };
    const first = await world.call('POST', PATH, { key, body: BODY, headers });
    await world.db.query(
      "update idempotency_keys set created_at = (created_at at time zone 'UTC' - interval '30 days') at time zone 'UTC' where venue_id = $1",
      [venueId],
    );
    const second = await world.call('POST', PATH, { key, body: BODY, headers });
    expect(second.json.id).not.toBe(first.json.id);
    expect((await world.call('POST', PATH, { key, body: BODY, headers })).text).toBe(second.text);
  });

  it('must have 1 to 255 characters', async () => {
    const { key } = await openPartner();
    expect(
      (await world.call('POST', PATH, { key, body: BODY, headers: { 'idempotency-key': 'x'.repeat(255) } })).status,
    ).toBe(201);
    const long = await world.call('POST', PATH, { key, body: BODY, headers: { 'idempotency-key': 'x'.repeat(256) } });
    expect([long.status, long.json.error.code, long.json.error.field]).toEqual([
      422,
      'too_long',
      '/header/Idempotency-Key',
    ]);
  });

  it('stores the response sealed: its secret is nowhere in the database', async () => {
    const { key } = await openPartner();
    const { json } = await world.call('POST', PATH, { key, body: BODY, headers: { 'idempotency-key': 'sealed' } });
    expect(json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rows = await world.db.query<{ found: number }>(
      `select count(*) as found from (
         select encode(response, 'escape') t from idempotency_keys union all select encode(secret, 'escape') from webhook_endpoints
         union all select a::text from audit_log a) x where t like '%' || $1 || '%'`,
      [json.secret],
    );
    expect(rows[0]?.found).toBe(0);
  });

  it('answers 409 request_in_progress while the first call runs', { tags: ['slow'] }, async () => {
    const { key, venueId } = await openPartner();
    const repeated = () => world.call('POST', PATH, { key, body: BODY, headers: { 'idempotency-key': 'slow' } });
    const first = world.db.transaction(async (tx) => {
      await tx.query(
        `insert into idempotency_keys (venue_id, mode, idempotency_key, fingerprint, status, response, created_at)
         values ($1, 'test', 'slow', '\\x00', 201, '\\x00', now())`,
        [venueId],
      );
      const second = await repeated();
      expect([second.status, second.json.error.reason]).toEqual([409, 'request_in_progress']);
      throw new Error('rolled back');
    });
    await expect(first).rejects.toThrow('rolled back');
    expect((await repeated()).status).toBe(201);
  });
});
