// What was taken away counts for the very next request, on every server and at every door, also while others are under way.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { removeOrigin, revokeVenue } from '../../src/domain/venues/change-venue.ts';
import { operations } from '../../src/run/operations.ts';
import type { CallOptions, HttpResponse } from '../support/test-world.ts';
import { HIGH_LIMITS, type IsolationFixture, type Owner, openIsolationFixture, SITE } from './isolation-fixture.ts';
import { checkout, endpoint, integration, unusedIds } from './objects.ts';
import { pathWith } from './requests.ts';

let fixture: IsolationFixture;
beforeAll(async () => {
  fixture = await openIsolationFixture(2);
});
afterAll(() => fixture.close());

const SERVERS = [0, 1];
const partners = operations.filter(({ auth }) => auth === 'secret');

/** Every operation of partners, on both servers, at once. */
function everywhere(key: string): Promise<HttpResponse[]> {
  const calls = SERVERS.flatMap((server) =>
    partners.map(({ method, path }) => {
      const call: CallOptions = { key, server, ...(method === 'POST' ? { body: '' } : {}) };
      return fixture.world.call(method, pathWith(path, {}), call);
    }),
  );
  return Promise.all(calls);
}

const statuses = (response: readonly HttpResponse[]): number[] =>
  [...new Set(response.map(({ status }) => status))].sort();
const onBoth = (method: string, path: string, call: CallOptions): Promise<HttpResponse[]> =>
  Promise.all(SERVERS.map((server) => fixture.world.call(method, path, { ...call, server })));

describe('a secret key', () => {
  it.each(['test', 'live'] as const)(
    'of %s mode is nobody’s at every operation of both servers once it is revoked',
    async (mode) => {
      const owner = fixture.owners.find((one) => one.mode === mode) as Owner;
      const scopes = mode === 'live' ? ['checkouts:read', 'webhooks:write', 'boats:write'] : [];
      const { id, key } = await fixture.world.key(owner.venueId, { mode, scopes, ...HIGH_LIMITS });
      expect(statuses(await everywhere(key))).not.toContain(401);
      // Those that are under way may pass or not; whoever comes after does not.
      const meanwhile = everywhere(key);
      await fixture.world.revoke(id);
      expect(statuses(await everywhere(key))).toEqual([401]);
      await meanwhile;
    },
  );

  it('is nobody’s once its venue is revoked', async () => {
    const { venue, secretTest, publishableTest } = await fixture.world.venue({ origins: [SITE] });
    const { key } = await fixture.world.key(venue.id, HIGH_LIMITS);
    expect(statuses(await everywhere(key))).not.toContain(401);
    await fixture.world.db.transaction((tx) => revokeVenue(tx, fixture.world.command(), venue.id));
    expect(statuses(await everywhere(key))).toEqual([401]);
    expect(statuses(await onBoth('GET', '/v1/me', { key: secretTest }))).toEqual([401]);
    const path = `/v1/public/checkouts/${unusedIds.checkout(fixture)}`;
    const call = { key: publishableTest, headers: { origin: SITE } };
    expect(statuses(await onBoth('GET', path, call))).toEqual([401]);
  });

  it('is nobody’s once its time is over', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, key } = await fixture.world.key(fixture.owners[0]?.venueId ?? '', { ...HIGH_LIMITS, expiresAt });
    expect(statuses(await onBoth('GET', '/v1/me', { key }))).toEqual([200]);
    await fixture.world.db.query('update keys set expires_at = now() where key_id = $1', [id]);
    expect(statuses(await everywhere(key))).toEqual([401]);
  });
});

describe('a publishable key', () => {
  it('opens no checkout once it is revoked, or its page’s origin is taken away', async () => {
    const { venue } = await fixture.world.venue({ origins: [SITE, 'https://other.example'] });
    const { key: secret } = await fixture.world.key(venue.id, HIGH_LIMITS);
    const owner = { ...(fixture.owners[0] as Owner), venueId: venue.id, secret };
    const path = `/v1/public/checkouts/${await checkout(fixture, owner)}`;
    const { id, key } = await fixture.world.key(venue.id, { kind: 'publishable' });
    const look = (): Promise<HttpResponse[]> => onBoth('GET', path, { key, headers: { origin: SITE } });
    expect(statuses(await look())).toEqual([200]);
    await fixture.world.db.transaction((tx) => removeOrigin(tx, fixture.world.command(), venue.id, SITE));
    const refused = await look();
    expect(statuses(refused)).toEqual([403]);
    expect(refused.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null, null]);
    await fixture.world.revoke(id);
    expect(statuses(await look())).toEqual([401]);
  });
});

describe('what else was taken away', () => {
  it('a venue system’s address takes nothing once it is revoked', async () => {
    const owner = fixture.owners[0] as Owner;
    const { id, path } = await integration(fixture, owner);
    const send = (pk: number): Promise<HttpResponse[]> => onBoth('POST', path, { body: { booking: { pk } } });
    expect(statuses(await send(1))).toEqual([200]);
    await fixture.callOk(owner, 'POST', `/v1/integrations/${id}/revoke`);
    expect(statuses(await send(2))).toEqual([401]);
    expect(statuses(await onBoth('HEAD', path, {}))).toEqual([401]);
  });

  it('a guest who signed out on one server is signed out on both', async () => {
    const owner = fixture.owners[0] as Owner;
    const { db, clock, random } = fixture.world.context;
    const cookie = `everyshare_session=${await beginSession({ db, clock, random }, owner.member.id)}`;
    const onPage = (path: string): Promise<HttpResponse[]> =>
      Promise.all(
        SERVERS.map((server) =>
          fixture.world.call('POST', path, {
            server,
            body: '',
            headers: { cookie, origin: fixture.world.urls[server] ?? '' },
          }),
        ),
      );
    expect(statuses(await onPage('/session/token'))).toEqual([200]);
    const page = `/c/${await checkout(fixture, owner)}`;
    const [out] = await onPage(`${page}/sign-out`);
    expect(out?.status).toBe(303);
    expect(statuses(await onPage('/session/token'))).toEqual([401]);
  });

  it('an object of a revoked venue looks like none', async () => {
    const { venue } = await fixture.world.venue();
    const { key: secret } = await fixture.world.key(venue.id, HIGH_LIMITS);
    const gone = await endpoint(fixture, { ...(fixture.owners[0] as Owner), venueId: venue.id, secret });
    await fixture.world.db.transaction((tx) => revokeVenue(tx, fixture.world.command(), venue.id));
    const bodies = [];
    for (const id of [gone, unusedIds.endpoint(fixture)]) {
      const response = await fixture.call(fixture.owners[0] as Owner, 'DELETE', `/v1/webhook_endpoints/${id}`);
      expect(response.status).toBe(404);
      bodies.push(response.text.replaceAll(/"request_id":"[^"]*"/g, ''));
    }
    expect(bodies[0]).toBe(bodies[1]);
  });
});
