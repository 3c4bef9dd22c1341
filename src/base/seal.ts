// Secrets that the service must read again (signing secrets, phone numbers, stored responses with a secret) are encrypted
// with AES-256-GCM and bound to their row: a sealed value copied to another row does not open. Keys are not rotated here;
// the first byte names the format, so that a later format can coexist with this one.

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { Random } from './random.ts';

export interface Seal {
  /** Text, or bytes that are text in UTF-8. */
  seal(plain: string | Buffer, row: string): Buffer;
  open(sealed: Buffer, row: string): string;
  /** A keyed hash, to look up a value that is stored sealed. */
  fingerprint(plain: string, purpose: string): Buffer;
}

const FORMAT = 1;
const NONCE = 12;
const TAG = 16;

export function makeSeal(key: Buffer, random: Random): Seal {
  if (key.length !== 32) throw new Error('the encryption key must have 32 bytes');
  const hashKey = createHmac('sha256', key).update('everyshare/fingerprint').digest();
  return {
    seal(plain, row) {
      const nonce = random.bytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(row));
      const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      const rest = cipher.final();
      return Buffer.concat([Buffer.from([FORMAT]), nonce, cipher.getAuthTag(), body, rest]);
    },
    open(sealed, row) {
      if (sealed[0] !== FORMAT || sealed.length < 1 + NONCE + TAG)
        throw new Error('sealed value has an unknown format');
      const nonce = sealed.subarray(1, 1 + NONCE);
      const tag = sealed.subarray(1 + NONCE, 1 + NONCE + TAG);
      const cipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(row)).setAuthTag(tag);
      return Buffer.concat([cipher.update(sealed.subarray(1 + NONCE + TAG)), cipher.final()]).toString('utf8');
    },
    fingerprint: (plain, purpose) => createHmac('sha256', hashKey).update(purpose).update('\0').update(plain).digest(),
  };
}
