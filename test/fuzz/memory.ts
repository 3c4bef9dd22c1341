// Is memory flat? What a process still holds after a full garbage collection, without compiled code, sampled between two fixtures. Two rules.
// From ten samples on: the median of the last fifth is at most 1.3 times that of the second fifth, or at most 24 MB above it (the first
// fifth is warm-up: compiled schemas, caches that have an end, the pages of the documentation). From 100,000 requests on: over the last
// half it grows by less than 30 bytes for a request, by the median of the slopes between any two samples, so that one that is large by
// chance decides nothing. Earlier, V8 itself still grows: of 1.9 MB between the 10,000th and the 27,000th request 0.06 MB were objects
// and text, the rest code and what it keeps beside it. With fewer it is said that nothing was judged. The process's own size (RSS) is
// told beside it, and not judged: what the allocator keeps for later is not held by anything.

import type { Memory } from './processes.ts';

export interface Sample extends Memory {
  /** How many requests were answered by then. */
  readonly requests: number;
}

export interface MemoryVerdict {
  readonly samples: number;
  /** In MB: the median of the second fifth, and of the last. */
  readonly before: number;
  readonly after: number;
  readonly rss: number;
  /** Bytes for a request over the last half; null: there were too few requests to say. */
  readonly slope: number | null;
  /** Null: too little was seen to judge. */
  readonly isFlat: boolean | null;
}

const MOST = 1.3;
const SLACK = 24 * 2 ** 20;
/** Fewer say nothing. */
const LEAST_SAMPLES = 10;
const LEAST_REQUESTS = 100_000;
const MOST_SLOPE = 30;

export function judgeMemory(samples: readonly Sample[]): MemoryVerdict {
  const heaps = samples.map(({ heap }) => heap);
  const fifth = Math.floor(heaps.length / 5);
  const before = median(heaps.slice(fifth, 2 * fifth + 1));
  const after = median(heaps.slice(-Math.max(1, fifth)));
  const isLong = (samples.at(-1)?.requests ?? 0) >= LEAST_REQUESTS;
  const slope = isLong ? slopeOf(samples.slice(Math.floor(samples.length / 2))) : null;
  const isLevel = after <= before * MOST || after - before <= SLACK;
  const inMb = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;
  return {
    samples: heaps.length,
    before: inMb(before),
    after: inMb(after),
    rss: inMb(samples.at(-1)?.rss ?? 0),
    slope: slope === null ? null : Math.round(slope * 10) / 10,
    isFlat: heaps.length < LEAST_SAMPLES ? null : isLevel && (slope === null || slope < MOST_SLOPE),
  };
}

/** Theil and Sen: the median of the slopes between any two. */
function slopeOf(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((one, place) =>
    samples.slice(place + 1).map((later) => (later.heap - one.heap) / (later.requests - one.requests)),
  );
  return median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function inWords(process: string, { samples, before, after, rss, slope, isFlat }: MemoryVerdict): string {
  const judged = { true: 'flat', false: 'NOT flat', null: 'not judged: too few samples' }[String(isFlat)];
  const growth = slope === null ? 'too few requests for its slope' : `${slope} bytes more for a request`;
  return `memory of ${process} after collection: ${before} MB, then ${after} MB, ${growth} (${samples} samples; the process is ${rss} MB large): ${judged}`;
}
