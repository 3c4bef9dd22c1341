// POST /v1/test_helpers/review: test mode has no human reviewer, so a test key decides for its own venue.

import type { ReviewDecision } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { review } from './review.ts';

export async function testReview(
  tx: Queryable,
  caller: Caller,
  input: Input<ReviewDecision>,
): Promise<OperationResult> {
  const { id, status, review_note } = input.body;
  const scope = { venueId: caller.venue.id, mode: caller.mode };
  const data = await review(tx, caller, id, { status, note: review_note ?? null }, scope);
  return { status: 200, body: { data } };
}
