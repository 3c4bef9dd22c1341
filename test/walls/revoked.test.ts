// A revocation counts for the very next request, on every server and at every entry point, also while requests are in
// flight.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { removeOrigin, revokeVenue } from '../../src/domain/venues/change-venue.ts';
import { operations } from '../../src/run/operations.ts';
import type { CallOptions, HttpResponse } from '../support/test-world.ts';
import { HIGH_LIMITS, type IsolationFixture, type Owner, openIsolationFixture, SITE } from './isolation-fixture.ts';
import { checkout, endpoint, integration, unusedIds } from './objects.ts';
import { pathWith } from './requests.ts';

// Sends every operation as every kind of caller.
vi.setConfig({ testTimeout: 60_000 });

let fixture: IsolationFixture;
beforeAll(async () => {
  fixture = await openIsolationFixture(2);
});
afterAll(() => fixture.close());

const SERVERS = [0, 1];
const partnerOperations = operations.filter(({ auth }) => auth === 'secret');

/** Calls every partner operation on both servers at once. */
function callAllOperations(key: string): Promise<HttpResponse[]> {
  const calls = SERVERS.flatMap((server) =>
    partnerOperations.map(({ method, path }) => {
      const call: CallOptions = { key, server, ...(method === 'POST' ? { body: '' } : {}) };
      return fixture.world.call(method, pathWith(path, {}), call);
    }),
  );
  return Promise.all(calls);
}

const statuses = (response: readonly HttpResponse[]): number[] =>
  [...new Set(response.map(({ status }) => status))].sort();
const callBoth = (method: string, path: string, call: CallOptions): Promise<HttpResponse[]> =>
  Promise.all(SERVERS.map((server) => fixture.world.call(method, path, { ...call, server })));

describe('a secret key', () => {
  it.each(['test', 'live'] as const)(
    'of %s mode is refused at every operation of both servers once it is revoked',
    async (mode) => {
      const owner = fixture.owners.find((candidate) => candidate.mode === mode) as Owner;
      const scopes = mode === 'live' ? ['checkouts:read', 'webhooks:write', 'boats:write'] : [];
      const { id, key } = await fixture.world.key(owner.venueId, { mode, scopes, ...HIGH_LIMITS });
      expect(statuses(await callAllOperations(key))).not.toContain(401);
      // Requests in flight may pass or not; later ones must not.
      const inFlight = callAllOperations(key);
      await fixture.world.revoke(id);
      expect(statuses(await callAllOperations(key))).toEqual([401]);
      await inFlight;
    },
  );

  it('is refused once its venue is revoked', async () => {
    const { venue, secretTest, publishableTest } = await fixture.world.venue({ origins: [SITE] });
    const { key } = await fixture.world.key(venue.id, HIGH_LIMITS);
    expect(statuses(await callAllOperations(key))).not.toContain(401);
    await fixture.world.db.transaction((tx) => revokeVenue(tx, fixture.world.command(), venue.id));
    expect(statuses(await callAllOperations(key))).toEqual([401]);
    expect(statuses(await callBoth('GET', '/v1/me', { key: secretTest }))).toEqual([401]);
    const path = `/v1/public/checkouts/${unusedIds.checkout(fixture)}`;
    const call = { key: publishableTest, headers: { origin: SITE } };
    expect(statuses(await callBoth('GET', path, call))).toEqual([401]);
  });

  it('is refused once it has expired', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, key } = await fixture.world.key(fixture.owners[0]?.venueId ?? '', { ...HIGH_LIMITS, expiresAt });
    expect(statuses(await callBoth('GET', '/v1/me', { key }))).toEqual([200]);
    await fixture.world.db.query('update keys set expires_at = now() where key_id = $1', [id]);
    expect(statuses(await callAllOperations(key))).toEqual([401]);
  });
});

describe('a publishable key', () => {
  it('opens no checkout once it is revoked, or the origin of its page is removed', async () => {
    const { venue } = await fixture.world.venue({ origins: [SITE, 'https://other.example'] });
    const { key: secret } = await fixture.world.key(venue.id, HIGH_LIMITS);
    const owner = { ...(fixture.owners[0] as Owner), venueId: venue.id, secret };
    const path = `/v1/public/checkouts/${await checkout(fixture, owner)}`;
    const { id, key } = await fixture.world.key(venue.id, { kind: 'publishable' });
    const view = (): Promise<HttpResponse[]> => callBoth('GET', path, { key, headers: { origin: SITE } });
    expect(statuses(await view())).toEqual([200]);
    await fixture.world.db.transaction((tx) => removeOrigin(tx, fixture.world.command(), venue.id, SITE));
    const refused = await view();
    expect(statuses(refused)).toEqual([403]);
    expect(refused.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null, null]);
    await fixture.world.revoke(id);
    expect(statuses(await view())).toEqual([401]);
  });
});

describe('other revocations', () => {
  it('a hook address accepts nothing once its integration is revoked', async () => {
    const owner = fixture.owners[0] as Owner;
    const { id, path } = await integration(fixture, owner);
    const send = (pk: number): Promise<HttpResponse[]> => callBoth('POST', path, { body: { booking: { pk } } });
    expect(statuses(await send(1))).toEqual([200]);
    await fixture.callOk(owner, 'POST', `/v1/integrations/${id}/revoke`);
    expect(statuses(await send(2))).toEqual([401]);
    expect(statuses(await callBoth('HEAD', path, {}))).toEqual([401]);
  });

  it('a guest who signed out on one server is signed out on both', async () => {
    const owner = fixture.owners[0] as Owner;
    const { db, clock, random } = fixture.world.context;
    const cookie = `everyshare_session=${await beginSession({ db, clock, random }, owner.member.id)}`;
    const postFromPage = (path: string): Promise<HttpResponse[]> =>
      Promise.all(
        SERVERS.map((server) =>
          fixture.world.call('POST', path, {
            server,
            body: '',
            headers: { cookie, origin: fixture.world.urls[server] ?? '' },
          }),
        ),
      );
    expect(statuses(await postFromPage('/session/token'))).toEqual([200]);
    const page = `/c/${await checkout(fixture, owner)}`;
    const [signedOut] = await postFromPage(`${page}/sign-out`);
    expect(signedOut?.status).toBe(303);
    expect(statuses(await postFromPage('/session/token'))).toEqual([401]);
  });

  it('an object of a revoked venue looks like a missing one', async () => {
    const { venue } = await fixture.world.venue();
    const { key: secret } = await fixture.world.key(venue.id, HIGH_LIMITS);
    const revokedId = await endpoint(fixture, { ...(fixture.owners[0] as Owner), venueId: venue.id, secret });
    await fixture.world.db.transaction((tx) => revokeVenue(tx, fixture.world.command(), venue.id));
    const bodies = [];
    for (const id of [revokedId, unusedIds.endpoint(fixture)]) {
      const response = await fixture.call(fixture.owners[0] as Owner, 'DELETE', `/v1/webhook_endpoints/${id}`);
      expect(response.status).toBe(404);
      bodies.push(response.text.replaceAll(/"request_id":"[^"]*"/g, ''));
    }
    expect(bodies[0]).toBe(bodies[1]);
  });
});
