// Checks that a process's memory does not grow. A sample, taken between two fixtures, is the memory in use after a full
// garbage collection, without compiled code. Two rules: from ten samples on, the median of the last fifth is at most
// 1.3 times that of the second fifth, or at most 24 MB above it (the first fifth is warm-up: compiled schemas, bounded
// caches, documentation pages). From 100,000 requests on, memory grows by less than 30 bytes for a request over the
// last half, by the median of the slopes between any two samples, so that one large sample decides nothing. Earlier V8
// itself still grows: of 1.9 MB between requests 10,000 and 27,000 only 0.06 MB were objects and text. With fewer
// samples nothing is checked. The process's size (RSS) is only reported, because it contains memory that the allocator
// keeps free.

import type { Memory } from './processes.ts';

export interface Sample extends Memory {
  /** Requests sent before the sample. */
  readonly requests: number;
}

export interface MemoryResult {
  readonly samples: number;
  /** In MB: the median of the second fifth, and of the last. */
  readonly before: number;
  readonly after: number;
  readonly rss: number;
  /** Bytes for a request over the last half; null with too few requests. */
  readonly slope: number | null;
  /** Null with too few samples. */
  readonly isFlat: boolean | null;
}

const MAX_RATIO = 1.3;
const MAX_GROWTH_BYTES = 24 * 2 ** 20;
/** With fewer samples nothing is checked. */
const MIN_SAMPLES = 10;
const MIN_REQUESTS_FOR_SLOPE = 100_000;
const MAX_BYTES_PER_REQUEST = 30;

export function checkMemory(samples: readonly Sample[]): MemoryResult {
  const heaps = samples.map(({ heap }) => heap);
  const fifth = Math.floor(heaps.length / 5);
  const before = median(heaps.slice(fifth, 2 * fifth + 1));
  const after = median(heaps.slice(-Math.max(1, fifth)));
  const isLong = (samples.at(-1)?.requests ?? 0) >= MIN_REQUESTS_FOR_SLOPE;
  const slope = isLong ? medianSlope(samples.slice(Math.floor(samples.length / 2))) : null;
  const isLevel = after <= before * MAX_RATIO || after - before <= MAX_GROWTH_BYTES;
  const inMb = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;
  return {
    samples: heaps.length,
    before: inMb(before),
    after: inMb(after),
    rss: inMb(samples.at(-1)?.rss ?? 0),
    slope: slope === null ? null : Math.round(slope * 10) / 10,
    isFlat: heaps.length < MIN_SAMPLES ? null : isLevel && (slope === null || slope < MAX_BYTES_PER_REQUEST),
  };
}

/** The Theil-Sen estimator: the median of the slopes between any two samples. */
function medianSlope(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((later) => (later.heap - one.heap) / (later.requests - one.requests)),
  );
  return median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function describeMemory(process: string, { samples, before, after, rss, slope, isFlat }: MemoryResult): string {
  const result = { true: 'flat', false: 'NOT flat', null: 'not checked: too few samples' }[String(isFlat)];
  const growth = slope === null ? 'too few requests for its slope' : `${slope} bytes more for a request`;
  return `memory of ${process} after collection: ${before} MB, then ${after} MB, ${growth} (${samples} samples; the process is ${rss} MB large): ${result}`;
}
