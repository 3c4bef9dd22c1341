// Review: a person, or in test mode the test helper, approves or rejects a pending object, or rejects an approved one,
// which takes it down. A second rejection takes down the version of an offering that members see while a change of it is
// rejected. A rejected object can be opened again for review. The decision, its audit entry and, for an offering, its
// event are written in one transaction.

import { createHash } from 'node:crypto';
import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { conflict, invalid, notFound, type Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { canonicalJson } from '../../base/json/canonical.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import { boatView } from '../boats/boat.ts';
import { findBoat, setReviewed as setBoatReviewed } from '../boats/queries.ts';
import type { ReviewOutcome } from '../catalogue/queries.ts';
import { findReviewRoute, type ReviewedKind } from '../catalogue/review-route-queries.ts';
import { recordEvent } from '../events/record.ts';
import { submissionView } from '../experiences/experience.ts';
import { findExperience, setReviewed as setExperienceReviewed } from '../experiences/queries.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { offeringView } from '../offerings/offering.ts';
import { findOffering, setReviewed as setOfferingReviewed } from '../offerings/queries.ts';
import { audit } from '../venues/audit.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';

export interface Decision {
  readonly status: 'approved' | 'rejected';
  /** The reason for a rejection: required with one, not allowed with an approval. */
  readonly note: string | null;
  /** The `updated_at` of the version that the reviewer saw: a later version is refused. */
  readonly seen?: string;
  /** The version that the desk has shown (versionOf): any other is refused. */
  readonly version?: string;
  /** `waiting`: what waits alone. `visible`: what members see, a takedown. Absent: either. */
  readonly reach?: 'waiting' | 'visible';
}

/** Limits a review to the objects of one venue and mode. */
export interface ReviewScope {
  readonly venueId: string;
  readonly mode: Mode;
}

export type Reviewed = Record<string, unknown>;

export async function review(
  tx: Queryable,
  command: CommandContext,
  objectId: string,
  decision: Decision,
  scope: ReviewScope | null,
): Promise<Reviewed> {
  checkNote(objectId, decision);
  const { found, timestamps } = await lockForReview(tx, command, objectId, scope);
  const { id, venueId, mode } = found;
  requireSeen(found, decision.seen);
  const takesDown = decision.reach === 'visible';
  if (takesDown) requireVisible(found, decision.version);
  else requireVersion(found, decision.version);
  const outcome = {
    from: fromOf(decision),
    status: decision.status,
    note: decision.note,
    at: timestamps.at(0),
    takesDown,
  };
  const shown = await setReviewed(tx, command, found, outcome);
  if (shown === null) {
    if (takesDown)
      throw conflict('not_visible', `Members do not see this ${found.kind}: there is nothing to take down.`);
    throw conflict(
      'not_pending',
      `This ${found.kind} is not waiting for review: only what is pending can be reviewed, and only what is approved can be taken down.`,
    );
  }
  if (found.kind === 'offering') {
    const type = `offering.${decision.status}`;
    await recordEvent(tx, command, { venueId, mode, type, subject: id, data: { object: shown }, at: timestamps.at(1) });
  }
  const about = { object: found.kind, id, name: nameOf(shown), status: decision.status, note: decision.note };
  const subject = `${id} at ${timestamps.at(0)}`;
  await recordNotice(tx, command, { venueId, mode, kind: 'review', subject, detail: about });
  await audit(tx, command, {
    venueId,
    action: takesDown ? 'review.take_down' : `review.${decision.status === 'approved' ? 'approve' : 'reject'}`,
    subject: id,
    detail: { kind: found.kind, mode, ...(decision.note === null ? {} : { note: decision.note }) },
  });
  return shown;
}

/** Which statuses the decision takes. */
function fromOf({ status, reach }: Decision): readonly ('pending' | 'approved')[] {
  if (reach === 'visible') return ['approved'];
  return status === 'rejected' && reach === undefined ? ['pending', 'approved'] : ['pending'];
}

const HASH_LENGTH = 16;

/** Names what a reviewer is shown of an object: first what members see, then all: contents, status, note and `extra`. */
export function versionOf(found: ReviewCandidate): string {
  const { id, content, shown, reviewersOnly } = found;
  const all = { id, content, status: shown.status, note: shown.review_note, reviewersOnly };
  return hashOf(visibleOf(found)) + hashOf(all);
}

/** Of an offering members may see an earlier version; of the others they see the one version, or none. */
export function visibleOf({ kind, shown, content, reviewersOnly }: ReviewCandidate): Reviewed | null {
  const earlier = kind === 'offering' ? (reviewersOnly.visible_version as Reviewed | null) : null;
  return earlier ?? (shown.status === 'approved' ? content : null);
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(canonicalJson(value as JsonValue))
    .digest('hex')
    .slice(0, HASH_LENGTH);
}

function requireSeen(found: ReviewCandidate, updatedAt: string | undefined): void {
  if (updatedAt !== undefined && found.shown.updated_at !== updatedAt) throw changedSince(found);
}

function requireVersion(found: ReviewCandidate, version: string | undefined): void {
  if (version !== undefined && versionOf(found) !== version) throw changedSince(found);
}

/** A takedown is about what members see: a venue that goes on sending changes cannot keep it visible. */
function requireVisible(found: ReviewCandidate, version: string | undefined): void {
  if (version !== undefined && versionOf(found).slice(0, HASH_LENGTH) !== version.slice(0, HASH_LENGTH))
    throw changedSince(found);
}

function changedSince({ kind }: ReviewCandidate): Problem {
  return conflict('changed_since', `This ${kind} was changed after it was looked at: look at it again.`);
}

/** Offerings and events have a title, boats a name. */
function nameOf(shown: Reviewed): string | null {
  const name = shown.title ?? shown.name;
  return typeof name === 'string' ? name : null;
}

/** A rejected object waits for review again, without a note. There is no event: its venue has done nothing. */
export async function reopen(
  tx: Queryable,
  command: CommandContext,
  objectId: string,
  { seen, version }: Pick<Decision, 'seen' | 'version'> = {},
): Promise<Reviewed> {
  const { found, timestamps } = await lockForReview(tx, command, objectId, null);
  requireSeen(found, seen);
  requireVersion(found, version);
  const { id, venueId, mode, kind } = found;
  const outcome = { from: ['rejected'], status: 'pending', note: null, at: timestamps.at(0) } as const;
  const shown = await setReviewed(tx, command, found, outcome);
  if (shown === null) throw conflict('not_rejected', `This ${kind} is not rejected: only that can be reopened.`);
  await audit(tx, command, { venueId, action: 'review.reopen', subject: id, detail: { kind, mode } });
  return shown;
}

/** Holds the list lock of the object's venue: until commit no other transaction changes its lists. */
async function lockForReview(tx: Queryable, command: CommandContext, objectId: string, scope: ReviewScope | null) {
  const { venueId, mode } = await findForReview(tx, objectId, scope);
  const timestamps = await allocateTimestamps(tx, venueId, mode, command.now, 2);
  return { found: await findForReview(tx, objectId, scope), timestamps };
}

function checkNote(id: string, { status, note }: Decision): void {
  if (status === 'rejected' && (note === null || note.trim() === '')) {
    throw invalid([
      {
        code: 'missing_field',
        field: '/review_note',
        message: 'A rejection needs a note that says why, so that the venue can correct it.',
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
        example_fix: { id, status },
        example_fix_field: '',
      },
    ]);
  }
}

export interface ReviewCandidate {
  readonly id: string;
  readonly kind: ReviewedKind;
  readonly venueId: string;
  readonly mode: Mode;
  readonly shown: Reviewed;
  /** As the venue sent it. */
  readonly content: Reviewed;
  /** When it was last changed. */
  readonly changedAt: string;
  /** What only reviewers see: a boat's `extra`, an offering's version that members see now. */
  readonly reviewersOnly: Reviewed;
}

/** Without a scope both modes are searched, since an operator gives only the id. Scope null: any venue. */
export async function findForReview(
  db: Queryable,
  objectId: string,
  scope: ReviewScope | null,
): Promise<ReviewCandidate> {
  const id = objectId.toLowerCase();
  const route = isUuid(id) ? await findReviewRoute(db, id) : null;
  if (route === null || (scope !== null && scope.venueId !== route.venue_id)) throw notFound();
  for (const mode of scope === null ? (['live', 'test'] as const) : [scope.mode]) {
    const found = await findOfKind(db, route.kind, route.venue_id, mode, id);
    if (found !== null) return { id, kind: route.kind, venueId: route.venue_id, mode, ...found };
  }
  throw notFound();
}

async function findOfKind(
  db: Queryable,
  kind: ReviewedKind,
  venueId: string,
  mode: Mode,
  id: string,
): Promise<Pick<ReviewCandidate, 'shown' | 'content' | 'changedAt' | 'reviewersOnly'> | null> {
  if (kind === 'offering') {
    const row = await findOffering(db, venueId, mode, id);
    if (row === null) return null;
    const reviewersOnly = { visible_version: row.approved };
    return { shown: offeringView(row), content: { ...row.content }, changedAt: row.changed_at, reviewersOnly };
  }
  if (kind === 'experience') {
    const row = await findExperience(db, venueId, mode, id);
    if (row === null) return null;
    return { shown: submissionView(row), content: { ...row.content }, changedAt: row.created_at, reviewersOnly: {} };
  }
  const row = await findBoat(db, venueId, mode, id);
  if (row === null) return null;
  const reviewersOnly = { extra: row.extra };
  return { shown: boatView(row), content: { ...row.content }, changedAt: row.changed_at, reviewersOnly };
}

async function setReviewed(
  tx: Queryable,
  command: CommandContext,
  { kind, venueId, id }: ReviewCandidate,
  outcome: ReviewOutcome,
): Promise<Reviewed | null> {
  if (kind === 'offering') {
    const row = await setOfferingReviewed(tx, venueId, id, outcome);
    return row === null ? null : offeringView(row);
  }
  if (kind === 'boat') {
    const row = await setBoatReviewed(tx, venueId, id, outcome);
    return row === null ? null : boatView(row);
  }
  const experienceId = outcome.status === 'approved' ? command.ids.uuid() : null;
  const row = await setExperienceReviewed(tx, venueId, id, { ...outcome, experienceId });
  return row === null ? null : submissionView(row);
}
