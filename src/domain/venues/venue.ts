// What a venue is, and how an outsider sees it. A console sandbox is a venue that is not linked: the API shows its id
// as null, while the operator's command line shows the real one.

import type { Facts } from '../../../schemas/rules/rule.ts';

export interface Venue {
  readonly id: string;
  readonly name: string;
  readonly linked: boolean;
  readonly origins: readonly string[];
}

export function shownVenue(venue: Venue): { id: string | null; name: string } {
  return { id: venue.linked ? venue.id : null, name: venue.name };
}

/** The category slugs that an offering or an event may carry, as `GET /v1/me` lists them. */
export const CATEGORIES: readonly string[] = [
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

/** What the rules between fields need to know of the world. */
export function factsFor(now: number, venue: Venue | null): Facts {
  return { now: new Date(now), categories: CATEGORIES, origins: venue?.origins ?? [] };
}

/** An origin is scheme, host and port, compared as a whole, never by prefix. Null: not an origin that we can register. */
export function normalOrigin(text: string): string | null {
  try {
    const url = new URL(text);
    const loopback = url.hostname === 'localhost' || url.hostname === '127.0.0.1';
    const bare =
      url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    return bare && (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) ? url.origin : null;
  } catch {
    return null;
  }
}
