// Captures a funded checkout: verifies every hold, commits the decision to capture, captures all holds, records the
// outcomes. A worker can stop at any point and another one can continue: the decisions are in the rows, and a capture
// with an unknown outcome is repeated under the same idempotency key, or under the next one after a stored failure.

import { callKeys, type HoldState } from '../../payments/hold.ts';
import { lockPayoutAccount } from '../../payments/payout-account-queries.ts';
import { type HoldFacts, type Processor, ProcessorRefusal, ProcessorUnavailable } from '../../payments/processor.ts';
import { confirmPayable } from '../../payments/refresh-payout-accounts.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import {
  decideInTransaction,
  decideUnderLock,
  type PaymentServices,
  processorFor,
  retryAt,
} from '../payment-services.ts';
import { leaseCaptures, readCheckout } from '../queries.ts';
import {
  beginCaptures,
  type CaptureOutcome,
  hasBegunCapturing,
  partyHolds,
  recordCaptures,
  waitUntilPayable,
} from './decide-capture.ts';
import { claimDueCaptures, venuesWithDueCaptures } from './queries.ts';

export const CAPTURE_LEASE_MS = 60_000;
/** Processor calls for one checkout at the same time. */
const MAX_CONCURRENT_CALLS = 16;

/** One step of the worker: captures up to `batch` funded checkouts that are due. Returns how many it claimed. */
export async function captureDue(services: PaymentServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const venues = await venuesWithDueCaptures(services.db, now, batch);
  const claimed = await Promise.all(
    venues.map(async ({ venueId, due }) => {
      const checkouts = await claimDueCaptures(services.db, venueId, now, now + CAPTURE_LEASE_MS, due);
      return checkouts.map((checkout) => ({ venueId, ...checkout }));
    }),
  );
  const due = claimed.flat();
  const settled = await Promise.allSettled(
    due.map(({ venueId, id, leaseToken }) => captureClaimed(services, venueId, id, leaseToken)),
  );
  for (const result of settled) {
    if (result.status === 'rejected')
      services.log.error({ err: result.reason }, 'capture failed; the worker retries it');
  }
  return due.length;
}

/** Captures one funded checkout now, due or not. */
export async function captureFunded(services: PaymentServices, venueId: string, checkoutId: string): Promise<void> {
  const leaseToken = await leaseCaptures(services.db, venueId, checkoutId, services.clock.now() + CAPTURE_LEASE_MS);
  if (leaseToken !== null) await captureClaimed(services, venueId, checkoutId, leaseToken);
}

async function captureClaimed(
  services: PaymentServices,
  venueId: string,
  checkoutId: string,
  leaseToken: number,
): Promise<void> {
  const checkout = await readCheckout(services.db, venueId, checkoutId);
  if (checkout?.status !== 'funded') return;
  const processor = processorFor(services, checkout.mode);
  try {
    const hasBegun = hasBegunCapturing(checkout) || (await verifyAndBegin(services, processor, checkout, leaseToken));
    if (!hasBegun) return;
    const begun = await readCheckout(services.db, venueId, checkoutId);
    if (begun !== null && hasLease(begun, leaseToken)) await captureAll(services, begun);
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn(
      { checkout: checkoutId, err: error },
      'the processor is unavailable; the worker retries the captures',
    );
    await decideUnderLock(services, venueId, checkoutId, (locked, now) => ({
      steps: hasLease(locked, leaseToken)
        ? [{ step: 'schedule retry', at: retryAt(now, leaseToken), reason: error.message }]
        : [],
      result: null,
    }));
  }
}

function hasLease(checkout: LockedCheckout, leaseToken: number): boolean {
  return checkout.status === 'funded' && checkout.leaseToken === leaseToken;
}

