// Integrations: create, list, revoke; what is shown once, what is refused, what is audited.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROVIDERS } from '../../src/domain/hooks/providers.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const NEEDS_SECRET = ['square', 'toast', 'mindbody'];
const bodyFor = (provider: string): object =>
  NEEDS_SECRET.includes(provider) ? { provider, signing_secret: 'shown-by-them' } : { provider };

describe('integrations', () => {
  it('are created for every provider, with a URL that is shown once and a response that matches its schema', async () => {
    const { secretTest: key } = await world.venue();
    for (const provider of PROVIDERS) {
      const { status, json } = await world.call('POST', '/v1/integrations', { key, body: bodyFor(provider) });
      expect([provider, status]).toEqual([provider, 201]);
      const { data } = json;
      expect(data).toMatchObject({
        object: 'integration',
        provider,
        mode: 'test',
        status: 'active',
        delivery_count: 0,
      });
      expect(data.signed).toBe([...NEEDS_SECRET, 'custom'].includes(provider));
      expect(data.webhook_url).toMatch(new RegExp(`^${world.urls[0]}/v1/hooks/${provider}/[A-Za-z0-9]{32}$`));
      expect(/^whsec_[A-Za-z0-9]{32}$/.test(data.signing_secret ?? '')).toBe(provider === 'custom');
      const candidate = { value: data, text: JSON.stringify(data), badTexts: [] };
      expect(world.context.validator.problems('stored_integration', candidate)).toEqual([]);
    }
    const { json } = await world.call('GET', '/v1/integrations', { key });
    expect(json.data.map(({ provider }: { provider: string }) => provider)).toEqual([...PROVIDERS].reverse());
    for (const one of json.data) {
      expect(one).not.toHaveProperty('webhook_url');
      expect(one).not.toHaveProperty('signing_secret');
    }
  });

  it('have no readable token or secret in the database, the log or the audit log', async () => {
    const { secretTest: key } = await world.venue();
    const body = { provider: 'square', signing_secret: 'a-secret-of-squares-own' };
    const { json: square } = await world.call('POST', '/v1/integrations', { key, body });
    const { json: custom } = await world.call('POST', '/v1/integrations', { key, body: { provider: 'custom' } });
    const tokens = [square, custom].map(({ data }) => data.webhook_url.split('/').at(-1) as string);
    const [dump] = await world.db.query<{ text: string }>(
      `select (select string_agg(i::text || encode(i.secret, 'escape'), ' ') from integrations i)
         || (select string_agg(encode(token_hash, 'escape'), ' ') from hook_routes)
         || (select string_agg(a::text, ' ') from audit_log a) as text`,
    );
    for (const secret of [...tokens, 'a-secret-of-squares-own', custom.data.signing_secret]) {
      expect(dump?.text).not.toContain(secret);
      expect(world.logs.join('')).not.toContain(secret);
    }
  });

  it('accept valid defaults and refuse invalid ones', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { writesPerHour: 1000 });
    const create = (body: object) => world.call('POST', '/v1/integrations', { key, body });
    const defaults = { kind: 'boat_day', timezone: 'America/New_York', currency: 'usd', category: 'boating' };
    const { json } = await create({ provider: 'xola', defaults });
    expect(json.data.defaults).toEqual(defaults);
    const codes = async (body: object): Promise<string[]> =>
      (await create(body)).json.errors.map((e: { code: string; field: string }) => `${e.code} ${e.field}`);
    expect(await codes({ provider: 'xola', defaults: { kind: 'yacht' } })).toEqual(['invalid_value /defaults/kind']);
    expect(await codes({ provider: 'xola', defaults: { timezone: 'Mars/Base' } })).toEqual([
      'invalid_value /defaults/timezone',
    ]);
    expect(await codes({ provider: 'xola', defaults: { currency: 'zzz' } })).toEqual([
      'invalid_value /defaults/currency',
    ]);
    expect(await codes({ provider: 'xola', signing_secret: 'x' })).toEqual(['not_allowed /signing_secret']);
    expect(await codes({ provider: 'custom', signing_secret: 'x' })).toEqual(['not_allowed /signing_secret']);
    expect(await codes({ provider: 'nobody' })).toEqual(['invalid_value /provider']);
    expect(await codes({})).toEqual(['missing_field /provider']);
    for (const provider of NEEDS_SECRET) expect(await codes({ provider })).toEqual(['missing_field /signing_secret']);
    for (const secret of ['a-secret\n', ' a-secret', 'a-secret ', '\t', '\u00a0a'])
      expect(await codes({ provider: 'toast', signing_secret: secret })).toEqual(['invalid_format /signing_secret']);
    expect((await create({ provider: 'toast', signing_secret: 'two words' })).status).toBe(201);
  });

  it('are created once for an Idempotency-Key, and a caller that lost the response gets URL and secret again', async () => {
    const { secretTest: key } = await world.venue();
    const create = (body: object) =>
      world.call('POST', '/v1/integrations', { key, body, headers: { 'idempotency-key': 'connect-1' } });
    const [first, again] = await Promise.all([create({ provider: 'custom' }), create({ provider: 'custom' })]);
    expect([first.status, again.json]).toEqual([201, first.json]);
    const { json } = await world.call('GET', '/v1/integrations', { key });
    expect(json.data).toHaveLength(1);
    const other = await create({ provider: 'tock' });
    expect([other.status, other.json.error.reason]).toEqual([409, 'idempotency_key_reused']);
  });

  it('are revoked permanently, only by their own venue, and creation and revocation are audited', async () => {
    const { venue, secretTest: key } = await world.venue();
    const other = await world.venue();
    const { json } = await world.call('POST', '/v1/integrations', { key, body: { provider: 'tock' } });
    const path = `/v1/integrations/${json.data.id}/revoke`;
    expect((await world.call('POST', path, { key: other.secretTest })).status).toBe(404);
    expect((await world.call('POST', '/v1/integrations/int_x/revoke', { key })).status).toBe(404);
    const revoked = await world.call('POST', path, { key });
    expect([revoked.status, revoked.json.data.status]).toEqual([200, 'revoked']);
    expect((await world.call('POST', path, { key })).json.data.status).toBe('revoked');
    const rows = await world.db.query<{ action: string }>(
      "select action from audit_log where venue_id = $1 and action like 'integration%' order by audit_id",
      [venue.id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['integration.create', 'integration.revoke']);
  });

  it('require a linked sandbox and the scope webhooks:write', async () => {
    const sandbox = await world.venue({ sandbox: true });
    const refused = await world.call('POST', '/v1/integrations', {
      key: sandbox.secretTest,
      body: { provider: 'tock' },
    });
    expect([refused.status, refused.json.error.code]).toEqual([403, 'venue_not_linked']);
    const { venue } = await world.venue();
    const narrow = await world.key(venue.id, { mode: 'live', scopes: ['offerings:write'] });
    for (const [method, path] of [
      ['POST', '/v1/integrations'],
      ['GET', '/v1/integrations'],
      ['POST', '/v1/integrations/int_x/revoke'],
    ] as const) {
      const { status, json } = await world.call(method, path, { key: narrow.key });
      expect([status, json.error.code]).toEqual([403, 'insufficient_scope']);
    }
  });

  it('are at most 50 for a venue and mode, not counting revoked ones', { tags: ['slow'] }, async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { writesPerHour: 1000 });
    const create = () => world.call('POST', '/v1/integrations', { key, body: { provider: 'tock' } });
    const responses = await Promise.all(Array.from({ length: 53 }, create));
    const created = responses.filter(({ status }) => status === 201);
    expect(created).toHaveLength(50);
    expect((await create()).json.error.code).toBe('too_many_items');
    await world.call('POST', `/v1/integrations/${created[0]?.json.data.id}/revoke`, { key });
    expect((await create()).status).toBe(201);
  });
});
