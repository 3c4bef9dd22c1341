// Members' tokens: JWTs signed with Ed25519, valid for an hour or until the member signs out. All servers share the keys
// (token-keys.ts). Only one algorithm, issuer, audience and type are accepted. An operator can configure a second issuer
// for its own members (the hosted pages still issue our tokens): a token is verified with the keys, algorithms and
// audience of the issuer that it names.

import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Clock } from '../../base/clock.ts';
import type { MemberIssuer } from '../../base/config.ts';
import { Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { findTokenVersion } from './token-key-queries.ts';
import { ALGORITHM, KeyRing, type KeyRingServices, TOKEN_SECONDS } from './token-keys.ts';

export const AUDIENCE = 'everyshare-guest';
const TYPE = 'JWT';
/** A token that is valid for longer is refused, however it is signed: it could not be revoked in time. */
const MAX_LIFE_SECONDS = 24 * 3_600;
/** How far the clock of an issuer may be ahead of ours. */
const MAX_CLOCK_SKEW_SECONDS = 60;

export interface TokenServices extends KeyRingServices {
  /** Our own issuer: the service's URL. */
  readonly issuer: () => string;
  /** The operator's own issuer. */
  readonly memberIssuer: MemberIssuer | null;
}

export interface Tokens {
  sign(memberId: string): Promise<string>;
  /** The member's id; null: the token is not valid. */
  verify(token: string): Promise<string | null>;
  /** The public keys, for others who verify our tokens. */
  jwks(): Promise<{ readonly keys: readonly Readonly<Record<string, unknown>>[] }>;
}

export function makeTokens(services: TokenServices): Tokens {
  const keyRing = new KeyRing(services);
  const verifyIssuerToken = services.memberIssuer === null ? null : issuerVerifier(services, services.memberIssuer);
  const verifyOwnToken: Tokens['verify'] = (token) => verifyOwn(services, keyRing, token);
  return {
    async sign(memberId) {
      const { id, privateKey } = await keyRing.signingKey();
      const version = (await findTokenVersion(services.db, memberId)) ?? 0;
      const now = Math.floor(services.clock.now() / 1000);
      return new SignJWT({ ver: version })
        .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: TYPE })
        .setIssuer(services.issuer())
        .setAudience(AUDIENCE)
        .setSubject(memberId)
        .setIssuedAt(now)
        .setExpirationTime(now + TOKEN_SECONDS)
        .sign(privateKey);
    },
    verify: (token) =>
      verifyIssuerToken !== null && issuerOf(token) !== services.issuer()
        ? verifyIssuerToken(token)
        : verifyOwnToken(token),
    jwks: () => keyRing.jwks(),
  };
}

/** The issuer that the token claims, not verified yet; null: the token cannot be read. */
function issuerOf(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    // The verification will reject it.
    return null;
  }
}

async function verifyOwn(services: TokenServices, keyRing: KeyRing, token: string): Promise<string | null> {
  const getKey: JWTVerifyGetKey = async ({ kid = '' }) => {
    const key = await keyRing.verifyingKey(kid);
    if (key === null) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  const payload = await payloadOf(services.clock, token, getKey, {
    algorithms: [ALGORITHM],
    issuer: services.issuer(),
    audience: AUDIENCE,
    typ: TYPE,
  });
  if (payload === null) return null;
  // The member's version is read for each request: a sign-out ends their tokens on every server at once.
  const version = await findTokenVersion(services.db, payload.memberId);
  return version === (payload.claims.ver ?? 0) ? payload.memberId : null;
}

function issuerVerifier(services: TokenServices, memberIssuer: MemberIssuer): Tokens['verify'] {
  const remoteKeys = createRemoteJWKSet(new URL(memberIssuer.jwksUrl), { timeoutDuration: 5_000 });
  const getKey: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remoteKeys(header, token);
    } catch (error) {
      // An issuer that does not answer, or answers nonsense, does not make the token invalid: 503, not 401.
      if (hasNoKey(error)) throw error;
      throw new Problem('service_unavailable', { headers: { 'retry-after': '5' }, cause: error });
    }
  };
  return async (token) => {
    const payload = await payloadOf(services.clock, token, getKey, {
      algorithms: ['EdDSA', 'ES256'],
      issuer: memberIssuer.issuer,
      audience: memberIssuer.audience,
    });
    return payload?.memberId ?? null;
  };
}

interface VerifiedPayload {
  readonly memberId: string;
  readonly claims: JWTPayload;
}

/** Null: the signature, a claim or the times of the token are not valid. */
async function payloadOf(
  clock: Clock,
  token: string,
  getKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<VerifiedPayload | null> {
  const currentDate = new Date(clock.now());
  const requiredClaims = ['sub', 'exp', 'iat'];
  try {
    const { payload: claims } = await jwtVerify(token, getKey, { ...options, currentDate, requiredClaims });
    const { sub, iat = 0, exp = 0 } = claims;
    const isTimely = exp - iat <= MAX_LIFE_SECONDS && iat <= clock.now() / 1000 + MAX_CLOCK_SKEW_SECONDS;
    return isTimely && typeof sub === 'string' && isUuid(sub) ? { memberId: sub.toLowerCase(), claims } : null;
  } catch (error) {
    // Every defect of the token has the same result. A key that cannot be fetched now is no defect, and is thrown.
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

const NO_KEY_ERRORS = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** The issuer has no key for the token's header. */
function hasNoKey(error: unknown): boolean {
  return NO_KEY_ERRORS.some((kind) => error instanceof kind);
}
