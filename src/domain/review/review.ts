// Review: a person (or, in test mode, the test helper) approves or rejects what waits. One decision for each submission,
// audited, with its event where one is promised, all in one transaction.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, invalid, notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { shownBoat } from '../boats/boat.ts';
import { findBoat, setReviewed as setBoatReviewed } from '../boats/queries.ts';
import { findReviewRoute, type ReviewedKind } from '../catalogue/review-route-queries.ts';
import { recordEvent } from '../events/record.ts';
import { shownSubmission } from '../experiences/experience.ts';
import { findExperience, setReviewed as setExperienceReviewed } from '../experiences/queries.ts';
import { shownOffering } from '../offerings/offering.ts';
import { findOffering, setReviewed as setOfferingReviewed } from '../offerings/queries.ts';
import { audit, type CommandContext } from '../venues/audit.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';

export interface Decision {
  readonly status: 'approved' | 'rejected';
  /** Why it was rejected; needed then, and nowhere else. */
  readonly note: string | null;
  /** The `updated_at` of what the reviewer looked at: what was changed since is not decided unseen. */
  readonly seen?: string;
}

/** Whose objects may be reviewed here; null: anybody's. */
export interface ReviewScope {
  readonly venueId: string;
  readonly mode: Mode;
}

export type Reviewed = Record<string, unknown>;

export async function review(
  tx: Queryable,
  command: CommandContext,
  given: string,
  decision: Decision,
  scope: ReviewScope | null,
): Promise<Reviewed> {
  checkNote(decision);
  const route = await findForReview(tx, given, scope);
  const ticks = await allocateTimestamps(tx, route.venueId, route.mode, command.now, 2);
  // Looked at again: now nobody else writes to this venue until the decision is made.
  const found = await findForReview(tx, given, scope);
  const { id } = found;
  if (decision.seen !== undefined && found.shown.updated_at !== decision.seen) {
    throw conflict('changed_since', `This ${found.kind} was changed after it was looked at: look at it again.`);
  }
  const authResult = { status: decision.status, note: decision.note, at: ticks.at(0) };
  const shown = await decide(tx, command, found, authResult);
  if (shown === null) {
    throw conflict(
      'not_pending',
      `This ${found.kind} is not waiting for review: only what is pending can be reviewed.`,
    );
  }
  if (found.kind === 'offering') {
    const type = `offering.${decision.status}`;
    const { venueId, mode } = found;
    await recordEvent(tx, command, { venueId, mode, type, subject: id, data: { object: shown }, at: ticks.at(1) });
  }
  await audit(tx, command, {
    venueId: found.venueId,
    action: decision.status === 'approved' ? 'review.approve' : 'review.reject',
    subject: id,
    detail: { kind: found.kind, mode: found.mode, ...(decision.note === null ? {} : { note: decision.note }) },
  });
  return shown;
}

function checkNote({ status, note }: Decision): void {
  if (status === 'rejected' && (note === null || note.trim() === '')) {
    throw invalid([
      {
        code: 'missing_field',
        field: '/review_note',
        message: 'A rejection needs a note that says why, so that the venue can mend it.',
        expected: 'a string of 1 to 2000 characters',
        example_fix: 'The photos do not show the boat.',
      },
    ]);
  }
  if (status === 'approved' && note !== null) {
    throw invalid([
      {
        code: 'not_allowed',
        field: '/review_note',
        message: 'A note goes with a rejection alone: leave it out.',
        expected: 'no note with an approval',
        example_fix: null,
      },
    ]);
  }
}

export interface Found {
  readonly id: string;
  readonly kind: ReviewedKind;
  readonly venueId: string;
  readonly mode: Mode;
  readonly shown: Reviewed;
  /** What reviewers see beyond it: a boat's `extra`, an offering's version that members see now. */
  readonly reviewersOnly: Reviewed;
}

/** Looked up in both modes: whoever reviews for the operator has only the id. */
export async function findForReview(db: Queryable, given: string, scope: ReviewScope | null): Promise<Found> {
  const id = given.toLowerCase();
  const route = isUuid(id) ? await findReviewRoute(db, id) : null;
  if (route === null || (scope !== null && scope.venueId !== route.venue_id)) throw notFound();
  for (const mode of scope === null ? (['live', 'test'] as const) : [scope.mode]) {
    const found = await findIn(db, route.kind, route.venue_id, mode, id);
    if (found !== null) return { id, kind: route.kind, venueId: route.venue_id, mode, ...found };
  }
  throw notFound();
}

type Looked = Pick<Found, 'shown' | 'reviewersOnly'> | null;

async function findIn(db: Queryable, kind: ReviewedKind, venueId: string, mode: Mode, id: string): Promise<Looked> {
  if (kind === 'offering') {
    const row = await findOffering(db, venueId, mode, id);
    return row === null ? null : { shown: shownOffering(row), reviewersOnly: { visible_version: row.approved } };
  }
  if (kind === 'experience') {
    const row = await findExperience(db, venueId, mode, id);
    return row === null ? null : { shown: shownSubmission(row), reviewersOnly: {} };
  }
  const row = await findBoat(db, venueId, mode, id);
  return row === null ? null : { shown: shownBoat(row), reviewersOnly: { extra: row.extra } };
}

async function decide(
  tx: Queryable,
  command: CommandContext,
  { kind, venueId, id }: Found,
  authResult: { readonly status: 'approved' | 'rejected'; readonly note: string | null; readonly at: string },
): Promise<Reviewed | null> {
  if (kind === 'offering') {
    const row = await setOfferingReviewed(tx, venueId, id, authResult);
    return row === null ? null : shownOffering(row);
  }
  if (kind === 'boat') {
    const row = await setBoatReviewed(tx, venueId, id, authResult);
    return row === null ? null : shownBoat(row);
  }
  const experienceId = authResult.status === 'approved' ? command.ids.uuid() : null;
  const row = await setExperienceReviewed(tx, venueId, id, { ...authResult, experienceId });
  return row === null ? null : shownSubmission(row);
}
