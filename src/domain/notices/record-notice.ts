// Notices to the people of a venue: what happened, recorded in the transaction of the change. The worker mails them to
// those whose role and preferences ask for them (accounts/notify-people.ts). A notice holds no data of a guest.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { NewNotice, NoticeKind } from './notice.ts';
import { insertNotice } from './queries.ts';

/** A reviewer decides about many objects in a row: they become one mail. */
const DELAY_MS: Readonly<Partial<Record<NoticeKind, number>>> = { review: 10 * 60_000 };

/**
 * In test mode only endpoints are reported: nothing else of a test is worth a mail. Returns whether the notice is new.
 */
export async function recordNotice(
  tx: Queryable,
  { ids, now }: { readonly ids: Ids; readonly now: number },
  notice: NewNotice,
): Promise<boolean> {
  if (notice.mode === 'test' && notice.kind !== 'endpoint') return false;
  return insertNotice(tx, notice, { id: ids.uuid(), dueAt: now + (DELAY_MS[notice.kind] ?? 0), now });
}
