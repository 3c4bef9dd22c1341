// Names for things, made by the application and ordered by time, so that no sequence is shared between machines.
// UUIDs are version 7; prefixed ids are 48 bits of time and 80 of chance in Crockford's base 32 (26 characters).

import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export type IdPrefix = 'chk' | 'shr' | 'evt' | 'whe' | 'int' | 'key' | 'hkd' | 'req';

export interface Ids {
  uuid(): string;
  prefixed(prefix: IdPrefix): string;
}

export function makeIds(clock: Clock, random: Random): Ids {
  return {
    uuid: () => uuid7(clock.now(), random.bytes(10)),
    prefixed: (prefix) => `${prefix}_${base32(timeBytes(clock.now(), random.bytes(10)))}`,
  };
}

function timeBytes(now: number, chance: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(16);
  bytes.writeUIntBE(now, 0, 6);
  chance.copy(bytes, 6);
  return bytes;
}

function uuid7(now: number, chance: Buffer): string {
  const bytes = timeBytes(now, chance);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** 128 bits as 26 digits of 5 bits; the first digit carries the 3 bits left over, so text order is time order. */
function base32(bytes: Buffer): string {
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = CROCKFORD[Number(value & 31n)] + text;
    value >>= 5n;
  }
  return text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
