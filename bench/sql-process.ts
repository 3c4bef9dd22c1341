// The loop of the same SQL alone. It uses the program's own way to the database (pipelined lanes, prepared statements,
// equally many connections), so that what is left between the two sides is our server, not the driver.

import { type Db, openDb, type Queryable } from '../src/base/db.ts';
import { answerOrders } from './asking.ts';
import type { SqlDone, SqlOrder, Unit } from './sql.ts';

const db = openDb({
  url: process.env.DATABASE_URL ?? '',
  connections: Number(process.env.CONNECTIONS),
  pooled: false,
  applicationName: 'everyshare-bench-sql',
});

answerOrders(run);

async function run({ texts, chains, atOnce }: SqlOrder): Promise<SqlDone> {
  const last: object[][] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < chains.length; at = next++) {
      for (const unit of chains[at] ?? []) last[at] = await runUnit(db, texts, unit);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: Math.min(atOnce, chains.length) }, lane));
  return { seconds: (performance.now() - began) / 1000, last };
}

function runUnit(to: Db, texts: readonly string[], unit: Unit): Promise<object[]> {
  if (unit.kind === 'transaction') return to.transaction((tx) => runGroups(tx, texts, unit));
  return runGroups(unit.kind === 'express' ? to.priority : to, texts, unit);
}

async function runGroups(to: Queryable, texts: readonly string[], { groups }: Unit): Promise<object[]> {
  let rows: object[] = [];
  for (const group of groups) {
    const answers = await Promise.all(group.map(({ text, values }) => to.query(texts[text] ?? '', values)));
    rows = answers.at(-1) ?? [];
  }
  return rows;
}
