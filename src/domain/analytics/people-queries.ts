// The people of a venue's approved experiences, where others were taken down.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { allExperiencesId, type Figures } from './queries.ts';

export type People = Pick<Figures, 'viewers' | 'starters'>;

export interface PeopleQuery {
  readonly venueId: string;
  readonly mode: Mode;
  readonly approved: readonly string[];
  readonly takenDown: readonly string[];
  readonly from: string;
  readonly to: string;
}

export async function findPeopleOfApproved(db: Queryable, query: PeopleQuery): Promise<People> {
  const { venueId, mode, approved, takenDown, from, to } = query;
  const [row] = await db.query<People>('select viewers, starters from people_of_approved($1, $2, $3, $4, $5, $6)', [
    venueId,
    allExperiencesId(mode),
    takenDown,
    approved,
    from,
    to,
  ]);
  if (row === undefined) throw new Error('people_of_approved() returned no row');
  return row;
}
