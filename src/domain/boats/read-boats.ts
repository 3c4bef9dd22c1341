// GET /v1/boats, GET /v1/boats/{id} and POST /v1/boats/{id}/deactivate.

import type { Boat } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { shownBoat } from './boat.ts';
import { findBoat, listBoatRows } from './queries.ts';
import { upsertOne } from './upsert-boats.ts';

export async function getBoat(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const row = await findBoat(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return { status: 200, body: { data: shownBoat(row) } };
}

export async function listBoats(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const question = pageQueryOf(input.query);
  const found = await listBoatRows(db, caller.venue.id, caller.mode, question);
  const { rows, nextBefore } = pageOf(found, question.limit, (row) => row.changed_at);
  return { status: 200, body: { data: rows.map(shownBoat), next_before: nextBefore } };
}

/** The same as sending the boat again with `active` false. */
export async function deactivateBoat(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const reference = input.params.id ?? '';
  const known = await findBoat(tx, caller.venue.id, caller.mode, reference);
  if (known === null) throw notFound();
  if (known.status === 'inactive') return { status: 200, body: { data: shownBoat(known) } };
  // The ticks first, then the boat: a change that commits in between is kept, not undone by a copy from before it.
  await allocateTimestamps(tx, caller.venue.id, caller.mode, caller.now, 1);
  const row = (await findBoat(tx, caller.venue.id, caller.mode, reference)) ?? known;
  const boat = { ...row.content, ...(row.extra === null ? {} : { extra: row.extra }), active: false } as Boat;
  const { row: after } = await upsertOne(tx, caller, boat);
  return { status: 200, body: { data: shownBoat(after) } };
}
