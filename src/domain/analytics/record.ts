// POST /internal/activity: what members did in the app, counted once by the event's id, venue by venue, each venue in one
// transaction. A call that breaks off in between is sent again: what was counted is then a duplicate. It is handed where each
// experience and venue is to be found, and keeps no id of a member or an event but as a keyed hash.

import type { Activity, ActivityResult } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';
import { type ActivityEvent, recordActivityEvents } from './queries.ts';

type ReportedEvent = Activity['events'][number];

/** Where what the app names is to be found; what is not in here is not ours. Ids in lower case. */
export interface KnownTargets {
  readonly experiences: ReadonlyMap<string, { readonly venueId: string; readonly mode: Mode }>;
  readonly venues: ReadonlySet<string>;
}

/** What the places must be found for. */
export function referencedIds(events: readonly ReportedEvent[]): { experienceIds: string[]; venueIds: string[] } {
  const experienceIds = new Set<string>();
  const venueIds = new Set<string>();
  for (const { experience_id, venue_id } of events) {
    if (experience_id !== undefined) experienceIds.add(experience_id.toLowerCase());
    if (venue_id !== undefined) venueIds.add(venue_id.toLowerCase());
  }
  return { experienceIds: [...experienceIds], venueIds: [...venueIds] };
}

/** So many venues are written at once: each needs a connection of its own. */
const MAX_CONCURRENT_VENUES = 3;

interface IndexedEvent {
  readonly index: number;
  readonly event: ActivityEvent;
}

export async function recordActivity(
  { db, seal }: { readonly db: Db; readonly seal: Seal },
  events: readonly ReportedEvent[],
  places: KnownTargets,
): Promise<ActivityResult> {
  const reasons = new Map<number, string>();
  const byVenue = new Map<string, IndexedEvent[]>();
  for (const [index, event] of events.entries()) {
    const place = targetOf(event, places);
    if (typeof place === 'string') {
      reasons.set(index, place);
      continue;
    }
    const placed = { index, event: activityEventOf(seal, event, place) };
    const group = byVenue.get(place.venueId);
    if (group === undefined) byVenue.set(place.venueId, [placed]);
    else group.push(placed);
  }
  let accepted = 0;
  let duplicates = 0;
  const record = async ([venueId, group]: [string, IndexedEvent[]]): Promise<void> => {
    const events = group.map(({ event: happening }) => happening);
    const outcomes = await db.transaction((tx) => recordActivityEvents(tx, venueId, events));
    for (const [at, { index }] of group.entries()) {
      if (outcomes[at] === 'counted') accepted++;
      else if (outcomes[at] === 'duplicate') duplicates++;
      else reasons.set(index, 'too_old');
    }
  };
  const queue = [...byVenue].values();
  const lane = async (): Promise<void> => {
    for (const venue of queue) await record(venue);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_VENUES }, lane));
  const rejected = [...reasons]
    .sort(([one], [other]) => one - other)
    .map(([index, reason]) => ({ id: events[index]?.id ?? '', reason }));
  return { accepted, duplicates, rejected };
}

interface Target {
  readonly venueId: string;
  readonly thing: string;
  readonly mode: Mode | null;
}

/** A text is the reason why there is none. */
function targetOf(event: ReportedEvent, places: KnownTargets): Target | string {
  if (event.type === 'venue_page_view') {
    const venueId = (event.venue_id ?? '').toLowerCase();
    return places.venues.has(venueId) ? { venueId, thing: venueId, mode: null } : 'unknown_venue';
  }
  const thing = (event.experience_id ?? '').toLowerCase();
  const found = places.experiences.get(thing);
  return found === undefined ? 'unknown_experience' : { venueId: found.venueId, thing, mode: found.mode };
}

function activityEventOf(seal: Seal, event: ReportedEvent, { venueId, thing, mode }: Target): ActivityEvent {
  return {
    key: keyedId(seal, event.id, 'activity event'),
    type: event.type,
    thing,
    thingMode: mode,
    // Another hash for each venue: nobody can be followed from one to the next.
    person: keyedId(seal, event.member_id, `activity member ${venueId}`),
    at: event.at,
    guests: event.guests ?? 1,
    cents: event.amount ?? 0,
    mode: event.mode,
  };
}

/** 128 bits of the keyed hash, in the form of a UUID, which the database keeps in 16 bytes. */
function keyedId(seal: Seal, text: string, purpose: string): string {
  const hex = seal.fingerprint(text, purpose).toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
