// One look at one hold: whatever it waits for is asked of the processor and recorded. Each kind of look is reserve → call →
// record: the hold's status is the reservation, the call has a key that never changes, and what comes back is judged under
// the checkout's row lock. Whoever began an earlier turn is late and writes nothing.

import { cardFormClosedUntil, countDecline } from '../../payments/decline-queries.ts';
import { callKeys, type HoldState, marksOf } from '../../payments/hold.ts';
import {
  type HoldFacts,
  type HoldsPage,
  type Processor,
  ProcessorRefusal,
  ProcessorUnavailable,
  requireLease,
} from '../../payments/processor.ts';
import { claimHold, claimHolds, findHold, lockLease, venuesWithDueHolds } from '../../payments/queries.ts';
import { captureFunded } from '../capture/capture.ts';
import { recordRelease } from '../capture/decide-capture.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { type Decision, type PaymentServices, processorFor, retryAt } from '../payment-services.ts';
import { lockCheckout, readCheckout } from '../queries.ts';
import type { Step } from '../steps.ts';
import { writeSteps } from '../write-steps.ts';
import { decideFromFacts, decideRefused, decideRenewal, nextPollAt, postponePoll, retryLater } from './decide-hold.ts';

/** Long enough for a call and its time-out; after that another worker may look. */
const LEASE_MS = 60_000;
const KEY_LIFE = 20 * 3_600_000;
const HOUR = 3_600_000;
const CLOCKS_DIFFER = 600_000;
/** After trouble a guest is waiting: soon at first, later when it lasts. */
const SOON = 5_000;
const LATER = 60_000;
const OFTEN = 50;

/** The explicit step of the worker: looks at up to `batch` holds that are due. Answers how many. */
export async function settleDueHolds(services: PaymentServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const venues = await venuesWithDueHolds(services.db, now, batch);
  const claimed = await Promise.all(
    venues.map(({ venueId, due }) => claimHolds(services.db, venueId, now, now + LEASE_MS, due)),
  );
  const holds = claimed.flat();
  const settled = await Promise.allSettled(holds.map((hold) => settleHold(services, hold, now + LEASE_MS)));
  for (const one of settled) {
    if (one.status === 'rejected')
      services.log.error({ err: one.reason }, 'a hold could not be settled; it is tried again');
  }
  return holds.length;
}

/** Looks at one hold now, due or not. Answers the turn in which it did; null: it is over, or the processor did not say. */
export async function settleHoldNow(
  services: PaymentServices,
  venueId: string,
  holdId: string,
): Promise<number | null> {
  const leaseEnds = services.clock.now() + LEASE_MS;
  const hold = await claimHold(services.db, venueId, holdId, leaseEnds);
  if (hold === null) return null;
  const settled = await settleHold(services, hold, leaseEnds);
  if (settled === 'last') await captureFunded(services, venueId, hold.checkoutId);
  return settled === 'unknown' ? null : hold.leaseToken;
}

/** Last: the captures of its checkout are due, and come with the next turn of their loop. */
type Settled = 'settled' | 'last' | 'unknown';

async function settleHold(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<Settled> {
  try {
    const isLast = (await LOOKS[hold.status]?.(services, hold, leaseEnds)) === true;
    return isLast ? 'last' : 'settled';
  } catch (error) {
    if (error instanceof ProcessorRefusal) {
      const { code } = error;
      services.log.warn({ hold: hold.id, checkout: hold.checkoutId, code }, 'the processor has refused a hold');
      const isLast = await record(services, hold, (checkout, now) => decideRefused(checkout, hold.id, code, now));
      return isLast ? 'last' : 'settled';
    }
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ hold: hold.id, checkout: hold.checkoutId, err: error }, 'the processor is asked again');
    const { isTemporary: isNotNow } = error;
    await record(services, hold, (checkout, now) =>
      isNotNow
        ? retryLater(checkout, hold.id, now)
        : [postponePoll(hold.id, now + (hold.leaseToken < OFTEN ? SOON : LATER))],
    );
    return 'unknown';
  }
}

type Look = (services: PaymentServices, hold: HoldState, leaseEnds: number) => Promise<boolean>;

