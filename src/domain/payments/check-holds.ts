// The steps of the processor check before a charge: a card is held, declined, authenticated, renewed, used again, released.

import { AMOUNT, type CheckRun, money, needed, type Result } from './check-run.ts';
import { type HoldFacts, ProcessorRefusal } from './processor.ts';

const DAY_MS = 24 * 3_600_000;
/** A merchant's renewal is held for at least 4 days and 18 hours, an extended authorization for at most 30 days. */
const MIN_HOLD_DAYS = 4.7;
const MAX_HOLD_DAYS = 31;

const CARDS = {
  good: 'pm_card_visa',
  declined: 'pm_card_visa_chargeDeclinedInsufficientFunds',
  authentication: 'pm_card_authenticationRequired',
};

export interface SavedHold {
  readonly facts: HoldFacts;
  readonly customerId: string;
}

export async function checkHolds(
  run: CheckRun,
): Promise<{ held?: SavedHold | undefined; renewed?: HoldFacts | undefined }> {
  const held = await checkHold(run);
  await checkLapse(run, held);
  await checkSameKey(run);
  await checkDecline(run);
  await checkAuthentication(run);
  await checkSavedCard(run, held);
  const renewed = await checkRenewal(run, held);
  return { held, renewed };
}

function checkHold(run: CheckRun): Promise<SavedHold | undefined> {
  const texts = {
    proves: 'A guest’s card is held and not charged, and saved for a renewal.',
    expected: `held, ${money(AMOUNT)} can be captured`,
  };
  return run.step('hold', texts, async () => {
    const { processor } = run;
    const customerId = await processor.createCustomer(run.key('customer'), run.newHold('customer', null).metadata);
    run.left.push(`the customer ${customerId}, which holds no money`);
    const { intentId } = await processor.createHold(run.newHold('hold', customerId));
    const facts = await processor.payWithTestCard(intentId, CARDS.good, run.key('pay'));
    const found = `${facts.status}, ${money(facts.capturable)} can be captured`;
    const ok = facts.status === 'held' && facts.capturable === AMOUNT && facts.paymentMethodId !== null;
    return { found, ok, value: { facts, customerId } };
  });
}

async function checkLapse(run: CheckRun, held: SavedHold | undefined): Promise<void> {
  const texts = {
    proves: 'The processor says when the hold lapses, so that it is renewed or captured in time.',
    expected: `in ${Math.floor(MIN_HOLD_DAYS)} to ${MAX_HOLD_DAYS} days`,
  };
  await run.step('hold lapses', texts, async () => daysUntilLapse(run, needed(held, 'hold').facts));
}

function daysUntilLapse({ options }: CheckRun, { captureBefore }: HoldFacts): Result<never> {
  if (captureBefore === null) return { found: 'no time', ok: false };
  const days = (captureBefore - options.clock.now()) / DAY_MS;
  return { found: `in ${days.toFixed(1)} days`, ok: days >= MIN_HOLD_DAYS && days <= MAX_HOLD_DAYS };
}

async function checkSameKey(run: CheckRun): Promise<void> {
  const texts = {
    proves: 'A call that is repeated with its idempotency key does its work once.',
    expected: 'the same hold',
  };
  await run.step('same key', texts, async () => {
    const request = run.newHold('repeated', null);
    const first = await run.processor.createHold(request);
    const second = await run.processor.createHold(request);
    const { status } = await run.processor.release(first.intentId, run.key('release'));
    const ok = first.intentId === second.intentId && status === 'voided';
    return { found: ok ? 'the same hold' : `${first.intentId} and ${second.intentId}, now ${status}`, ok };
  });
}

