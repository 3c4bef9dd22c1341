// A dead endpoint slows nobody: how long events waited until they were first sent to the endpoints that live, while one of them
// took every connection and never answered. In the storm only what waited on with nothing in the way counts, and leniently;
// once it is quiet, checkouts are made on purpose and their events must come soon.

import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../src/base/db.ts';
import type { Found } from '../support/violation.ts';
import type { BookableVenue } from './booking.ts';
import type { ClientRequest, ClientResponse } from './client.ts';
import { type Endpoint, type Receivers, undelivered } from './receivers.ts';
import type { Happening } from './timeline.ts';

const RULE = 'a dead endpoint slows nobody';

/** The lease of a lane (30 s) or the longest rest of an endpoint that had failed (60 s), and time to spare. */
const LONGEST_WAIT_MS = 90_000;
/** In quiet: the first may wait for the lease of somebody who was killed, the second for nobody. */
const VOLLEYS = [LONGEST_WAIT_MS, 15_000] as const;
const VOLLEY = 5;

export interface Arrival {
  readonly eventId: string;
  readonly endpointId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When it was first sent; null: never. */
  readonly firstAt: number | null;
}

/** Whatever is done to these, deliveries may wait for it. */
const IN_THE_WAY = /^(worker-\d|postgres|receivers)$/;

/** Counts from when nothing was in the way any more. What never came is another rule's affair. */
export function checkWaits(arrivals: readonly Arrival[], happenings: readonly Happening[], found: Found): number {
  const times = happenings
    .filter(({ who, what }) => IN_THE_WAY.test(who) && what !== 'done' && what !== 'skipped')
    .map(({ at }) => at);
  let longest = 0;
  for (const { eventId, endpointId, createdAt, firstAt } of arrivals) {
    if (firstAt === null) continue;
    const since = times.reduce((last, at) => (at <= firstAt && at > last ? at : last), createdAt);
    longest = Math.max(longest, firstAt - since);
    if (firstAt - since > LONGEST_WAIT_MS) {
      found(RULE, eventId, `it waited ${seconds(firstAt - since)} s for ${endpointId} with nothing in the way`);
    }
  }
  return longest;
}

/** Of every event that an endpoint that lives has wanted. */
export async function readArrivals(
  db: Db,
  endpoints: readonly Endpoint[],
  receivers: Pick<Receivers, 'firstAt'>,
): Promise<Arrival[]> {
  const events = await db.query<{ id: string; venueId: string; type: string; at: number }>(
    `select event_id as id, venue_id as "venueId", type, (extract(epoch from created_at) * 1000)::float8 as at from events`,
  );
  const live = endpoints.filter(({ isDead }) => !isDead);
  return events.flatMap(({ id: eventId, venueId, type, at: createdAt }) =>
    live
      .filter((one) => one.venueId === venueId && one.events.includes(type))
      .map(({ id, path }) => ({ eventId, endpointId: id, createdAt, firstAt: receivers.firstAt(path, eventId) })),
  );
}

interface QuietTrial {
  readonly db: Db;
  readonly api: { send(request: ClientRequest): Promise<ClientResponse | null> };
  /** The one whose endpoint is dead, among others. */
  readonly venue: BookableVenue;
  readonly endpoints: readonly Endpoint[];
  readonly receivers: Pick<Receivers, 'firstAt'>;
}

/** Twice a few at once. Gives how long the slowest of the last took, in milliseconds; null: they did not all come. */
export async function tryInQuiet(scene: QuietTrial, found: Found): Promise<number | null> {
  let slowest: number | null = null;
  for (const [turn, mostMs] of VOLLEYS.entries()) {
    const waits = await Promise.all(
      Array.from({ length: VOLLEY }, (_, place) => waitForEvent(scene, `quiet-${Date.now()}-${turn}-${place}`, mostMs)),
    );
    const late = waits.filter((wait) => wait === null || wait > mostMs).length;
    if (late > 0)
      found(RULE, 'receivers', `in quiet ${late} of ${VOLLEY} events did not come within ${mostMs / 1000} s`);
    slowest = late > 0 ? null : Math.max(...waits.map((wait) => wait ?? 0));
  }
  for (const end = Date.now() + LONGEST_WAIT_MS; Date.now() < end; await delay(100)) {
    if ((await undelivered(scene.db, scene.endpoints)) === 0) break;
  }
  return slowest;
}

/** From the answer to its create until its event was sent to each that wants it. */
async function waitForEvent(scene: QuietTrial, name: string, mostMs: number): Promise<number | null> {
  const { db, api, venue, receivers } = scene;
  const wanting = scene.endpoints.filter(
    ({ venueId, events, isDead }) => !isDead && venueId === venue.venueId && events.includes('checkout.created'),
  );
  const body = {
    amount: 2_000,
    currency: 'usd',
    party_size: 2,
    pay_by: new Date(Date.now() + 3_600_000).toISOString(),
    description: 'Made in quiet',
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
  for (const deadline = response.at + mostMs; Date.now() <= deadline; await delay(20)) {
    const times = wanting.map(({ path }) => receivers.firstAt(path, eventId));
    if (times.every((at) => at !== null)) return Math.max(0, ...times.map((at) => (at ?? 0) - response.at));
  }
  return null;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
