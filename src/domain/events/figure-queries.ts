// The events of the last hour that monitoring counts, from the newest events alone.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface EventCount {
  readonly mode: Mode;
  readonly type: string;
  readonly count: number;
}

export async function countEventsSince(db: Queryable, types: readonly string[], since: number): Promise<EventCount[]> {
  return db.query<EventCount>(
    `select mode, type, count(*)::integer as count from events
     where created_at > to_timestamp($1 / 1000.0) and type = any($2::text[]) group by mode, type`,
    [since, types],
  );
}
