// Webhook endpoints: register, list, remove.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openSharedWorld();
});
afterAll(() => world.close());

const ENDPOINT = { url: 'https://harbor.example/hooks', events: ['checkout.completed', 'share.held'] };

describe('webhook endpoints', () => {
  it('are created with a secret that is shown once, listed without it, and removed', async () => {
    const { venue, secretTest: key } = await world.venue();
    const created = await world.call('POST', '/v1/webhook_endpoints', { key, body: ENDPOINT });
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ ...ENDPOINT, object: 'webhook_endpoint', mode: 'test', status: 'active' });
    expect(created.json.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { json: list } = await world.call('GET', '/v1/webhook_endpoints', { key });
    expect(list.data).toEqual([
      {
        ...ENDPOINT,
        id: created.json.id,
        object: 'webhook_endpoint',
        mode: 'test',
        status: 'active',
        disabled_at: null,
        disabled_reason: null,
        created_at: created.json.created_at,
        last_delivery: null,
      },
    ]);
    const removed = await world.call('DELETE', `/v1/webhook_endpoints/${created.json.id}`, { key });
    expect(removed.json).toEqual({ id: created.json.id, object: 'webhook_endpoint', deleted: true });
    expect((await world.call('DELETE', `/v1/webhook_endpoints/${created.json.id}`, { key })).status).toBe(404);
    const rows = await world.db.query<{ action: string; via: string; request_id: string }>(
      "select action, via, request_id from audit_log where venue_id = $1 and action like 'webhook%' order by audit_id",
      [venue.id],
    );
    expect(rows.map(({ action, via }) => [action, via])).toEqual([
      ['webhook_endpoint.create', 'http'],
      ['webhook_endpoint.delete', 'http'],
    ]);
    expect(rows[0]?.request_id).toBe(created.headers.get('x-request-id'));
  });

  it('respond as their published schemas define', async () => {
    const { secretTest: key } = await world.venue();
    const created = await world.call('POST', '/v1/webhook_endpoints', { key, body: ENDPOINT });
    const list = await world.call('GET', '/v1/webhook_endpoints', { key });
    const problems = (schema: string, value: never, text: string) =>
      world.context.validator.problems(schema, { value, text, badTexts: [] });
    expect(problems('created_webhook_endpoint', created.json as never, created.text)).toEqual([]);
    expect(problems('stored_webhook_endpoint', list.json.data[0] as never, JSON.stringify(list.json.data[0]))).toEqual(
      [],
    );
  });

  it('are at most 50 for a venue and mode, also when 60 are created at once', { tags: ['slow'] }, async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { writesPerHour: 1000 });
    const responses = await Promise.all(
      Array.from({ length: 60 }, () => world.call('POST', '/v1/webhook_endpoints', { key, body: ENDPOINT })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = responses.find(({ status }) => status === 422);
    expect(refused?.json.error.code).toBe('too_many_items');
  });

  it('refuse plain http, unknown events, and response fields in a request', async () => {
    const { venue } = await world.venue();
    const { key } = await world.key(venue.id, { writesPerHour: 1000 });
    const codes = async (body: object): Promise<string[]> =>
      (await world.call('POST', '/v1/webhook_endpoints', { key, body })).json.errors.map(
        (e: { code: string; field: string }) => `${e.code} ${e.field}`,
      );
    expect(await codes({ ...ENDPOINT, url: 'http://harbor.example' })).toEqual(['invalid_format /url']);
    expect(await codes({ ...ENDPOINT, events: [] })).toEqual(['too_few_items /events']);
    expect(await codes({ ...ENDPOINT, events: ['refund.created'] })).toEqual(['invalid_value /events/0']);
    for (const field of ['id', 'object', 'secret', 'mode', 'status', 'created_at', 'last_delivery']) {
      expect(await codes({ ...ENDPOINT, [field]: 'x' })).toEqual([`unknown_field /${field}`]);
    }
  });
});
