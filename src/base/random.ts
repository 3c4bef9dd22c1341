// The only file that reads system randomness. Code that needs random bytes is handed a Random, so that the simulation can
// repeat a run.

import { randomFillSync } from 'node:crypto';

export interface Random {
  bytes(length: number): Buffer;
}

const POOL = 4096;

/** The system's randomness, drawn 4 KB at a time: that makes ten bytes ten times cheaper. No byte is used twice. */
function makeSystemRandom(): Random {
  const pool = Buffer.allocUnsafeSlow(POOL);
  let used = POOL;
  return {
    bytes(length) {
      if (length > POOL) return randomFillSync(Buffer.allocUnsafeSlow(length));
      if (used + length > POOL) {
        randomFillSync(pool);
        used = 0;
      }
      const drawn = Buffer.allocUnsafe(length);
      for (let at = 0; at < length; at++, used++) {
        drawn[at] = pool[used] as number;
        pool[used] = 0;
      }
      return drawn;
    },
  };
}

export const systemRandom: Random = makeSystemRandom();

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Letters and digits, each equally likely (bytes of 248 and above are drawn again: 248 = 4 x 62). 32 carry 190 bits. */
export function randomText(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}

/** Digits, each equally likely (bytes of 250 and above are drawn again: 250 = 25 x 10). */
export function randomDigits(random: Random, length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < 250 && text.length < length) text += String(byte % 10);
    }
  }
  return text;
}
