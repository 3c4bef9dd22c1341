// Secrets that the service must read again (signing secrets, phone numbers, stored responses with a secret) are encrypted
// with AES-256-GCM and bound to their row: a sealed value copied to another row does not open. A sealed value names its
// key. The first key of the list seals, every key opens: a key is replaced by adding a new one before it, sealing all
// values again (`everyshare encryption rotate`), and removing the old one.

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Random } from './random.ts';

export interface Seal {
  /** Text, or bytes that are text in UTF-8. */
  seal(plain: string | Buffer, row: string): Buffer;
  open(sealed: Buffer, row: string): string;
  /** Null: the value opens with none of the keys. */
  tryOpen(sealed: Buffer, row: string): string | null;
  /** The first bytes of every value that the current key has sealed: format and name of the key. */
  readonly currentPrefix: Buffer;
  /** A keyed hash, to look up a value that is stored sealed. Its key is not replaced: stored hashes must match. */
  fingerprint(plain: string, purpose: string): Buffer;
  /** The hash key that belongs to the key which opens this value: the one in use when the value was sealed. */
  hashKeyFor(sealed: Buffer, row: string): Buffer;
  /** Sets the hash key of the installation. Until then it is that of the last key in the list, which is the oldest. */
  useHashKey(hashKey: Buffer): void;
}

/** A column with sealed values. `table` and `column` are named by the noun that owns them. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** A bytea[] instead of a bytea. */
  readonly isArray?: true;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Other columns that `sealName` needs; a bytea is given in hex. */
  readonly needs?: readonly string[];
  /** The name that the values of a row are bound to. */
  readonly sealName: (row: Readonly<Record<string, string>>) => string;
}

/** Without the name of its key, which is found by trial. */
const UNNAMED_FORMAT = 1;
const FORMAT = 2;
const KEY_NAME = 4;
const NONCE = 12;
const TAG = 16;

interface NamedKey {
  readonly key: Buffer;
  readonly prefix: Buffer;
}

export function makeSeal(keys: readonly Buffer[], random: Random): Seal {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined || keys.some(({ length }) => length !== 32))
    throw new Error('every encryption key must have 32 bytes, and there must be one');
  const named = keys.map((key): NamedKey => ({ key, prefix: prefixOf(key) }));
  const currentPrefix = prefixOf(first);
  let hashKey = hashKeyOf(last);
  return {
    currentPrefix,
    seal(plain, row) {
      const nonce = random.bytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(row));
      const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      const rest = cipher.final();
      return Buffer.concat([currentPrefix, nonce, cipher.getAuthTag(), body, rest]);
    },
    open: (sealed, row) => openWith(named, sealed, row).text,
    tryOpen(sealed, row) {
      try {
        return openWith(named, sealed, row).text;
      } catch {
        return null;
      }
    },
    fingerprint: (plain, purpose) => createHmac('sha256', hashKey).update(purpose).update('\0').update(plain).digest(),
    hashKeyFor: (sealed, row) => hashKeyOf(openWith(named, sealed, row).key),
    useHashKey(given) {
      hashKey = given;
    },
  };
}

function prefixOf(key: Buffer): Buffer {
  return Buffer.concat([Buffer.from([FORMAT]), nameOf(key)]);
}

function nameOf(key: Buffer): Buffer {
  return createHmac('sha256', key).update('everyshare/key name').digest().subarray(0, KEY_NAME);
}

/** Names a key without giving it away: what a backup says about the key that opens its sealed values. */
export function keyName(key: Buffer): string {
  return nameOf(key).toString('hex');
}

function hashKeyOf(key: Buffer): Buffer {
  return createHmac('sha256', key).update('everyshare/fingerprint').digest();
}

function openWith(keys: readonly NamedKey[], sealed: Buffer, row: string): { text: string; key: Buffer } {
  const start = sealed[0] === FORMAT ? 1 + KEY_NAME : 1;
  if ((sealed[0] !== FORMAT && sealed[0] !== UNNAMED_FORMAT) || sealed.length < start + NONCE + TAG)
    throw new Error('sealed value has an unknown format');
  const isNamed = sealed[0] === FORMAT;
  const candidates = keys.filter(({ prefix }) => !isNamed || prefix.equals(sealed.subarray(0, start)));
  let failure: unknown = new Error('the key that sealed this value is not in ENCRYPTION_KEY');
  for (const { key } of candidates) {
    try {
      return { text: decrypt(key, sealed.subarray(start), row), key };
    } catch (error) {
      failure = error; // The tag does not match: another key, another row, or changed bytes.
    }
  }
  throw failure;
}

function decrypt(key: Buffer, sealed: Buffer, row: string): string {
  const tag = sealed.subarray(NONCE, NONCE + TAG);
  const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE))
    .setAAD(Buffer.from(row))
    .setAuthTag(tag);
  return Buffer.concat([cipher.update(sealed.subarray(NONCE + TAG)), cipher.final()]).toString('utf8');
}
