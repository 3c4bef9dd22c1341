// Members' tokens: JWTs signed with Ed25519, valid for an hour. All servers share the keys, sealed in the database.
// Only one algorithm, issuer, audience and type are accepted. An operator can configure a second issuer for its own
// members (the hosted pages still issue our tokens): a token is verified with the keys, algorithms and audience of the
// issuer that it names.

import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Clock } from '../../base/clock.ts';
import type { MemberIssuer } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import { type Ids, isUuid } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import { insertFirstTokenKey, listTokenKeys, type TokenKeyRow } from './queries.ts';

export const AUDIENCE = 'everyshare-guest';
export const TOKEN_SECONDS = 3_600;
const ALGORITHM = 'EdDSA';
const CURVE = 'Ed25519';
const TYPE = 'JWT';
/** An unknown key id may be a key that another server has just created. The keys are reloaded at most this often. */
const MIN_RELOAD_INTERVAL_MS = 5_000;

export interface TokenServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
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

type Key = Awaited<ReturnType<typeof importJWK>>;

export function makeTokens(services: TokenServices): Tokens {
  const keyRing = new KeyRing(services);
  const verifyIssuerToken = services.memberIssuer === null ? null : issuerVerifier(services, services.memberIssuer);
  const verifyOwnToken: Tokens['verify'] = (token) => verifyOwn(services, keyRing, token);
  return {
    async sign(memberId) {
      const { id, privateKey } = await keyRing.signingKey();
      const now = Math.floor(services.clock.now() / 1000);
      return new SignJWT({})
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
    jwks: async () => ({ keys: (await keyRing.rows()).map(({ publicJwk }) => publicJwk) }),
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
  return subjectOf(token, getKey, {
    algorithms: [ALGORITHM],
    issuer: services.issuer(),
    audience: AUDIENCE,
    typ: TYPE,
    currentDate: new Date(services.clock.now()),
  });
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
  return (token) =>
    subjectOf(token, getKey, {
      algorithms: ['EdDSA', 'ES256'],
      issuer: memberIssuer.issuer,
      audience: memberIssuer.audience,
      currentDate: new Date(services.clock.now()),
    });
}

async function subjectOf(
  token: string,
  getKey: JWTVerifyGetKey,
  options: Parameters<typeof jwtVerify>[2],
): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, getKey, { ...options, requiredClaims: ['sub', 'exp', 'iat'] });
    return typeof payload.sub === 'string' && isUuid(payload.sub) ? payload.sub.toLowerCase() : null;
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

class KeyRing {
  readonly #services: TokenServices;
  readonly #verifyingKeys = new Map<string, Key>();
  #rows: Promise<TokenKeyRow[]> | null = null;
  #loadedAt = 0;

  constructor(services: TokenServices) {
    this.#services = services;
  }

  /** All keys, the signing one first. The first server that needs a key creates it. */
  rows(): Promise<TokenKeyRow[]> {
    this.#rows ??= this.#load().catch((error: unknown) => {
      this.#rows = null;
      throw error;
    });
    return this.#rows;
  }

  async #load(): Promise<TokenKeyRow[]> {
    const { db, clock } = this.#services;
    this.#loadedAt = clock.now();
    const known = await listTokenKeys(db);
    if (known.length > 0) return known;
    await this.#create();
    return listTokenKeys(db);
  }

  async #create(): Promise<void> {
    const { db, seal, ids, clock } = this.#services;
    const id = ids.uuid();
    const pair = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true });
    const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: id, alg: ALGORITHM, use: 'sig' };
    const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
    const privateKey = seal.seal(privateJwk, `token key ${id}`);
    await insertFirstTokenKey(db, { id, privateKey, publicJwk: JSON.stringify(publicJwk), now: clock.now() });
  }

  async signingKey(): Promise<{ readonly id: string; readonly privateKey: Key }> {
    const [newest] = await this.rows();
    if (newest === undefined) throw new Error('there is no token key, although one was just created');
    const jwk = JSON.parse(this.#services.seal.open(newest.privateKey, `token key ${newest.id}`));
    return { id: newest.id, privateKey: await importJWK(jwk, ALGORITHM) };
  }

  async verifyingKey(id: string): Promise<Key | null> {
    const known = this.#verifyingKeys.get(id);
    if (known !== undefined) return known;
    let row = (await this.rows()).find((key) => key.id === id);
    if (row === undefined && this.#services.clock.now() - this.#loadedAt > MIN_RELOAD_INTERVAL_MS) {
      this.#rows = null;
      row = (await this.rows()).find((key) => key.id === id);
    }
    if (row === undefined) return null;
    const key = await importJWK(row.publicJwk, ALGORITHM);
    this.#verifyingKeys.set(id, key);
    return key;
  }
}
