// Writes events to the log, in the transaction of the change that they report. Sequences of a subject have no gap: the
// caller holds the lock of the subject's row or the venue's list lock. Times are unique for a venue and mode: an event
// whose microsecond is used already gets the next one.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface NewEvent {
  readonly venueId: string;
  readonly mode: Mode;
  readonly type: string;
  /** The id of the object that changed. */
  readonly subject: string;
  /** The event's `data`: the object as it was at this moment, and fields beside it. */
  readonly data: Readonly<Record<string, unknown>>;
  /** A page timestamp of the venue. */
  readonly at: string;
}

export async function recordEvent(
  tx: Queryable,
  command: Pick<CommandContext, 'ids'>,
  event: NewEvent,
): Promise<string> {
  const id = command.ids.prefixed('evt');
  await tx.query('select record_event($1, $2, $3, $4, $5, $6::json, $7::timestamptz)', [
    event.venueId,
    id,
    event.mode,
    event.type,
    event.subject,
    JSON.stringify(event.data),
    event.at,
  ]);
  return id;
}
