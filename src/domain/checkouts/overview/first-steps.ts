// GET /console/api/first_steps: how far a newcomer is in test mode, computed from what really happened: a checkout was
// created, every share of one was held, and an event reached the partner. A page polls it every two seconds, so each
// question is answered by an index.

import type { Checkout, FirstSteps } from '../../../../schemas/types.gen.ts';
import type { Db } from '../../../base/db.ts';
import type { OperationResult } from '../../../base/operation.ts';
import { showActors } from '../../accounts/actors.ts';
import { subjectOfEvent } from '../../events/queries.ts';
import { isStreaming } from '../../events/stream-place-queries.ts';
import { findStreamedCompletion } from '../../events/streamed-completion-queries.ts';
import type { Caller } from '../../keys/caller.ts';
import { type RequestWindow, timeTextOf } from '../../requests/id-range.ts';
import { ANY_REQUEST, type RequestFilter } from '../../requests/queries.ts';
import { listRequests } from '../../requests/read-lines.ts';
import { firstDelivered } from '../../webhooks/deliveries/queries.ts';
import { findInbox } from '../../webhooks/inbox/inbox.ts';
import { viewCheckout } from '../queries.ts';
import { keyOf } from './checkout-row.ts';
import { checkoutToPay, firstCheckout } from './first-step-queries.ts';

export async function getFirstSteps(db: Db, caller: Caller): Promise<OperationResult> {
  const inbox = await findInbox(db, caller.venue.id);
  const [request, hold, event] = await Promise.all([
    requestStep(db, caller),
    holdStep(db, caller),
    eventStep(db, caller, inbox?.id ?? null),
  ]);
  const body: FirstSteps = {
    object: 'first_steps',
    done: [request, hold, event].filter(({ done }) => done).length,
    request,
    hold,
    event,
    inbox: inbox === null ? null : { endpoint_id: inbox.id },
  };
  return { status: 200, body };
}

async function requestStep(db: Db, { venue, seal, now }: Caller): Promise<FirstSteps['request']> {
  const first = await firstCheckout(db, venue.id);
  if (first === null) {
    const call = await callIn(db, { venueId: venue.id, from: now - LOGGED_MS, to: now + MINUTE }, ANY_REQUEST);
    return { done: false, at: null, checkout_id: null, key: null, call };
  }
  const named = first.createdBy === null ? [] : [{ actor: first.createdBy }];
  const key = keyOf(await showActors(db, seal, venue.id, named), first.createdBy);
  const createdAt = Date.parse(first.at);
  const around = { venueId: venue.id, from: createdAt - MINUTE, to: createdAt + MINUTE };
  // A person's call is not in the log of requests.
  const call = key === null ? null : await callIn(db, around, { ...CREATED, keyId: key.id });
  return { done: true, at: first.at, checkout_id: first.id, key, call };
}

const MINUTE = 60_000;
/** The log of requests goes back at most so far. */
const LOGGED_MS = 7 * 24 * 60 * MINUTE;
const CREATED: RequestFilter = { ...ANY_REQUEST, minStatus: 201, maxStatus: 201, operation: 'createCheckout' };

/** The newest call in a time, also one that was refused; null: the log has none. */
async function callIn(
  db: Db,
  window: Omit<RequestWindow, 'mode'>,
  filter: RequestFilter,
): Promise<FirstSteps['request']['call']> {
  const {
    rows: [found],
  } = await listRequests(db, { ...window, mode: 'test' }, filter);
  if (found === undefined) return null;
  const { id, method, path, status, code, field, duration_ms } = found;
  return { request_id: id, at: timeTextOf(id), method, path, status, code, field, duration_ms };
}

async function holdStep(db: Db, { venue, now }: Caller): Promise<FirstSteps['hold']> {
  const found = await checkoutToPay(db, venue.id);
  const view = found === null ? null : await viewCheckout(db, venue.id, 'test', found.id, now);
  if (found === null || view === null) return { done: false, at: null, checkout: null };
  const checkout = JSON.parse(view.json) as Checkout;
  const count = (...statuses: readonly string[]): number =>
    checkout.shares.filter(({ status }) => statuses.includes(status)).length;
  return {
    done: found.isHeld,
    at: found.isHeld ? found.heldAt : null,
    checkout: {
      id: checkout.id,
      url: checkout.url,
      status: checkout.status,
      description: checkout.description,
      amount: checkout.amount,
      currency: checkout.currency,
      funded_amount: checkout.funded_amount,
      party_size: checkout.party_size,
      held: count('held', 'captured', 'refunded'),
      failed: count('failed'),
      shares: checkout.shares.map(({ id, display_name, amount, status, is_organizer, held_at }) => ({
        id,
        display_name,
        amount,
        status,
        is_organizer,
        held_at,
      })),
    },
  };
}

async function eventStep(db: Db, { venue, now }: Caller, inboxId: string | null): Promise<FirstSteps['event']> {
  const [delivered, streamed, is_listening] = await Promise.all([
    firstDelivered(db, venue.id, 'test', 'checkout.completed'),
    findStreamedCompletion(db, venue.id, 'test'),
    isStreaming(db, venue.id, now),
  ]);
  if (streamed !== null && (delivered === null || streamed.at < delivered.at)) {
    const { eventId: event_id, checkoutId: checkout_id, at } = streamed;
    return { done: true, at, event_id, checkout_id, via: 'stream', endpoint_id: null, is_listening };
  }
  if (delivered === null)
    return { done: false, at: null, event_id: null, checkout_id: null, via: null, endpoint_id: null, is_listening };
  const { eventId: event_id, endpointId: endpoint_id, at } = delivered;
  const via = endpoint_id === inboxId ? 'inbox' : 'endpoint';
  const checkout_id = await subjectOfEvent(db, venue.id, event_id);
  return { done: true, at, event_id, checkout_id, via, endpoint_id, is_listening };
}
