// Random numbers from a seed: the same seed gives the same draws on every machine. Streams of one seed are independent,
// so that one more draw in one place does not change the others.

import type { Random } from '../../src/base/random.ts';

export class SeededRandom implements Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: number, stream: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (const character of stream) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
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

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    return Math.floor((this.word() / 2 ** 32) * end);
  }

  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  often(probability: number): boolean {
    return this.word() / 2 ** 32 < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  /** Picks an item with a probability in proportion to its weight. */
  weighed<T>(items: readonly (readonly [number, T])[]): T {
    let remaining = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) {
      remaining -= weight;
      if (remaining < 0) return item;
    }
    throw new Error('nothing to pick from');
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    for (let index = 0; index < length; index++) bytes[index] = this.word() & 0xff;
    return bytes;
  }
}
