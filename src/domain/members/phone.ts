// Phone numbers: stored encrypted (sealed) and bound to a keyed hash, by which they are found. Stored nowhere else.

import type { Seal } from '../../base/seal.ts';

/** A phone number in E.164 form. The schemas repeat the pattern. */
export const E164 = /^\+[1-9][0-9]{6,14}$/;

export interface SealedPhone {
  readonly phone: Buffer;
  readonly phoneHash: Buffer;
}

export function sealPhone(seal: Seal, phone: string): SealedPhone {
  const phoneHash = hashOfPhone(seal, phone);
  return { phone: seal.seal(phone, sealNameOf(phoneHash)), phoneHash };
}

export function hashOfPhone(seal: Seal, phone: string): Buffer {
  return seal.fingerprint(phone, 'phone');
}

export function openPhone(seal: Seal, { phone, phoneHash }: SealedPhone): string {
  return seal.open(phone, sealNameOf(phoneHash));
}

function sealNameOf(phoneHash: Buffer): string {
  return `phone ${phoneHash.toString('hex')}`;
}

/** +1 555 010 0000 to 0199: numbers that no subscriber has, for tests. */
export function isReserved(phone: string): boolean {
  return /^\+15550100(0\d\d|1\d\d)$/.test(phone);
}
