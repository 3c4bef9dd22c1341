// One look at one hold: whatever it waits for is asked of the processor and recorded. Each kind of look is reserve → call →
// record: the hold's status is the reservation, the call has a key that never changes, and what comes back is judged under
// the checkout's row lock. Whoever began an earlier turn is late and writes nothing.

import { closedUntil, countDecline } from '../../payments/decline-queries.ts';
import { callKeys, type HoldState, marksOf } from '../../payments/hold.ts';
import {
  type HoldFacts,
  type HoldsPage,
  insistOnLease,
  type Processor,
  ProcessorRefusal,
  ProcessorTrouble,
} from '../../payments/processor.ts';
import { claimHold, claimHolds, findHold, lockTurn, venuesWithDueHolds } from '../../payments/queries.ts';
import { captureFunded } from '../capture/capture.ts';
import { recordRelease } from '../capture/decide-capture.ts';
import type { Standing } from '../locked-checkout.ts';
import { type Decided, type MoneyParts, processorFor, retryAt } from '../payment-services.ts';
import { lockCheckout, readCheckout } from '../queries.ts';
import type { Step } from '../steps.ts';
import { writeSteps } from '../write-steps.ts';
import { decideRenewal, learn, lookLater, nextLook, notNow, refused } from './decide-hold.ts';

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
export async function settleDueHolds(parts: MoneyParts, batch: number): Promise<number> {
  const now = parts.clock.now();
  const venues = await venuesWithDueHolds(parts.db, now, batch);
  const claimed = await Promise.all(
    venues.map(({ venueId, due }) => claimHolds(parts.db, venueId, now, now + LEASE_MS, due)),
  );
  const holds = claimed.flat();
  const settled = await Promise.allSettled(holds.map((hold) => settleHold(parts, hold, now + LEASE_MS)));
  for (const one of settled) {
    if (one.status === 'rejected')
      parts.log.error({ err: one.reason }, 'a hold could not be settled; it is tried again');
  }
  return holds.length;
}

/** Looks at one hold now, due or not. Answers the turn in which it did; null: it is over, or the processor did not say. */
export async function settleHoldNow(parts: MoneyParts, venueId: string, holdId: string): Promise<number | null> {
  const leaseEnds = parts.clock.now() + LEASE_MS;
  const hold = await claimHold(parts.db, venueId, holdId, leaseEnds);
  if (hold === null) return null;
  const settled = await settleHold(parts, hold, leaseEnds);
  if (settled === 'last') await captureFunded(parts, venueId, hold.checkoutId);
  return settled === 'unknown' ? null : hold.turn;
}

/** Last: the captures of its checkout are due, and come with the next turn of their loop. */
type Settled = 'settled' | 'last' | 'unknown';

async function settleHold(parts: MoneyParts, hold: HoldState, leaseEnds: number): Promise<Settled> {
  try {
    const isLast = (await LOOKS[hold.status]?.(parts, hold, leaseEnds)) === true;
    return isLast ? 'last' : 'settled';
  } catch (error) {
    if (error instanceof ProcessorRefusal) {
      const { code } = error;
      parts.log.warn({ hold: hold.id, checkout: hold.checkoutId, code }, 'the processor has refused a hold');
      const isLast = await record(parts, hold, (standing, now) => refused(standing, hold.id, code, now));
      return isLast ? 'last' : 'settled';
    }
    if (!(error instanceof ProcessorTrouble)) throw error;
    parts.log.warn({ hold: hold.id, checkout: hold.checkoutId, err: error }, 'the processor is asked again');
    const { isNotNow } = error;
    await record(parts, hold, (standing, now) =>
      isNotNow ? notNow(standing, hold.id, now) : [lookLater(hold.id, now + (hold.turn < OFTEN ? SOON : LATER))],
    );
    return 'unknown';
  }
}

type Look = (parts: MoneyParts, hold: HoldState, leaseEnds: number) => Promise<boolean>;

const LOOKS: Partial<Record<HoldState['status'], Look>> = {
  asked: (parts, hold, leaseEnds) =>
    hold.renews === null ? openAsked(parts, hold, leaseEnds) : renewAsked(parts, hold, hold.renews, leaseEnds),
  open: lookAt,
  held: lookAtHeld,
  releasing: letGo,
};

