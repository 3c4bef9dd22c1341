// Runs the seeds of `npm test` on the tests' PostgreSQL. A seed that fails prints its trace and how to repeat it.

import { createTestDatabase } from '../support/test-database.ts';
import { SimulationEnvironment } from './environment.ts';
import { runSeed } from './run.ts';
import { FIRST_SEEDS, MAX_SEEDS, RARE_SEEDS, REQUIRED_TRANSITIONS } from './test-seeds.ts';

const LAST_LINES = 80;
/** Seeds at the same time, each with its own database: while one waits for PostgreSQL, another runs. */
const CONCURRENCY = 2;
const MAX_FAILURES = 5;

export async function openEnvironment(name: string): Promise<SimulationEnvironment> {
  return SimulationEnvironment.open(await createTestDatabase(`sim_${name}`, 'migrated'));
}

/**
 * Runs the chosen seeds. Since a change of the simulation or of a statement they may take another course, and miss a
 * required transition: then further seeds run until one reaches it.
 */
export async function runTestSeeds(): Promise<string[]> {
  const failed: string[] = [];
  const missing = new Set(REQUIRED_TRANSITIONS);
  const seeds = seedsToRun(missing);
  const runNext = async (_: unknown, index: number): Promise<void> => {
    const environment = await openEnvironment(`seeds_${index}`);
    for (let next = seeds.next(); !next.done && failed.length < MAX_FAILURES; next = seeds.next()) {
      const seed = next.value;
      const outcome = await runSeed(environment, seed);
      for (const transition of outcome.transitions) missing.delete(transition);
      if (outcome.violation === null) continue;
      failed.push(`seed ${seed}: ${outcome.violation}`);
      process.stderr.write(`${outcome.trace.slice(-LAST_LINES).join('\n')}\nReplay: npm run sim -- --seed ${seed}\n`);
    }
    await environment.close();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  return failed.length > 0 ? failed : [...missing].map((transition) => `never reached: ${transition}`);
}

function* seedsToRun(missing: ReadonlySet<string>): Generator<number> {
  for (let seed = 1; seed <= FIRST_SEEDS; seed++) yield seed;
  yield* RARE_SEEDS;
  if (missing.size === 0) return;
  process.stderr.write(
    `The chosen seeds do not reach "${[...missing].join('", "')}", so others run too. Mend the list in test/sim/test-seeds.ts: npm run sim -- --choose\n`,
  );
  for (let seed = FIRST_SEEDS + 1; seed <= MAX_SEEDS && missing.size > 0; seed++) {
    if (!RARE_SEEDS.includes(seed)) yield seed;
  }
}
