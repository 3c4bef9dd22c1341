// The rules about clients' responses and about events: what was acknowledged is stored, and stays stored.

import { CHECKOUT_TRANSITIONS, type CheckoutStatus } from '../../src/domain/checkouts/transitions.ts';
import { type Found, grouped, sumOf } from '../support/violation.ts';
import type { Booking } from './booking.ts';
import type { CheckoutRow, EventRow, OurRecords, ShareRow } from './records.ts';

const CHANGING_FIELDS = new Set([
  'status',
  'shares',
  'funded_amount',
  'refunded_amount',
  'failed_refund_amount',
  'cancellation_reason',
  'disputes',
  'completed_at',
]);

export function checkResponses(ours: OurRecords, bookings: readonly Booking[], found: Found): void {
  const byId = new Map(ours.checkouts.map((checkout) => [checkout.id, checkout]));
  const byBooking = grouped(ours.checkouts, ({ booking }) => booking);
  for (const booking of bookings) {
    for (const what of booking.unexpected) found('clients get correct responses', booking.id ?? booking.name, what);
    checkAcknowledged(booking, byId, found);
    checkCreatedOnce(booking, byBooking.get(booking.name) ?? [], found);
    const checkout = byId.get(booking.id ?? '');
    if (checkout !== undefined) {
      checkTerminalState(booking, checkout, found);
      checkRefunds(booking, checkout, ours, found);
    }
  }
}

function checkAcknowledged(booking: Booking, byId: ReadonlyMap<string, CheckoutRow>, found: Found): void {
  const [first] = booking.acknowledged;
  if (first === undefined) return;
  if (booking.acknowledged.some((text) => text !== first)) {
    found('equal creates get equal responses', booking.id ?? booking.name, 'two acknowledgements differ');
  }
  const checkout = byId.get(booking.id ?? '');
  if (checkout === undefined) {
    found('an acknowledged checkout is stored', booking.id ?? booking.name, 'the checkout is missing');
    return;
  }
  if (checkout.storedResponse !== first) {
    found('an acknowledged checkout is stored', checkout.id, 'its stored response is not the acknowledged one');
  }
  const response = JSON.parse(first) as Record<string, unknown>;
  const view = JSON.parse(checkout.view) as Record<string, unknown>;
  const requested = JSON.parse(booking.body) as Record<string, unknown>;
  for (const name of Object.keys({ ...response, ...view })) {
    if (CHANGING_FIELDS.has(name) || JSON.stringify(response[name]) === JSON.stringify(view[name])) continue;
    found('an acknowledged checkout is stored', checkout.id, `${name} was ${response[name]} and is ${view[name]}`);
  }
  for (const name of ['amount', 'party_size', 'description', 'external_booking_id', 'metadata']) {
    if (JSON.stringify(requested[name]) === JSON.stringify(view[name])) continue;
    found('an acknowledged checkout is stored', checkout.id, `${name} is not the requested one`);
  }
}

/**
 * Without a key a late repetition may create a second checkout, but only after the first has expired or was canceled.
 */
function checkCreatedOnce(booking: Booking, created: readonly CheckoutRow[], found: Found): void {
  if (created.length <= 1) return;
  const live = created.filter(({ status }) => status !== 'expired' && status !== 'canceled');
  if (booking.idempotencyKey !== null || live.length > 1) {
    found(
      'a repeated create makes one checkout',
      booking.name,
      `there are ${created.length}: ${created.map(({ id }) => id)}`,
    );
  }
}

function checkTerminalState(booking: Booking, checkout: CheckoutRow, found: Found): void {
  for (const state of booking.terminalStates) {
    if (state !== checkout.status)
      found('a terminal state is final', checkout.id, `shown as ${state}, and now ${checkout.status}`);
  }
  if (booking.cancelAcknowledged && checkout.status !== 'canceled') {
    found('an acknowledged cancel holds', checkout.id, `it is ${checkout.status}`);
  }
}

function checkRefunds(booking: Booking, checkout: CheckoutRow, ours: OurRecords, found: Found): void {
  if (checkout.status !== 'completed') return;
  const acknowledged = booking.refunds.filter((refund) => refund.response?.status === 200);
  const unknown = booking.refunds.filter((refund) => refund.response === null);
  const acknowledgedAmount = sumOf(acknowledged, ({ amount }) => amount ?? 0);
  const { refundedAmount } = checkout;
  const isWhole = acknowledged.some(({ amount }) => amount === null);
  if (unknown.length === 0 && !isWhole && refundedAmount !== acknowledgedAmount) {
    found(
      'an acknowledged refund happens once',
      checkout.id,
      `${acknowledgedAmount} was acknowledged, ${refundedAmount} refunded`,
    );
  }
  if (refundedAmount < acknowledgedAmount || (isWhole && refundedAmount !== checkout.amount)) {
    found('an acknowledged refund happens once', checkout.id, `${refundedAmount} of ${checkout.amount} was refunded`);
  }
  const events = ours.events.filter(({ checkoutId, type }) => checkoutId === checkout.id && type === 'refund.created');
  // A failed refund that is closed has another one.
  const closed = ours.movements.filter(({ checkoutId, status }) => checkoutId === checkout.id && status === 'closed');
  const count = events.length - closed.length;
  if (count < acknowledged.length || count > acknowledged.length + unknown.length) {
    found(
      'an acknowledged refund has its event',
      checkout.id,
      `${acknowledged.length} refunds acknowledged, ${closed.length} closed, ${events.length} refund.created events`,
    );
  }
}

