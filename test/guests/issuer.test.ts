// The operator's own issuer: its tokens are valid beside ours, and neither issuer can sign for the other. The issuer
// here is a real server with its own keys.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeTokens } from '../../src/domain/members/tokens.ts';
import { type GuestFixture, openGuestFixture } from './guest-fixture.ts';

const ISSUER = 'https://members.harbor.example';
const AUDIENCE = 'harbor-payments';
const MEMBER = '0190b3c4-0000-7000-8000-00000000abcd';

let fixture: GuestFixture;
let jwks: Server;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
beforeAll(async () => {
  keys = await generateKeyPair('ES256', { extractable: true });
  const published = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'theirs', alg: 'ES256', use: 'sig' }] };
  jwks = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(published)),
  );
  await new Promise<void>((resolve) => jwks.listen(0, '127.0.0.1', resolve));
  const MEMBER_JWKS_URL = `http://127.0.0.1:${(jwks.address() as AddressInfo).port}/jwks.json`;
  fixture = await openGuestFixture({ env: { MEMBER_ISSUER: ISSUER, MEMBER_AUDIENCE: AUDIENCE, MEMBER_JWKS_URL } });
});
afterAll(async () => {
  await fixture.world.close();
  await new Promise((resolve) => jwks.close(resolve));
});

interface Claims {
  readonly iss?: string;
  readonly aud?: string;
  readonly kid?: string;
  readonly typ?: string;
  /** Seconds from now at which it was issued. */
  readonly issued?: number;
  /** Seconds from its issue to its end. */
  readonly life?: number;
}

/** Signs any claims with the operator's key. */
function operatorToken(claims: Claims = {}): Promise<string> {
  const { iss = ISSUER, aud = AUDIENCE, kid = 'theirs', typ = 'JWT', issued = 0, life = 600 } = claims;
  const iat = Math.floor(Date.now() / 1_000) + issued;
  return new SignJWT({ iss, aud, sub: MEMBER, iat, exp: iat + life })
    .setProtectedHeader({ alg: 'ES256', kid, typ })
    .sign(keys.privateKey);
}

it('the operator’s members choose a party and pay, and so do members who signed in on our pages', async () => {
  const id = await fixture.checkout({ party_size: 2, amount: 6_000 });
  const ada = { id: MEMBER, phone: '', token: await operatorToken() };
  const sam = await fixture.createPerson('Sam');
  const { status, text, json } = await fixture.party(id, ada, [{ user_id: sam.id }]);
  expect(status, text).toBe(200);
  const [mine, his] = json.shares as { id: string }[];
  await fixture.pay(await fixture.hold(his?.id ?? '', sam));
  await fixture.pay(await fixture.hold(mine?.id ?? '', { ...ada, token: await operatorToken() }));
  expect((await fixture.view(id, sam)).status).toBe('completed');
});

it('a token is verified by the issuer that it names and by no other', async () => {
  const { world } = fixture;
  const id = await fixture.checkout();
  const seen = async (token: string) => (await world.call('GET', `/v1/public/checkouts/${id}`, { key: token })).status;
  const sam = await fixture.createPerson('Sam');
  const own = world.context.address.base;
  const kid = (await world.context.tokens.jwks()).keys[0]?.kid as string;
  expect([await seen(await operatorToken()), await seen(sam.token)]).toEqual([200, 200]);
  const wrong = [
    await operatorToken({ iss: own, aud: 'everyshare-guest' }),
    await operatorToken({ iss: own, aud: 'everyshare-guest', kid }),
    await operatorToken({ aud: 'everyshare-guest' }),
    await operatorToken({ iss: 'https://elsewhere.example' }),
    await operatorToken({ kid: 'unknown' }),
    sam.token.replace(/\.[^.]+$/, '.AAAA'),
  ];
  for (const token of wrong) expect(await seen(token), token).toBe(401);
});

it('a token that is valid for more than 24 hours, or was issued in the future, is refused', async () => {
  const id = await fixture.checkout();
  const seen = async (claims: Claims) =>
    (await fixture.world.call('GET', `/v1/public/checkouts/${id}`, { key: await operatorToken(claims) })).status;
  const DAY = 24 * 3_600;
  expect([await seen({ life: DAY }), await seen({ issued: 30 })]).toEqual([200, 200]);
  expect(await seen({ life: DAY + 1 })).toBe(401);
  expect(await seen({ life: 365 * DAY, issued: -DAY })).toBe(401);
  expect(await seen({ issued: 120 })).toBe(401);
});

it('an issuer that does not answer gives 503, not 401', async () => {
  const noAnswer = createServer((_, response) => response.writeHead(500).end());
  await new Promise<void>((resolve) => noAnswer.listen(0, '127.0.0.1', resolve));
  const MEMBER_JWKS_URL = `http://127.0.0.1:${(noAnswer.address() as AddressInfo).port}/jwks.json`;
  const other = await openGuestFixture({ env: { MEMBER_ISSUER: ISSUER, MEMBER_AUDIENCE: AUDIENCE, MEMBER_JWKS_URL } });
  const id = await other.checkout();
  const unavailable = await other.world.call('GET', `/v1/public/checkouts/${id}`, { key: await operatorToken() });
  expect([unavailable.status, unavailable.json.error.code]).toEqual([503, 'service_unavailable']);
  expect(unavailable.headers.get('retry-after')).toBe('5');
  await other.world.close();
  await new Promise((resolve) => noAnswer.close(resolve));
});

it('an unavailable database gives 503, not 401', async () => {
  const { context } = fixture.world;
  const token = (await fixture.createPerson('Sam')).token;
  const failing = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const db = { query: () => Promise.reject(failing) };
  const parts = { ...context, db, issuer: () => context.address.base, memberIssuer: null };
  await expect(makeTokens(parts).verify(token)).rejects.toBe(failing);
  await expect(makeTokens({ ...parts, db: context.db }).verify(token)).resolves.toMatch(/^[0-9a-f-]{36}$/);
});
