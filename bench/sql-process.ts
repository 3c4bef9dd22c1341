// Runs SQL without a server. It uses the program's own database client (pipelined connections, prepared statements,
// equally many connections), so that the difference between the two sides is our server and not the driver.

import { type Db, openDb, type Queryable } from '../src/base/db.ts';
import { handleJobs } from './child-jobs.ts';
import type { SqlJob, SqlResult, Unit } from './sql.ts';

const db = openDb({
  url: process.env.DATABASE_URL ?? '',
  connections: Number(process.env.CONNECTIONS),
  pooled: false,
  applicationName: 'everyshare-bench-sql',
});

handleJobs(run);

async function run({ texts, chains, concurrency }: SqlJob): Promise<SqlResult> {
  const lastRows: object[][] = [];
  let next = 0;
  const runChains = async (): Promise<void> => {
    for (let index = next++; index < chains.length; index = next++) {
      for (const unit of chains[index] ?? []) lastRows[index] = await runUnit(db, texts, unit);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Math.min(concurrency, chains.length) }, runChains));
  return { seconds: (performance.now() - startedAt) / 1000, lastRows };
}

function runUnit(target: Db, texts: readonly string[], unit: Unit): Promise<object[]> {
  if (unit.kind === 'transaction') return target.transaction((tx) => runGroups(tx, texts, unit));
  return runGroups(unit.kind === 'priority' ? target.priority : target, texts, unit);
}

async function runGroups(target: Queryable, texts: readonly string[], { groups }: Unit): Promise<object[]> {
  let rows: object[] = [];
  for (const group of groups) {
    const results = await Promise.all(group.map(({ text, values }) => target.query(texts[text] ?? '', values)));
    rows = results.at(-1) ?? [];
  }
  return rows;
}
