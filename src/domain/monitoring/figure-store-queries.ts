// The SQL of the stored figures: one row, and the lease of the process that computes them. Their times are those of the
// database's clock: the clocks of the machines that compute and read them may differ.

import type { Queryable } from '../../base/db.ts';

export interface StoredFigures<F> {
  /** In milliseconds; null: they were never computed. */
  readonly computedAt: number | null;
  readonly figures: F | null;
  /** The clock of the database, in milliseconds. */
  readonly now: number;
}

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/** The clock of the database, in milliseconds. */
export async function databaseNow(db: Queryable): Promise<number> {
  const [row] = await db.query<{ now: number }>(`select ${NOW} as now`);
  if (row === undefined) throw new Error('the database did not say what time it is');
  return row.now;
}

export async function findFigures<F>(db: Queryable): Promise<StoredFigures<F>> {
  const [row] = await db.query<StoredFigures<F>>(
    `select (extract(epoch from computed_at at time zone 'UTC') * 1000)::float8 as "computedAt", figures, ${NOW} as now from figures`,
  );
  if (row === undefined) throw new Error('the table figures has lost its row');
  return row;
}

/** False: another process computes them, or has just done so. */
export async function leaseFigures(db: Queryable, maxAgeMs: number, leaseMs: number): Promise<boolean> {
  const rows = await db.query(
    `update figures set leased_until = now() + $2 * interval '1 millisecond'
     where leased_until <= now() and coalesce(computed_at, '-infinity') <= now() - $1 * interval '1 millisecond' returning 1`,
    [maxAgeMs, leaseMs],
  );
  return rows.length === 1;
}

export async function storeFigures(db: Queryable, figures: object, computedAt: number): Promise<void> {
  await db.query(
    `update figures set figures = $1, computed_at = to_timestamp($2 / 1000.0), leased_until = '-infinity'
     where coalesce(computed_at, '-infinity') <= to_timestamp($2 / 1000.0)`,
    [JSON.stringify(figures), computedAt],
  );
}

/** After a failure: another process may compute them at once. */
export async function releaseFigures(db: Queryable): Promise<void> {
  await db.query(`update figures set leased_until = '-infinity'`);
}
