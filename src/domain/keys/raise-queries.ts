// The SQL of limits that an operator raised for a time: of one key, or of a venue with the keys that it makes later.

import type { Queryable } from '../../base/db.ts';

export interface LimitRaise {
  /** Null: for every secret key of the venue, also those that it makes until the end. */
  readonly keyId: string | null;
  readonly writesPerHour: number;
  readonly readsPerHour: number;
  readonly until: string;
}

/** SQL: of a raise that still runs the higher limit and the later end stay. */
const kept = (until: string, old: string, raised: string): string =>
  `case when ${until} > to_timestamp($6 / 1000.0) then greatest(${old}, ${raised}) else ${raised} end`;

/** Until then these limits count where they are higher. The caller holds the venue's lock. Returns the keys that exist. */
export async function raiseLimits(tx: Queryable, venueId: string, raise: LimitRaise, now: number): Promise<string[]> {
  const values = [venueId, raise.keyId, raise.writesPerHour, raise.readsPerHour, raise.until, now];
  if (raise.keyId === null)
    await tx.query(
      `insert into venue_limit_raises as r (venue_id, writes_per_hour, reads_per_hour, until)
       select $1, $3, $4, $5 where $2::text is null
       on conflict (venue_id) do update set
         writes_per_hour = ${kept('r.until', 'r.writes_per_hour', 'excluded.writes_per_hour')},
         reads_per_hour = ${kept('r.until', 'r.reads_per_hour', 'excluded.reads_per_hour')},
         until = greatest(r.until, excluded.until)`,
      values,
    );
  const rows = await tx.query<{ id: string }>(
    `update keys set raised_writes_per_hour = ${kept('raised_until', 'raised_writes_per_hour', '$3')},
       raised_reads_per_hour = ${kept('raised_until', 'raised_reads_per_hour', '$4')},
       raised_until = greatest(raised_until, $5)
     where venue_id = $1 and ($2::text is null or key_id = $2) and kind = 'secret' and revoked_at is null
     returning key_id as id`,
    values,
  );
  return rows.map(({ id }) => id);
}

export interface RaisedLimits {
  readonly id: string;
  readonly writesPerHour: number;
  readonly readsPerHour: number;
  readonly until: string;
}

/** The keys of a venue whose limits are raised at this time. */
export async function raisedLimits(db: Queryable, venueId: string, now: number): Promise<RaisedLimits[]> {
  return db.query<RaisedLimits>(
    `select key_id as id, raised_writes_per_hour as "writesPerHour", raised_reads_per_hour as "readsPerHour",
       utc_micros(raised_until) as "until"
     from keys where venue_id = $1 and raised_until > to_timestamp($2 / 1000.0)`,
    [venueId, now],
  );
}

/** A new secret key has the limits that are raised for its venue. The caller holds the venue's lock. */
export async function takeOverRaise(tx: Queryable, venueId: string, keyId: string, now: number): Promise<void> {
  await tx.query(
    `update keys k set raised_writes_per_hour = r.writes_per_hour, raised_reads_per_hour = r.reads_per_hour, raised_until = r.until
     from venue_limit_raises r
     where k.venue_id = $1 and k.key_id = $2 and k.kind = 'secret' and r.venue_id = k.venue_id
       and r.until > to_timestamp($3 / 1000.0)`,
    [venueId, keyId, now],
  );
}
