// The SQL of erasures that have not ended.

import type { Queryable } from '../../base/db.ts';
import type { SealedColumn } from '../../base/seal.ts';

export const sealNameOfErasure = (personHashHex: string): string => `guest erasure ${personHashHex}`;

export const ERASURE_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'guest_erasures',
    column: 'marks',
    key: ['person_hash'],
    sealName: ({ person_hash = '' }) => sealNameOfErasure(person_hash.replace(/^\\x/, '')),
  },
];

/** The sealed marks of a run that has not ended; null: there is none. */
export async function lockErasure(tx: Queryable, personHash: Buffer): Promise<Buffer | null> {
  const [row] = await tx.query<{ marks: Buffer }>(
    'select marks from guest_erasures where person_hash = $1 for update',
    [personHash],
  );
  return row?.marks ?? null;
}

/** Returns the number of this run. */
export async function saveErasure(tx: Queryable, personHash: Buffer, marks: Buffer, now: number): Promise<number> {
  const [row] = await tx.query<{ run: number }>(
    `insert into guest_erasures (person_hash, marks, run, created_at) values ($1, $2, 1, to_timestamp($3 / 1000.0))
     on conflict (person_hash) do update set marks = excluded.marks, run = guest_erasures.run + 1 returning run`,
    [personHash, marks, now],
  );
  if (row === undefined) throw new Error('the erasure was not stored');
  return row.run;
}

/** A run that began later may know more names, and ends the erasure itself. */
export async function endErasure(tx: Queryable, personHash: Buffer, run: number): Promise<void> {
  await tx.query('delete from guest_erasures where person_hash = $1 and run = $2', [personHash, run]);
}
