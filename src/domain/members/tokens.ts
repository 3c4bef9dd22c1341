// Members' tokens: JWTs signed with Ed25519 by keys that every server shares (sealed in the database), good for an hour.
// One algorithm, issuer, audience and type are accepted and nothing else. An operator with members of its own can name its
// issuer beside ours (the hosted pages make our tokens all the same): a token is judged by the keys, algorithms and audience
// of the issuer that it names, and by no others.

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
/** A token names a key that we do not know: another server may have made it a moment ago. Asked at most this often. */
const MIN_RELOAD_INTERVAL_MS = 5_000;

export interface TokenServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  /** The service's own address, which is the issuer. */
  readonly issuer: () => string;
  readonly foreign: ForeignIssuer | null;
}

export interface ForeignIssuer {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

export interface Tokens {
  sign(memberId: string): Promise<string>;
  /** The member's id, or null for anything that is not a good token. */
  verify(token: string): Promise<string | null>;
  /** The public halves, for whoever wants to verify a token themselves. */
  jwks(): Promise<{ readonly keys: readonly Readonly<Record<string, unknown>>[] }>;
}

type Key = Awaited<ReturnType<typeof importJWK>>;

export function makeTokens(services: TokenServices): Tokens {
  const ring = new KeyRing(services);
  const foreign = services.foreign === null ? null : foreignVerifier(services, services.foreign);
  const own: Tokens['verify'] = (token) => verifyOwn(services, ring, token);
  return {
    async sign(memberId) {
      const { id, privateKey } = await ring.signingKey();
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
    verify: (token) => (foreign !== null && issuerOf(token) !== services.issuer() ? foreign(token) : own(token)),
    jwks: async () => ({ keys: (await ring.rows()).map(({ publicJwk }) => publicJwk) }),
  };
}

/** What the token says of itself, which nobody has verified yet; null: it cannot be read. */
function issuerOf(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    // Whoever verifies it says no.
    return null;
  }
}

async function verifyOwn(services: TokenServices, ring: KeyRing, token: string): Promise<string | null> {
  const find: JWTVerifyGetKey = async ({ kid = '' }) => {
    const key = await ring.verifyingKey(kid);
    if (key === null) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  return subjectOf(token, find, {
    algorithms: [ALGORITHM],
    issuer: services.issuer(),
    audience: AUDIENCE,
    typ: TYPE,
    currentDate: new Date(services.clock.now()),
  });
}

function foreignVerifier(services: TokenServices, foreign: ForeignIssuer): Tokens['verify'] {
  const ask = createRemoteJWKSet(new URL(foreign.jwksUrl), { timeoutDuration: 5_000 });
  const find: JWTVerifyGetKey = async (header, token) => {
    try {
      return await ask(header, token);
    } catch (error) {
      // That an issuer does not answer, or talks nonsense, is no fault of the token.
      if (isInvalidToken(error)) throw error;
      throw new Problem('service_unavailable', { headers: { 'retry-after': '5' }, cause: error });
    }
  };
  return (token) =>
    subjectOf(token, find, {
      algorithms: ['EdDSA', 'ES256'],
      issuer: foreign.issuer,
      audience: foreign.audience,
      currentDate: new Date(services.clock.now()),
    });
}

async function subjectOf(
  token: string,
  find: JWTVerifyGetKey,
  options: Parameters<typeof jwtVerify>[2],
): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, find, { ...options, requiredClaims: ['sub', 'exp', 'iat'] });
    return typeof payload.sub === 'string' && isUuid(payload.sub) ? payload.sub.toLowerCase() : null;
  } catch (error) {
    // Whatever is wrong with it, the answer is the same: it is no token of ours. That its key cannot be looked up now is another matter.
    if (error instanceof errors.JOSEError) return null;
    throw error;
  }
}

const INVALID_TOKEN_CODES = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported];

/** No key is there for what it names. */
function isInvalidToken(error: unknown): boolean {
  return INVALID_TOKEN_CODES.some((kind) => error instanceof kind);
}

class KeyRing {
  readonly #parts: TokenServices;
  readonly #verifying = new Map<string, Key>();
  #rows: Promise<TokenKeyRow[]> | null = null;
  #readAt = 0;

  constructor(services: TokenServices) {
    this.#parts = services;
  }

  /** Made by whoever needs one first; two that are made at once are both good, and the newer one signs. */
  rows(): Promise<TokenKeyRow[]> {
    this.#rows ??= this.#read().catch((error: unknown) => {
      this.#rows = null;
      throw error;
    });
    return this.#rows;
  }

  async #read(): Promise<TokenKeyRow[]> {
    const { db, clock } = this.#parts;
    this.#readAt = clock.now();
    const known = await listTokenKeys(db);
    if (known.length > 0) return known;
    await this.#make();
    return listTokenKeys(db);
  }

  async #make(): Promise<void> {
    const { db, seal, ids, clock } = this.#parts;
    const id = ids.uuid();
    const pair = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true });
    const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: id, alg: ALGORITHM, use: 'sig' };
    const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
    const privateKey = seal.seal(privateJwk, `token key ${id}`);
    await insertFirstTokenKey(db, { id, privateKey, publicJwk: JSON.stringify(publicJwk), now: clock.now() });
  }

  async signingKey(): Promise<{ readonly id: string; readonly privateKey: Key }> {
    const [newest] = await this.rows();
    if (newest === undefined) throw new Error('there is a key to sign with');
    const jwk = JSON.parse(this.#parts.seal.open(newest.privateKey, `token key ${newest.id}`));
    return { id: newest.id, privateKey: await importJWK(jwk, ALGORITHM) };
  }

  async verifyingKey(id: string): Promise<Key | null> {
    const known = this.#verifying.get(id);
    if (known !== undefined) return known;
    let row = (await this.rows()).find((one) => one.id === id);
    if (row === undefined && this.#parts.clock.now() - this.#readAt > MIN_RELOAD_INTERVAL_MS) {
      this.#rows = null;
      row = (await this.rows()).find((one) => one.id === id);
    }
    if (row === undefined) return null;
    const key = await importJWK(row.publicJwk, ALGORITHM);
    this.#verifying.set(id, key);
    return key;
  }
}
