// Every credential that a caller may send: each kind of key, in each state, and texts that are no key; and the expected
// outcome at an operation, by the one order of checks.

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

type ExpectedOutcome = (operation: AppOperation) => Outcome | null;

export interface Credential {
  readonly description: string;
  readonly key?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: the caller is authorized, and the answer is about the request itself. */
  readonly expected: ExpectedOutcome;
}

const UNAUTHORIZED: Outcome = [401, 'unauthorized'];
const WRONG_KIND: Outcome = [403, 'wrong_key_kind'];

/** A text that is no valid credential gets the same 401 wherever one is needed. */
const unauthenticated: ExpectedOutcome = ({ auth }) => (auth === 'open' ? null : UNAUTHORIZED);

interface SecretKeyTraits {
  readonly isLive?: true;
  readonly fromOtherIp?: true;
  readonly isUnlinked?: true;
}

const secretKey =
  ({ isLive, fromOtherIp, isUnlinked }: SecretKeyTraits = {}): ExpectedOutcome =>
  (operation) => {
    const { auth, testOnly, linkedOnly } = operation;
    if (auth === 'guest' || auth === 'member') return WRONG_KIND;
    if (auth !== 'secret') return unauthenticated(operation);
    if (isLive === true && testOnly === true) return [403, 'mode_not_available'];
    if (fromOtherIp === true) return [403, 'ip_not_allowed'];
    return isUnlinked === true && linkedOnly === true ? [403, 'venue_not_linked'] : null;
  };

const publishableKey =
  (from: 'its own page' | 'elsewhere'): ExpectedOutcome =>
  (operation) => {
    if (operation.auth === 'guest') return from === 'elsewhere' ? [403, 'origin_not_allowed'] : null;
    return operation.auth === 'secret' || operation.auth === 'member' ? WRONG_KIND : unauthenticated(operation);
  };

const memberToken: ExpectedOutcome = (operation) =>
  operation.auth === 'guest' || operation.auth === 'member' ? null : unauthenticated(operation);
const operatorToken: ExpectedOutcome = (operation) =>
  operation.auth === 'operator' ? null : unauthenticated(operation);

export async function makeCredentials(fixture: IsolationFixture): Promise<Credential[]> {
  const { world, owners } = fixture;
  const [test, live] = owners as [Owner, Owner];
  const keys = await keysInEveryState(fixture, test);
  const page = { origin: SITE };
  const onPage = { ...page };
  const list: Omit<Credential, 'headers'>[] = [
    { description: 'no credential', expected: unauthenticated },
    { description: 'garbage', key: 'nonsense', expected: unauthenticated },
    {
      description: 'a key of the right form that was never issued',
      key: `svc_test_${'A'.repeat(32)}`,
      expected: unauthenticated,
    },
    { description: 'a test key', key: test.secret, expected: secretKey() },
    { description: 'a live key', key: live.secret, expected: secretKey({ isLive: true }) },
    { description: 'an imported live key', key: keys.imported, expected: secretKey({ isLive: true }) },
    { description: 'a key of a sandbox venue', key: keys.sandbox, expected: secretKey({ isUnlinked: true }) },
    {
      description: 'a key used from an IP address that it does not allow',
      key: keys.otherIp,
      expected: secretKey({ fromOtherIp: true }),
    },
    { description: 'a revoked key', key: keys.revoked, expected: unauthenticated },
    { description: 'an expired key', key: keys.expired, expected: unauthenticated },
    { description: 'a key of a revoked venue', key: keys.ofRevokedVenue, expected: unauthenticated },
    { description: 'a revoked publishable key', key: keys.revokedPublishable, expected: unauthenticated },
    { description: 'a publishable test key', key: test.publishable, expected: publishableKey('its own page') },
    { description: 'a publishable live key', key: live.publishable, expected: publishableKey('its own page') },
    { description: 'a signed-in member', key: test.member.token, expected: memberToken },
    { description: 'an unsigned member token', key: unsigned(test), expected: unauthenticated },
    {
      description: 'a member token signed with another key',
      key: await signedWithOtherKey(fixture, test),
      expected: unauthenticated,
    },
    { description: 'the operator', key: world.operatorToken, expected: operatorToken },
    { description: 'the processor’s secret key', key: PROCESSOR_KEYS.test.secret, expected: unauthenticated },
    { description: 'a signing secret', key: keys.signingSecret, expected: unauthenticated },
    { description: 'the token of a hook', key: keys.hookToken, expected: unauthenticated },
    { description: 'the id of a checkout', key: await checkout(fixture, test), expected: unauthenticated },
  ];
  const otherOrigin = publishableKey('elsewhere');
  const credentials: Credential[] = [
    ...list.map((credential) => ({ ...credential, headers: onPage })),
    {
      description: 'a guest’s session of the hosted pages',
      headers: { ...page, cookie: keys.cookie },
      expected: unauthenticated,
    },
    { description: 'a publishable key without an Origin', key: test.publishable, headers: {}, expected: otherOrigin },
    {
      description: 'a publishable key from another origin',
      key: test.publishable,
      headers: { origin: 'https://elsewhere.example' },
      expected: otherOrigin,
    },
  ];
  return credentials.map((credential) => ({ ...credential, expected: exceptAtConsole(credential.expected) }));
}

