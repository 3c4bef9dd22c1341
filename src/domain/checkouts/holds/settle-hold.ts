// Settles one hold: makes the processor call that the hold's status requires, and records the outcome. Reserve, call,
// record: the status is the reservation, the call's idempotency key changes only after the processor has stored a
// failure under it, and the outcome is decided under the checkout's row lock. A worker with a stale lease token writes
// nothing.

import { countDecline, declinesBlockUntil } from '../../payments/decline-queries.ts';
import { callKeys, type HoldState, holdMetadataOf, usesSavedCard } from '../../payments/hold.ts';
import { type HoldFacts, ProcessorRefusal, ProcessorUnavailable, requireLease } from '../../payments/processor.ts';
import { claimHold, claimHolds, findHold, venuesWithDueHolds } from '../../payments/queries.ts';
import { settleFee } from '../../payments/settle-fee.ts';
import { statementSuffix } from '../../payments/statement-suffix.ts';
import { isCharged } from '../../payments/transitions.ts';
import { findVenue } from '../../venues/queries.ts';
import { captureAll, captureFunded } from '../capture/capture.ts';
import { recordRelease } from '../capture/decide-capture.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { type PaymentServices, processorFor, retryAt } from '../payment-services.ts';
import { readCheckout } from '../queries.ts';
import type { Step } from '../steps.ts';
import { decideFromFacts, decideRefused, decideUnavailable, isLastOpenHold } from './decide-hold.ts';
import { decideRenewal } from './decide-renewal.ts';
import { nextPollAt } from './hold-steps.ts';
import { decideWithLease, recordSteps } from './record-settlement.ts';
import { type BegunCaptures, recordAndBegin, verifyOthers } from './settle-last-hold.ts';

/** Long enough for a call and its time-out. After that another worker may claim the hold. */
const LEASE_MS = 60_000;
/** The processor stores a key for 24 hours at least; this leaves a margin. */
const MAX_KEY_AGE_MS = 20 * 3_600_000;
const HOUR = 3_600_000;
/** A guest may be waiting for an unavailable processor: the first retries come soon, the later ones less often. */
const EARLY_RETRIES = 50;
const EARLY_RETRY_MS = 5_000;
const LATE_RETRY_MS = 60_000;

/** One step of the worker: settles up to `batch` due holds. Returns how many it claimed. */
export async function settleDueHolds(services: PaymentServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const venues = await venuesWithDueHolds(services.db, now, batch);
  const claimed = await Promise.all(
    venues.map(({ venueId, due }) => claimHolds(services.db, venueId, now, now + LEASE_MS, due)),
  );
  const holds = claimed.flat();
  const settled = await Promise.allSettled(holds.map((hold) => settleHold(services, hold, now + LEASE_MS, null)));
  for (const result of settled) {
    if (result.status === 'rejected')
      services.log.error({ err: result.reason }, 'settling a hold failed; the worker retries it');
  }
  return holds.length;
}

/**
 * Settles one hold now, due or not. Returns its lease token; null: it has ended, or the processor is unavailable. `seen` is
 * the checkout as the caller has just read it: if the party waits for this hold alone, the hold and the decision to
 * capture are one transaction.
 */
export async function settleHoldNow(
  services: PaymentServices,
  venueId: string,
  holdId: string,
  seen: LockedCheckout | null = null,
): Promise<number | null> {
  const leaseEnds = services.clock.now() + LEASE_MS;
  const hold = await claimHold(services.db, venueId, holdId, leaseEnds);
  if (hold === null) return null;
  const result = await settleHold(services, hold, leaseEnds, seen);
  if (result === 'funded') await captureFunded(services, venueId, hold.checkoutId);
  else if (typeof result === 'object') await captureAll(services, result.capturing);
  return result === 'unknown' ? null : hold.leaseToken;
}

/** Funded: this was the last hold. The checkout is due for capture: the caller or the capture worker does it. */
type SettleResult = 'settled' | 'funded' | 'unknown' | BegunCaptures;

async function settleHold(
  services: PaymentServices,
  hold: HoldState,
  leaseEnds: number,
  seen: LockedCheckout | null,
): Promise<SettleResult> {
  if (isCharged(hold.status)) {
    await settleFee(services, hold);
    return 'settled';
  }
  try {
    const result = (await SETTLE_BY_STATUS[hold.status]?.(services, hold, leaseEnds, seen)) ?? false;
    return typeof result === 'object' ? result : result ? 'funded' : 'settled';
  } catch (error) {
    if (error instanceof ProcessorRefusal) {
      const { code } = error;
      services.log.warn({ hold: hold.id, checkout: hold.checkoutId, code }, 'the processor refused a hold');
      const isFunded = await recordSteps(services, hold, (checkout, now) =>
        decideRefused(checkout, hold.id, code, now),
      );
      return isFunded ? 'funded' : 'settled';
    }
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn(
      { hold: hold.id, checkout: hold.checkoutId, err: error },
      'the processor is unavailable; the worker retries the hold',
    );
    const { kind } = error;
    const wait = hold.leaseToken < EARLY_RETRIES ? EARLY_RETRY_MS : LATE_RETRY_MS;
    await recordSteps(services, hold, (checkout, now) => decideUnavailable(checkout, hold.id, kind, now, now + wait));
    return 'unknown';
  }
}

