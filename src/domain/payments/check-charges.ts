// The steps of the processor check from the charge on: capture, the venue's account, transfer, refund, reversal, refunds that
// change later, and a dispute. That a reversal without funds is refused is not tried: only the venue itself can empty its
// account at the real processor.

import type { SavedHold } from './check-holds.ts';
import { AMOUNT, type CheckRun, CURRENCY, money, needed, type Result } from './check-run.ts';
import type { RefundFacts } from './processor.ts';

const REFUNDED = 500;
const TRANSFERRED = 1500;
/** At the real processor a dispute appears some seconds after the capture. */
const DISPUTE_TRIES = 30;
/** At the embedded processor such a refund changes after half a minute. How long the real one takes is not documented. */
const REFUND_TRIES = 90;

const CARDS = {
  disputed: 'pm_card_createDispute',
  refundPending: 'pm_card_pendingRefund',
  refundFails: 'pm_card_refundFail',
};

interface Captured {
  readonly intentId: string;
  readonly chargeId: string;
}

export function checkCapture(run: CheckRun, held: SavedHold | undefined): Promise<Captured | undefined> {
  const texts = {
    proves: 'A hold is charged once, although two workers capture it.',
    expected: `captured, ${money(AMOUNT)} in all`,
  };
  return run.step('capture', texts, async () => {
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
  });
}

/** The venue's part: an account, a transfer to it, a refund to the guest, and the transfer's reversal. */
export async function checkVenue(run: CheckRun, captured: Captured | undefined): Promise<void> {
  const accountId = await checkAccount(run);
  const transferId = await checkTransfer(run, captured, accountId);
  await checkRefund(run, captured);
  await checkReversal(run, transferId);
}

function checkAccount(run: CheckRun): Promise<string | undefined> {
  const texts = {
    proves: 'A venue has an account that can be paid, and a link to the form that makes it so.',
    expected: 'can be paid',
  };
  return run.step('account', texts, async () => {
    const { accountId: given } = run.options;
    if (given !== null) return { found: `${given} is used as it is`, ok: true, value: given };
    const owner = { id: run.mark, name: 'Everyshare check', email: 'check@example.com', country: 'US' };
    const { accountId } = await run.processor.createAccount(run.key('account'), owner);
    run.left.push(`the account ${accountId}, for the next check with --account ${accountId}`);
    const urls = { returnUrl: 'https://example.com/', refreshUrl: 'https://example.com/' };
    const link = await run.processor.onboardingLink(accountId, urls);
    if (run.processor.isSandbox) await run.processor.completeSandboxOnboarding(accountId);
    const { transfersStatus } = await run.processor.retrieveAccount(accountId);
    if (transfersStatus === 'active') return { found: 'can be paid', ok: true, value: accountId };
    const found = `${accountId} is not onboarded: fill in ${link} and run the check with --account ${accountId}`;
    return { found, ok: false };
  });
}

function checkTransfer(
  run: CheckRun,
  captured: Captured | undefined,
  accountId: string | undefined,
): Promise<string | undefined> {
  const texts = {
    proves: 'The venue is paid from the guest’s charge, and the transfer is found by its marks.',
    expected: `${money(TRANSFERRED)} transferred, and found`,
  };
  return run.step('transfer', texts, async () => {
    const { chargeId } = needed(captured, 'capture');
    const marks = { checkoutId: run.mark, movementId: run.movementId('transfer') };
    const { transferId } = await run.processor.transfer({
      key: run.key('transfer'),
      amount: TRANSFERRED,
      currency: CURRENCY,
      accountId: needed(accountId, 'account'),
      chargeId,
      ...marks,
    });
    const found = await run.processor.findTransfer(marks.checkoutId, marks.movementId);
    const ok = found?.processorId === transferId && (await run.processor.hasTransfers(run.mark, chargeId));
    return { found: `${money(TRANSFERRED)} transferred, and ${ok ? 'found' : 'not found'}`, ok, value: transferId };
  });
}

async function checkRefund(run: CheckRun, captured: Captured | undefined): Promise<void> {
  const texts = {
    proves: 'A part of a charge goes back to the guest, once, and the refund is found by its marks.',
    expected: `${money(REFUNDED)} refunded, and found`,
  };
  await run.step('refund', texts, async () => {
    const { intentId } = needed(captured, 'capture');
    const movementId = run.movementId('refund');
    const request = { key: run.key('refund'), amount: REFUNDED, movementId, venueId: run.mark };
    const { refundId } = await run.processor.refund(intentId, request);
    await run.processor.refund(intentId, request);
    const found = await run.processor.findRefund(intentId, movementId);
    const { refunded } = await run.processor.chargeTotals(intentId);
    const isFound = found?.refundId === refundId;
    return {
      found: `${money(refunded)} refunded, and ${isFound ? 'found' : 'not found'}`,
      ok: refunded === REFUNDED && isFound,
    };
  });
}

