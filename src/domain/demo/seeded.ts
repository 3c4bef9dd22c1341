// Seeded choices: the same seed gives the same sequence on every machine. For demo data alone, never for a secret.

export interface Seeded {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both bounds included. */
  integer(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** An item with the probability of its weight. */
  weighted<T extends { readonly weight: number }>(list: readonly T[]): T;
}

/** Mulberry32: 32 bits of state, good enough to look random. */
export function makeSeeded(seed: number): Seeded {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  const at = <T>(list: readonly T[], index: number): T => {
    const item = list[index];
    if (item === undefined) throw new Error('there is nothing to choose from');
    return item;
  };
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (list) => at(list, integer(0, list.length - 1)),
    weighted(list) {
      let left = next() * list.reduce((sum, { weight }) => sum + weight, 0);
      const index = list.findIndex(({ weight }) => {
        left -= weight;
        return left < 0;
      });
      return at(list, index < 0 ? list.length - 1 : index);
    },
  };
}
