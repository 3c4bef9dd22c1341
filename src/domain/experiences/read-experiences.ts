// GET /v1/experiences and /v1/experiences/{id}: the venue's own submissions, newest first.

import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import { shownSubmission } from './experience.ts';
import { findExperience, listExperienceRows } from './queries.ts';

export async function getExperience(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const row = await findExperience(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return { status: 200, body: { data: shownSubmission(row) } };
}

export async function listExperiences(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const question = pageQueryOf(input.query);
  const found = await listExperienceRows(db, caller.venue.id, caller.mode, question);
  const { rows, nextBefore } = pageOf(found, question.limit, (row) => row.created_at);
  return { status: 200, body: { data: rows.map(shownSubmission), next_before: nextBefore } };
}