/** Retrieves holds of the party, and asks whether the venue can be paid; null: it cannot, so no card may be charged. */
export async function verifyParty(
  services: PaymentServices,
  processor: Processor,
  { venueId, mode }: LockedCheckout,
  holds: readonly HoldState[],
): Promise<Map<string, HoldFacts> | null> {
  const facts = new Map<string, HoldFacts>();
  const [isPayable] = await Promise.all([
    confirmPayable(services, venueId, mode),
    forEachConcurrently(holds, async (hold) => {
      if (hold.intentId !== null) facts.set(hold.id, await processor.retrieveHold(hold.intentId));
    }),
  ]);
  return isPayable ? facts : null;
}

/**
 * Asks whether the venue can be paid, and retrieves every hold. If it can, and all are still held, commits the decision to
 * capture. Returns whether it was committed.
 */
async function verifyAndBegin(
  services: PaymentServices,
  processor: Processor,
  checkout: LockedCheckout,
  leaseToken: number,
): Promise<boolean> {
  const facts = await verifyParty(services, processor, checkout, partyHolds(checkout));
  if (facts === null) {
    await decideUnderLock(services, checkout.venueId, checkout.id, (locked, now) => ({
      steps: hasLease(locked, leaseToken) ? waitUntilPayable(locked, now) : [],
      result: null,
    }));
    services.log.warn(
      { checkout: checkout.id, venue: checkout.venueId },
      'no card is charged: the venue cannot be paid',
    );
    return false;
  }
  const { venueId, id, mode } = checkout;
  const hasBegun = await services.db.transaction(async (tx) => {
    // No card is charged once it is known that the venue cannot be paid.
    if (mode === 'live') await lockPayoutAccount(tx, venueId, mode);
    return decideInTransaction(tx, services, venueId, id, (locked, now) => {
      const steps = hasLease(locked, leaseToken) ? beginCaptures(locked, facts, now) : [];
      return { steps, result: steps.some(({ step }) => step === 'begin captures') };
    });
  });
  return hasBegun === true;
}

/** The captures of the checkout have begun, and the caller has their lease. Charges every card, and records the outcomes. */
export async function captureAll(services: PaymentServices, checkout: LockedCheckout): Promise<void> {
  const { venueId, id: checkoutId, leaseToken } = checkout;
  const processor = processorFor(services, checkout.mode);
  const outcomes = new Map<string, CaptureOutcome>();
  const capturing = checkout.holds.filter(({ status }) => status === 'capturing');
  await forEachConcurrently(capturing, async (hold) => {
    outcomes.set(hold.id, await captureOne(services, processor, hold));
  });
  await decideUnderLock(services, venueId, checkoutId, (locked, now) => ({
    steps: hasLease(locked, leaseToken)
      ? recordCaptures(locked, outcomes, {
          now,
          newId: () => services.ids.uuid(),
          payoutDelay: services.payoutDelay,
          retryAt: retryAt(now, leaseToken),
        })
      : [],
    result: null,
  }));
}

async function captureOne(services: PaymentServices, processor: Processor, hold: HoldState): Promise<CaptureOutcome> {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} is capturing but has no intent`);
  try {
    const facts = await processor.capture(hold.intentId, hold.amount, callKeys.capture(hold));
    if (facts.status === 'captured' && facts.captured === hold.amount) {
      return { outcome: 'captured', chargeId: facts.chargeId, processorFee: facts.processorFee };
    }
    services.log.error({ hold: hold.id, status: facts.status }, 'the processor answered a capture with another state');
    return { outcome: 'unknown', isKeySpent: false, reason: `the processor says that the charge is ${facts.status}` };
  } catch (error) {
    if (error instanceof ProcessorRefusal) {
      services.log.warn(
        { hold: hold.id, checkout: hold.checkoutId, code: error.code },
        'the processor refused a capture permanently',
      );
      return { outcome: 'refused', code: error.code };
    }
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn(
      { hold: hold.id, checkout: hold.checkoutId, err: error },
      'the outcome of a capture is unknown; the worker retries it',
    );
    return { outcome: 'unknown', isKeySpent: error.kind !== 'no_answer', reason: error.message };
  }
}

/** Runs `work` for MAX_CONCURRENT_CALLS items at a time. Throws the first failure once every started call has ended. */
async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  const results = await Promise.allSettled(
    Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, items.length) }, worker),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