/** The console's operations take calls of their own pages alone, and none of these comes from one. */
const exceptAtConsole =
  (expected: ExpectedOutcome): ExpectedOutcome =>
  (operation) =>
    operation.audience !== undefined ? [403, 'origin_not_allowed'] : expected(operation);

async function keysInEveryState(fixture: IsolationFixture, owner: Owner) {
  const { world } = fixture;
  const issue = async (venueId: string, options: Parameters<typeof world.key>[1] = {}): Promise<string> =>
    (await world.key(venueId, { ...HIGH_LIMITS, ...options })).key;
  const revoked = await world.key(owner.venueId, HIGH_LIMITS);
  await world.revoke(revoked.id);
  const publishable = await world.key(owner.venueId, { kind: 'publishable' });
  await world.revoke(publishable.id);
  const expired = await world.key(owner.venueId, {
    ...HIGH_LIMITS,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  });
  await world.db.query("update keys set expires_at = now() - interval '1 second' where key_id = $1", [expired.id]);
  const revokedVenueId = (await world.venue({ origins: [SITE] })).venue.id;
  const ofRevokedVenue = await issue(revokedVenueId);
  await world.db.transaction((tx) => revokeVenue(tx, world.command(), revokedVenueId));
  const importedKey = `svc_live_${randomBytes(24).toString('hex')}`;
  await world.db.transaction((tx) => importKey(tx, world.command(), owner.venueId, importedKey));
  const endpoint = await fixture.callOk(owner, 'POST', '/v1/webhook_endpoints', endpointBody(fixture, owner.mark));
  const { db, clock, random } = world.context;
  const session = await beginSession({ db, clock, random }, owner.member.id);
  return {
    imported: importedKey,
    revoked: revoked.key,
    revokedPublishable: publishable.key,
    expired: expired.key,
    ofRevokedVenue,
    sandbox: await issue((await world.venue({ sandbox: true, origins: [SITE] })).venue.id),
    otherIp: await issue(owner.venueId, { allowIps: ['192.0.2.7'] }),
    signingSecret: String(endpoint.json.secret),
    hookToken: (await integration(fixture, owner)).path.split('/').at(-1) ?? '',
    cookie: `everyshare_session=${session}`,
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function unsigned({ member: { token } }: Owner): string {
  const [, claims = ''] = token.split('.');
  return `${encoded({ alg: 'none', typ: 'JWT' })}.${claims}.AAAA`;
}

async function signedWithOtherKey({ world }: IsolationFixture, owner: Owner): Promise<string> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
  const [{ kid }] = (await world.context.tokens.jwks()).keys as [{ kid: string }];
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: world.urls[0] ?? '', aud: 'everyshare-guest', sub: owner.member.id, iat: now, exp: now + 600 };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' }).sign(privateKey);
}
