// GET /v1/boats, GET /v1/boats/{id} and POST /v1/boats/{id}/deactivate.

import type { Boat } from '../../../schemas/types.gen.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { getOperation, listOperation } from '../catalogue/read-operations.ts';
import type { Caller } from '../keys/caller.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { boatView } from './boat.ts';
import { findBoat, listBoatRows } from './queries.ts';
import { upsertOne } from './upsert-boats.ts';

export const getBoat = getOperation(findBoat, boatView);
export const listBoats = listOperation(listBoatRows, (row) => row.changed_at, boatView);

/** Does the same as sending the boat again with `active` false. */
export async function deactivateBoat(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const reference = input.params.id ?? '';
  const known = await findBoat(tx, caller.venue.id, caller.mode, reference);
  if (known === null) throw notFound();
  if (known.status === 'inactive') return { status: 200, body: { data: boatView(known) } };
  // The list lock comes before the second read: otherwise a change that commits in between would be written over.
  await allocateTimestamps(tx, caller.venue.id, caller.mode, caller.now, 1);
  const row = (await findBoat(tx, caller.venue.id, caller.mode, reference)) ?? known;
  const boat = { ...row.content, ...(row.extra === null ? {} : { extra: row.extra }), active: false } as Boat;
  const { row: updated } = await upsertOne(tx, caller, boat);
  return { status: 200, body: { data: boatView(updated) } };
}
