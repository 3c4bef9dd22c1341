// Writes an event into the log, in the transaction of the change that it tells of. Sequences count up for each subject
// without a gap: the caller holds the subject's row, or the venue's ticks.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { Act } from '../venues/audit.ts';

export interface NewEvent {
  readonly venueId: string;
  readonly mode: Mode;
  readonly type: string;
  /** The id of what changed. */
  readonly subject: string;
  /** The event's `data`: the object as it was at this moment, and what else belongs to it. */
  readonly data: Readonly<Record<string, unknown>>;
  /** A tick of the venue. */
  readonly at: string;
}

export async function recordEvent(tx: Queryable, act: Act, event: NewEvent): Promise<string> {
  const id = act.ids.prefixed('evt');
  await tx.query(
    `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
     select $1::uuid, $2, $3, $4, $5::text, coalesce(max(sequence), 0) + 1, $6::json, $7::timestamptz
     from events where venue_id = $1 and subject = $5`,
    [event.venueId, id, event.mode, event.type, event.subject, JSON.stringify(event.data), event.at],
  );
  return id;
}
