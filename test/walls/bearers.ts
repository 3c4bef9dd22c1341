// Everything that somebody may come with: each kind of key, in each state, and what is no key at all; and what the service
// says to it at an operation, by the one order of checks.

import { randomBytes } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { importKey } from '../../src/domain/keys/issue-key.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { revokeVenue } from '../../src/domain/venues/change-venue.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { PROCESSOR_KEYS } from '../world.ts';
import { checkout, endpointBody, integration } from './objects.ts';
import { type Owner, PLENTY, SITE, type Street } from './owners.ts';
import type { Outcome } from './placed.ts';

type AtOperation = (operation: AppOperation) => Outcome | null;

export interface Bearer {
  readonly who: string;
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: they pass, and what is wrong with their call is told. */
  readonly told: AtOperation;
}

const UNAUTHORIZED: Outcome = [401, 'unauthorized'];
const WRONG_KIND: Outcome = [403, 'wrong_key_kind'];

/** No key of anybody's: whoever needs one is told the same 401. */
const nobody: AtOperation = ({ auth }) => (auth === 'open' ? null : UNAUTHORIZED);

interface Secret {
  readonly live?: true;
  readonly elsewhere?: true;
  readonly unlinked?: true;
}

const secret =
  ({ live, elsewhere, unlinked }: Secret = {}): AtOperation =>
  (operation) => {
    const { auth, testOnly, linkedOnly } = operation;
    if (auth === 'guest' || auth === 'member') return WRONG_KIND;
    if (auth !== 'secret') return nobody(operation);
    if (live === true && testOnly === true) return [403, 'mode_not_available'];
    if (elsewhere === true) return [403, 'ip_not_allowed'];
    return unlinked === true && linkedOnly === true ? [403, 'venue_not_linked'] : null;
  };

const publishable =
  (from: 'its own page' | 'elsewhere'): AtOperation =>
  (operation) => {
    if (operation.auth === 'guest') return from === 'elsewhere' ? [403, 'origin_not_allowed'] : null;
    return operation.auth === 'secret' || operation.auth === 'member' ? WRONG_KIND : nobody(operation);
  };

const member: AtOperation = (operation) =>
  operation.auth === 'guest' || operation.auth === 'member' ? null : nobody(operation);
const operator: AtOperation = (operation) => (operation.auth === 'operator' ? null : nobody(operation));

export async function bearers(street: Street): Promise<Bearer[]> {
  const { world, owners } = street;
  const [test, live] = owners as [Owner, Owner];
  const more = await keysInEveryState(street, test);
  const page = { origin: SITE };
  const none = { ...page };
  const list: Omit<Bearer, 'headers'>[] = [
    { who: 'nobody', told: nobody },
    { who: 'garbage', key: 'nonsense', told: nobody },
    { who: 'a key of the right form that was never issued', key: `svc_test_${'A'.repeat(32)}`, told: nobody },
    { who: 'a test key', key: test.secret, told: secret() },
    { who: 'a live key', key: live.secret, told: secret({ live: true }) },
    { who: 'an older live key', key: more.older, told: secret({ live: true }) },
    { who: 'a sandbox’s key', key: more.sandbox, told: secret({ unlinked: true }) },
    { who: 'a key from an address that it is not for', key: more.elsewhere, told: secret({ elsewhere: true }) },
    { who: 'a key that was revoked', key: more.revoked, told: nobody },
    { who: 'a key whose time is over', key: more.expired, told: nobody },
    { who: 'a key of a venue that was revoked', key: more.ofRevokedVenue, told: nobody },
    { who: 'a publishable key that was revoked', key: more.revokedPublishable, told: nobody },
    { who: 'a publishable test key', key: test.publishable, told: publishable('its own page') },
    { who: 'a publishable live key', key: live.publishable, told: publishable('its own page') },
    { who: 'a signed-in member', key: test.member.token, told: member },
    { who: 'a member by a token that nobody signed', key: unsigned(test), told: nobody },
    { who: 'a member by a token that somebody else signed', key: await signedElsewhere(street, test), told: nobody },
    { who: 'the operator', key: world.operatorToken, told: operator },
    { who: 'the processor’s secret key', key: PROCESSOR_KEYS.test.secret, told: nobody },
    { who: 'a signing secret', key: more.signingSecret, told: nobody },
    { who: 'the token of a hook', key: more.hookToken, told: nobody },
    { who: 'the id of a checkout', key: await checkout(street, test), told: nobody },
  ];
  const elsewhere = publishable('elsewhere');
  return [
    ...list.map((bearer) => ({ ...bearer, headers: none })),
    { who: 'a guest’s session on our pages', headers: { ...page, cookie: more.cookie }, told: nobody },
    { who: 'a publishable key without a page', key: test.publishable, headers: {}, told: elsewhere },
    {
      who: 'a publishable key on another’s page',
      key: test.publishable,
      headers: { origin: 'https://elsewhere.example' },
      told: elsewhere,
    },
  ];
}

async function keysInEveryState(street: Street, owner: Owner) {
  const { world } = street;
  const issue = async (venueId: string, wish: Parameters<typeof world.key>[1] = {}): Promise<string> =>
    (await world.key(venueId, { ...PLENTY, ...wish })).key;
  const revoked = await world.key(owner.venueId, PLENTY);
  await world.revoke(revoked.id);
  const shown = await world.key(owner.venueId, { kind: 'publishable' });
  await world.revoke(shown.id);
  const expired = await world.key(owner.venueId, { ...PLENTY, expiresAt: new Date(Date.now() + 60_000).toISOString() });
  await world.db.query("update keys set expires_at = now() - interval '1 second' where key_id = $1", [expired.id]);
  const gone = (await world.venue({ origins: [SITE] })).venue.id;
  const ofRevokedVenue = await issue(gone);
  await world.db.transaction((tx) => revokeVenue(tx, world.command(), gone));
  const older = `svc_live_${randomBytes(24).toString('hex')}`;
  await world.db.transaction((tx) => importKey(tx, world.command(), owner.venueId, older));
  const made = await street.made(owner, 'POST', '/v1/webhook_endpoints', endpointBody(street, owner.mark));
  const { db, clock, random } = world.context;
  const session = await beginSession({ db, clock, random }, owner.member.id);
  return {
    older,
    revoked: revoked.key,
    revokedPublishable: shown.key,
    expired: expired.key,
    ofRevokedVenue,
    sandbox: await issue((await world.venue({ sandbox: true, origins: [SITE] })).venue.id),
    elsewhere: await issue(owner.venueId, { allowIps: ['192.0.2.7'] }),
    signingSecret: String(made.json.secret),
    hookToken: (await integration(street, owner)).path.split('/').at(-1) ?? '',
    cookie: `everyshare_session=${session}`,
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function unsigned({ member: { token } }: Owner): string {
  const [, claims = ''] = token.split('.');
  return `${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.AAAA`;
}

async function signedElsewhere({ world }: Street, owner: Owner): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const [{ kid }] = (await world.context.tokens.jwks()).keys as [{ kid: string }];
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: world.urls[0] ?? '', aud: 'everyshare-guest', sub: owner.member.id, iat: now, exp: now + 600 };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' }).sign(privateKey);
}
