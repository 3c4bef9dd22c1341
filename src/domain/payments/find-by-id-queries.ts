// Finds the venue of a movement, payment, charge or dispute by its id alone, for an operator's search.

import type { Queryable } from '../../base/db.ts';

/** The processor's ids of payments, charges and disputes begin with these. */
const PROCESSOR_ID = /^(pi|ch|py|dp|du)_[A-Za-z0-9]{1,100}$/;

export async function venuesOfMovement(db: Queryable, movementId: string): Promise<string[]> {
  return venuesIn(db, 'select venue_id as "venueId" from movements where movement_id = $1', movementId);
}

/** Null: it is no id of the processor. */
export async function venuesOfProcessorId(db: Queryable, id: string): Promise<string[] | null> {
  const [, kind] = PROCESSOR_ID.exec(id) ?? [];
  if (kind === undefined) return null;
  if (kind === 'pi') return venuesIn(db, 'select venue_id as "venueId" from holds where intent_id = $1', id);
  if (kind === 'ch' || kind === 'py')
    return venuesIn(db, 'select venue_id as "venueId" from holds where charge_id = $1', id);
  return venuesIn(db, 'select venue_id as "venueId" from disputes where dispute_id = $1', id);
}

async function venuesIn(db: Queryable, text: string, id: string): Promise<string[]> {
  return (await db.query<{ venueId: string }>(text, [id])).map(({ venueId }) => venueId);
}
