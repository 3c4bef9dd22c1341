// Runs one bench: the sides take turns, the median of the rounds' ratios counts, and a run that saw an error has the worst score.

import type { Bench, Prepared, Result, Round } from './bench.ts';
import type { Stage } from './stage.ts';

/** So long after its start a quick run is late. */
const LATE_MS = 36_000;

export async function runBench(bench: Bench, stage: Stage, tell: (line: string) => void): Promise<Result> {
  const began = performance.now();
  const rounds = roundsOf(bench, stage, began);
  const measured: Round[] = [];
  const faults: string[] = [];
  let prepared: Prepared | null = null;
  try {
    tell(`${bench.name}: preparing`);
    prepared = await bench.prepare(stage);
    for (let round = 1; round <= rounds; round++) {
      tell(`${bench.name}: round ${round} of ${rounds}`);
      // Who goes first changes with each round: what grows in the course of a run is nobody's advantage.
      const oursFirst = round % 2 === 1;
      const early = await (oursFirst ? prepared.ours() : prepared.base());
      const late = await (oursFirst ? prepared.base() : prepared.ours());
      const [ours, base] = oursFirst ? [early, late] : [late, early];
      if (!(ours > 0 && base > 0)) throw new Error(`a round measured nothing: ${ours} against ${base}`);
      measured.push({ ours, base, ratio: ratioOf(bench, ours, base) });
    }
  } catch (error) {
    faults.push(wordsOf(error));
  }
  try {
    await prepared?.close();
  } catch (error) {
    faults.push(wordsOf(error));
  }
  return summarize(bench, measured, faults, (performance.now() - began) / 1000);
}

/** A quick run is to end in time on a slow machine as well: who begins late has a single round. */
function roundsOf({ rounds }: Bench, { quick }: Stage, sinceStart: number): number {
  if (!quick) return rounds.full;
  return sinceStart > LATE_MS ? 1 : rounds.quick;
}

function ratioOf({ isSize, better }: Bench, ours: number, base: number): number {
  if (isSize === true) return ours;
  return better === 'more' ? ours / base : base / ours;
}

function summarize(bench: Bench, measured: readonly Round[], faults: readonly string[], seconds: number): Result {
  const ratios = measured.map(({ ratio }) => ratio);
  const middle = ratios.length === 0 ? 0 : median(ratios);
  const spread = middle === 0 ? 0 : (Math.max(...ratios) - Math.min(...ratios)) / middle;
  return {
    name: bench.name,
    ratio: faults.length > 0 ? worst(bench) : rounded(middle, 4),
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
    ...(faults.length === 0 ? {} : { error: faults.join('; ') }),
    seconds: rounded(seconds, 1),
  };
}

/** What a run that saw an error scores. A size of nothing would be the best there is: it is far too large instead. */
function worst({ isSize, floor }: Bench): number {
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

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