/** Resolves to whether this has funded the checkout, or to the captures that it has begun as well. */
type SettleByStatus = (
  services: PaymentServices,
  hold: HoldState,
  leaseEnds: number,
  seen: LockedCheckout | null,
) => Promise<boolean | BegunCaptures>;

const SETTLE_BY_STATUS: Partial<Record<HoldState['status'], SettleByStatus>> = {
  requested: (services, hold, leaseEnds) =>
    usesSavedCard(hold)
      ? createRequestedRenewal(services, hold, leaseEnds)
      : createRequestedHold(services, hold, leaseEnds),
  open: (services, hold, _leaseEnds, seen) => pollHold(services, hold, seen),
  held: renewOrPollHold,
  releasing: releaseHold,
};

/**
 * Creates the payment intent. After an earlier attempt without an answer the processor returns the same intent for the
 * same key. After a failure it may create a second one; no guest has the secret of the first, so that one holds no money,
 * and reconciliation releases it.
 */
async function createRequestedHold(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<boolean> {
  const processor = processorFor(services, hold.mode);
  // No guest got the secret of a requested hold, so it can hold no card. After a day no guest waits for it either.
  if (isKeyExpired(services, hold))
    throw new ProcessorRefusal('request_expired', 'the hold was requested too long ago');
  const shown = await shownToPayer(services, hold);
  const metadata = holdMetadataOf(hold);
  const newCustomer = () => processor.createCustomer(callKeys.customer(hold), metadata);
  // A hold that a saved card of another share pays was added with the customer of that card.
  const customerId = hold.savesCard ? (hold.customerId ?? (await newCustomer())) : null;
  requireLease(services.clock, leaseEnds);
  const created = await processor.createHold({
    key: callKeys.open(hold),
    amount: hold.amount,
    currency: hold.currency,
    ...shown,
    metadata,
    customerId,
    needsLongHold: hold.savesCard,
  });
  const clientSecret = services.seal.seal(created.clientSecret, `hold ${hold.venueId} ${hold.id}`);
  return recordSteps(services, hold, (locked, now) => {
    const current = locked.holds.find(({ id }) => id === hold.id);
    const update = { intentId: created.intentId, clientSecret, customerId };
    if (current?.status === 'requested') {
      return [
        {
          step: 'transition hold',
          id: hold.id,
          from: 'requested',
          to: 'open',
          update,
          dueAt: nextPollAt(hold, now, locked.expiresAt),
        },
      ];
    }
    // The hold is being released meanwhile. Its intent is known now, so the next settlement can release it.
    return [{ step: 'update hold', id: hold.id, update, dueAt: now }];
  });
}

/** What the payer reads about the hold: in receipts, and on the card statement. */
async function shownToPayer(
  { db }: PaymentServices,
  { venueId, checkoutId }: HoldState,
): Promise<{ readonly description: string; readonly statementSuffix: string | null }> {
  const [checkout, venue] = await Promise.all([readCheckout(db, venueId, checkoutId), findVenue(db, venueId)]);
  return { description: checkout?.description ?? '', statementSuffix: statementSuffix(venue?.name ?? '') };
}

/** The processor may have forgotten the key: the call must not be made again, or it could create a second intent. */
function isKeyExpired({ clock }: PaymentServices, hold: HoldState): boolean {
  return hold.leaseToken > 1 && clock.now() - hold.createdAt > MAX_KEY_AGE_MS;
}

/** Asks the processor for the state of an open or held hold, and records what follows. */
async function pollHold(
  services: PaymentServices,
  hold: HoldState,
  seen: LockedCheckout | null = null,
): Promise<boolean | BegunCaptures> {
  const processor = processorFor(services, hold.mode);
  const [facts, others] = await Promise.all([
    processor.retrieveHold(intentOf(hold)),
    seen !== null && isLastOpenHold(seen, hold) ? verifyOthers(services, processor, seen, hold) : null,
  ]);
  const isBlockedByDeclines =
    hold.status === 'open' && facts.declineCode !== null && (await countDeclineAndCheckLimit(services, hold, facts));
  const decide = (checkout: LockedCheckout, now: number): readonly Step[] =>
    decideFromFacts(checkout, hold.id, facts, now, isBlockedByDeclines);
  if (others === null) return recordSteps(services, hold, decide);
  return recordAndBegin(services, hold, decide, new Map([...others, [hold.id, facts]]));
}

/** Counts a recent decline, if no processor event has done so. Returns whether declines block the share now. */
async function countDeclineAndCheckLimit(
  services: PaymentServices,
  hold: HoldState,
  { decline, declineCode: reason }: HoldFacts,
): Promise<boolean> {
  const { db, clock } = services;
  const { venueId, id: holdId, mode, shareId } = hold;
  const now = clock.now();
  if (decline !== null && now - decline.at < HOUR) {
    const at = Math.min(decline.at, now);
    await countDecline(db, { venueId, holdId, mode, declineId: decline.chargeId, at, reason });
  }
  return (await declinesBlockUntil(db, { venueId, shareId, by: { holdId } }, now)) !== null;
}

/** Renews a held hold that is about to lapse; polls any other. */
async function renewOrPollHold(services: PaymentServices, hold: HoldState): Promise<boolean | BegunCaptures> {
  const renewalId = await decideWithLease(services, hold, (checkout, now) => {
    const renewal = decideRenewal(checkout, hold.id, now, () => services.ids.uuid());
    return { steps: renewal?.steps ?? [], result: renewal?.renewalId ?? null };
  });
  if (renewalId === null) return pollHold(services, hold);
  await settleHoldNow(services, hold.venueId, renewalId);
  return false;
}

async function createRequestedRenewal(
  services: PaymentServices,
  renewal: HoldState,
  leaseEnds: number,
): Promise<boolean> {
  const facts = await createOrFindRenewal(services, renewal, leaseEnds);
  return recordSteps(services, renewal, (checkout, now) => decideFromFacts(checkout, renewal.id, facts, now));
}

/**
 * Holds the saved card again, or finds the renewal of an earlier attempt. Throws a refusal without a card or on a
 * decline.
 */
async function createOrFindRenewal(
  services: PaymentServices,
  renewal: HoldState,
  leaseEnds: number,
): Promise<HoldFacts> {
  const processor = processorFor(services, renewal.mode);
  const original = renewal.renews === null ? null : await findHold(services.db, renewal.venueId, renewal.renews);
  if (original === null || original.customerId === null || original.paymentMethodId === null) {
    throw new ProcessorRefusal('no_saved_card', 'the card of this hold was not saved');
  }
  const isExpired = isKeyExpired(services, renewal);
  // The processor has failed after it may have held the card, or has forgotten the key: a second call could hold it twice.
  if (isExpired || renewal.keyNumber > 0) {
    const found = await processor.findRenewal(original.customerId, renewal.id);
    if (found !== null) return found;
    if (isExpired || renewal.status === 'releasing')
      throw new ProcessorRefusal('resource_missing', 'the renewal was never created');
  }
  const shown = await shownToPayer(services, renewal);
  requireLease(services.clock, leaseEnds);
  return processor.renewHold({
    key: callKeys.open(renewal),
    amount: renewal.amount,
    currency: renewal.currency,
    ...shown,
    metadata: holdMetadataOf(renewal),
    needsLongHold: true,
    customerId: original.customerId,
    paymentMethodId: original.paymentMethodId,
  });
}

/** Releases a hold. When its intent is not known, the same create call or a search reveals it first. */
async function releaseHold(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<boolean> {
  if (hold.intentId === null) return releaseWithoutIntent(services, hold, leaseEnds);
  const settings = {
    now: services.clock.now(),
    newId: () => services.ids.uuid(),
    payoutDelay: services.payoutDelay,
    retryAt: retryAt(services.clock.now(), 0),
  };
  const outcome = await callRelease(services, hold, intentOf(hold));
  return recordSteps(services, hold, (checkout) => recordRelease(checkout, hold.id, outcome, settings));
}

async function callRelease(
  services: PaymentServices,
  hold: HoldState,
  intentId: string,
): Promise<'released' | 'captured'> {
  try {
    await processorFor(services, hold.mode).release(intentId, callKeys.release(hold));
    return 'released';
  } catch (error) {
    if (error instanceof ProcessorRefusal && error.code === 'already_captured') return 'captured';
    throw error;
  }
}

/** Learns the intent of a hold that is being released. The next settlement releases it. */
async function releaseWithoutIntent(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<boolean> {
  // This is the first claim, so no worker has called the processor for this hold.
  if (hold.leaseToken === 1) throw new ProcessorRefusal('never_requested', 'the hold was never requested');
  if (!usesSavedCard(hold)) return createRequestedHold(services, hold, leaseEnds);
  const { intentId } = await createOrFindRenewal(services, hold, leaseEnds);
  return recordSteps(services, hold, (_, now) => [
    { step: 'update hold', id: hold.id, update: { intentId }, dueAt: now },
  ]);
}

function intentOf(hold: HoldState): string {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} is ${hold.status} but has no intent`);
  return hold.intentId;
}
