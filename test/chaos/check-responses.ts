// The rules about what clients were told, and about the events: what was acknowledged is there and stays so.

import { CHECKOUT_TRANSITIONS, type CheckoutStatus } from '../../src/domain/checkouts/transitions.ts';
import { type Found, grouped, sumOf } from '../support/violation.ts';
import type { Booking } from './booking.ts';
import type { CheckoutRow, EventRow, OurBooks, ShareRow } from './books.ts';

const CHANGING = new Set([
  'status',
  'shares',
  'funded_amount',
  'refunded_amount',
  'cancellation_reason',
  'disputes',
  'completed_at',
]);

export function checkResponses(ours: OurBooks, bookings: readonly Booking[], found: Found): void {
  const byId = new Map(ours.checkouts.map((checkout) => [checkout.id, checkout]));
  const byBooking = grouped(ours.checkouts, ({ booking }) => booking);
  for (const booking of bookings) {
    for (const what of booking.broken) found('clients are told the truth', booking.id ?? booking.name, what);
    checkAcknowledged(booking, byId, found);
    checkOnce(booking, byBooking.get(booking.name) ?? [], found);
    const checkout = byId.get(booking.id ?? '');
    if (checkout !== undefined) {
      checkEnd(booking, checkout, found);
      checkRefunds(booking, checkout, ours, found);
    }
  }
}

function checkAcknowledged(booking: Booking, byId: ReadonlyMap<string, CheckoutRow>, found: Found): void {
  const [first] = booking.acknowledged;
  if (first === undefined) return;
  if (booking.acknowledged.some((text) => text !== first)) {
    found('equal creates get equal answers', booking.id ?? booking.name, 'two acknowledgements differ');
  }
  const checkout = byId.get(booking.id ?? '');
  if (checkout === undefined) {
    found('what was acknowledged is there', booking.id ?? booking.name, 'the checkout is gone');
    return;
  }
  if (checkout.firstTold !== first) {
    found('what was acknowledged is there', checkout.id, 'its first event is not what was acknowledged');
  }
  const response = JSON.parse(first) as Record<string, unknown>;
  const view = JSON.parse(checkout.view) as Record<string, unknown>;
  const asked = JSON.parse(booking.body) as Record<string, unknown>;
  for (const name of Object.keys({ ...response, ...view })) {
    if (CHANGING.has(name) || JSON.stringify(response[name]) === JSON.stringify(view[name])) continue;
    found('what was acknowledged is there', checkout.id, `${name} was ${response[name]} and is ${view[name]}`);
  }
  for (const name of ['amount', 'party_size', 'description', 'external_booking_id', 'metadata']) {
    if (JSON.stringify(asked[name]) === JSON.stringify(view[name])) continue;
    found('what was acknowledged is there', checkout.id, `${name} is not what was asked for`);
  }
}

/** Without a key a late twin may make a second one, but only once the first has freed the booking. */
function checkOnce(booking: Booking, made: readonly CheckoutRow[], found: Found): void {
  if (made.length <= 1) return;
  const live = made.filter(({ status }) => status !== 'expired' && status !== 'canceled');
  if (booking.idempotencyKey !== null || live.length > 1) {
    found('a retried create makes one checkout', booking.name, `there are ${made.length}: ${made.map(({ id }) => id)}`);
  }
}

function checkEnd(booking: Booking, checkout: CheckoutRow, found: Found): void {
  for (const end of booking.ends) {
    if (end !== checkout.status) found('an end is the end', checkout.id, `shown as ${end}, and now ${checkout.status}`);
  }
  if (booking.cancelAcknowledged && checkout.status !== 'canceled') {
    found('an acknowledged cancel holds', checkout.id, `it is ${checkout.status}`);
  }
}

function checkRefunds(booking: Booking, checkout: CheckoutRow, ours: OurBooks, found: Found): void {
  if (checkout.status !== 'completed') return;
  const acknowledged = booking.refunds.filter((refund) => refund.response?.status === 200);
  const unknown = booking.refunds.filter((refund) => refund.response === null);
  const least = sumOf(acknowledged, ({ amount }) => amount ?? 0);
  const { refundedAmount } = checkout;
  const isWhole = acknowledged.some(({ amount }) => amount === null);
  if (unknown.length === 0 && !isWhole && refundedAmount !== least) {
    found('an acknowledged refund happens once', checkout.id, `${least} was acknowledged, ${refundedAmount} refunded`);
  }
  if (refundedAmount < least || (isWhole && refundedAmount !== checkout.amount)) {
    found('an acknowledged refund happens once', checkout.id, `${refundedAmount} of ${checkout.amount} was refunded`);
  }
  const events = ours.events.filter(({ checkoutId, type }) => checkoutId === checkout.id && type === 'refund.created');
  if (events.length < acknowledged.length || events.length > acknowledged.length + unknown.length) {
    found(
      'one event for each change',
      checkout.id,
      `${acknowledged.length} refunds acknowledged, ${events.length} told`,
    );
  }
}

