// What an action of the desk about money is about: the movement in its path, and whether this very action was done before.

import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input } from '../../base/operation.ts';
import { type FoundMovement, findMovement } from '../payments/money-health-queries.ts';
import { auditOfSubject } from '../venues/audit.ts';

export type Params = Pick<Input, 'params'>;

export type Detail = Readonly<Record<string, unknown>>;

/** The last entry of the audit log about it is this very action: its answer was lost, and the call is repeated. */
export async function wasDone(
  db: Queryable,
  venueId: string,
  id: string,
  action: string,
  isSame: (detail: Detail) => boolean,
): Promise<boolean> {
  const [last] = await auditOfSubject(db, venueId, id, 1, action);
  return last !== undefined && isSame(last.detail as Detail);
}

/** In lower case, as they are stored in the audit log and the ledger. */
export function idsIn(params: Params['params']): readonly [venueId: string, id: string] {
  return [(params.venue_id ?? '').toLowerCase(), (params.id ?? '').toLowerCase()];
}

export async function requireMovement(db: Queryable, venueId: string, id: string): Promise<FoundMovement> {
  const found = isUuid(venueId) && isUuid(id) ? await findMovement(db, venueId, id) : null;
  if (found === null) throw notFound();
  return found;
}
