// What is known of the texts about a share: queued, given to the provider, refused by it, or dropped. The provider does not
// report to us whether a phone has received a text.

import type { Queryable } from '../../../base/db.ts';
import { NOT_NEEDED, TOO_LATE } from './queries.ts';

export interface ShareText {
  readonly shareId: string;
  readonly kind: 'invite' | 'reminder';
  readonly status: 'waiting' | 'sent' | 'failed' | 'dropped';
  /** When it is sent, of a waiting one; when it was sent, of a sent one; otherwise when it was queued. In milliseconds. */
  readonly at: number;
}

/** The newest invite or reminder of each share, without those that were dropped because they had become useless. */
export async function newestTexts(db: Queryable, shareIds: readonly string[]): Promise<ReadonlyMap<string, ShareText>> {
  const rows = await db.query<ShareText>(
    `select distinct on (split_part(subject, ' ', 1)) split_part(subject, ' ', 1) as "shareId", kind, status,
       (extract(epoch from coalesce(due_at, sent_at, created_at)) * 1000)::float8 as "at"
     from messages
     where kind in ('invite', 'reminder') and split_part(subject, ' ', 1) = any($1)
       and (status <> 'dropped' or last_error <> all($2))
     order by split_part(subject, ' ', 1), created_at desc`,
    [shareIds, [TOO_LATE, NOT_NEEDED]],
  );
  return new Map(rows.map((row) => [row.shareId, row]));
}
