// The desk's calls about one object of the review: as a reviewer sees it, and the decisions. A decision names the version
// that was shown, and is refused when anything of it has changed since.

import type { DeskDecision, DeskRejection, ReviewCase } from '../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { operatorNames } from '../accounts/operators.ts';
import { differencesBetween } from '../review/differences.ts';
import {
  type Decision,
  findForReview,
  type ReviewCandidate,
  reopen,
  review,
  versionOf,
  visibleOf,
} from '../review/review.ts';
import { auditOfSubject } from '../venues/audit.ts';
import { findVenue } from '../venues/queries.ts';

const MAX_DIFFERENCES = 200;
const MAX_HISTORY = 100;

interface Services {
  readonly db: Db;
}

export async function getReview({ db }: Services, caller: DeskCaller, { params }: Input): Promise<OperationResult> {
  return { status: 200, body: await caseOf(db, caller, params.id ?? '') };
}

export async function approveReview(services: Services, caller: DeskCaller, input: Input<DeskDecision>) {
  return decide(services, caller, input, { status: 'approved', note: null });
}

export async function rejectReview(services: Services, caller: DeskCaller, input: Input<DeskRejection>) {
  return decide(services, caller, input, { status: 'rejected', note: input.body.note.trim(), reach: 'waiting' });
}

/** Members see no version of it from now on; a change that waits is rejected with it. */
export async function takeDownReview(services: Services, caller: DeskCaller, input: Input<DeskRejection>) {
  return decide(services, caller, input, { status: 'rejected', note: input.body.note.trim(), reach: 'visible' });
}

export async function reopenReview(
  { db }: Services,
  caller: DeskCaller,
  { params: { id = '' }, body }: Input<DeskDecision>,
): Promise<OperationResult> {
  await db.transaction((tx) => reopen(tx, caller, id, { version: body.version }));
  return { status: 200, body: await caseOf(db, caller, id) };
}

async function decide(
  { db }: Services,
  caller: DeskCaller,
  { params: { id = '' }, body: { version } }: Input<DeskDecision>,
  decision: Decision,
): Promise<OperationResult> {
  await db.transaction((tx) => review(tx, caller, id, { ...decision, version }, null));
  return { status: 200, body: await caseOf(db, caller, id) };
}

async function caseOf(db: Queryable, caller: DeskCaller, objectId: string): Promise<ReviewCase> {
  const found = await findForReview(db, objectId, null);
  const { id, kind, venueId, mode, shown, content, reviewersOnly, changedAt } = found;
  const [venue, entries] = await Promise.all([
    findVenue(db, venueId),
    auditOfSubject(db, venueId, id, MAX_HISTORY, 'review.'),
  ]);
  const names = await operatorNames(db, caller.seal, entries);
  const { visible, waiting } = versionsOf(found);
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    object: 'review_case',
    id,
    kind: kind === 'experience' ? 'event' : kind,
    mode,
    status: shown.status as ReviewCase['status'],
    title: text(content.title) ?? text(content.name) ?? '',
    external_id: text(shown.external_id),
    venue: { id: venueId, name: venue?.name ?? '', linked: venue?.linked ?? false },
    review_note: text(shown.review_note),
    version: versionOf(found),
    is_visible: visible !== null,
    visible,
    waiting,
    differences: visible === null || waiting === null ? [] : differencesBetween(visible, waiting, MAX_DIFFERENCES),
    extra: reviewersOnly.extra ?? null,
    waiting_since: changedAt,
    created_at: String(shown.created_at),
    reviewed_at: text(shown.reviewed_at),
    history: entries.map(({ at, action, actor, detail }) => ({
      at,
      action,
      by: names.get(actor) ?? actor,
      note: text(detail.note),
    })),
  };
}

type Content = Readonly<Record<string, unknown>>;

function versionsOf(found: ReviewCandidate): {
  readonly visible: Content | null;
  readonly waiting: Content | null;
} {
  return { visible: visibleOf(found), waiting: found.shown.status === 'approved' ? null : found.content };
}