/** Judges under the lock, unless somebody else has begun a later turn. Answers whether this has funded the checkout. */
async function record(
  parts: MoneyParts,
  hold: HoldState,
  decide: (standing: Standing, now: number) => readonly Step[],
): Promise<boolean> {
  const decided = (standing: Standing, now: number): Decided<boolean> => {
    const steps = standing.holds.some(({ id }) => id === hold.id) ? decide(standing, now) : [];
    return { steps, answer: steps.some((step) => step.step === 'move checkout' && step.to === 'funded') };
  };
  return (await decideInTurn(parts, hold, decided)) === true;
}

/** Under the checkout's lock and the hold's: null when somebody has begun a later turn. */
async function decideInTurn<T>(
  parts: MoneyParts,
  hold: HoldState,
  decide: (standing: Standing, now: number) => Decided<T>,
): Promise<T | null> {
  const { venueId, checkoutId } = hold;
  return parts.db.transaction(async (tx) => {
    const [standing, turn] = await Promise.all([lockCheckout(tx, venueId, checkoutId), lockTurn(tx, venueId, hold.id)]);
    if (standing === null || turn !== hold.turn) return null;
    const now = parts.clock.now();
    const { steps, answer } = decide(standing, now);
    await writeSteps(tx, { ids: parts.ids, now }, standing, steps);
    return answer;
  });
}

/** Makes the payment intent, or finds the one that an earlier try made: the key is the same. */
async function openAsked(parts: MoneyParts, hold: HoldState, leaseEnds: number): Promise<boolean> {
  const processor = processorFor(parts, hold.mode);
  // After a day nobody waits for it, and nobody was ever given its secret: no card can be held by it.
  if (isForgotten(parts, hold)) throw new ProcessorRefusal('asked_too_long_ago', 'it was asked for too long ago');
  const standing = await readCheckout(parts.db, hold.venueId, hold.checkoutId);
  const marks = marksOf(hold);
  const customerId = hold.keepsCard ? await processor.openCustomer(callKeys.customer(hold.id), marks) : null;
  insistOnLease(parts.clock, leaseEnds);
  const opened = await processor.openHold({
    key: callKeys.open(hold.id),
    amount: hold.amount,
    currency: hold.currency,
    description: standing?.description ?? '',
    marks,
    customerId,
  });
  const clientSecret = parts.seal.seal(opened.clientSecret, `hold ${hold.venueId} ${hold.id}`);
  return record(parts, hold, (now_, now) => {
    const present = now_.holds.find(({ id }) => id === hold.id);
    const news = { intentId: opened.intentId, clientSecret, customerId };
    if (present?.status === 'asked') {
      return [{ step: 'move hold', id: hold.id, from: 'asked', to: 'open', news, dueAt: nextLook(hold, now) }];
    }
    // Meanwhile nobody wants it any more: what is known now lets it be released.
    return [{ step: 'note hold', id: hold.id, news, dueAt: now }];
  });
}

