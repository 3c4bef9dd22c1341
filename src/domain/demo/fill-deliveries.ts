// The demo's webhook endpoints and their deliveries of the last month: one endpoint had an outage and recovered, another
// failed for 72 hours and was disabled.

import type { Queryable } from '../../base/db.ts';
import { EVENT_LIST } from '../events/event-types.ts';
import { visibleEvents } from '../events/queries.ts';
import type { Caller } from '../keys/caller.ts';
import { audit } from '../venues/audit.ts';
import { insertPastDeliveries, type PastDelivery } from '../webhooks/deliveries/past-queries.ts';
import { createEndpoint } from '../webhooks/endpoints.ts';
import { setEndpointStatus } from '../webhooks/queries.ts';
import { makeSeeded, type Seeded } from './seeded.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;
/** When an attempt is made, from the event on. */
const RETRIES_MS = [
  0,
  5 * SECOND,
  35 * SECOND,
  155 * SECOND,
  755 * SECOND,
  2_555 * SECOND,
  6_155 * SECOND,
  13_355 * SECOND,
];
const LATE_RETRY_MS = 4 * HOUR;
const MAX_LISTED_ATTEMPTS = 10;
const SUBSCRIBED = EVENT_LIST.filter(({ isSubscribable }) => isSubscribable).map(({ type }) => type);
const DAYS_OF_LOG = 29;

interface Outage {
  readonly from: number;
  /** Infinity: it never ended. */
  readonly to: number;
}

/** After everything else was written: an event that an endpoint subscribes to would be sent to it. */
export async function fillDeliveries(
  tx: Queryable,
  callerAt: (at: number) => Caller,
  { seed, until }: { readonly seed: number; readonly until: number },
): Promise<void> {
  const seeded = makeSeeded(seed);
  const { venue, mode } = callerAt(until);
  const since = new Date(until - DAYS_OF_LOG * DAY).toISOString();
  const events = await visibleEvents(tx, venue.id, mode, since);
  const bookings = { from: until - 12 * DAY, to: until - 12 * DAY + 5 * HOUR };
  const makeEndpoint = async (url: string, types: readonly string[], outage: Outage, disabledAt: number | null) => {
    const body = { url, events: [...types] };
    const input = { params: {}, query: {}, body, whenNew: [], badTexts: [] };
    const created = await createEndpoint(tx, callerAt(until - 300 * DAY), input);
    const { id } = created.body as { readonly id: string };
    const sent = events.filter(
      ({ type, createdAt }) => types.includes(type) && Date.parse(createdAt) < (disabledAt ?? until),
    );
    const deliveries = sent.map((event) => deliveryOf(seeded, event, outage, disabledAt ?? until));
    await insertPastDeliveries(tx, venue.id, id, deliveries);
    return id;
  };
  await makeEndpoint('https://harbor-club.example/hooks/everyshare', SUBSCRIBED, bookings, null);
  const disabledAt = until - 6 * DAY;
  const broken = { from: disabledAt - 74 * HOUR, to: Number.POSITIVE_INFINITY };
  const types = ['checkout.completed', 'checkout.canceled'];
  const id = await makeEndpoint('https://pms.harbor-club.example/everyshare', types, broken, disabledAt);
  await setEndpointStatus(tx, venue.id, id, 'failed_for_72_hours', disabledAt);
  const detail = { reason: 'failed_for_72_hours', mode };
  await audit(tx, callerAt(disabledAt), { venueId: venue.id, action: 'webhook_endpoint.disable', subject: id, detail });
}

function deliveryOf(
  seeded: Seeded,
  { id, type, createdAt }: { readonly id: string; readonly type: string; readonly createdAt: string },
  outage: Outage,
  until: number,
): PastDelivery {
  const eventAt = Date.parse(createdAt) + seeded.integer(200, 900);
  const attempts: PastDelivery['attempts'][number][] = [];
  for (let tries = 0; tries < 24; tries++) {
    const at = eventAt + (RETRIES_MS[tries] ?? 13_355 * SECOND + (tries - RETRIES_MS.length + 1) * LATE_RETRY_MS);
    if (at > until && tries > 0) break;
    const isDown = at >= outage.from && at < outage.to;
    const status = isDown ? 503 : 200;
    attempts.push({ at: new Date(at).toISOString(), status, duration_ms: seeded.integer(38, isDown ? 900 : 140) });
    if (!isDown) break;
  }
  const status = attempts.at(-1)?.status === 200 ? 'delivered' : 'failed';
  return { eventId: id, type, createdAt, status, attempts: attempts.slice(-MAX_LISTED_ATTEMPTS) };
}
