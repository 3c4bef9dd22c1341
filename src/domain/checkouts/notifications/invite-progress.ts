// How far each invite of a party has come, for its organizer alone: texted, not delivered, opened, reminded. It holds no
// phone and no text. Whether a phone has received a text is not known: the provider does not report it to us.

import type { Queryable } from '../../../base/db.ts';
import { newestTexts, type ShareText } from '../../members/messages/delivery-queries.ts';
import { type InviteTimes, inviteTimesOf } from './queries.ts';

export interface InviteFacts extends Pick<InviteTimes, 'openedAt' | 'remindedAt'> {
  /** The newest text about the share; null: there is none, or it is older than 30 days. */
  readonly text: Pick<ShareText, 'kind' | 'status' | 'at'> | null;
}

export async function readInviteFacts(
  db: Queryable,
  venueId: string,
  checkoutId: string,
): Promise<ReadonlyMap<string, InviteFacts>> {
  const times = await inviteTimesOf(db, venueId, checkoutId);
  const texts = await newestTexts(
    db,
    times.map(({ shareId }) => shareId),
  );
  return new Map(
    times.map(({ shareId, openedAt, remindedAt }) => [
      shareId,
      { openedAt, remindedAt, text: texts.get(shareId) ?? null },
    ]),
  );
}

/** The last thing that is known of an invite. `at`: when it happened, or when the text will be sent. */
export interface InviteProgress {
  readonly state: 'undelivered' | 'reminded' | 'opened' | 'queued' | 'texted';
  readonly at: number;
}

/** Null: no text was sent, and the invite was not opened. */
export function inviteProgress({ openedAt, text }: InviteFacts): InviteProgress | null {
  if (openedAt !== null && (text === null || openedAt >= text.at)) return { state: 'opened', at: openedAt };
  if (text === null) return null;
  if (text.status === 'waiting') return { state: 'queued', at: text.at };
  // A guest who has opened an earlier text has the link: that a later one failed needs no action.
  if (text.status !== 'sent') return { state: openedAt === null ? 'undelivered' : 'opened', at: openedAt ?? text.at };
  return { state: text.kind === 'invite' ? 'texted' : 'reminded', at: text.at };
}
