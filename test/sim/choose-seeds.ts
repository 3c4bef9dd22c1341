// Chooses the seeds that `npm test` runs. The first seeds are a sample of everything. A transition that few seeds reach
// may be missing among them, so seeds that reach it are added.

/** Each required transition is reached by so many seeds: a small change of a run then leaves one that reaches it. */
export const MIN_SEEDS_PER_TRANSITION = 3;

export interface Choice {
  /** In addition to the first seeds, in ascending order. */
  readonly rareSeeds: readonly number[];
  /** How many of all seeds reach each required transition. */
  readonly counts: ReadonlyMap<string, number>;
}

/** `reached` has the transitions of each seed, in ascending order of seeds. */
export function chooseSeeds(
  reached: ReadonlyMap<number, readonly string[]>,
  required: readonly string[],
  firstSeeds: number,
): Choice {
  const counts = new Map(required.map((name) => [name, 0]));
  const missing = new Map(required.map((name) => [name, MIN_SEEDS_PER_TRANSITION]));
  const chosen = new Set<number>();
  const useSeed = (seed: number): void => {
    for (const name of reached.get(seed) ?? []) missing.set(name, (missing.get(name) ?? 0) - 1);
  };
  for (const [seed, transitions] of reached) {
    for (const name of transitions) if (counts.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (seed <= firstSeeds) useSeed(seed);
  }
  const useful = (seed: number): number =>
    (reached.get(seed) ?? []).filter((name) => (missing.get(name) ?? 0) > 0).length;
  const rarestFirst = [...required].sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0));
  for (const name of rarestFirst) {
    const candidates = [...reached].flatMap(([seed, transitions]) =>
      seed > firstSeeds && transitions.includes(name) ? seed : [],
    );
    while ((missing.get(name) ?? 0) > 0) {
      const left = candidates.filter((seed) => !chosen.has(seed));
      if (left.length === 0) break;
      const best = left.reduce((first, second) => (useful(second) > useful(first) ? second : first));
      chosen.add(best);
      useSeed(best);
    }
  }
  return { rareSeeds: [...chosen].sort((a, b) => a - b), counts };
}
