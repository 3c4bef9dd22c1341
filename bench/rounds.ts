// Runs one bench: the sides alternate, and its ratio is the median of the rounds. A run with an error has the worst
// score.

import type { Bench, PreparedBench, Result, Round } from './bench.ts';
import type { BenchFixture } from './fixture.ts';

/**
 * A bench of a quick run that starts later than this has a single round, so that a slow machine also finishes in time.
 */
const SINGLE_ROUND_AFTER_MS = 36_000;

export async function runBench(
  bench: Bench,
  fixture: BenchFixture,
  showProgress: (line: string) => void,
): Promise<Result> {
  const startedAtMs = performance.now();
  const rounds = roundsOf(bench, fixture, startedAtMs);
  const measured: Round[] = [];
  const errors: string[] = [];
  let prepared: PreparedBench | null = null;
  try {
    showProgress(`${bench.name}: preparing`);
    prepared = await bench.prepare(fixture);
    for (let round = 1; round <= rounds; round++) {
      showProgress(`${bench.name}: round ${round} of ${rounds}`);
      // The first side changes with each round: tables that grow during a run slow both sides equally.
      const isOursFirst = round % 2 === 1;
      const first = await (isOursFirst ? prepared.ours() : prepared.base());
      const second = await (isOursFirst ? prepared.base() : prepared.ours());
      const [ours, base] = isOursFirst ? [first, second] : [second, first];
      if (!(ours > 0 && base > 0)) throw new Error(`a round measured nothing: ${ours} against ${base}`);
      measured.push({ ours, base, ratio: ratioOf(bench, ours, base) });
    }
  } catch (error) {
    errors.push(messageOf(error));
  }
  try {
    await prepared?.close();
  } catch (error) {
    errors.push(messageOf(error));
  }
  return summarize(bench, measured, errors, (performance.now() - startedAtMs) / 1000);
}

/** `startedAtMs` counts from the start of this process. */
function roundsOf({ rounds }: Bench, { isQuick }: BenchFixture, startedAtMs: number): number {
  if (!isQuick) return rounds.full;
  return startedAtMs > SINGLE_ROUND_AFTER_MS ? 1 : rounds.quick;
}

function ratioOf({ isSize, better }: Bench, ours: number, base: number): number {
  if (isSize === true) return ours;
  return better === 'more' ? ours / base : base / ours;
}

function summarize(bench: Bench, measured: readonly Round[], errors: readonly string[], seconds: number): Result {
  const ratios = measured.map(({ ratio }) => ratio);
  const medianRatio = ratios.length === 0 ? 0 : median(ratios);
  const spread = medianRatio === 0 ? 0 : (Math.max(...ratios) - Math.min(...ratios)) / medianRatio;
  return {
    name: bench.name,
    ratio: errors.length > 0 ? worstScore(bench) : rounded(medianRatio, 4),
    unit: bench.unit,
    floor: bench.floor,
    goal: bench.goal,
    rounds: measured.length,
    spread: rounded(spread, 4),
    better: bench.better,
    sides: bench.sides,
    measured: measured.map(({ ours, base, ratio }) => ({
      ours: rounded(ours, 2),
      base: rounded(base, 2),
      ratio: rounded(ratio, 4),
    })),
    ...(bench.isSize === undefined ? {} : { isSize: bench.isSize }),
    ...(bench.note === undefined ? {} : { note: bench.note }),
    ...(errors.length === 0 ? {} : { error: errors.join('; ') }),
    seconds: rounded(seconds, 1),
  };
}

/** The score of a run with an error. A size of 0 would be the best score, so a size is a thousand times its floor. */
function worstScore({ isSize, floor }: Bench): number {
  return isSize === true ? floor * 1_000 : 0;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
