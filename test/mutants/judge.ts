// Plants one bug and says what came of it; and looks at the sound tree first, since what fails anyway catches nothing.

import type { Mutant } from './list.ts';
import { isSuspicious, type Outcome, readSimulation, readTests } from './outcome.ts';
import type { Tree } from './tree.ts';

export interface Verdict {
  readonly mutant: Mutant;
  readonly outcome: Outcome;
  readonly seconds: number;
}

type Caught = Extract<Outcome, { kind: 'caught' }>;

async function look(tree: Tree, tests: Mutant['tests']): Promise<Outcome> {
  return tests === 'simulation'
    ? readSimulation(await tree.simulation())
    : readTests(await tree.vitest(tests, { bail: true }));
}

/** Only the one that had failed, again. */
async function lookAgain(tree: Tree, { where, by }: Caught): Promise<Outcome> {
  return where === 'simulation'
    ? readSimulation(await tree.simulation(by.replace('seed ', '')))
    : readTests(await tree.vitest([where], { named: by }));
}

/** Null: all pass. What looks like a busy machine is looked at twice. */
export async function failingWithoutBugs(tree: Tree, mutants: readonly Mutant[]): Promise<string | null> {
  const tests = new Set(mutants.flatMap((mutant) => (mutant.tests === 'simulation' ? [] : mutant.tests)));
  const outcomes = [
    tests.size === 0 ? null : readTests(await tree.vitest([...tests], { isSound: true })),
    mutants.some((mutant) => mutant.tests === 'simulation') ? readSimulation(await tree.simulation()) : null,
  ];
  for (const first of outcomes) {
    const outcome = first?.kind === 'caught' && isSuspicious(first) ? await lookAgain(tree, first) : first;
    if (outcome?.kind === 'caught') return `${outcome.where}: ${outcome.by}: ${outcome.says}`;
    if (outcome?.kind === 'broken') return outcome.why;
  }
  return null;
}

export async function judge(tree: Tree, mutant: Mutant): Promise<Verdict> {
  const began = performance.now();
  const outcome = await outcomeOf(tree, mutant).catch((error: unknown): Outcome => {
    return { kind: 'broken', why: error instanceof Error ? error.message : String(error) };
  });
  return { mutant, outcome, seconds: Math.round((performance.now() - began) / 1_000) };
}

async function outcomeOf(tree: Tree, mutant: Mutant): Promise<Outcome> {
  const first = await tree.withBug(mutant, () => look(tree, mutant.tests));
  if (first.kind !== 'caught' || !isSuspicious(first)) return first;
  const sound = await lookAgain(tree, first);
  if (sound.kind !== 'survived') return { kind: 'broken', why: `${first.by} fails without the bug too: ${first.says}` };
  const second = await tree.withBug(mutant, () => lookAgain(tree, first));
  if (second.kind === 'caught') return second;
  return { kind: 'broken', why: `${first.by} failed once with the bug, and not again: ${first.says}` };
}
