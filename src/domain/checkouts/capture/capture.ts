// The capture of a funded checkout: verify every hold, commit the decision, capture all, record. It can stop between any two
// lines and be taken up again by anybody: what was decided is in the rows, and a capture whose outcome is
// not known is asked for again under the same key.

import { callKeys, type HoldState } from '../../payments/hold.ts';
import { type HoldFacts, type Processor, ProcessorRefusal, ProcessorTrouble } from '../../payments/processor.ts';
import type { Standing } from '../locked-checkout.ts';
import { decideUnderLock, type MoneyParts, processorFor, retryAt } from '../payment-services.ts';
import { claimFunded, claimFundedDue, readCheckout, venuesWithFundedDue } from '../queries.ts';
import { beginCaptures, type CaptureOutcome, hasBegun, partyHolds, recordCaptures } from './decide-capture.ts';

const LEASE_MS = 60_000;
/** How many calls about one checkout are under way at once. */
const AT_ONCE = 16;

/** The explicit step of the worker: takes up to `batch` funded checkouts that are due. Answers how many. */
export async function captureDue(parts: MoneyParts, batch: number): Promise<number> {
  const now = parts.clock.now();
  const venues = await venuesWithFundedDue(parts.db, now, batch);
  const claimed = await Promise.all(
    venues.map(async ({ venueId, due }) => {
      const found = await claimFundedDue(parts.db, venueId, now, now + LEASE_MS, due);
      return found.map((one) => ({ venueId, ...one }));
    }),
  );
  const due = claimed.flat();
  const settled = await Promise.allSettled(due.map(({ venueId, id, turn }) => turnOf(parts, venueId, id, turn)));
  for (const one of settled) {
    if (one.status === 'rejected') parts.log.error({ err: one.reason }, 'a capture stopped; it is taken up again');
  }
  return due.length;
}

/** Takes one up at once, due or not. */
export async function captureFunded(parts: MoneyParts, venueId: string, checkoutId: string): Promise<void> {
  const turn = await claimFunded(parts.db, venueId, checkoutId, parts.clock.now() + LEASE_MS);
  if (turn !== null) await turnOf(parts, venueId, checkoutId, turn);
}

async function turnOf(parts: MoneyParts, venueId: string, checkoutId: string, turn: number): Promise<void> {
  const standing = await readCheckout(parts.db, venueId, checkoutId);
  if (standing?.status !== 'funded') return;
  const processor = processorFor(parts, standing.mode);
  try {
    const begun = hasBegun(standing) || (await verifyAndBegin(parts, processor, standing, turn));
    if (begun) await captureAll(parts, processor, venueId, checkoutId, turn);
  } catch (error) {
    if (!(error instanceof ProcessorTrouble)) throw error;
    parts.log.warn({ checkout: checkoutId, err: error }, 'the captures are taken up again');
    await decideUnderLock(parts, venueId, checkoutId, (present, now) => ({
      steps: isMine(present, turn) ? [{ step: 'look again', at: retryAt(now, turn) }] : [],
      answer: null,
    }));
  }
}

function isMine(standing: Standing, turn: number): boolean {
  return standing.status === 'funded' && standing.turn === turn;
}

/** Every hold is asked about; when all stand, the decision to capture is committed. Answers whether it was. */
async function verifyAndBegin(
  parts: MoneyParts,
  processor: Processor,
  standing: Standing,
  turn: number,
): Promise<boolean> {
  const facts = new Map<string, HoldFacts>();
  await eachOf(partyHolds(standing), async (hold) => {
    if (hold.intentId !== null) facts.set(hold.id, await processor.lookAt(hold.intentId));
  });
  const begun = await decideUnderLock(parts, standing.venueId, standing.id, (present, now) => {
    const steps = isMine(present, turn) ? beginCaptures(present, facts, now) : [];
    return { steps, answer: steps.some(({ step }) => step === 'begin captures') };
  });
  return begun === true;
}

async function captureAll(
  parts: MoneyParts,
  processor: Processor,
  venueId: string,
  checkoutId: string,
  turn: number,
): Promise<void> {
  const standing = await readCheckout(parts.db, venueId, checkoutId);
  if (standing === null || !isMine(standing, turn)) return;
  const outcomes = new Map<string, CaptureOutcome>();
  const capturing = standing.holds.filter(({ status }) => status === 'capturing');
  await eachOf(capturing, async (hold) => {
    outcomes.set(hold.id, await captureOne(parts, processor, hold));
  });
  await decideUnderLock(parts, venueId, checkoutId, (present, now) => ({
    steps: isMine(present, turn)
      ? recordCaptures(present, outcomes, {
          now,
          newId: () => parts.ids.uuid(),
          payoutDelay: parts.payoutDelay,
          tryAgainAt: retryAt(now, turn),
        })
      : [],
    answer: null,
  }));
}

async function captureOne(parts: MoneyParts, processor: Processor, hold: HoldState): Promise<CaptureOutcome> {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} is capturing and has no intent`);
  try {
    const facts = await processor.capture(hold.intentId, hold.amount, callKeys.capture(hold));
    if (facts.standing === 'captured' && facts.captured === hold.amount) {
      return { outcome: 'captured', chargeId: facts.chargeId };
    }
    parts.log.error({ hold: hold.id, standing: facts.standing }, 'a capture answered what a capture cannot answer');
    return { outcome: 'unknown', isNotNow: false };
  } catch (error) {
    if (error instanceof ProcessorRefusal) {
      parts.log.warn({ hold: hold.id, checkout: hold.checkoutId, code: error.code }, 'a capture was refused for good');
      return { outcome: 'refused', code: error.code };
    }
    if (!(error instanceof ProcessorTrouble)) throw error;
    parts.log.warn({ hold: hold.id, checkout: hold.checkoutId, err: error }, 'a capture is tried again');
    return { outcome: 'unknown', isNotNow: error.isNotNow };
  }
}

/** A few at a time; the first failure is thrown once all that began have ended. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, items.length) }, lane));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
