// For the tests: a laboratory on the tests' PostgreSQL, and many seeds in it. A seed that fails prints itself.

import { inject } from 'vitest';
import { createDatabase } from '../support/create-database.ts';
import { SimulationEnvironment } from './environment.ts';
import { runSeed } from './run.ts';

const LAST_LINES = 80;
/** Seeds that run beside one another, each in a laboratory of its own: while one waits for PostgreSQL, another goes on. */
const LANES = 2;

export async function openEnvironment(name: string): Promise<SimulationEnvironment> {
  return SimulationEnvironment.open(await createDatabase(inject('postgresUrl'), `sim_${name}`, 'everyshare_template'));
}

/** What many seeds must come through, or they say nothing about it. */
const MUST_MEET = [
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
  'hold capturing → captured',
  'hold capturing → releasing',
  'hold held → voided',
  'hold held → releasing',
  'hold open → releasing',
  'hold releasing → released',
  'hold renewing → requested',
  'refund sending → done',
  'return sending → done',
  'reversal sending → done',
  'share captured → refunded',
  'share failed → held',
  'share held → failed',
  'transfer sending → done',
  'transfer waiting → dropped',
];

/** What did not hold, and in which seed; and what was never met. */
export async function runSeeds(from: number, count: number): Promise<string[]> {
  const failed: string[] = [];
  const met = new Set<string>();
  let next = from;
  const lane = async (_: unknown, place: number): Promise<void> => {
    const environment = await openEnvironment(`${from}_${place}`);
    while (next < from + count && failed.length < 5) {
      const seed = next++;
      const outcome = await runSeed(environment, seed);
      for (const move of outcome.met) met.add(move);
      if (outcome.violation === null) continue;
      failed.push(`seed ${seed}: ${outcome.violation}`);
      process.stderr.write(`${outcome.trace.slice(-LAST_LINES).join('\n')}\nReplay: npm run sim -- --seed ${seed}\n`);
    }
    await environment.close();
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const missed = MUST_MEET.filter((move) => !met.has(move)).map((move) => `never met: ${move}`);
  return failed.length > 0 ? failed : missed;
}
