// Runs the whole story of a payment against the card processor in test mode, step by step, and compares each answer with
// what this service relies on. The steps use the adapter that the service uses. A step that fails never stops the others,
// unless they need its result; then they are reported as not run. Nothing here touches the database.

import {
  AMOUNT,
  CheckRun,
  CURRENCY,
  money,
  needed,
  type ProcessorCheck,
  type ProcessorCheckOptions,
  type Result,
  type Step,
} from './check-run.ts';
import { type HoldFacts, ProcessorRefusal } from './processor.ts';

const REFUNDED = 500;
const TRANSFERRED = 1500;
const DAY_MS = 24 * 3_600_000;
/** A merchant's renewal is held for at least 4 days and 18 hours, an extended authorization for at most 30 days. */
const MIN_HOLD_DAYS = 4.7;
const MAX_HOLD_DAYS = 31;
/** At the real processor a dispute appears some seconds after the capture. */
const DISPUTE_TRIES = 30;
const DISPUTE_POLL_MS = 2_000;

const CARDS = {
  good: 'pm_card_visa',
  declined: 'pm_card_visa_chargeDeclinedInsufficientFunds',
  authentication: 'pm_card_authenticationRequired',
  disputed: 'pm_card_createDispute',
};

export async function checkProcessor(options: ProcessorCheckOptions): Promise<ProcessorCheck> {
  if (options.processor.mode !== 'test') throw new Error('the check never runs in live mode');
  const run = new CheckRun(options);
  const { held, renewed } = await checkHolds(run);
  const captured = await checkCapture(run, held);
  const transferId = await checkVenue(run, captured);
  await checkDispute(run);
  await run.record(releasing(run, renewed));
  await returnRest(run, captured, transferId);
  return { steps: run.steps, left: run.left };
}

/** Takes back what the steps have left with the venue and with the platform. What cannot be undone is reported. */
async function returnRest(run: CheckRun, captured?: Captured, transferId?: string): Promise<void> {
  const movementId = `check_${run.options.runId}_rest`;
  const undo = async (what: string, work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => run.left.push(`${what} (${error instanceof Error ? error.message : error})`));
  };
  if (transferId !== undefined) {
    const request = { key: run.key('rest'), amount: TRANSFERRED - REFUNDED, movementId };
    await undo(`${money(request.amount)} of the transfer ${transferId}`, run.processor.reverse(transferId, request));
  }
  if (captured !== undefined) {
    const request = { key: run.key('rest'), amount: AMOUNT - REFUNDED, movementId, venueId: 'check' };
    const { intentId } = captured;
    await undo(`${money(request.amount)} of the charge of ${intentId}`, run.processor.refund(intentId, request));
  }
}

interface SavedHold {
  readonly facts: HoldFacts;
  readonly customerId: string;
}

async function checkHolds(run: CheckRun): Promise<{ held?: SavedHold | undefined; renewed?: HoldFacts | undefined }> {
  const held = await run.record(holding(run));
  await run.record(lapsing(run, held));
  await run.record(repeating(run));
  await run.record(declining(run));
  await run.record(authenticating(run));
  const renewed = await run.record(renewing(run, held));
  return { held, renewed };
}

function holding(run: CheckRun): Step<SavedHold> {
  return {
    step: 'hold',
    proves: 'A guest’s card is held and not charged, and saved for a renewal.',
    expected: `held, ${money(AMOUNT)} can be captured`,
    async run() {
      const { processor } = run;
      const customerId = await processor.createCustomer(run.key('customer'), run.newHold('customer', null).metadata);
      const { intentId } = await processor.createHold(run.newHold('hold', customerId));
      const facts = await processor.payWithTestCard(intentId, CARDS.good, run.key('pay'));
      const found = `${facts.status}, ${money(facts.capturable)} can be captured`;
      const ok = facts.status === 'held' && facts.capturable === AMOUNT && facts.paymentMethodId !== null;
      return { found, ok, value: { facts, customerId } };
    },
  };
}

function lapsing(run: CheckRun, held: SavedHold | undefined): Step<never> {
  return {
    step: 'hold lapses',
    proves: 'The processor says when the hold lapses, so that it is renewed or captured in time.',
    expected: `in ${Math.floor(MIN_HOLD_DAYS)} to ${MAX_HOLD_DAYS} days`,
    async run() {
      const { facts } = needed(held, 'hold');
      return daysUntilLapse(run, facts);
    },
  };
}

function daysUntilLapse({ options }: CheckRun, { captureBefore }: HoldFacts): Result<never> {
  if (captureBefore === null) return { found: 'no time', ok: false };
  const days = (captureBefore - options.clock.now()) / DAY_MS;
  return { found: `in ${days.toFixed(1)} days`, ok: days >= MIN_HOLD_DAYS && days <= MAX_HOLD_DAYS };
}

