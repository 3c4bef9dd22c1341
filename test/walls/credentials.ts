// Everything that somebody may come with: each kind of key, in each state, and what is no key at all; and what the service
// says to it at an operation, by the one order of checks.

import { randomBytes } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { importKey } from '../../src/domain/keys/issue-key.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { revokeVenue } from '../../src/domain/venues/change-venue.ts';
import type { AppOperation } from '../../src/run/app-operation.ts';
import { PROCESSOR_KEYS } from '../support/test-world.ts';
import { HIGH_LIMITS, type IsolationFixture, type Owner, SITE } from './isolation-fixture.ts';
import { checkout, endpointBody, integration } from './objects.ts';
import type { Outcome } from './operation-matrix.ts';

type AtOperation = (operation: AppOperation) => Outcome | null;

export interface Credential {
  readonly description: string;
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: they pass, and what is wrong with their call is told. */
  readonly expected: AtOperation;
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

export async function makeCredentials(fixture: IsolationFixture): Promise<Credential[]> {
  const { world, owners } = fixture;
  const [test, live] = owners as [Owner, Owner];
  const more = await keysInEveryState(fixture, test);
  const page = { origin: SITE };
  const none = { ...page };
  const list: Omit<Credential, 'headers'>[] = [
    { description: 'nobody', expected: nobody },
    { description: 'garbage', key: 'nonsense', expected: nobody },
    {
      description: 'a key of the right form that was never issued',
      key: `svc_test_${'A'.repeat(32)}`,
      expected: nobody,
    },
    { description: 'a test key', key: test.secret, expected: secret() },
    { description: 'a live key', key: live.secret, expected: secret({ live: true }) },
    { description: 'an older live key', key: more.older, expected: secret({ live: true }) },
    { description: 'a sandbox’s key', key: more.sandbox, expected: secret({ unlinked: true }) },
    {
      description: 'a key from an address that it is not for',
      key: more.elsewhere,
      expected: secret({ elsewhere: true }),
    },
    { description: 'a key that was revoked', key: more.revoked, expected: nobody },
    { description: 'a key whose time is over', key: more.expired, expected: nobody },
    { description: 'a key of a venue that was revoked', key: more.ofRevokedVenue, expected: nobody },
    { description: 'a publishable key that was revoked', key: more.revokedPublishable, expected: nobody },
    { description: 'a publishable test key', key: test.publishable, expected: publishable('its own page') },
    { description: 'a publishable live key', key: live.publishable, expected: publishable('its own page') },
    { description: 'a signed-in member', key: test.member.token, expected: member },
    { description: 'a member by a token that nobody signed', key: unsigned(test), expected: nobody },
    {
      description: 'a member by a token that somebody else signed',
      key: await signedElsewhere(fixture, test),
      expected: nobody,
    },
    { description: 'the operator', key: world.operatorToken, expected: operator },
    { description: 'the processor’s secret key', key: PROCESSOR_KEYS.test.secret, expected: nobody },
    { description: 'a signing secret', key: more.signingSecret, expected: nobody },
    { description: 'the token of a hook', key: more.hookToken, expected: nobody },
    { description: 'the id of a checkout', key: await checkout(fixture, test), expected: nobody },
  ];
  const elsewhere = publishable('elsewhere');
  return [
    ...list.map((bearer) => ({ ...bearer, headers: none })),
    { description: 'a guest’s session on our pages', headers: { ...page, cookie: more.cookie }, expected: nobody },
    { description: 'a publishable key without a page', key: test.publishable, headers: {}, expected: elsewhere },
    {
      description: 'a publishable key on another’s page',
      key: test.publishable,
      headers: { origin: 'https://elsewhere.example' },
      expected: elsewhere,
    },
  ];
}

async function keysInEveryState(fixture: IsolationFixture, owner: Owner) {
  const { world } = fixture;
  const issue = async (venueId: string, options: Parameters<typeof world.key>[1] = {}): Promise<string> =>
    (await world.key(venueId, { ...HIGH_LIMITS, ...options })).key;
  const revoked = await world.key(owner.venueId, HIGH_LIMITS);
  await world.revoke(revoked.id);
  const shown = await world.key(owner.venueId, { kind: 'publishable' });
  await world.revoke(shown.id);
  const expired = await world.key(owner.venueId, {
    ...HIGH_LIMITS,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await world.db.query("update keys set expires_at = now() - interval '1 second' where key_id = $1", [expired.id]);
  const gone = (await world.venue({ origins: [SITE] })).venue.id;
  const ofRevokedVenue = await issue(gone);
  await world.db.transaction((tx) => revokeVenue(tx, world.command(), gone));
  const older = `svc_live_${randomBytes(24).toString('hex')}`;
  await world.db.transaction((tx) => importKey(tx, world.command(), owner.venueId, older));
  const made = await fixture.callOk(owner, 'POST', '/v1/webhook_endpoints', endpointBody(fixture, owner.mark));
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
    hookToken: (await integration(fixture, owner)).path.split('/').at(-1) ?? '',
    cookie: `everyshare_session=${session}`,
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function unsigned({ member: { token } }: Owner): string {
  const [, claims = ''] = token.split('.');
  return `${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.AAAA`;
}

async function signedElsewhere({ world }: IsolationFixture, owner: Owner): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const [{ kid }] = (await world.context.tokens.jwks()).keys as [{ kid: string }];
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: world.urls[0] ?? '', aud: 'everyshare-guest', sub: owner.member.id, iat: now, exp: now + 600 };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' }).sign(privateKey);
}