const LOOKS: Partial<Record<HoldState['status'], Look>> = {
  asked: (services, hold, leaseEnds) =>
    hold.renews === null ? openAsked(services, hold, leaseEnds) : renewAsked(services, hold, hold.renews, leaseEnds),
  open: lookAt,
  held: lookAtHeld,
  releasing: letGo,
};

/** Judges under the lock, unless somebody else has begun a later turn. Answers whether this has funded the checkout. */
async function record(
  services: PaymentServices,
  hold: HoldState,
  decide: (checkout: LockedCheckout, now: number) => readonly Step[],
): Promise<boolean> {
  const decided = (checkout: LockedCheckout, now: number): Decision<boolean> => {
    const steps = checkout.holds.some(({ id }) => id === hold.id) ? decide(checkout, now) : [];
    return { steps, result: steps.some((step) => step.step === 'move checkout' && step.to === 'funded') };
  };
  return (await decideInTurn(services, hold, decided)) === true;
}

/** Under the checkout's lock and the hold's: null when somebody has begun a later turn. */
async function decideInTurn<T>(
  services: PaymentServices,
  hold: HoldState,
  decide: (checkout: LockedCheckout, now: number) => Decision<T>,
): Promise<T | null> {
  const { venueId, checkoutId } = hold;
  return services.db.transaction(async (tx) => {
    const [checkout, leaseToken] = await Promise.all([
      lockCheckout(tx, venueId, checkoutId),
      lockLease(tx, venueId, hold.id),
    ]);
    if (checkout === null || leaseToken !== hold.leaseToken) return null;
    const now = services.clock.now();
    const { steps, result: answer } = decide(checkout, now);
    await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
    return answer;
  });
}

