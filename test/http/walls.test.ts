// The walls between venues and modes: what is not yours looks exactly like what does not exist.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeVenue } from '../../src/domain/venues/change-venue.ts';
import { operations } from '../../src/run/operations.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ENDPOINT = { url: 'https://harbor.example/hooks', events: ['checkout.completed'] };

describe('an object that is not the caller’s', () => {
  it('gives the same 404, byte for byte but for the request id, as a random id and a revoked venue’s object', async () => {
    const mine = await world.venue();
    const theirs = await world.venue();
    const gone = await world.venue();
    const live = await world.key(mine.venue.id, { mode: 'live', scopes: ['webhooks:write'] });
    const foreign = (await world.call('POST', '/v1/webhook_endpoints', { key: theirs.secretTest, body: ENDPOINT })).json
      .id;
    const revoked = (await world.call('POST', '/v1/webhook_endpoints', { key: gone.secretTest, body: ENDPOINT })).json
      .id;
    const otherMode = (await world.call('POST', '/v1/webhook_endpoints', { key: live.key, body: ENDPOINT })).json.id;
    await world.db.transaction((tx) => revokeVenue(tx, world.act(), gone.venue.id));
    const bodies = new Set<string>();
    for (const id of [foreign, revoked, otherMode, 'whe_01m7fz623jger8fhnv4m7aakfs', 'nonsense', '0']) {
      const { status, text, headers } = await world.call('DELETE', `/v1/webhook_endpoints/${id}`, {
        key: mine.secretTest,
      });
      expect(status).toBe(404);
      bodies.add(text.replaceAll(headers.get('x-request-id') ?? '?', 'REQUEST'));
    }
    expect(bodies.size).toBe(1);
    expect((await world.call('DELETE', `/v1/webhook_endpoints/${otherMode}`, { key: live.key })).json).toEqual({
      id: otherMode,
      object: 'webhook_endpoint',
      deleted: true,
    });
  });

  it('is not in a list of another venue or mode', async () => {
    const mine = await world.venue();
    const theirs = await world.venue();
    const live = await world.key(mine.venue.id, { mode: 'live', scopes: ['webhooks:write'] });
    await world.call('POST', '/v1/webhook_endpoints', { key: mine.secretTest, body: ENDPOINT });
    for (const [key, length] of [
      [mine.secretTest, 1],
      [theirs.secretTest, 0],
      [live.key, 0],
    ] as const) {
      expect((await world.call('GET', '/v1/webhook_endpoints', { key })).json.data).toHaveLength(length);
    }
  });
});

describe('every operation', () => {
  const path = (template: string): string =>
    template.replaceAll(/\{provider\}/g, 'square').replaceAll(/\{[a-z_]+\}/g, 'x');

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    '%s turns away callers without a key',
    async (_id, operation) => {
      const { status, headers } = await world.call(
        operation.method,
        path(operation.path),
        operation.method === 'POST' ? { body: '' } : {},
      );
      expect(status).toBe(operation.auth === 'open' ? 400 : 401);
      expect(headers.get('x-request-id')).toMatch(/^req_/);
      expect(headers.get('x-ratelimit-limit')).toBe(operation.auth === 'operator' ? null : '600');
    },
  );

  it.each(
    operations
      .filter(({ auth, scopes }) => auth === 'secret' && scopes !== undefined)
      .map((operation) => [operation.id, operation] as const),
  )('%s turns away a live key that carries every scope but its own', async (_id, operation) => {
    const { venue } = await world.venue();
    const all = [
      'offerings:write',
      'offerings:read',
      'checkouts:write',
      'checkouts:read',
      'bookings:read',
      'analytics:read',
      'webhooks:write',
      'boats:write',
      'boats:read',
    ];
    const { key } = await world.key(venue.id, {
      mode: 'live',
      scopes: all.filter((scope) => !operation.scopes?.includes(scope)),
    });
    const { status, json } = await world.call(operation.method, path(operation.path), { key });
    expect([status, json.error.code]).toEqual([
      403,
      operation.testOnly === true ? 'mode_not_available' : 'insufficient_scope',
    ]);
  });
});
