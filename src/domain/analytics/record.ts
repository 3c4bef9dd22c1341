// POST /internal/activity: counts what members did in the app, once for each event id, with one transaction for each
// venue. The app repeats a call that failed half-way; events that were counted are then duplicates. The caller passes
// the known experiences and venues. Ids of members and events are stored only as keyed hashes.

import type { Activity, ActivityResult } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';
import { type ActivityEvent, recordActivityEvents } from './queries.ts';

type ReportedEvent = Activity['events'][number];

/** The experiences and venues that exist; events about any other are rejected. Ids in lower case. */
export interface KnownTargets {
  readonly experiences: ReadonlyMap<string, { readonly venueId: string; readonly mode: Mode }>;
  readonly venues: ReadonlySet<string>;
}

/** The experiences and venues that the events refer to. */
export function referencedIds(events: readonly ReportedEvent[]): { experienceIds: string[]; venueIds: string[] } {
  const experienceIds = new Set<string>();
  const venueIds = new Set<string>();
  for (const { experience_id, venue_id } of events) {
    if (experience_id !== undefined) experienceIds.add(experience_id.toLowerCase());
    if (venue_id !== undefined) venueIds.add(venue_id.toLowerCase());
  }
  return { experienceIds: [...experienceIds], venueIds: [...venueIds] };
}

/** Each venue needs a database connection of its own. */
const MAX_CONCURRENT_VENUES = 3;

interface IndexedEvent {
  readonly index: number;
  readonly event: ActivityEvent;
}

export async function recordActivity(
  { db, seal }: { readonly db: Db; readonly seal: Seal },
  events: readonly ReportedEvent[],
  targets: KnownTargets,
): Promise<ActivityResult> {
  const reasons = new Map<number, string>();
  const byVenue = new Map<string, IndexedEvent[]>();
  for (const [index, event] of events.entries()) {
    const target = targetOf(event, targets);
    if (typeof target === 'string') {
      reasons.set(index, target);
      continue;
    }
    const indexed = { index, event: activityEventOf(seal, event, target) };
    const group = byVenue.get(target.venueId);
    if (group === undefined) byVenue.set(target.venueId, [indexed]);
    else group.push(indexed);
  }
  let accepted = 0;
  let duplicates = 0;
  const record = async ([venueId, group]: [string, IndexedEvent[]]): Promise<void> => {
    const events = group.map(({ event }) => event);
    const outcomes = await db.transaction((tx) => recordActivityEvents(tx, venueId, events));
    for (const [position, { index }] of group.entries()) {
      if (outcomes[position] === 'counted') accepted++;
      else if (outcomes[position] === 'duplicate') duplicates++;
      else reasons.set(index, 'too_old');
    }
  };
  const queue = [...byVenue].values();
  const recordNext = async (): Promise<void> => {
    for (const venue of queue) await record(venue);
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_VENUES }, recordNext));
  const rejected = [...reasons]
    .sort(([one], [other]) => one - other)
    .map(([index, reason]) => ({ id: events[index]?.id ?? '', reason }));
  return { accepted, duplicates, rejected };
}

interface Target {
  readonly venueId: string;
  readonly subject: string;
  readonly mode: Mode | null;
}

/** The target of an event; a string is the reason why the event is rejected. */
function targetOf(event: ReportedEvent, targets: KnownTargets): Target | string {
  if (event.type === 'venue_page_view') {
    const venueId = (event.venue_id ?? '').toLowerCase();
    return targets.venues.has(venueId) ? { venueId, subject: venueId, mode: null } : 'unknown_venue';
  }
  const subject = (event.experience_id ?? '').toLowerCase();
  const found = targets.experiences.get(subject);
  return found === undefined ? 'unknown_experience' : { venueId: found.venueId, subject, mode: found.mode };
}

function activityEventOf(seal: Seal, event: ReportedEvent, { venueId, subject, mode }: Target): ActivityEvent {
  return {
    key: keyedId(seal, event.id, 'activity event'),
    type: event.type,
    subject,
    subjectMode: mode,
    // The hash differs by venue, so that a person cannot be tracked across venues.
    person: keyedId(seal, event.member_id, `activity member ${venueId}`),
    at: event.at,
    guests: event.guests ?? 1,
    cents: event.amount ?? 0,
    mode: event.mode,
  };
}

/** 128 bits of the keyed hash as a UUID, which PostgreSQL stores in 16 bytes. */
function keyedId(seal: Seal, text: string, purpose: string): string {
  const hex = seal.fingerprint(text, purpose).toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