/** A key is kept for a day at the least. What was asked for longer ago is looked for, and never asked for again. */
function isForgotten({ clock }: MoneyParts, hold: HoldState): boolean {
  return hold.turn > 1 && clock.now() - hold.createdAt > KEY_LIFE;
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

async function lookAt(parts: MoneyParts, hold: HoldState): Promise<boolean> {
  const facts = await processorFor(parts, hold.mode).lookAt(intentOf(hold));
  const isClosed = hold.status === 'open' && facts.refusal !== null && (await countAndJudge(parts, hold, facts));
  return record(parts, hold, (standing, now) => learn(standing, hold.id, facts, now, isClosed));
}

/** A card was declined: counted, if no notice has done so. Answers whether the card form of this share is closed now. */
async function countAndJudge(parts: MoneyParts, hold: HoldState, { decline }: HoldFacts): Promise<boolean> {
  const { db, clock } = parts;
  const { venueId, id: holdId, mode, shareId } = hold;
  const now = clock.now();
  if (decline !== null && now - decline.at < HOUR) {
    await countDecline(db, { venueId, holdId, mode, declineId: decline.chargeId, at: Math.min(decline.at, now) });
  }
  return (await closedUntil(db, { venueId, shareId, by: { holdId } }, now)) !== null;
}

/** A hold that stands is renewed before it lapses; one that cannot be renewed is only looked at. */
async function lookAtHeld(parts: MoneyParts, hold: HoldState): Promise<boolean> {
  const freshId = await decideInTurn(parts, hold, (standing, now) => {
    const renewal = decideRenewal(standing, hold.id, now, () => parts.ids.uuid());
    return { steps: renewal?.steps ?? [], answer: renewal?.freshId ?? null };
  });
  if (freshId === null) return lookAt(parts, hold);
  await settleHoldNow(parts, hold.venueId, freshId);
  return false;
}

async function renewAsked(parts: MoneyParts, fresh: HoldState, renews: string, leaseEnds: number): Promise<boolean> {
  const facts = await renewed(parts, fresh, renews, leaseEnds);
  return record(parts, fresh, (standing, now) => learn(standing, fresh.id, facts, now));
}

/** The new hold on the card that was kept; a refusal when there is no such card, or its bank says no. */
async function renewed(parts: MoneyParts, fresh: HoldState, renews: string, leaseEnds: number): Promise<HoldFacts> {
  if (isForgotten(parts, fresh)) {
    const made = await findByMarks(processorFor(parts, fresh.mode), fresh);
    if (made === null) throw new ProcessorRefusal('resource_missing', 'it was never made');
    return made;
  }
  const old = await findHold(parts.db, fresh.venueId, renews);
  const standing = await readCheckout(parts.db, fresh.venueId, fresh.checkoutId);
  if (old === null || old.customerId === null || old.paymentMethodId === null) {
    throw new ProcessorRefusal('no_card_kept', 'the card of this hold was not kept');
  }
  insistOnLease(parts.clock, leaseEnds);
  return processorFor(parts, fresh.mode).renewHold({
    key: callKeys.open(fresh.id),
    amount: fresh.amount,
    currency: fresh.currency,
    description: standing?.description ?? '',
    marks: marksOf(fresh),
    customerId: old.customerId,
    paymentMethodId: old.paymentMethodId,
  });
}

/** Lets go of a hold. Where it is not known whether it was ever made, it is made known first: by the same key. */
async function letGo(parts: MoneyParts, hold: HoldState, leaseEnds: number): Promise<boolean> {
  if (hold.intentId === null) return letGoOfUnknown(parts, hold, leaseEnds);
  const settings = {
    now: parts.clock.now(),
    newId: () => parts.ids.uuid(),
    payoutDelay: parts.payoutDelay,
    tryAgainAt: retryAt(parts.clock.now(), 0),
  };
  const outcome = await released(parts, hold, intentOf(hold));
  return record(parts, hold, (standing) => recordRelease(standing, hold.id, outcome, settings));
}

async function released(parts: MoneyParts, hold: HoldState, intentId: string): Promise<'released' | 'captured'> {
  try {
    await processorFor(parts, hold.mode).release(intentId, callKeys.release(hold.id));
    return 'released';
  } catch (error) {
    if (error instanceof ProcessorRefusal && error.code === 'already_captured') return 'captured';
    throw error;
  }
}

/** A renewal that nobody wants any more: what the same call finds out lets it be released. */
async function letGoOfUnknown(parts: MoneyParts, hold: HoldState, leaseEnds: number): Promise<boolean> {
  // The first to look at it at all: it was never asked for.
  if (hold.turn === 1) throw new ProcessorRefusal('never_asked', 'it was never asked for');
  if (hold.renews === null) return openAsked(parts, hold, leaseEnds);
  const { intentId } = await renewed(parts, hold, hold.renews, leaseEnds);
  return record(parts, hold, (_, now) => [{ step: 'note hold', id: hold.id, news: { intentId }, dueAt: now }]);
}

function intentOf(hold: HoldState): string {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} is ${hold.status} and has no intent`);
  return hold.intentId;
}
