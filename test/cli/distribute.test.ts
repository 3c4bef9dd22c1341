// `everyshare distribute` on a PostgreSQL without Citus says what is missing and changes nothing. On Citus `npm run citus`
// runs it: its template is distributed twice, and the second run must find nothing to do.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { sortByDependency } from '../../src/base/distribution/sort-by-dependency.ts';
import { commandLine } from '../support/run-command.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const constraintsOf = (): Promise<object[]> =>
  world.db.query('select conname, conrelid::regclass::text from pg_constraint order by 1, 2');

it('refuses a PostgreSQL without Citus in one line, and changes nothing', async () => {
  const before = await constraintsOf();
  const line = await commandLine(world).line(1, 'distribute', '--worker', '127.0.0.1:5433');
  expect(line).toContain('this is a PostgreSQL without Citus');
  expect(line).toContain('nothing was changed');
  expect(await constraintsOf()).toEqual(before);
  expect(await world.db.query("select from pg_extension where extname = 'citus'")).toEqual([]);
});

it('refuses the embedded database, without opening it', async () => {
  const line = await commandLine(null, {}).line(1, 'distribute');
  expect(line).toContain('the embedded PostgreSQL cannot be distributed: set DATABASE_URL');
});

it.each(['worker', 'worker:', 'worker:0', 'worker:70000', 'a b:5432'])(
  'refuses "%s" as the address of a worker',
  async (address) => {
    const line = await commandLine(null, {}).line(2, 'distribute', '--worker', address);
    expect(line).toContain(`--worker: "${address}" is not HOST:PORT`);
  },
);

it('refuses while a server or a worker runs, and names it', async () => {
  const id = '00000000-0000-4000-8000-000000000001';
  await world.db.query(
    `insert into processes (process_id, role, version, schema_version, host, started_at, seen_at, outcomes)
     values ($1, 'worker', '1.0.0', 1, 'h', now(), now(), '{}')`,
    [id],
  );
  try {
    const line = await commandLine(world).line(1, 'distribute', '--worker', '127.0.0.1:5433');
    expect(line).toContain('stop every server and worker first: worker 1.0.0 on h');
  } finally {
    await world.db.query('delete from processes where process_id = $1', [id]);
  }
});

it('places what others need before them, also in a circle', () => {
  const needs: Record<string, readonly string[]> = { a: ['b'], b: ['c'], c: ['a'], d: ['c'] };
  expect(sortByDependency(['a', 'd', 'b', 'c'], (one) => needs[one] ?? [])).toEqual(['c', 'b', 'a', 'd']);
});
