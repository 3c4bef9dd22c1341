// The one home of randomness. Everything that needs chance is handed a Random, so that the simulation can repeat it.

import { randomBytes } from 'node:crypto';

export interface Random {
  bytes(length: number): Buffer;
}

export const systemRandom: Random = { bytes: (length) => randomBytes(length) };

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
