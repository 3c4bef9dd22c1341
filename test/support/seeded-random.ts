// Chance from a seed: the same seed gives the same draws for ever, on every machine. Streams of one seed are independent,
// so that a draw more in one place does not move every other.

import type { Random } from '../../src/base/random.ts';

export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: number, stream: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (const letter of stream) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
    this.#a = hash | 0;
    this.#b = Math.imul(seed, 0x9e3779b1) | 0;
    this.#c = Math.imul(hash, 0x85ebca6b) ^ seed;
    for (let round = 0; round < 12; round++) this.word();
  }

  /** 32 bits (sfc32). */
  word(): number {
    const sum = (this.#a + this.#b + this.#count++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return sum >>> 0;
  }

  /** From 0 to `end`, without `end`. */
  below(end: number): number {
    return Math.floor((this.word() / 2 ** 32) * end);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  often(probability: number): boolean {
    return this.word() / 2 ** 32 < probability;
  }

  pick<T>(things: readonly T[]): T {
    const thing = things[this.below(things.length)];
    if (thing === undefined) throw new Error('nothing to pick from');
    return thing;
  }

  /** By weight. */
  weighed<T>(things: readonly (readonly [number, T])[]): T {
    let left = this.below(things.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, thing] of things) {
      left -= weight;
      if (left < 0) return thing;
    }
    throw new Error('nothing to weigh');
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; at++) bytes[at] = this.word() & 0xff;
    return bytes;
  }
}
