// Checks that a dead endpoint, which accepts every connection and never answers, does not delay deliveries to the
// others. During the nemesis only waits without a disturbance count, with a generous limit. After it, checkouts are
// created for this check and their events must arrive soon.

import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/base/db.ts';
import type { Found } from '../support/violation.ts';
import type { BookableVenue } from './booking.ts';
import type { ClientRequest, ClientResponse } from './client.ts';
import { countUndelivered, type Endpoint, type Receivers } from './receivers.ts';
import type { TimelineEvent } from './timeline.ts';

const RULE = 'a dead endpoint delays no other endpoint';

/**
 * Longer than the lease of an endpoint queue (30 s) and than the longest pause of an endpoint that has failed (60 s).
 */
const MAX_WAIT_MS = 90_000;
/** After the nemesis: the first round may wait for the lease of a killed worker, the second must not wait. */
const MAX_QUIET_WAITS_MS = [MAX_WAIT_MS, 15_000] as const;
const CHECKOUTS_PER_ROUND = 5;

export interface EventArrival {
  readonly eventId: string;
  readonly endpointId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When the event was first sent; null if it never was. */
  readonly firstAt: number | null;
}

/** Deliveries may wait for events of these targets. */
const DELAYING_TARGETS = /^(worker-\d|postgres|receivers)$/;

/** Counts each wait from the last disturbance. Another rule covers events that never arrived. */
export function checkWaits(
  arrivals: readonly EventArrival[],
  timeline: readonly TimelineEvent[],
  found: Found,
): number {
  const times = timeline
    .filter(({ who, what }) => DELAYING_TARGETS.test(who) && what !== 'done' && what !== 'skipped')
    .map(({ at }) => at);
  let longest = 0;
  for (const { eventId, endpointId, createdAt, firstAt } of arrivals) {
    if (firstAt === null) continue;
    const since = times.reduce((last, at) => (at <= firstAt && at > last ? at : last), createdAt);
    longest = Math.max(longest, firstAt - since);
    if (firstAt - since > MAX_WAIT_MS) {
      found(RULE, eventId, `it waited ${seconds(firstAt - since)} s for ${endpointId} without a disturbance`);
    }
  }
  return longest;
}

/** The arrivals of all events at all subscribed endpoints that are not dead. */
export async function readArrivals(
  db: Db,
  endpoints: readonly Endpoint[],
  receivers: Pick<Receivers, 'firstAt'>,
): Promise<EventArrival[]> {
  const events = await db.query<{ id: string; venueId: string; type: string; at: number }>(
    `select event_id as id, venue_id as "venueId", type, (extract(epoch from created_at) * 1000)::float8 as at from events`,
  );
  const live = endpoints.filter(({ isDead }) => !isDead);
  return events.flatMap(({ id: eventId, venueId, type, at: createdAt }) =>
    live
      .filter((endpoint) => endpoint.venueId === venueId && endpoint.events.includes(type))
      .map(({ id, path }) => ({ eventId, endpointId: id, createdAt, firstAt: receivers.firstAt(path, eventId) })),
  );
}

interface QuietTrial {
  readonly db: Db;
  readonly api: { send(request: ClientRequest): Promise<ClientResponse | null> };
  /** The venue with the dead endpoint. */
  readonly venue: BookableVenue;
  readonly endpoints: readonly Endpoint[];
  readonly receivers: Pick<Receivers, 'firstAt'>;
}

/**
 * Creates two rounds of checkouts. Returns the slowest wait of the last round in milliseconds; null if an event was
 * late.
 */
export async function measureQuietWaits(trial: QuietTrial, found: Found): Promise<number | null> {
  let slowest: number | null = null;
  for (const [round, maxMs] of MAX_QUIET_WAITS_MS.entries()) {
    const waits = await Promise.all(
      Array.from({ length: CHECKOUTS_PER_ROUND }, (_, index) =>
        waitForEvent(trial, `quiet-${Date.now()}-${round}-${index}`, maxMs),
      ),
    );
    const late = waits.filter((wait) => wait === null || wait > maxMs).length;
    if (late > 0)
      found(
        RULE,
        'receivers',
        `after the nemesis ${late} of ${CHECKOUTS_PER_ROUND} events did not arrive within ${maxMs / 1000} s`,
      );
    slowest = late > 0 ? null : Math.max(...waits.map((wait) => wait ?? 0));
  }
  for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await delay(100)) {
    if ((await countUndelivered(trial.db, trial.endpoints)) === 0) break;
  }
  return slowest;
}

/**
 * Milliseconds from the response to a create until its event was sent to each subscribed endpoint; null if it was late.
 */
async function waitForEvent(trial: QuietTrial, name: string, maxMs: number): Promise<number | null> {
  const { db, api, venue, receivers } = trial;
  const subscribed = trial.endpoints.filter(
    ({ venueId, events, isDead }) => !isDead && venueId === venue.venueId && events.includes('checkout.created'),
  );
  const body = {
    amount: 2_000,
    currency: 'usd',
    party_size: 2,
    pay_by: new Date(Date.now() + 3_600_000).toISOString(),
    description: 'Created after the nemesis',
    return_url: 'https://harbor.example/bookings/1',
    external_booking_id: name,
  };
  const response = await api.send({
    method: 'POST',
    path: '/v1/checkouts',
    key: venue.key,
    body: JSON.stringify(body),
  });
  if (response?.status !== 201) return null;
  const rows = await db.query<{ id: string }>('select event_id as id from events where subject = $1', [
    response.json.id,
  ]);
  const eventId = rows[0]?.id ?? '';
  for (const deadline = response.receivedAt + maxMs; Date.now() <= deadline; await delay(20)) {
    const times = subscribed.map(({ path }) => receivers.firstAt(path, eventId));
    if (times.every((at) => at !== null)) return Math.max(0, ...times.map((at) => (at ?? 0) - response.receivedAt));
  }
  return null;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
