// The timestamps by which lists page: unique for a venue and mode, to the microsecond, and in the order of commits. A
// transaction that allocates timestamps holds the venue's list lock until it ends. So the writers of one venue and mode
// run one after another, and a check for an existing row is safe after the allocation.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface PageTimestamps {
  /** The timestamp at an index, from 0, as ISO 8601 with microseconds. */
  at(index: number): string;
}

export async function allocateTimestamps(
  tx: Queryable,
  venueId: string,
  mode: Mode,
  now: number,
  count: number,
): Promise<PageTimestamps> {
  const rows = await tx.query<{ first: string }>(
    'select allocate_timestamps($1, $2, to_timestamp($3 / 1000.0), $4) as first',
    [venueId, mode, now, count],
  );
  const first = rows[0]?.first;
  if (first === undefined) throw new Error('the allocation of timestamps returned no row');
  const micros = microsecondsOf(first);
  return { at: (index) => isoFrom(micros + BigInt(index)) };
}

function microsecondsOf(iso: string): bigint {
  return BigInt(Date.parse(`${iso.slice(0, 19)}Z`)) * 1000n + BigInt(iso.slice(20, 26));
}

function isoFrom(micros: bigint): string {
  const whole = new Date(Number(micros / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${whole}.${String(micros % 1_000_000n).padStart(6, '0')}Z`;
}
