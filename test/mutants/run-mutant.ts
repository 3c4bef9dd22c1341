// Plants one bug, runs its tests and reports the outcome. The same tests run without a bug first: a test that fails
// anyway proves nothing.

import type { Mutant } from './list.ts';
import { needsConfirmation, type Outcome, readSimulationResult, readVitestResult } from './outcome.ts';
import type { WorkingCopy } from './working-copy.ts';

export interface MutantResult {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
  readonly seconds: number;
}

type Caught = Extract<Outcome, { kind: 'caught' }>;

async function runTests(copy: WorkingCopy, tests: Mutant['tests']): Promise<Outcome> {
  return tests === 'simulation'
    ? readSimulationResult(await copy.runSimulation())
    : readVitestResult(await copy.runVitest(tests, { bail: true }));
}

/** Runs again only the test or the seed that failed. */
async function rerunFailed(copy: WorkingCopy, { where, by }: Caught): Promise<Outcome> {
  return where === 'simulation'
    ? readSimulationResult(await copy.runSimulation(by.replace('seed ', '')))
    : readVitestResult(await copy.runVitest([where], { testName: by }));
}

/** Null: every test passes. A failure that a busy machine can cause is run twice. */
export async function failureWithoutBugs(copy: WorkingCopy, mutants: readonly Mutant[]): Promise<string | null> {
  const tests = new Set(mutants.flatMap((mutant) => (mutant.tests === 'simulation' ? [] : mutant.tests)));
  const outcomes = [
    tests.size === 0 ? null : readVitestResult(await copy.runVitest([...tests], { isBaseline: true })),
    mutants.some((mutant) => mutant.tests === 'simulation') ? readSimulationResult(await copy.runSimulation()) : null,
  ];
  for (const first of outcomes) {
    const outcome = first?.kind === 'caught' && needsConfirmation(first) ? await rerunFailed(copy, first) : first;
    if (outcome?.kind === 'caught') return `${outcome.where}: ${outcome.by}: ${outcome.says}`;
    if (outcome?.kind === 'broken') return outcome.why;
  }
  return null;
}

export async function runMutant(copy: WorkingCopy, mutant: Mutant): Promise<MutantResult> {
  const startedAt = performance.now();
  const outcome = await confirmedOutcome(copy, mutant).catch((error: unknown): Outcome => {
    return { kind: 'broken', why: error instanceof Error ? error.message : String(error) };
  });
  return { mutant, outcome, seconds: Math.round((performance.now() - startedAt) / 1_000) };
}

async function confirmedOutcome(copy: WorkingCopy, mutant: Mutant): Promise<Outcome> {
  const first = await copy.withBug(mutant, () => runTests(copy, mutant.tests));
  if (first.kind !== 'caught' || !needsConfirmation(first)) return first;
  const withoutBug = await rerunFailed(copy, first);
  if (withoutBug.kind !== 'survived')
    return { kind: 'broken', why: `${first.by} fails without the bug too: ${first.says}` };
  const second = await copy.withBug(mutant, () => rerunFailed(copy, first));
  if (second.kind === 'caught') return second;
  return { kind: 'broken', why: `${first.by} failed once with the bug, and not again: ${first.says}` };
}
