// Phone numbers: stored encrypted (sealed) and bound to a keyed hash, by which they are found. Stored nowhere else.

import type { Seal } from '../../base/seal.ts';

export interface SealedPhone {
  readonly phone: Buffer;
  readonly phoneHash: Buffer;
}

export function sealPhone(seal: Seal, phone: string): SealedPhone {
  const phoneHash = hashOfPhone(seal, phone);
  return { phone: seal.seal(phone, sealNameOfPhone(phoneHash)), phoneHash };
}

export function hashOfPhone(seal: Seal, phone: string): Buffer {
  return seal.fingerprint(phone, 'phone');
}

export function openPhone(seal: Seal, { phone, phoneHash }: SealedPhone): string {
  return seal.open(phone, sealNameOfPhone(phoneHash));
}

export function sealNameOfPhone(phoneHash: Buffer): string {
  return `phone ${phoneHash.toString('hex')}`;
}
