// The capture of a funded checkout: verify every hold, commit the decision, capture all, record. It can stop between any two
// lines and be taken up again by anybody: what was decided is in the rows, and a capture whose outcome is
// not known is asked for again under the same key.

import { callKeys, type HoldState } from '../../payments/hold.ts';
import { type HoldFacts, type Processor, ProcessorRefusal, ProcessorUnavailable } from '../../payments/processor.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { decideUnderLock, type PaymentServices, processorFor, retryAt } from '../payment-services.ts';
import { claimFunded, claimFundedDue, readCheckout, venuesWithFundedDue } from '../queries.ts';
import { beginCaptures, type CaptureOutcome, hasBegun, partyHolds, recordCaptures } from './decide-capture.ts';

const LEASE_MS = 60_000;
/** How many calls about one checkout are under way at once. */
const MAX_CONCURRENT_CALLS = 16;

/** The explicit step of the worker: takes up to `batch` funded checkouts that are due. Answers how many. */
export async function captureDue(services: PaymentServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const venues = await venuesWithFundedDue(services.db, now, batch);
  const claimed = await Promise.all(
    venues.map(async ({ venueId, due }) => {
      const found = await claimFundedDue(services.db, venueId, now, now + LEASE_MS, due);
      return found.map((one) => ({ venueId, ...one }));
    }),
  );
  const due = claimed.flat();
  const settled = await Promise.allSettled(
    due.map(({ venueId, id, leaseToken }) => captureClaimed(services, venueId, id, leaseToken)),
  );
  for (const one of settled) {
    if (one.status === 'rejected') services.log.error({ err: one.reason }, 'a capture stopped; it is taken up again');
  }
  return due.length;
}

/** Takes one up at once, due or not. */
export async function captureFunded(services: PaymentServices, venueId: string, checkoutId: string): Promise<void> {
  const leaseToken = await claimFunded(services.db, venueId, checkoutId, services.clock.now() + LEASE_MS);
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
    const begun = hasBegun(checkout) || (await verifyAndBegin(services, processor, checkout, leaseToken));
    if (begun) await captureAll(services, processor, venueId, checkoutId, leaseToken);
  } catch (error) {
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ checkout: checkoutId, err: error }, 'the captures are taken up again');
    await decideUnderLock(services, venueId, checkoutId, (present, now) => ({
      steps: hasLease(present, leaseToken) ? [{ step: 'schedule retry', at: retryAt(now, leaseToken) }] : [],
      result: null,
    }));
  }
}

function hasLease(checkout: LockedCheckout, leaseToken: number): boolean {
  return checkout.status === 'funded' && checkout.leaseToken === leaseToken;
}

/** Every hold is asked about; when all stand, the decision to capture is committed. Answers whether it was. */
async function verifyAndBegin(
  services: PaymentServices,
  processor: Processor,
  checkout: LockedCheckout,
  leaseToken: number,
): Promise<boolean> {
  const facts = new Map<string, HoldFacts>();
  await forEachConcurrently(partyHolds(checkout), async (hold) => {
    if (hold.intentId !== null) facts.set(hold.id, await processor.retrieveHold(hold.intentId));
  });
  const begun = await decideUnderLock(services, checkout.venueId, checkout.id, (present, now) => {
    const steps = hasLease(present, leaseToken) ? beginCaptures(present, facts, now) : [];
    return { steps, result: steps.some(({ step }) => step === 'begin captures') };
  });
  return begun === true;
}

async function captureAll(
  services: PaymentServices,
  processor: Processor,
  venueId: string,
  checkoutId: string,
  leaseToken: number,
): Promise<void> {
  const checkout = await readCheckout(services.db, venueId, checkoutId);
  if (checkout === null || !hasLease(checkout, leaseToken)) return;
  const outcomes = new Map<string, CaptureOutcome>();
  const capturing = checkout.holds.filter(({ status }) => status === 'capturing');
  await forEachConcurrently(capturing, async (hold) => {
    outcomes.set(hold.id, await captureOne(services, processor, hold));
  });
  await decideUnderLock(services, venueId, checkoutId, (present, now) => ({
    steps: hasLease(present, leaseToken)
      ? recordCaptures(present, outcomes, {
          now,
          newId: () => services.ids.uuid(),
          payoutDelay: services.payoutDelay,
          tryAgainAt: retryAt(now, leaseToken),
        })
      : [],
    result: null,
  }));
}

async function captureOne(services: PaymentServices, processor: Processor, hold: HoldState): Promise<CaptureOutcome> {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} is capturing and has no intent`);
  try {
    const facts = await processor.capture(hold.intentId, hold.amount, callKeys.capture(hold));
    if (facts.status === 'captured' && facts.captured === hold.amount) {
      return { outcome: 'captured', chargeId: facts.chargeId };
    }
    services.log.error({ hold: hold.id, standing: facts.status }, 'a capture answered what a capture cannot answer');
    return { outcome: 'unknown', isNotNow: false };
  } catch (error) {
    if (error instanceof ProcessorRefusal) {
      services.log.warn(
        { hold: hold.id, checkout: hold.checkoutId, code: error.code },
        'a capture was refused for good',
      );
      return { outcome: 'refused', code: error.code };
    }
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ hold: hold.id, checkout: hold.checkoutId, err: error }, 'a capture is tried again');
    return { outcome: 'unknown', isNotNow: error.isTemporary };
  }
}

/** A few at a time; the first failure is thrown once all that began have ended. */
async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(MAX_CONCURRENT_CALLS, items.length) }, lane));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
