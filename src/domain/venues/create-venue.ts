// Creates a venue: linked, because the operator vouches for it, or a sandbox, which is not linked.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { Problem } from '../../base/errors.ts';
import { audit } from './audit.ts';
import { insertVenue } from './queries.ts';
import { normalOrigin, type Venue } from './venue.ts';

export async function createVenue(
  tx: Queryable,
  command: CommandContext,
  options: { readonly name: string; readonly origins: readonly string[]; readonly sandbox: boolean },
): Promise<Venue> {
  const name = options.name.trim();
  if ([...name].length < 1 || [...name].length > 120) {
    throw new Problem('invalid_request', { message: 'The name of a venue has 1 to 120 characters.', field: '/name' });
  }
  const origins = [...new Set(options.origins.map(requireOrigin))];
  if (origins.length > MAX_ORIGINS) throw tooManyOrigins();
  const venue: Venue = { id: command.ids.uuid(), name, linked: !options.sandbox, origins };
  await insertVenue(tx, { ...venue, now: command.now });
  await audit(tx, command, {
    venueId: venue.id,
    action: 'venue.create',
    subject: venue.id,
    detail: { name, linked: venue.linked, origins },
  });
  return venue;
}

export const MAX_ORIGINS = 50;

export function tooManyOrigins(): Problem {
  return new Problem('invalid_request', { message: `A venue has at most ${MAX_ORIGINS} origins.`, field: '/origin' });
}

/** The normal form of an origin. Throws a problem that shows the form when the text is not an origin. */
export function requireOrigin(text: string): string {
  const origin = normalOrigin(text);
  if (origin !== null) return origin;
  throw new Problem('invalid_request', {
    message: `"${text}" is not an origin: give scheme, host and port alone, such as https://example.com (http only for localhost).`,
    field: '/origin',
  });
}
