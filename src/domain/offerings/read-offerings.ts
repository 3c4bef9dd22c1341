// GET /v1/offerings and /v1/offerings/{id}: the venue's own, most recently changed first.

import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import { shownOffering } from './offering.ts';
import { findOffering, listOfferingRows } from './queries.ts';

export async function getOffering(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const row = await findOffering(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return { status: 200, body: { data: shownOffering(row) } };
}

export async function listOfferings(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const question = pageQueryOf(input.query);
  const found = await listOfferingRows(db, caller.venue.id, caller.mode, question);
  const { rows, nextBefore } = pageOf(found, question.limit, (row) => row.changed_at);
  return { status: 200, body: { data: rows.map(shownOffering), next_before: nextBefore } };
}