export function checkEvents(ours: OurBooks, found: Found): void {
  const byCheckout = grouped(ours.events, ({ checkoutId }) => checkoutId);
  const shares = grouped(ours.shares, ({ checkoutId }) => checkoutId);
  for (const checkout of ours.checkouts) {
    const events = byCheckout.get(checkout.id) ?? [];
    checkStory(checkout, events, found);
    checkSteps(checkout, shares.get(checkout.id) ?? [], events, found);
  }
}

/** Only what was held can be any of these; some were held more than once. */
const HELD = new Set(['held', 'captured', 'released', 'refunded']);
const CHARGED = new Set(['captured', 'refunded']);

/** Each share that was held, and each step on the way to the end, has its own event. */
function checkSteps(
  checkout: CheckoutRow,
  shares: readonly ShareRow[],
  events: readonly EventRow[],
  found: Found,
): void {
  const say = (what: string): void => found('one event for each change', checkout.id, what);
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  const held = shares.filter(({ status }) => HELD.has(status)).length;
  if (count('share.held') < held) say(`${held} shares were held, share.held was told ${count('share.held')} times`);
  if (shares.length > 0 && count('checkout.collecting') === 0)
    say('it has a party, checkout.collecting was never told');
  const isCharged = checkout.status === 'completed' || shares.some(({ status }) => CHARGED.has(status));
  if (isCharged && count('checkout.funded') === 0) say('it was charged for, checkout.funded was never told');
  for (const { type, status, sequence } of events) {
    const stateInType = /^checkout\.(.+)$/.exec(type)?.[1]?.replace('created', 'open');
    if (stateInType !== undefined && stateInType !== status)
      say(`event ${sequence} is ${type} and shows it as ${status}`);
  }
}

function checkStory(checkout: CheckoutRow, events: readonly EventRow[], found: Found): void {
  const say = (what: string): void => found('one event for each change', checkout.id, what);
  if (events.some(({ sequence }, place) => sequence !== place + 1)) {
    say(`its events are numbered ${events.map(({ sequence }) => sequence).join(', ')}`);
  }
  if (events[0]?.type !== 'checkout.created') say(`its first event is ${events[0]?.type}`);
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  for (const type of ['created', 'completed', 'expired', 'canceled']) {
    const expected = type === 'created' || type === checkout.status ? 1 : 0;
    if (count(`checkout.${type}`) !== expected) say(`checkout.${type} was told ${count(`checkout.${type}`)} times`);
  }
  const last = events.at(-1);
  if (last?.status !== checkout.status) say(`it was last told as ${last?.status} and is ${checkout.status}`);
  if (last?.refundedAmount !== checkout.refundedAmount) say('its last event tells another refunded_amount');
  let before: CheckoutStatus = 'open';
  for (const { status, sequence } of events) {
    const next = status as CheckoutStatus;
    if (next !== before && !CHECKOUT_TRANSITIONS[before].includes(next))
      say(`event ${sequence} goes from ${before} to ${next}`);
    before = next;
  }
}

export function checkShares(ours: OurBooks, found: Found): void {
  const byCheckout = grouped(
    ours.shares.filter(({ dropped }) => !dropped),
    ({ checkoutId }) => checkoutId,
  );
  const holds = grouped(ours.holds, ({ shareId }) => shareId);
  for (const checkout of ours.checkouts) {
    const party = byCheckout.get(checkout.id) ?? [];
    const sum = sumOf(party, ({ amount }) => amount);
    if (party.length > 0 && sum !== checkout.amount)
      found('shares sum to the amount', checkout.id, `they sum to ${sum}`);
    for (const share of party) {
      const wanted = share.status === 'held' ? 'held' : 'captured';
      const backed = (holds.get(share.id) ?? []).filter(({ status }) => status === wanted).length;
      const needs = ['held', 'captured', 'refunded'].includes(share.status) && share.amount > 0;
      if (needs && backed !== 1) {
        found('a share has its hold', checkout.id, `${share.id} is ${share.status} with ${backed} holds ${wanted}`);
      }
    }
  }
}
