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
  const nextTick = makeTicks(clock);
  let timeMs = -1;
  let timeText = '';
  return {
    uuid() {
      const { ms, count } = nextTick();
      const bytes = Buffer.allocUnsafe(16);
      bytes.writeUIntBE(ms, 0, 6);
      bytes.writeUInt16BE(0x7000 | count, 6);
      random.bytes(8).copy(bytes, 8);
      return uuidText(bytes);
    },
    prefixed(prefix) {
      const { ms, count } = nextTick();
      // Many ids are made within a millisecond.
      if (ms !== timeMs) {
        timeMs = ms;
        timeText = timeDigits(ms);
      }
      return `${prefix}_${timeText}${tailDigits(count, random.bytes(8))}`;
    },
  };
}

const MAX_PER_MILLISECOND = 0x0fff;

interface Tick {
  ms: number;
  count: number;
}

/**
 * A time, and a number that counts up within a millisecond: ids of one process are in the order of their creation, also
 * when the clock stands still or steps back.
 */
function makeTicks(clock: Clock): () => Readonly<Tick> {
  const tick: Tick = { ms: 0, count: 0 };
  return () => {
    const now = clock.now();
    if (now > tick.ms) {
      tick.ms = now;
      tick.count = 0;
    } else if (tick.count < MAX_PER_MILLISECOND) tick.count += 1;
    else {
      tick.ms += 1;
      tick.count = 0;
    }
    return tick;
  };
}

/** The 16 bytes of a UUID, of which the first 8 never change. */
function uuidText(bytes: Buffer): string {
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';

/** Two digits, by their 10 bits. */
const PAIRS = [...CROCKFORD].flatMap((first) => [...CROCKFORD].map((second) => first + second));

const TIME_DIGITS = 10;

/** 48 bits of time as 10 digits of 5 bits: text order is time order. */
function timeDigits(ms: number): string {
  let text = '';
  for (let rest = ms, at = 0; at < TIME_DIGITS; at += 2) {
    text = pair(rest % 1024) + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
}

/**
 * 16 bits of a count and 64 random ones as 16 digits. In two halves: V8 copies text of up to 12 characters at once, and
 * builds a tree of longer text, which costs more to read.
 */
function tailDigits(count: number, random: Buffer): string {
  const high = random.readUInt32BE(0);
  const low = random.readUInt32BE(4);
  const first = `${pair(count >>> 6)}${pair((count << 4) | (high >>> 28))}${pair(high >>> 18)}${pair(high >>> 8)}`;
  const second = `${pair((high << 2) | (low >>> 30))}${pair(low >>> 20)}${pair(low >>> 10)}${pair(low)}`;
  return first + second;
}

/** The digits of the last 10 bits. */
function pair(bits: number): string {
  return PAIRS[bits & 1023] as string;
}

/** The least prefixed id of a millisecond: ids of earlier ones are smaller as text, and all others are greater. */
export function leastId(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${timeDigits(ms)}`;
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
