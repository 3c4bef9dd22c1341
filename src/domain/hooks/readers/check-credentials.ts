// New credentials are tried at once with the first request of the catalogue, so that wrong ones are shown without waiting
// for a delivery. The answer is not stored. A read that waits already is the trial. The credentials of a revoked venue are
// not used.

import type { Queryable } from '../../../base/db.ts';
import { findVenue } from '../../venues/queries.ts';
import type { ProviderClient } from './call-provider.ts';
import { type FetchRequest, fetchPage } from './fetch-object.ts';
import { readEntryOf } from './read-readers.ts';
import type { ClaimedReader } from './reader-queries.ts';

/** One request, and one for a token where the provider has tokens. Throws a ReadFailure if it is not answered. */
export async function checkCredentials(client: ProviderClient, request: FetchRequest): Promise<void> {
  const { prepare = [], page, read } = request.reader.catalogue;
  const step = prepare[0] ?? page ?? readEntryOf(request.reader, read).steps[0];
  if (step === undefined) throw new Error(`the reader of ${request.reader.provider} has no request`);
  // A catalogue without requests of its own names its one object by the credentials.
  await fetchPage(client, { ...request, variables: request.credentials }, step, null);
}

export async function isVenueRevoked(db: Queryable, { venue_id }: ClaimedReader): Promise<boolean> {
  const venue = await findVenue(db, venue_id);
  return venue !== null && venue.revoked_at !== null;
}
