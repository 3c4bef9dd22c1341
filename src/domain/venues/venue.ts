// A venue, and how the API shows it. A sandbox is a venue that is not linked: the API shows its id as null, while the
// operator's command line shows the real id.

import type { Facts } from '../../../schemas/rules/rule.ts';
import type { Mode } from '../../base/config.ts';
import type { VenueRow } from './queries.ts';

export interface Venue {
  readonly id: string;
  readonly name: string;
  readonly linked: boolean;
  /** Those of the caller's mode. */
  readonly origins: readonly string[];
}

export function venueInMode({ id, name, linked, test_origins, live_origins }: VenueRow, mode: Mode): Venue {
  return { id, name, linked, origins: mode === 'live' ? live_origins : test_origins };
}

export function venueView(venue: Venue): { id: string | null; name: string } {
  return { id: venue.linked ? venue.id : null, name: venue.name };
}

/** The category slugs that an offering or an event may carry, as `GET /v1/me` lists them. */
export const CATEGORIES: readonly [string, ...string[]] = [
  'arts',
  'beach',
  'boating',
  'classes',
  'comedy',
  'dining',
  'family',
  'fitness',
  'golf',
  'music',
  'nightlife',
  'outdoors',
  'pool',
  'racing',
  'rentals',
  'rides',
  'spa',
  'sports',
  'tours',
  'wellness',
  'other',
];

/** The facts that the rules between fields use. */
export function factsFor(now: number, venue: Venue | null): Facts {
  return { now: new Date(now), categories: CATEGORIES, origins: venue?.origins ?? [] };
}

/** An origin is scheme, host and port, compared as a whole, never by prefix. Null: the text is not a valid origin. */
export function normalOrigin(text: string): string | null {
  try {
    const url = new URL(text);
    const isLoopback = url.hostname === 'localhost' || url.hostname === '127.0.0.1';
    const isBare =
      url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    return isBare && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) ? url.origin : null;
  } catch {
    return null;
  }
}