/** Makes the payment intent, or finds the one that an earlier try made: the key is the same. */
async function openAsked(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<boolean> {
  const processor = processorFor(services, hold.mode);
  // After a day nobody waits for it, and nobody was ever given its secret: no card can be held by it.
  if (isForgotten(services, hold)) throw new ProcessorRefusal('asked_too_long_ago', 'it was asked for too long ago');
  const checkout = await readCheckout(services.db, hold.venueId, hold.checkoutId);
  const marks = marksOf(hold);
  const customerId = hold.keepsCard ? await processor.createCustomer(callKeys.customer(hold.id), marks) : null;
  requireLease(services.clock, leaseEnds);
  const opened = await processor.createHold({
    key: callKeys.open(hold.id),
    amount: hold.amount,
    currency: hold.currency,
    description: checkout?.description ?? '',
    marks,
    customerId,
  });
  const clientSecret = services.seal.seal(opened.clientSecret, `hold ${hold.venueId} ${hold.id}`);
  return record(services, hold, (now_, now) => {
    const present = now_.holds.find(({ id }) => id === hold.id);
    const news = { intentId: opened.intentId, clientSecret, customerId };
    if (present?.status === 'asked') {
      return [{ step: 'move hold', id: hold.id, from: 'asked', to: 'open', news, dueAt: nextPollAt(hold, now) }];
    }
    // Meanwhile nobody wants it any more: what is known now lets it be released.
    return [{ step: 'update hold', id: hold.id, news, dueAt: now }];
  });
}

/** A key is kept for a day at the least. What was asked for longer ago is looked for, and never asked for again. */
function isForgotten({ clock }: PaymentServices, hold: HoldState): boolean {
  return hold.leaseToken > 1 && clock.now() - hold.createdAt > KEY_LIFE;
}

async function findByMarks(processor: Processor, hold: HoldState): Promise<HoldFacts | null> {
  let after: string | null = null;
  do {
    const page: HoldsPage = await processor.holdsSince(hold.createdAt - CLOCKS_DIFFER, after);
    const found = page.holds.find(({ marks }) => marks.holdId === hold.id);
    if (found !== undefined) return found;
    after = page.next;
  } while (after !== null);
  return null;
}

async function lookAt(services: PaymentServices, hold: HoldState): Promise<boolean> {
  const facts = await processorFor(services, hold.mode).retrieveHold(intentOf(hold));
  const isClosed = hold.status === 'open' && facts.refusal !== null && (await countAndJudge(services, hold, facts));
  return record(services, hold, (checkout, now) => decideFromFacts(checkout, hold.id, facts, now, isClosed));
}

/** A card was declined: counted, if no notice has done so. Answers whether the card form of this share is closed now. */
async function countAndJudge(services: PaymentServices, hold: HoldState, { decline }: HoldFacts): Promise<boolean> {
  const { db, clock } = services;
  const { venueId, id: holdId, mode, shareId } = hold;
  const now = clock.now();
  if (decline !== null && now - decline.at < HOUR) {
    await countDecline(db, { venueId, holdId, mode, declineId: decline.chargeId, at: Math.min(decline.at, now) });
  }
  return (await cardFormClosedUntil(db, { venueId, shareId, by: { holdId } }, now)) !== null;
}

/** A hold that stands is renewed before it lapses; one that cannot be renewed is only looked at. */
async function lookAtHeld(services: PaymentServices, hold: HoldState): Promise<boolean> {
  const freshId = await decideInTurn(services, hold, (checkout, now) => {
    const renewal = decideRenewal(checkout, hold.id, now, () => services.ids.uuid());
    return { steps: renewal?.steps ?? [], result: renewal?.freshId ?? null };
  });
  if (freshId === null) return lookAt(services, hold);
  await settleHoldNow(services, hold.venueId, freshId);
  return false;
}

async function renewAsked(
  services: PaymentServices,
  fresh: HoldState,
  renews: string,
  leaseEnds: number,
): Promise<boolean> {
  const facts = await renewed(services, fresh, renews, leaseEnds);
  return record(services, fresh, (checkout, now) => decideFromFacts(checkout, fresh.id, facts, now));
}

/** The new hold on the card that was kept; a refusal when there is no such card, or its bank says no. */
async function renewed(
  services: PaymentServices,
  fresh: HoldState,
  renews: string,
  leaseEnds: number,
): Promise<HoldFacts> {
  if (isForgotten(services, fresh)) {
    const made = await findByMarks(processorFor(services, fresh.mode), fresh);
    if (made === null) throw new ProcessorRefusal('resource_missing', 'it was never made');
    return made;
  }
  const old = await findHold(services.db, fresh.venueId, renews);
  const checkout = await readCheckout(services.db, fresh.venueId, fresh.checkoutId);
  if (old === null || old.customerId === null || old.paymentMethodId === null) {
    throw new ProcessorRefusal('no_card_kept', 'the card of this hold was not kept');
  }
  requireLease(services.clock, leaseEnds);
  return processorFor(services, fresh.mode).renewHold({
    key: callKeys.open(fresh.id),
    amount: fresh.amount,
    currency: fresh.currency,
    description: checkout?.description ?? '',
    marks: marksOf(fresh),
    customerId: old.customerId,
    paymentMethodId: old.paymentMethodId,
  });
}

/** Lets go of a hold. Where it is not known whether it was ever made, it is made known first: by the same key. */
async function letGo(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<boolean> {
  if (hold.intentId === null) return letGoOfUnknown(services, hold, leaseEnds);
  const settings = {
    now: services.clock.now(),
    newId: () => services.ids.uuid(),
    payoutDelay: services.payoutDelay,
    tryAgainAt: retryAt(services.clock.now(), 0),
  };
  const outcome = await released(services, hold, intentOf(hold));
  return record(services, hold, (checkout) => recordRelease(checkout, hold.id, outcome, settings));
}

async function released(
  services: PaymentServices,
  hold: HoldState,
  intentId: string,
): Promise<'released' | 'captured'> {
  try {
    await processorFor(services, hold.mode).release(intentId, callKeys.release(hold.id));
    return 'released';
  } catch (error) {
    if (error instanceof ProcessorRefusal && error.code === 'already_captured') return 'captured';
    throw error;
  }
}

/** A renewal that nobody wants any more: what the same call finds out lets it be released. */
async function letGoOfUnknown(services: PaymentServices, hold: HoldState, leaseEnds: number): Promise<boolean> {
  // The first to look at it at all: it was never asked for.
  if (hold.leaseToken === 1) throw new ProcessorRefusal('never_asked', 'it was never asked for');
  if (hold.renews === null) return openAsked(services, hold, leaseEnds);
  const { intentId } = await renewed(services, hold, hold.renews, leaseEnds);
  return record(services, hold, (_, now) => [{ step: 'update hold', id: hold.id, news: { intentId }, dueAt: now }]);
}

function intentOf(hold: HoldState): string {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} is ${hold.status} and has no intent`);
  return hold.intentId;
}
