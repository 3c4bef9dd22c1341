// The keys that sign members' tokens, sealed in the database and shared by all servers. A new key is published at once
// and signs after a minute, when every server has loaded it; the earlier keys verify until an operator retires them.

import { exportJWK, generateKeyPair, importJWK } from 'jose';
import type { Clock } from '../../base/clock.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Seal } from '../../base/seal.ts';
import { auditInstallation } from '../venues/audit.ts';
import {
  deleteTokenKey,
  insertFirstTokenKey,
  insertTokenKey,
  listTokenKeys,
  lockTokenKeys,
  type NewTokenKey,
  type TokenKeyRow,
} from './token-key-queries.ts';

export const TOKEN_SECONDS = 3_600;
export const ALGORITHM = 'EdDSA';
const CURVE = 'Ed25519';
/** Servers load the keys again when theirs are older: a retired key is refused within this time. */
const MAX_KEY_AGE_MS = 30_000;
/** An unknown key id may be a key that another server has just created. The keys are reloaded at most this often. */
const MIN_RELOAD_INTERVAL_MS = 5_000;
/** A new key signs after this time: longer than every server keeps the keys it has loaded. */
const SIGNS_AFTER_MS = 60_000;
export const MAX_TOKEN_KEYS = 10;

export interface KeyRingServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
}

type Key = Awaited<ReturnType<typeof importJWK>>;

export const sealNameOfTokenKey = (keyId: string): string => `token key ${keyId}`;

/** The newest key that every server knows by now; while none is old enough, the oldest. */
function signingRow(rows: readonly TokenKeyRow[], now: number): TokenKeyRow | undefined {
  return rows.find(({ createdAt }) => createdAt <= now - SIGNS_AFTER_MS) ?? rows.at(-1);
}

async function makeTokenKey({ ids, seal }: Pick<KeyRingServices, 'ids' | 'seal'>, now: number): Promise<NewTokenKey> {
  const id = ids.uuid();
  const pair = await generateKeyPair(ALGORITHM, { crv: CURVE, extractable: true });
  const publicJwk = { ...(await exportJWK(pair.publicKey)), kid: id, alg: ALGORITHM, use: 'sig' };
  const privateJwk = JSON.stringify(await exportJWK(pair.privateKey));
  return { id, privateKey: seal.seal(privateJwk, sealNameOfTokenKey(id)), publicJwk: JSON.stringify(publicJwk), now };
}

export class KeyRing {
  readonly #services: KeyRingServices;
  readonly #verifyingKeys = new Map<string, Key>();
  #rows: Promise<TokenKeyRow[]> | null = null;
  #loadedAt = 0;

  constructor(services: KeyRingServices) {
    this.#services = services;
  }

  async jwks(): Promise<{ readonly keys: readonly Readonly<Record<string, unknown>>[] }> {
    return { keys: (await this.#current(MAX_KEY_AGE_MS)).map(({ publicJwk }) => publicJwk) };
  }

  async signingKey(): Promise<{ readonly id: string; readonly privateKey: Key }> {
    const { clock, seal } = this.#services;
    const row = signingRow(await this.#current(MAX_KEY_AGE_MS), clock.now());
    if (row === undefined) throw new Error('there is no token key, although one was just created');
    const jwk = JSON.parse(seal.open(row.privateKey, sealNameOfTokenKey(row.id)));
    return { id: row.id, privateKey: await importJWK(jwk, ALGORITHM) };
  }

  /** Null: there is no such key, or it was retired. */
  async verifyingKey(id: string): Promise<Key | null> {
    const find = async (maxAgeMs: number) => (await this.#current(maxAgeMs)).find((key) => key.id === id);
    const row = (await find(MAX_KEY_AGE_MS)) ?? (await find(MIN_RELOAD_INTERVAL_MS));
    if (row === undefined) return null;
    const key = this.#verifyingKeys.get(id) ?? (await importJWK(row.publicJwk, ALGORITHM));
    this.#verifyingKeys.set(id, key);
    return key;
  }

  /** All keys, newest first, loaded at most `maxAgeMs` ago. The first server that needs a key creates it. */
  #current(maxAgeMs: number): Promise<TokenKeyRow[]> {
    const now = this.#services.clock.now();
    if (this.#rows === null || Math.abs(now - this.#loadedAt) > maxAgeMs) {
      this.#loadedAt = now;
      this.#rows = this.#load().catch((error: unknown) => {
        this.#rows = null;
        throw error;
      });
    }
    return this.#rows;
  }

  async #load(): Promise<TokenKeyRow[]> {
    const { db, clock } = this.#services;
    const known = await listTokenKeys(db);
    if (known.length > 0) return known;
    await insertFirstTokenKey(db, await makeTokenKey(this.#services, clock.now()));
    return listTokenKeys(db);
  }
}

/** Publishes a new key. Null: there are too many, and one has to be retired first. */
export async function rotateTokenKey(
  tx: Queryable,
  command: CommandContext,
): Promise<{ readonly id: string; readonly signsAt: number } | null> {
  await lockTokenKeys(tx);
  if ((await listTokenKeys(tx)).length >= MAX_TOKEN_KEYS) return null;
  const key = await makeTokenKey(command, command.now);
  await insertTokenKey(tx, key);
  await auditInstallation(tx, command, { action: 'token_key.rotate', subject: key.id });
  return { id: key.id, signsAt: command.now + SIGNS_AFTER_MS };
}

/** `in_use`: it signs now. `tokens_valid`: tokens that it signed may still be valid, until the time that is given. */
export type RetireResult =
  | { readonly outcome: 'retired' | 'unknown' | 'in_use' }
  | { readonly outcome: 'tokens_valid'; readonly until: number };

/** Removes a key that signs no more. With `isForced`, also while tokens are valid that it signed. */
export async function retireTokenKey(
  tx: Queryable,
  command: CommandContext,
  id: string,
  isForced: boolean,
): Promise<RetireResult> {
  await lockTokenKeys(tx);
  const rows = await listTokenKeys(tx);
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) return { outcome: 'unknown' };
  const signing = signingRow(rows, command.now);
  if (signing?.id === id || rows.length === 1) return { outcome: 'in_use' };
  // It signed until the next newer key took over, and a server may have kept it for some time after that.
  const until = (rows[index - 1]?.createdAt ?? 0) + SIGNS_AFTER_MS + MAX_KEY_AGE_MS + TOKEN_SECONDS * 1_000;
  if (!isForced && until > command.now) return { outcome: 'tokens_valid', until };
  await deleteTokenKey(tx, id);
  await auditInstallation(tx, command, { action: 'token_key.retire', subject: id, detail: { forced: isForced } });
  return { outcome: 'retired' };
}

export interface ListedTokenKey {
  readonly id: string;
  readonly createdAt: number;
  readonly isSigning: boolean;
}

export async function listKeysWithState(db: Queryable, now: number): Promise<ListedTokenKey[]> {
  const rows = await listTokenKeys(db);
  const signing = signingRow(rows, now);
  return rows.map(({ id, createdAt }) => ({ id, createdAt, isSigning: id === signing?.id }));
}
