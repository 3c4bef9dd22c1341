// The demo's venue systems with the deliveries of the last days and what each came to: most were applied, some say what is
// missing. They are written with their outcomes, and the worker has nothing to do with them.

import type { Queryable } from '../../base/db.ts';
import { sha256 } from '../../base/sha256.ts';
import { insertPastInbound, type PastInbound } from '../hooks/deliveries/past-queries.ts';
import { createIntegration } from '../hooks/integrations.ts';
import { bodyRow } from '../hooks/receive.ts';
import type { Caller } from '../keys/caller.ts';
import { BOOKABLE } from './bookable.ts';
import { makeSeeded } from './seeded.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DAYS_OF_LOG = 6;
const DELIVERIES = 60;

type Outcome = Pick<PastInbound, 'status' | 'reason'>;

const APPLIED: Outcome = { status: 'applied', reason: null };
/** What a delivery in ten or so comes to. */
const OTHERS: readonly Outcome[] = [
  { status: 'ignored', reason: 'A change of a contact has nothing that an offering shows.' },
  { status: 'superseded', reason: 'A newer delivery about the same booking was applied before.' },
  {
    status: 'unmapped',
    reason: 'There is no price for a new offering. Send the offering once with POST /v1/offerings.',
  },
  {
    status: 'needs_api_read',
    reason: 'The delivery names the booking by its id alone: the venue system has to be asked for it.',
  },
];

/** One system that sends every day, and one that was connected and has not sent yet. */
export async function fillIntegrations(
  tx: Queryable,
  callerAt: (at: number) => Caller,
  { seed, until }: { readonly seed: number; readonly until: number },
): Promise<void> {
  const seeded = makeSeeded(seed + 1);
  const integrationId = await connect(tx, callerAt(until - 250 * DAY), 'fareharbor');
  await connect(tx, callerAt(until - 9 * DAY), 'custom');
  const deliveries = Array.from({ length: DELIVERIES }, (_, number): PastInbound => {
    const at = Math.round(until - DAYS_OF_LOG * DAY + ((number + 0.5) * DAYS_OF_LOG * DAY) / DELIVERIES);
    const { venue, ids, seal } = callerAt(at);
    const bookable = BOOKABLE[seeded.integer(0, BOOKABLE.length - 1)];
    const outcome = number % 9 === 4 ? (OTHERS[Math.floor(number / 9) % OTHERS.length] ?? APPLIED) : APPLIED;
    const id = ids.prefixed('hkd');
    const booking = { pk: 75_000 + number, status: 'booked', customer_count: seeded.integer(2, 6) };
    const raw = Buffer.from(JSON.stringify({ booking: { ...booking, item: bookable?.title ?? '' } }));
    return {
      id,
      at,
      eventId: String(booking.pk),
      type: 'booking',
      ...outcome,
      offeringExternalId: outcome.status === 'applied' ? (bookable?.externalId ?? null) : null,
      body: seal.seal(raw, bodyRow(venue.id, id)),
      dedupHash: sha256(raw),
    };
  });
  await insertPastInbound(tx, callerAt(until).venue.id, integrationId, deliveries);
}

async function connect(tx: Queryable, caller: Caller, provider: string): Promise<string> {
  const input = { params: {}, query: {}, body: { provider }, whenNew: [], badTexts: [] };
  const { body } = await createIntegration(tx, caller, input);
  return (body as { readonly data: { readonly id: string } }).data.id;
}