async function checkDecline(run: CheckRun): Promise<void> {
  const texts = {
    proves: 'A declined card holds nothing, and its reason reaches the guest.',
    expected: 'declined: insufficient_funds, then waiting for another card',
  };
  await run.step('decline', texts, async () => {
    const { intentId } = await run.processor.createHold(run.newHold('declined', null));
    const refusal = await refusalOf(run.processor.payWithTestCard(intentId, CARDS.declined, run.key('pay')));
    const { status } = await run.processor.retrieveHold(intentId);
    await run.processor.release(intentId, run.key('release'));
    const ok = refusal?.isCardDecline === true && refusal.code === 'insufficient_funds' && status === 'waiting';
    const state = status === 'waiting' ? 'waiting for another card' : status;
    return { found: `${refusal === null ? 'accepted' : `declined: ${refusal.code}`}, then ${state}`, ok };
  });
}

async function refusalOf(work: Promise<unknown>): Promise<ProcessorRefusal | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof ProcessorRefusal) return error;
    throw error;
  }
}

async function checkAuthentication(run: CheckRun): Promise<void> {
  const texts = {
    proves: 'A card whose issuer asks its owner waits for the guest, and can be released meanwhile.',
    expected: 'processing, then voided',
  };
  await run.step('3-D Secure', texts, async () => {
    const { intentId } = await run.processor.createHold(run.newHold('authentication', null));
    const { status } = await run.processor.payWithTestCard(intentId, CARDS.authentication, run.key('pay'));
    const { status: end } = await run.processor.release(intentId, run.key('release'));
    return { found: `${status}, then ${end}`, ok: status === 'processing' && end === 'voided' };
  });
}

async function checkSavedCard(run: CheckRun, held: SavedHold | undefined): Promise<void> {
  const texts = {
    proves: 'An organizer who covers a second share pays it with the saved card, without another card form.',
    expected: 'held, then voided',
  };
  await run.step('saved card', texts, async () => {
    const { facts, customerId } = needed(held, 'hold');
    const paymentMethodId = needed(facts.paymentMethodId, 'hold');
    const { intentId } = await run.processor.createHold(run.newHold('second', customerId));
    const request = { key: run.key('confirm'), paymentMethodId, returnUrl: 'https://example.com/' };
    const { status } = await run.processor.confirmWithSavedCard(intentId, request);
    const { status: end } = await run.processor.release(intentId, run.key('release'));
    return { found: `${status}, then ${end}`, ok: status === 'held' && end === 'voided' };
  });
}

function checkRenewal(run: CheckRun, held: SavedHold | undefined): Promise<HoldFacts | undefined> {
  const texts = {
    proves: 'A saved card is held again without the guest, and the renewal is found by its marks.',
    expected: `held for at least ${Math.floor(MIN_HOLD_DAYS)} days, and found`,
  };
  return run.step('renewal', texts, async () => {
    const { facts, customerId } = needed(held, 'hold');
    const request = run.newHold('renewal', customerId);
    const paymentMethodId = needed(facts.paymentMethodId, 'hold');
    const renewed = await run.processor.renewHold({ ...request, customerId, paymentMethodId });
    const found = await run.processor.findRenewal(customerId, request.metadata.holdId);
    const lapse = daysUntilLapse(run, renewed);
    const isFound = found?.intentId === renewed.intentId;
    return {
      found: `${renewed.status}, lapses ${lapse.found}, ${isFound ? 'and found' : 'and not found'}`,
      ok: renewed.status === 'held' && lapse.ok && isFound,
      value: renewed,
    };
  });
}

export async function checkRelease(run: CheckRun, renewed: HoldFacts | undefined): Promise<void> {
  const texts = {
    proves: 'A hold that is not needed is given back to the guest; a second release does no harm.',
    expected: 'voided, then voided',
  };
  await run.step('release', texts, async () => {
    const { intentId } = needed(renewed, 'renewal');
    const first = await run.processor.release(intentId, run.key('release'));
    const second = await run.processor.release(intentId, run.key('release'));
    const ok = first.status === 'voided' && second.status === 'voided';
    return { found: `${first.status}, then ${second.status}`, ok };
  });
}
