// GET /console/api/checkouts/{id}/timeline: everything that happened to a checkout, read from the logs and rows that keep it.
// Nothing is stored for it. It names guests by their display name alone.

import type { CheckoutTimeline } from '../../../../schemas/types.gen.ts';
import type { Db } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { showActors } from '../../accounts/actors.ts';
import { eventsOfCheckout } from '../../events/queries.ts';
import type { Caller } from '../../keys/caller.ts';
import { capturesOf } from '../../ledger/queries.ts';
import { messagesSentFor } from '../../members/messages/queries.ts';
import { declinesOfShares } from '../../payments/decline-queries.ts';
import { disputesOfCheckout, holdsOfCheckout, movementsOfCheckout } from '../../payments/history-queries.ts';
import { auditOfSubject } from '../../venues/audit.ts';
import { findVenue } from '../../venues/queries.ts';
import { deliveriesOfEvents } from '../../webhooks/deliveries/queries.ts';
import { timelineOf } from './entries.ts';
import { findPastCheckout, pastShares } from './queries.ts';

/** Of each source, and of the answer. */
const MAX_ENTRIES = 1_000;

export async function getCheckoutTimeline(
  db: Db,
  { venue, mode, seal }: Caller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  const checkout = await findPastCheckout(db, venue.id, mode, id);
  if (checkout === null) throw notFound();
  const [events, shares, holds, captures, movements, disputes, audited, profile] = await Promise.all([
    eventsOfCheckout(db, venue.id, id, MAX_ENTRIES),
    pastShares(db, venue.id, id),
    holdsOfCheckout(db, venue.id, id, MAX_ENTRIES),
    capturesOf(db, venue.id, id),
    movementsOfCheckout(db, venue.id, id, MAX_ENTRIES),
    disputesOfCheckout(db, venue.id, id, MAX_ENTRIES),
    auditOfSubject(db, venue.id, id, MAX_ENTRIES),
    findVenue(db, venue.id),
  ]);
  const shareIds = shares.map((share) => share.id);
  const creator = checkout.createdBy === null ? [] : [{ actor: checkout.createdBy }];
  const times = events.map(({ createdAt }) => createdAt);
  const [declines, messages, deliveries, actors] = await Promise.all([
    declinesOfShares(db, venue.id, shareIds, MAX_ENTRIES),
    messagesSentFor(db, shareIds, MAX_ENTRIES),
    deliveriesOfEvents(db, venue.id, times, MAX_ENTRIES),
    showActors(db, seal, venue.id, [...creator, ...audited]),
  ]);
  const money = { captures, movements, disputes };
  const history = { checkout, shares, events, holds, declines, ...money, messages, deliveries, audited, actors };
  const data = timelineOf(history);
  const body: CheckoutTimeline = {
    object: 'checkout_timeline',
    checkout_id: id,
    timezone: profile?.timezone ?? 'UTC',
    is_complete: data.length <= MAX_ENTRIES,
    data: data.slice(-MAX_ENTRIES),
  };
  return { status: 200, body };
}
