// What members did with the demo's events in the last months, recorded by the same code as the members' app's reports, so
// that every figure of the analytics is counted and none is written.

import type { Activity } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import type { Seal } from '../../base/seal.ts';
import { recordActivity } from '../analytics/record.ts';
import { makeSeeded, type Seeded } from './seeded.ts';

type ReportedEvent = Activity['events'][number];

const DAY = 24 * 3_600_000;
const DAYS = 120;
const MAX_IN_CALL = 1_000;
const MEMBERS = 900;

const ACTIONS: readonly { readonly weight: number; readonly type: ReportedEvent['type'] }[] = [
  { weight: 60, type: 'view' },
  { weight: 12, type: 'booking_start' },
  { weight: 8, type: 'save' },
  { weight: 7, type: 'booking' },
  { weight: 4, type: 'check_in' },
  { weight: 12, type: 'venue_page_view' },
];

export interface ActivityOptions {
  readonly venueId: string;
  readonly mode: Mode;
  readonly experienceIds: readonly string[];
  readonly seed: number;
  readonly until: number;
  readonly count: number;
}

export async function fillActivity(
  services: { readonly db: Db; readonly seal: Seal },
  options: ActivityOptions,
): Promise<void> {
  const seeded = makeSeeded(options.seed);
  const events = Array.from({ length: options.count }, (_, index) => newEvent(seeded, options, index));
  const experiences = options.experienceIds.map(
    (id) => [id, { venueId: options.venueId, mode: options.mode }] as const,
  );
  const targets = { experiences: new Map(experiences), venues: new Set([options.venueId]) };
  for (let first = 0; first < events.length; first += MAX_IN_CALL) {
    const { rejected } = await recordActivity(services, events.slice(first, first + MAX_IN_CALL), targets);
    if (rejected.length > 0) throw new Error(`the demo’s activity was rejected: ${rejected[0]?.reason}`);
  }
}

/** Figures count live activity alone. More of it is recent, and more people look at the first events than at the last. */
function newEvent(seeded: Seeded, options: ActivityOptions, index: number): ReportedEvent {
  const { venueId, experienceIds, until } = options;
  const { type } = seeded.weighted(ACTIONS);
  const experience = experienceIds[Math.floor(seeded.next() ** 1.5 * experienceIds.length)] ?? '';
  const at = until - Math.floor(seeded.next() ** 1.4 * DAYS * DAY) - 60_000;
  return {
    id: `demo-${venueId}-${index}`,
    type,
    member_id: `member-${seeded.integer(1, MEMBERS)}`,
    at: new Date(at).toISOString(),
    mode: 'live',
    ...(type === 'venue_page_view' ? { venue_id: venueId } : { experience_id: experience }),
    ...(type === 'booking' ? { guests: seeded.integer(1, 5), amount: seeded.integer(22, 240) * 100 } : {}),
  };
}
