// How to get the answers that a page shows without the request: each page has its situations in the order of its blocks.

import { FIRST_ORIGIN } from '../../src/domain/keys/sandbox-venue.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { onboardingLink } from '../../src/domain/payments/payout-account.ts';
import { suspendVenue } from '../../src/domain/venues/change-venue.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { sendRaw } from '../support/send-raw.ts';
import { checkoutBody } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

export interface PageVenue {
  readonly world: TestWorld;
  readonly venueId: string;
  readonly key: string;
  readonly publishable: string;
}

type Situation = (venue: PageVenue) => Promise<HttpResponse>;

const newCheckout = ({ world, key }: PageVenue, headers = {}, body = {}): Promise<HttpResponse> =>
  world.call('POST', '/v1/checkouts', {
    key,
    headers,
    body: checkoutBody({ return_url: `${FIRST_ORIGIN}/bookings/1`, ...body }),
  });

async function bookingInProgress(venue: PageVenue): Promise<HttpResponse> {
  await newCheckout(venue, {}, { external_booking_id: 'bk-8842' });
  return newCheckout(venue, { 'idempotency-key': 'another' }, { external_booking_id: 'bk-8842' });
}

/** What came back over a bare connection. */
async function raw({ world }: PageVenue, bytes: string): Promise<HttpResponse> {
  const text = await sendRaw(world.urls[0] ?? '', bytes);
  const body = text.split('\r\n\r\n')[1] ?? '';
  const status = Number(text.split(' ')[1]);
  return { status, headers: new Headers(), text: body, json: JSON.parse(body) };
}

const liveKey = ({ world, venueId }: PageVenue, scopes: readonly string[]) =>
  world.key(venueId, { mode: 'live', scopes });

async function signIn({ world }: PageVenue, phone: string): Promise<{ id: string; token: string }> {
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: null }));
  return { id, token: await world.context.tokens.sign(id) };
}

/** A checkout with a party of two, and both members. */
async function party(venue: PageVenue) {
  const { id } = (await newCheckout(venue)).json;
  const [ada, sam] = [await signIn(venue, '+12125550140'), await signIn(venue, '+12125550141')];
  const choose = (key: string): Promise<HttpResponse> =>
    venue.world.call('POST', `/v1/public/checkouts/${id}/party`, {
      key,
      body: { members: [{ user_id: ada.id }, { phone: '+12125550141' }], split: 'equal' },
    });
  const { shares } = (await choose(ada.token)).json;
  return { sam, shares, chooseAgain: () => choose(sam.token) };
}

const LINK = {
  contact: { email: 'pay@harbor.example', country: 'US' },
  returnUrl: `${FIRST_ORIGIN}/paid`,
  refreshUrl: `${FIRST_ORIGIN}/again`,
};

export const SITUATIONS: Readonly<Record<string, readonly Situation[]>> = {
  'docs/guides/errors.md': [bookingInProgress],
  'docs/errors/conflict.md': [bookingInProgress],
  'docs/errors/headers_too_large.md': [
    (venue) => raw(venue, `GET /v1/me HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`),
  ],
  'docs/errors/insufficient_scope.md': [
    async (venue) => newCheckout({ ...venue, key: (await liveKey(venue, ['checkouts:read'])).key }),
  ],
  'docs/errors/ip_not_allowed.md': [
    async ({ world, venueId }) =>
      world.call('GET', '/v1/me', { key: (await world.key(venueId, { allowIps: ['203.0.113.7'] })).key }),
  ],
  'docs/errors/malformed_request.md': [(venue) => raw(venue, 'this is not HTTP\r\n\r\n')],
  'docs/errors/mode_not_available.md': [
    async () => {
      const testOnly = await openTestWorld({
        env: { STRIPE_TEST_SECRET_KEY: 'sk_test_x', STRIPE_TEST_PUBLISHABLE_KEY: 'pk_test_x' },
      });
      try {
        const { venue } = await testOnly.venue();
        const { key } = await testOnly.key(venue.id, { mode: 'live', scopes: ['boats:read'] });
        return await testOnly.call('GET', '/v1/me', { key });
      } finally {
        await testOnly.close();
      }
    },
  ],
  'docs/errors/not_organizer.md': [async (venue) => (await party(venue)).chooseAgain()],
  'docs/errors/origin_not_allowed.md': [
    async (venue) => {
      const { id } = (await newCheckout(venue)).json;
      const headers = { origin: 'https://other.example' };
      return venue.world.call('GET', `/v1/public/checkouts/${id}`, { key: venue.publishable, headers });
    },
  ],
  'docs/errors/payload_too_large.md': [(venue) => newCheckout(venue, {}, { description: 'x'.repeat(70_000) })],
  'docs/errors/rate_limited.md': [
    async (venue) => {
      const { key } = await venue.world.key(venue.venueId);
      for (let call = 0; call < 60; call++) await venue.world.call('POST', '/v1/checkouts', { key, body: {} });
      return venue.world.call('POST', '/v1/checkouts', { key, body: {} });
    },
  ],
  'docs/errors/role_not_allowed.md': [
    async ({ world, venueId }) => {
      const account = await createAccount(world.context, 'developer@harbor.example', [[venueId, 'developer']]);
      const { token } = await createSession(world.context, account);
      return callConsole(world, 'POST', '/v1/checkouts/none/refund', { token, venue: venueId, body: {} });
    },
  ],
  'docs/errors/share_not_yours.md': [
    async (venue) => {
      const { sam, shares } = await party(venue);
      return venue.world.call('POST', `/v1/public/shares/${shares[0].id}/hold`, { key: sam.token });
    },
  ],
  'docs/errors/step_up_required.md': [
    async ({ world, venueId }) => {
      const account = await createAccount(world.context, 'owner@harbor.example', [[venueId, 'owner']]);
      const { id, token } = await createSession(world.context, account);
      await world.db.query(
        "update account_sessions set created_at = now() - interval '11 minutes' where session_id = $1",
        [id],
      );
      return callConsole(world, 'POST', '/console/api/invitations', { token, venue: venueId, body: {} });
    },
  ],
  'docs/errors/venue_not_linked.md': [
    async ({ world }) => {
      const { secretTest: key } = await world.venue({ sandbox: true });
      return world.call('POST', '/v1/integrations', { key, body: { provider: 'custom' } });
    },
    async ({ world }) => {
      const { venue } = await world.venue({ origins: [FIRST_ORIGIN] });
      const { key } = await world.key(venue.id, { mode: 'live', scopes: ['checkouts:write'] });
      // The account that `world.key` made can be paid already.
      await world.db.query('delete from payout_accounts where venue_id = $1', [venue.id]);
      await onboardingLink(world.context.services, venue.id, 'live', LINK);
      return newCheckout({ world, venueId: venue.id, key, publishable: '' });
    },
  ],
  'docs/errors/venue_suspended.md': [
    async ({ world }) => {
      const { venue } = await world.venue({ origins: [FIRST_ORIGIN] });
      const { key } = await world.key(venue.id);
      await world.db.transaction((tx) => suspendVenue(tx, world.command(), venue.id, 'Under inquiry.'));
      return newCheckout({ world, venueId: venue.id, key, publishable: '' });
    },
  ],
  'docs/errors/wrong_key_kind.md': [({ world, publishable }) => world.call('GET', '/v1/me', { key: publishable })],
};
