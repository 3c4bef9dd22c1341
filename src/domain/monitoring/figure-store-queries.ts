// The SQL of the stored figures: one row, and the lease of the process that computes them.

import type { Queryable } from '../../base/db.ts';

export interface StoredFigures<F> {
  /** In milliseconds; null: they were never computed. */
  readonly computedAt: number | null;
  readonly figures: F | null;
}

export async function findFigures<F>(db: Queryable): Promise<StoredFigures<F>> {
  const [row] = await db.query<StoredFigures<F>>(
    'select (extract(epoch from computed_at) * 1000)::float8 as "computedAt", figures from figures',
  );
  return row ?? { computedAt: null, figures: null };
}

/** False: another process computes them, or has just done so. */
export async function leaseFigures(db: Queryable, now: number, maxAgeMs: number, leaseMs: number): Promise<boolean> {
  const rows = await db.query(
    `update figures set leased_until = to_timestamp(($1 + $3) / 1000.0)
     where leased_until <= to_timestamp($1 / 1000.0)
       and coalesce(computed_at, '-infinity') <= to_timestamp(($1 - $2) / 1000.0) returning 1`,
    [now, maxAgeMs, leaseMs],
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
