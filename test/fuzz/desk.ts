// What an operator of the fixture can decide: boats in every state of review with the version that was shown, and a venue
// of its own, since a suspended venue would end the run's other calls.

import { findForReview, review, versionOf } from '../../src/domain/review/review.ts';
import { type AppContext, commandContext } from '../../src/run/context.ts';
import { type AnyJson, type Pools, uniqueName } from './fixture.ts';
import { issueKeys } from './keys.ts';

const BOATS_FOR_EACH = 5;
const DAY_MS = 86_400_000;

export interface DeskCall {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface DeskFixture {
  /** By the id of an operation. */
  readonly calls: Readonly<Record<string, readonly DeskCall[]>>;
  readonly own: Pools;
}

type Decision = 'approve' | 'reject' | 'take_down' | 'reopen';
const OPERATIONS: Readonly<Record<Decision, string>> = {
  approve: 'approveReview',
  reject: 'rejectReview',
  take_down: 'takeDownReview',
  reopen: 'reopenReview',
};

export async function createDesk(
  context: AppContext,
  sendBoat: (key: string, externalId: string) => Promise<AnyJson>,
  now: number,
): Promise<DeskFixture> {
  const { venueId, keys } = await issueKeys(context);
  const [key] = await context.db.query<{ id: string }>(
    "select key_id as id from keys where venue_id = $1 and kind = 'secret' and revoked_at is null limit 1",
    [venueId],
  );
  const calls: Record<string, DeskCall[]> = {};
  const reviews: string[] = [];
  for (const [decision, operation] of Object.entries(OPERATIONS) as [Decision, string][]) {
    for (let n = 0; n < BOATS_FOR_EACH; n++) {
      const { id } = (await sendBoat(keys.test, uniqueName(`desk-${decision}`))).data;
      await prepare(context, id, decision);
      const version = versionOf(await findForReview(context.db, id, null));
      const note = decision === 'reject' || decision === 'take_down' ? { note: 'Not this one.' } : {};
      reviews.push(id);
      calls[operation] = [
        ...(calls[operation] ?? []),
        { path: `/desk/api/reviews/${id}/${decision}`, body: { version, ...note } },
      ];
    }
  }
  const until = new Date(now + 7 * DAY_MS).toISOString();
  calls.raiseLimits = [{ path: `/desk/api/venues/${venueId}/limits`, body: { key_id: key?.id, until } }];
  return { calls, own: { desk_reviews: reviews, desk_venues: [venueId] } };
}

/** What can be taken down is approved, what can be reopened is rejected. */
async function prepare(context: AppContext, id: string, decision: Decision): Promise<void> {
  const status = { approve: null, reject: null, take_down: 'approved', reopen: 'rejected' } as const;
  const wanted = status[decision];
  if (wanted === null) return;
  const command = commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });
  const note = wanted === 'rejected' ? 'Not this one.' : null;
  await context.db.transaction((tx) => review(tx, command, id, { status: wanted, note }, null));
}
