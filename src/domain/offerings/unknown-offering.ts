// The problem of a request that names an offering which this venue does not have. Its example is the venue's last changed
// offering or, for a venue without offerings, the name as it was sent: it is valid once that offering was sent.

import type { Queryable } from '../../base/db.ts';
import type { FixableProblem } from '../../base/errors.ts';
import type { Caller } from '../keys/caller.ts';
import { lastChangedExternalId } from './queries.ts';

export async function unknownOffering(
  db: Queryable,
  { venue, mode }: Pick<Caller, 'venue' | 'mode'>,
  externalId: string,
): Promise<FixableProblem> {
  return {
    code: 'invalid_value',
    field: '/offering_external_id',
    message: `This venue has no offering "${externalId}": send it with POST /v1/offerings first, or leave this out.`,
    expected: 'the external_id of one of the venue’s offerings',
    example_fix: (await lastChangedExternalId(db, venue.id, mode)) ?? externalId,
  };
}
