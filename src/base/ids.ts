// Ids, made by the application and ordered by time, so that machines share no sequence.
// UUIDs are version 7; prefixed ids are the same bits in Crockford's base 32 (26 characters).

import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

export type IdPrefix = 'chk' | 'shr' | 'evt' | 'whe' | 'int' | 'key' | 'hkd' | 'shk' | 'syn' | 'req';

export interface Ids {
  uuid(): string;
  prefixed(prefix: IdPrefix): string;
}

export function makeIds(clock: Clock, random: Random): Ids {
  const next = makeTimeBytes(clock, random);
  return {
    uuid: () => uuid7(next()),
    prefixed: (prefix) => `${prefix}_${base32(next())}`,
  };
}

const MAX_PER_MILLISECOND = 0x0fff;

/**
 * 48 bits of time, 4 for a version, 12 that count up within a millisecond, 64 random: ids of one process are in the order
 * of their creation, also when the clock stands still or steps back.
 */
function makeTimeBytes(clock: Clock, random: Random): () => Buffer {
  let last = 0;
  let count = 0;
  return () => {
    const now = clock.now();
    const isSameTick = now <= last;
    count = isSameTick ? count + 1 : 0;
    if (count > MAX_PER_MILLISECOND) count = 0;
    last = isSameTick && count > 0 ? last : Math.max(now, isSameTick ? last + 1 : now);
    const bytes = Buffer.allocUnsafe(16);
    bytes.writeUIntBE(last, 0, 6);
    bytes.writeUInt16BE(count, 6);
    random.bytes(8).copy(bytes, 8);
    return bytes;
  };
}

function uuid7(bytes: Buffer): string {
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

const PAIRS = [...CROCKFORD].flatMap((first) => [...CROCKFORD].map((second) => first + second));

/**
 * 128 bits as 26 digits of 5 bits, two at a time; the first digit carries the 3 bits left over, so text order is time
 * order.
 */
function base32(bytes: Buffer): string {
  let text = '';
  let buffered = 0;
  let bits = 2;
  for (let at = 0; at < 16; at++) {
    buffered = (buffered << 8) | (bytes[at] as number);
    bits += 8;
    if (bits < 10) continue;
    bits -= 10;
    text += PAIRS[buffered >>> bits];
    buffered &= (1 << bits) - 1;
  }
  return text;
}

const TIME_DIGITS = 10;

/** The least prefixed id of a millisecond: ids of earlier ones are smaller as text, and all others are greater. */
export function leastId(prefix: IdPrefix, ms: number): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(ms, 0, 6);
  return `${prefix}_${base32(bytes).slice(0, TIME_DIGITS)}`;
}

/** When a prefixed id was made, in milliseconds. */
export function timeOfId(id: string): number {
  const start = id.indexOf('_') + 1;
  let ms = 0;
  for (const digit of id.slice(start, start + TIME_DIGITS)) ms = ms * 32 + CROCKFORD.indexOf(digit);
  return ms;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
