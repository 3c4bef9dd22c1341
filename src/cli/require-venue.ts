// The venue that a command names by its id.

import type { Queryable } from '../base/db.ts';
import { findVenue, type VenueRow } from '../domain/venues/queries.ts';
import { unknownId } from './cli-error.ts';
import type { CommandInput } from './command-definition.ts';
import { parseId } from './options.ts';

export function venueIdIn(input: CommandInput): string {
  return parseId(input.argument(0), 'ID', 'venue list');
}

/** Throws a CliError if the venue does not exist. */
export async function requireVenue(db: Queryable, id: string): Promise<VenueRow> {
  const venue = await findVenue(db, id);
  if (venue === null) throw unknownId('venue', id);
  return venue;
}
