// POST /v1/experiences: submits a dated event for review. The same external_id again returns the original submission
// and changes nothing, at any later time. A new one must start in the future, and at most 500 may be pending at once.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { inDocumentOrder } from '../../base/schema/document-order.ts';
import { insertReviewRoutes } from '../catalogue/review-route-queries.ts';
import type { Caller } from '../keys/caller.ts';
import { findByExternalIds as findOfferings } from '../offerings/queries.ts';
import { unknownOffering } from '../offerings/unknown-offering.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { type ExperienceContent, type ExperienceRow, formOf, submissionView } from './experience.ts';
import { countPending, findByExternalIds, insertExperience } from './queries.ts';

export const MAX_WAITING_FOR_REVIEW = 500;

export async function submitExperience(
  tx: Queryable,
  caller: Caller,
  input: Input<ExperienceContent>,
): Promise<OperationResult> {
  const { venue, mode } = caller;
  const content = input.body;
  const offeringProblem = await checkOffering(tx, caller, content);
  if (offeringProblem !== null) {
    const problems = [...input.whenNew, offeringProblem];
    throw invalid(inDocumentOrder(problems, input.body as unknown as JsonValue, null));
  }
  const externalId = content.external_id ?? null;
  const earlier = await findSubmitted(tx, caller, externalId);
  if (earlier !== null) return { status: 200, body: { data: submissionView(earlier), duplicate: true } };
  if (input.whenNew.length > 0) throw invalid(input.whenNew);
  const timestamps = await allocateTimestamps(tx, venue.id, mode, caller.now, 1);
  // The list lock is held now: a call that ran at the same time has either committed or comes after this one.
  const concurrent = await findSubmitted(tx, caller, externalId);
  if (concurrent !== null) return { status: 200, body: { data: submissionView(concurrent), duplicate: true } };
  if ((await countPending(tx, venue.id, mode)) >= MAX_WAITING_FOR_REVIEW) throw invalid([queueFull(caller)]);
  const id = caller.ids.uuid();
  const form = formOf(content);
  const row = await insertExperience(tx, {
    venueId: venue.id,
    mode,
    id,
    externalId,
    form,
    content,
    at: timestamps.at(0),
  });
  await insertReviewRoutes(tx, 'experience', venue.id, [id]);
  return { status: 201, body: { data: submissionView(row), duplicate: false } };
}

async function findSubmitted(tx: Queryable, caller: Caller, externalId: string | null): Promise<ExperienceRow | null> {
  if (externalId === null) return null;
  const found = await findByExternalIds(tx, caller.venue.id, caller.mode, [externalId]);
  return found.get(externalId) ?? null;
}

async function checkOffering(tx: Queryable, caller: Caller, content: ExperienceContent): Promise<FieldProblem | null> {
  const externalId = 'offering_external_id' in content ? content.offering_external_id : undefined;
  if (externalId === undefined) return null;
  const found = await findOfferings(tx, caller.venue.id, caller.mode, [externalId]);
  return found.has(externalId) ? null : unknownOffering(tx, caller, externalId);
}

function queueFull({ contract }: Caller): FieldProblem {
  return {
    code: 'review_queue_full',
    field: '',
    message: `${MAX_WAITING_FOR_REVIEW} experiences of this venue are waiting for review: submit more when some have been reviewed.`,
    expected: `at most ${MAX_WAITING_FOR_REVIEW} experiences waiting for review`,
    example_fix: contract.sample('event'),
  };
}
