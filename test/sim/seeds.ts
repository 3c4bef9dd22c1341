// Runs many seeds on the tests' PostgreSQL. A seed that fails prints its trace and how to repeat it.

import { inject } from 'vitest';
import { createDatabase } from '../support/create-database.ts';
import { SimulationEnvironment } from './environment.ts';
import { runSeed } from './run.ts';

const LAST_LINES = 80;
/** Seeds at the same time, each with its own database: while one waits for PostgreSQL, another runs. */
const CONCURRENCY = 2;

export async function openEnvironment(name: string): Promise<SimulationEnvironment> {
  return SimulationEnvironment.open(await createDatabase(inject('postgresUrl'), `sim_${name}`, 'everyshare_template'));
}

/** Transitions that many seeds together must reach, because otherwise they prove nothing about them. */
const REQUIRED_TRANSITIONS = [
  'checkout collecting → canceled',
  'checkout collecting → expired',
  'checkout collecting → funded',
  'checkout funded → canceled',
  'checkout funded → collecting',
  'checkout funded → completed',
  'delivery pending → delivered',
  'delivery pending → failed',
  'delivery pending → pending',
  'endpoint active → disabled',
  'hold requested → held',
  'hold requested → releasing',
  'hold requested → voided',
  'hold capturing → captured',
  'hold capturing → releasing',
  'hold held → voided',
  'hold held → releasing',
  'hold open → releasing',
  'hold releasing → released',
  'hold renewing → requested',
  'refund frozen → dropped',
  'refund frozen → waiting',
  'refund sending → done',
  'refund sending → frozen',
  'replacement open → held',
  'replacement open → own hold',
  'replacement open → releasing',
  'return sending → done',
  'reversal sending → done',
  'share captured → refunded',
  'share failed → held',
  'share held → failed',
  'transfer sending → done',
  'transfer waiting → dropped',
];

/** Returns the violations with their seeds; without any, the transitions that were never reached. */
export async function runSeeds(from: number, count: number): Promise<string[]> {
  const failed: string[] = [];
  const reached = new Set<string>();
  let next = from;
  const runNext = async (_: unknown, index: number): Promise<void> => {
    const environment = await openEnvironment(`${from}_${index}`);
    while (next < from + count && failed.length < 5) {
      const seed = next++;
      const outcome = await runSeed(environment, seed);
      for (const transition of outcome.transitions) reached.add(transition);
      if (outcome.violation === null) continue;
      failed.push(`seed ${seed}: ${outcome.violation}`);
      process.stderr.write(`${outcome.trace.slice(-LAST_LINES).join('\n')}\nReplay: npm run sim -- --seed ${seed}\n`);
    }
    await environment.close();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  const missed = REQUIRED_TRANSITIONS.filter((transition) => !reached.has(transition)).map(
    (transition) => `never reached: ${transition}`,
  );
  return failed.length > 0 ? failed : missed;
}
