// Is memory flat? What the API server still holds after a full garbage collection, sampled between two towns. The rule: the
// median of the last fifth of the samples is at most 1.3 times that of the second fifth, or at most 24 MB above it (the first
// fifth is warm-up: compiled schemas, caches that have an end, the pages of the documentation). The process's own size (RSS) is
// told beside it, and not judged: what the allocator keeps for later is not held by anything.

import type { Memory } from './stage.ts';

export interface MemoryVerdict {
  readonly samples: number;
  /** In MB: the median of the second fifth, and of the last. */
  readonly before: number;
  readonly after: number;
  readonly rss: number;
  readonly isFlat: boolean;
}

const MOST = 1.3;
const SLACK = 24 * 2 ** 20;
/** Fewer say nothing. */
const LEAST = 10;

export function judgeMemory(samples: readonly Memory[]): MemoryVerdict {
  const heaps = samples.map(({ heap }) => heap);
  const fifth = Math.floor(heaps.length / 5);
  const before = median(heaps.slice(fifth, 2 * fifth + 1));
  const after = median(heaps.slice(-Math.max(1, fifth)));
  const isFlat = heaps.length < LEAST || after <= before * MOST || after - before <= SLACK;
  const inMb = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;
  return {
    samples: heaps.length,
    before: inMb(before),
    after: inMb(after),
    rss: inMb(samples.at(-1)?.rss ?? 0),
    isFlat,
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