function repeating(run: CheckRun): Step<never> {
  return {
    step: 'same key',
    proves: 'A call that is repeated with its idempotency key does its work once.',
    expected: 'the same hold',
    async run() {
      const request = run.newHold('repeated', null);
      const first = await run.processor.createHold(request);
      const second = await run.processor.createHold(request);
      const { status } = await run.processor.release(first.intentId, run.key('release'));
      const ok = first.intentId === second.intentId && status === 'voided';
      return { found: ok ? 'the same hold' : `${first.intentId} and ${second.intentId}, now ${status}`, ok };
    },
  };
}

function declining(run: CheckRun): Step<never> {
  return {
    step: 'decline',
    proves: 'A declined card holds nothing, and its reason reaches the guest.',
    expected: 'declined: insufficient_funds, then waiting for another card',
    async run() {
      const { intentId } = await run.processor.createHold(run.newHold('declined', null));
      const refusal = await refusalOf(run.processor.payWithTestCard(intentId, CARDS.declined, run.key('pay')));
      const { status } = await run.processor.retrieveHold(intentId);
      await run.processor.release(intentId, run.key('release'));
      const ok = refusal?.isCardDecline === true && refusal.code === 'insufficient_funds' && status === 'waiting';
      const state = status === 'waiting' ? 'waiting for another card' : status;
      return { found: `${refusal === null ? 'accepted' : `declined: ${refusal.code}`}, then ${state}`, ok };
    },
  };
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

function authenticating(run: CheckRun): Step<never> {
  return {
    step: '3-D Secure',
    proves: 'A card whose issuer asks its owner waits for the guest, and can be released meanwhile.',
    expected: 'processing, then voided',
    async run() {
      const { intentId } = await run.processor.createHold(run.newHold('authentication', null));
      const { status } = await run.processor.payWithTestCard(intentId, CARDS.authentication, run.key('pay'));
      const { status: end } = await run.processor.release(intentId, run.key('release'));
      return { found: `${status}, then ${end}`, ok: status === 'processing' && end === 'voided' };
    },
  };
}

function renewing(run: CheckRun, held: SavedHold | undefined): Step<HoldFacts> {
  return {
    step: 'renewal',
    proves: 'A saved card is held again without the guest, and the renewal is found by its marks.',
    expected: `held for at least ${Math.floor(MIN_HOLD_DAYS)} days, and found`,
    async run() {
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
    },
  };
}

function releasing(run: CheckRun, renewed: HoldFacts | undefined): Step<never> {
  return {
    step: 'release',
    proves: 'A hold that is not needed is given back to the guest; a second release does no harm.',
    expected: 'voided, then voided',
    async run() {
      const { intentId } = needed(renewed, 'renewal');
      const first = await run.processor.release(intentId, run.key('release'));
      const second = await run.processor.release(intentId, run.key('release'));
      return {
        found: `${first.status}, then ${second.status}`,
        ok: first.status === 'voided' && second.status === 'voided',
      };
    },
  };
}

interface Captured {
  readonly intentId: string;
  readonly chargeId: string;
}

async function checkCapture(run: CheckRun, held: SavedHold | undefined): Promise<Captured | undefined> {
  return run.record({
    step: 'capture',
    proves: 'A hold is charged once, although two workers capture it.',
    expected: `captured, ${money(AMOUNT)} in all`,
    async run() {
      const { intentId } = needed(held, 'hold').facts;
      const first = await run.processor.capture(intentId, AMOUNT, run.key('capture'));
      await run.processor.capture(intentId, AMOUNT, run.key('capture'));
      const totals = await run.processor.chargeTotals(intentId);
      const chargeId = needed(first.chargeId, 'capture');
      return {
        found: `${first.status}, ${money(totals.captured)} in all`,
        ok: first.status === 'captured' && totals.captured === AMOUNT && totals.refunded === 0,
        value: { intentId, chargeId },
      };
    },
  });
}

/** The venue's part: an account, a transfer to it, a refund to the guest, and the transfer's reversal. */
async function checkVenue(run: CheckRun, captured: Captured | undefined): Promise<string | undefined> {
  const accountId = await run.record(openingAccount(run));
  const transferId = await run.record(transferring(run, captured, accountId));
  await run.record(refunding(run, captured));
  await run.record(reversing(run, transferId));
  return transferId;
}

function transferring(run: CheckRun, captured: Captured | undefined, accountId: string | undefined): Step<string> {
  return {
    step: 'transfer',
    proves: 'The venue is paid from the guest’s charge, and the transfer is found by its marks.',
    expected: `${money(TRANSFERRED)} transferred, and found`,
    async run() {
      const { chargeId } = needed(captured, 'capture');
      const checkoutId = `check_${run.options.runId}`;
      const movementId = `check_${run.options.runId}_transfer`;
      const { transferId } = await run.processor.transfer({
        key: run.key('transfer'),
        amount: TRANSFERRED,
        currency: CURRENCY,
        accountId: needed(accountId, 'account'),
        chargeId,
        checkoutId,
        movementId,
      });
      const found = await run.processor.findTransfer(checkoutId, movementId);
      const ok = found?.processorId === transferId && (await run.processor.hasTransfers(checkoutId, chargeId));
      return { found: `${money(TRANSFERRED)} transferred, and ${ok ? 'found' : 'not found'}`, ok, value: transferId };
    },
  };
}

function refunding(run: CheckRun, captured: Captured | undefined): Step<never> {
  return {
    step: 'refund',
    proves: 'A part of a charge goes back to the guest, once, and the refund is found by its marks.',
    expected: `${money(REFUNDED)} refunded, and found`,
    async run() {
      const { intentId } = needed(captured, 'capture');
      const movementId = `check_${run.options.runId}_refund`;
      const request = { key: run.key('refund'), amount: REFUNDED, movementId, venueId: 'check' };
      const { refundId } = await run.processor.refund(intentId, request);
      await run.processor.refund(intentId, request);
      const found = await run.processor.findRefund(intentId, movementId);
      const { refunded } = await run.processor.chargeTotals(intentId);
      const isFound = found?.refundId === refundId;
      return {
        found: `${money(refunded)} refunded, and ${isFound ? 'found' : 'not found'}`,
        ok: refunded === REFUNDED && isFound,
      };
    },
  };
}

function reversing(run: CheckRun, transferId: string | undefined): Step<never> {
  return {
    step: 'reversal',
    proves: 'A refunded part comes back from the venue’s account, and the reversal is found by its marks.',
    expected: `${money(REFUNDED)} reversed, and found`,
    async run() {
      const transfer = needed(transferId, 'transfer');
      const movementId = `check_${run.options.runId}_reversal`;
      const request = { key: run.key('reversal'), amount: REFUNDED, movementId };
      const { reversalId } = await run.processor.reverse(transfer, request);
      const found = await run.processor.findReversal(transfer, movementId);
      const ok = found?.processorId === reversalId;
      return { found: `${money(REFUNDED)} reversed, and ${ok ? 'found' : 'not found'}`, ok };
    },
  };
}

function openingAccount(run: CheckRun): Step<string> {
  return {
    step: 'account',
    proves: 'A venue has an account that can be paid, and a link to the form that makes it so.',
    expected: 'can be paid',
    async run() {
      const { accountId: given } = run.options;
      if (given !== null) return { found: `${given} is used as it is`, ok: true, value: given };
      const name = 'Everyshare check';
      const owner = { id: `check_${run.options.runId}`, name, email: 'check@example.com', country: 'US' };
      const { accountId } = await run.processor.createAccount(run.key('account'), owner);
      const urls = { returnUrl: 'https://example.com/', refreshUrl: 'https://example.com/' };
      const link = await run.processor.onboardingLink(accountId, urls);
      if (run.processor.isSandbox) await run.processor.completeSandboxOnboarding(accountId);
      const { transfersStatus } = await run.processor.retrieveAccount(accountId);
      if (transfersStatus === 'active') return { found: 'can be paid', ok: true, value: accountId };
      const found = `${accountId} is not onboarded: fill in ${link} and run the check with --account ${accountId}`;
      return { found, ok: false };
    },
  };
}

async function checkDispute(run: CheckRun): Promise<void> {
  await run.record({
    step: 'dispute',
    proves: 'A charge that its owner disputes is found, so that no transfer is made from it.',
    expected: `a dispute about ${money(AMOUNT)}`,
    async run() {
      const { intentId } = await run.processor.createHold(run.newHold('disputed', null));
      await run.processor.payWithTestCard(intentId, CARDS.disputed, run.key('pay'));
      await run.processor.capture(intentId, AMOUNT, run.key('capture'));
      for (let tries = 0; tries < DISPUTE_TRIES; tries++) {
        if (tries > 0) await run.options.sleep(DISPUTE_POLL_MS);
        const dispute = await run.processor.findDispute(intentId);
        if (dispute === null) continue;
        run.left.push(`the dispute ${dispute.disputeId}, which the processor ends by itself`);
        return { found: `a dispute about ${money(dispute.amount)}`, ok: dispute.amount === AMOUNT };
      }
      return { found: 'no dispute within a minute', ok: false };
    },
  });
}