async function checkReversal(run: CheckRun, transferId: string | undefined): Promise<void> {
  const texts = {
    proves: 'A refunded part comes back from the venue’s account, and the reversal is found by its marks.',
    expected: `${money(REFUNDED)} reversed, and found`,
  };
  await run.step('reversal', texts, async () => {
    const transfer = needed(transferId, 'transfer');
    const movementId = run.movementId('reversal');
    const request = { key: run.key('reversal'), amount: REFUNDED, movementId };
    const { reversalId } = await run.processor.reverse(transfer, request);
    const found = await run.processor.findReversal(transfer, movementId);
    const ok = found?.processorId === reversalId;
    return { found: `${money(REFUNDED)} reversed, and ${ok ? 'found' : 'not found'}`, ok };
  });
}

/** Both refunds are made first, so that they change in the same time. */
export async function checkLateRefunds(run: CheckRun): Promise<void> {
  const pending = await checkFirstRefund(run, 'pending refund', CARDS.refundPending, {
    proves: 'A refund that the processor has accepted and not paid yet says so.',
    expected: 'pending',
  });
  const done = await checkFirstRefund(run, 'refund that will fail', CARDS.refundFails, {
    proves: 'A refund can be done at first, although it does not reach the guest.',
    expected: 'done',
  });
  await checkLaterStatus(run, 'pending refund ends', pending, {
    proves: 'A refund that was pending is paid later, and the processor says so when it is asked.',
    expected: 'done',
  });
  await checkLaterStatus(run, 'refund fails later', done, {
    proves: 'A refund that did not reach the guest fails after it was done, and is owed again.',
    expected: 'failed',
  });
}

type RefundTexts = { readonly proves: string; readonly expected: RefundFacts['status'] };

function checkFirstRefund(
  run: CheckRun,
  step: string,
  card: string,
  texts: RefundTexts,
): Promise<{ readonly refundId: string; readonly first: string } | undefined> {
  return run.step(step, texts, async () => {
    const name = step.replaceAll(' ', '_');
    const { intentId } = await run.processor.createHold(run.newHold(name, null));
    if (card === CARDS.refundFails) run.unrefundable.set(intentId, 'every refund to its test card fails');
    await run.processor.payWithTestCard(intentId, card, run.key('pay'));
    await run.processor.capture(intentId, AMOUNT, run.key('capture'));
    const request = { key: run.key('refund'), amount: AMOUNT, movementId: run.movementId(name), venueId: run.mark };
    const { refundId, status } = await run.processor.refund(intentId, request);
    return { found: status, ok: status === texts.expected, value: { refundId, first: status } };
  });
}

async function checkLaterStatus(
  run: CheckRun,
  step: string,
  refund: { readonly refundId: string; readonly first: string } | undefined,
  texts: RefundTexts,
): Promise<void> {
  await run.step(step, texts, async (): Promise<Result<never>> => {
    const needs = texts.expected === 'failed' ? 'refund that will fail' : 'pending refund';
    const { refundId, first } = needed(refund, needs);
    const status = await run.poll(REFUND_TRIES, async () => {
      const { status: now } = await run.processor.retrieveRefund(refundId);
      return now === first ? null : now;
    });
    return { found: status ?? `${first} for three minutes`, ok: status === texts.expected };
  });
}

export async function checkDispute(run: CheckRun): Promise<void> {
  const texts = {
    proves: 'A charge that its owner disputes is found, so that no transfer is made from it.',
    expected: `a dispute about ${money(AMOUNT)}`,
  };
  await run.step('dispute', texts, async () => {
    const { intentId } = await run.processor.createHold(run.newHold('disputed', null));
    await run.processor.payWithTestCard(intentId, CARDS.disputed, run.key('pay'));
    await run.processor.capture(intentId, AMOUNT, run.key('capture'));
    const dispute = await run.poll(DISPUTE_TRIES, () => run.processor.findDispute(intentId));
    if (dispute === null) return { found: 'no dispute within a minute', ok: false };
    run.unrefundable.set(intentId, `the processor ends its dispute ${dispute.disputeId} by itself`);
    return { found: `a dispute about ${money(dispute.amount)}`, ok: dispute.amount === AMOUNT };
  });
}