export function checkEvents(ours: OurRecords, found: Found): void {
  const byCheckout = grouped(ours.events, ({ checkoutId }) => checkoutId);
  const shares = grouped(ours.shares, ({ checkoutId }) => checkoutId);
  for (const checkout of ours.checkouts) {
    const events = byCheckout.get(checkout.id) ?? [];
    checkEventSequence(checkout, events, found);
    checkEventTypes(checkout, shares.get(checkout.id) ?? [], events, found);
  }
}

/** A share with one of these statuses was held at least once. */
const HELD = new Set(['held', 'captured', 'released', 'refunded']);
const CHARGED = new Set(['captured', 'refunded']);

/** Each share that was held, and each change of status, has its own event. */
function checkEventTypes(
  checkout: CheckoutRow,
  shares: readonly ShareRow[],
  events: readonly EventRow[],
  found: Found,
): void {
  const say = (what: string): void => found('one event for each change', checkout.id, what);
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  const held = shares.filter(({ status }) => HELD.has(status)).length;
  if (count('share.held') < held)
    say(`${held} shares were held, and there are ${count('share.held')} share.held events`);
  if (shares.length > 0 && count('checkout.collecting') === 0)
    say('it has a party without a checkout.collecting event');
  const isCharged = checkout.status === 'completed' || shares.some(({ status }) => CHARGED.has(status));
  if (isCharged && count('checkout.funded') === 0) say('it was charged without a checkout.funded event');
  for (const { type, status, sequence } of events) {
    const stateInType = /^checkout\.(.+)$/.exec(type)?.[1]?.replace('created', 'open');
    if (stateInType !== undefined && stateInType !== status)
      say(`event ${sequence} is ${type} and shows it as ${status}`);
  }
}

function checkEventSequence(checkout: CheckoutRow, events: readonly EventRow[], found: Found): void {
  const say = (what: string): void => found('one event for each change', checkout.id, what);
  if (events.some(({ sequence }, index) => sequence !== index + 1)) {
    say(`its events are numbered ${events.map(({ sequence }) => sequence).join(', ')}`);
  }
  if (events[0]?.type !== 'checkout.created') say(`its first event is ${events[0]?.type}`);
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  for (const type of ['created', 'completed', 'expired', 'canceled']) {
    const expected = type === 'created' || type === checkout.status ? 1 : 0;
    if (count(`checkout.${type}`) !== expected) say(`there are ${count(`checkout.${type}`)} checkout.${type} events`);
  }
  const last = events.at(-1);
  if (last?.status !== checkout.status) say(`its last event shows ${last?.status}, and it is ${checkout.status}`);
  const refundedAmount = Math.max(checkout.refundedAmount - checkout.failedRefundAmount, 0);
  if (last?.refundedAmount !== refundedAmount) say('its last event shows another refunded_amount');
  let previous: CheckoutStatus = 'open';
  for (const { status, sequence } of events) {
    const next = status as CheckoutStatus;
    if (next !== previous && !CHECKOUT_TRANSITIONS[previous].includes(next))
      say(`event ${sequence} goes from ${previous} to ${next}`);
    previous = next;
  }
}

export function checkShares(ours: OurRecords, found: Found): void {
  const byCheckout = grouped(
    ours.shares.filter(({ isDropped: dropped }) => !dropped),
    ({ checkoutId }) => checkoutId,
  );
  const holds = grouped(ours.holds, ({ shareId }) => shareId);
  for (const checkout of ours.checkouts) {
    const party = byCheckout.get(checkout.id) ?? [];
    const sum = sumOf(party, ({ amount }) => amount);
    if (party.length > 0 && sum !== checkout.amount)
      found('shares sum to the amount', checkout.id, `they sum to ${sum}`);
    for (const share of party) {
      const holdStatus = share.status === 'held' ? 'held' : 'captured';
      const holdCount = (holds.get(share.id) ?? []).filter(({ status }) => status === holdStatus).length;
      const needsHold = ['held', 'captured', 'refunded'].includes(share.status) && share.amount > 0;
      if (needsHold && holdCount !== 1) {
        found(
          'a share has its hold',
          checkout.id,
          `${share.id} is ${share.status} with ${holdCount} holds ${holdStatus}`,
        );
      }
    }
  }
}
