// Creates a venue: linked, because the operator vouches for it, or a sandbox, which is not linked.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, Problem } from '../../base/errors.ts';
import { audit } from './audit.ts';
import { insertVenue } from './queries.ts';
import { normalOrigin, type Venue } from './venue.ts';

export interface NewVenueRequest {
  readonly name: string;
  /** Of both modes, or of test mode alone. */
  readonly origins: readonly string[];
  readonly testOriginsOnly?: true;
  readonly sandbox: boolean;
}

export async function createVenue(tx: Queryable, command: CommandContext, options: NewVenueRequest): Promise<Venue> {
  const name = options.name.trim();
  if ([...name].length < 1 || [...name].length > 120) {
    throw new Problem('invalid_request', { message: 'The name of a venue has 1 to 120 characters.', field: '/name' });
  }
  const origins = [...new Set(options.origins.map((text) => requireOrigin(text)))];
  if (origins.length > MAX_ORIGINS) throw tooManyOrigins(origins[MAX_ORIGINS] ?? '');
  const venue: Venue = { id: command.ids.uuid(), name, linked: !options.sandbox, origins };
  await insertVenue(tx, {
    id: venue.id,
    name,
    linked: venue.linked,
    testOrigins: origins,
    liveOrigins: options.testOriginsOnly === true ? [] : origins,
    now: command.now,
  });
  await audit(tx, command, {
    venueId: venue.id,
    action: 'venue.create',
    subject: venue.id,
    detail: { name, linked: venue.linked, origins },
  });
  return venue;
}

/** In each mode. */
export const MAX_ORIGINS = 50;

export function tooManyOrigins(origin: string): Problem {
  return invalid([
    {
      code: 'too_many_items',
      field: '/origin',
      message: `A venue has at most ${MAX_ORIGINS} origins in each mode: remove one that is not used.`,
      expected: `at most ${MAX_ORIGINS} origins`,
      example_fix: origin,
    },
  ]);
}

/**
 * The normal form of an origin. Throws a problem that shows the form when the text is not an origin. The origins of live
 * mode alone are https, because real guests come from them.
 */
export function requireOrigin(text: string, mode: Mode | null = null): string {
  const origin = normalOrigin(text);
  if (origin === null) {
    throw invalid([
      wrongOrigin(
        `"${text}" is not an origin: give scheme, host and port alone, such as https://example.com (http only for localhost).`,
      ),
    ]);
  }
  if (mode !== 'live' || origin.startsWith('https://')) return origin;
  throw invalid([wrongOrigin(`"${text}" is for test mode: in live mode give an origin with https.`)]);
}

function wrongOrigin(message: string): FieldProblem {
  return {
    code: 'invalid_format',
    field: '/origin',
    message,
    expected: 'scheme, host and port of a page',
    example_fix: 'https://shop.example.com',
  };
}
