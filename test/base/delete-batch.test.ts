// The statement that deletes old rows, some at a time.

import { expect, it, onTestFinished } from 'vitest';
import { openDb } from '../../src/base/db.ts';
import { deleteBatch } from '../../src/base/delete-batch.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { waitFor } from '../support/wait-for.ts';

const OLD = { table: 'notes', key: 'a, b', isOld: 'at < $1' };

async function openNotes() {
  const url = await createTestDatabase('batch', 'empty');
  const db = openDb({ url, connections: 6, pooled: false, applicationName: 'test' });
  onTestFinished(() => db.close());
  await db.query('create table notes (a int, b int, at int, primary key (a, b))');
  await db.query('insert into notes select 1, n, n from generate_series(1, 10) n');
  return db;
}

it('deletes at most as many old rows as its limit, and no other row', async () => {
  const db = await openNotes();
  expect(await db.query(deleteBatch(OLD, '$2'), [6, 3])).toHaveLength(3);
  expect(await db.query(deleteBatch({ ...OLD, oldestFirst: 'at' }, '$2'), [6, 3])).toHaveLength(2);
  expect((await db.query<{ at: number }>('select at from notes order by at')).map(({ at }) => at)).toEqual([
    6, 7, 8, 9, 10,
  ]);
});

it('leaves a row that another transaction renews while the statement waits for it', async () => {
  const db = await openNotes();
  let deleting: Promise<unknown[]> | undefined;
  await db.transaction(async (tx) => {
    await tx.query('update notes set at = 99 where b = 1');
    deleting ??= db.query(deleteBatch(OLD, '$2'), [2, 5]);
    await waitFor('the statement waits for the row', async () => {
      const waiting = await db.priority.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return waiting.length === 1;
    });
  });
  expect(await deleting).toEqual([]);
  expect(await db.query('select at from notes where b = 1')).toEqual([{ at: 99 }]);
});
