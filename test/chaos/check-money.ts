// The rules about money after the nemesis: our records and the processor's agree to the cent, for each hold.

import { CAPTURE_FAILED } from '../../src/domain/checkouts/capture/decide-capture.ts';
import { type Found, grouped, sumOf } from '../support/violation.ts';
import type { CheckoutRow, HoldRow, MovementRow, OurRecords, ProcessorHold, ProcessorRecords } from './records.ts';

export function checkMoney(ours: OurRecords, processor: ProcessorRecords, found: Found): void {
  const holds = new Map(ours.holds.map((hold) => [hold.id, hold]));
  const movements = grouped(ours.movements, ({ holdId }) => holdId);
  checkFinished(ours, found);
  for (const processorHold of processor.holds)
    checkProcessorHold(
      processorHold,
      holds.get(processorHold.holdId),
      movements.get(processorHold.holdId) ?? [],
      found,
    );
  checkOurHolds(ours.holds, processor, found);
  checkOnePerShare(processor, found);
  checkAllWereHeld(ours, processor, found);
  checkFailedRefunds(ours, processor, found);
  checkCharges(ours, processor, found);
  checkLedger(ours, processor, found);
  for (const id of processor.live) found('test mode never reaches live mode', 'the processor', `live mode has ${id}`);
}

const UNFINISHED_MOVEMENTS = new Set(['waiting', 'sending', 'pending', 'frozen']);
const isClosed = ({ status }: MovementRow): boolean => status === 'closed';
const isRefund = (kind: MovementRow['kind']): boolean => kind === 'refund' || kind === 'return';

function checkFinished(ours: OurRecords, found: Found): void {
  const rule = 'no work is left unfinished';
  for (const { id, checkoutId, status } of ours.holds) {
    if (['requested', 'capturing', 'releasing'].includes(status)) found(rule, checkoutId, `hold ${id} is ${status}`);
  }
  for (const { id, checkoutId, kind, status, lastError } of ours.movements) {
    if (UNFINISHED_MOVEMENTS.has(status) || (status === 'failed' && !isRefund(kind))) {
      found(rule, checkoutId, `${kind} ${id} is ${status}${lastError === null ? '' : ` (${lastError})`}`);
    }
  }
  for (const { id, status } of ours.checkouts) if (status === 'funded') found(rule, id, 'the checkout is still funded');
}

const LIVE_STATUSES = new Set(['open', 'held', 'requested', 'capturing']);

function checkProcessorHold(
  their: ProcessorHold,
  hold: HoldRow | undefined,
  movements: readonly MovementRow[],
  found: Found,
): void {
  const { intentId, checkoutId, status, captured } = their;
  const say = (rule: string, what: string): void => found(rule, checkoutId, `${intentId}: ${what}`);
  const isOurs = hold !== undefined && hold.intentId === intentId;
  if (status === 'requires_capture' && !(isOurs && LIVE_STATUSES.has(hold.status))) {
    say('no hold is orphaned', `held there, ${hold?.status ?? 'unknown'} here`);
  }
  if (status === 'requires_capture' && isOurs && hold.status !== 'held') {
    say('our records agree with the processor', `held there, ${hold.status} here`);
  }
  const expected = isOurs && hold.status === 'captured' ? hold.amount : 0;
  if (captured !== expected)
    say('our records agree with the processor', `${captured} captured there, ${expected} here`);
  // A create whose answer was lost may leave a second intent with the marks of the hold: no money moves by it.
  const own = isOurs ? movements : [];
  const done = (kind: MovementRow['kind']): number =>
    sumOf(
      own.filter((one) => one.kind === kind && one.status === 'done'),
      ({ sentAmount }) => sentAmount,
    );
  const pairs: [string, number, number][] = [
    ['refunded', their.refunded, done('refund') + done('return')],
    ['transferred', their.transferred, done('transfer')],
    ['reversed', their.reversed, done('reversal')],
  ];
  for (const [verb, there, here] of pairs) {
    if (there !== here) say('our records agree with the processor', `${there} ${verb} there, ${here} here`);
  }
}

/**
 * A refund has failed here only if it failed at the processor, and the guests of its checkout are owed exactly that, less
 * what was closed.
 */
function checkFailedRefunds(ours: OurRecords, processor: ProcessorRecords, found: Found): void {
  const rule = 'a failed refund is owed to its guest';
  const refunds = new Map(processor.refunds.map((refund) => [refund.id, refund]));
  const failed = ours.movements.filter(({ kind, status }) => status === 'failed' && isRefund(kind));
  for (const { id, checkoutId, kind, processorId } of [...failed, ...ours.movements.filter(isClosed)]) {
    const status = refunds.get(processorId ?? '')?.status ?? 'unknown';
    if (status !== 'failed') found(rule, checkoutId, `${kind} ${id} failed here, and is ${status} there`);
  }
  const byCheckout = grouped(failed, ({ checkoutId }) => checkoutId);
  const shares = grouped(ours.shares, ({ checkoutId }) => checkoutId);
  for (const { id, failedRefundAmount } of ours.checkouts) {
    const owed = sumOf(byCheckout.get(id) ?? [], ({ amount }) => amount);
    if (failedRefundAmount !== owed) found(rule, id, `${owed} failed, and it shows ${failedRefundAmount}`);
    const ofShares = sumOf(shares.get(id) ?? [], (share) => share.failedRefundAmount);
    if (ofShares !== owed) found(rule, id, `${owed} failed, and its shares show ${ofShares}`);
  }
}

/** What guests are owed of failed refunds and returns, without the part that came from our fee. */
function owedToGuests(movements: readonly MovementRow[], kind: 'refund' | 'return'): number {
  const failed = movements.filter((movement) => movement.kind === kind && movement.status === 'failed');
  return sumOf(failed, ({ amount, feePart }) => amount - feePart);
}

/** What an operator has paid to guests in another way, because the refund had failed. */
function paidElsewhere(movements: readonly MovementRow[]): number {
  return sumOf(movements.filter(isClosed), ({ amount }) => amount);
}

function checkOurHolds(holds: readonly HoldRow[], processor: ProcessorRecords, found: Found): void {
  const known = new Map(processor.holds.map((their) => [their.intentId, their]));
  for (const { id, checkoutId, intentId, status } of holds) {
    const their = intentId === null ? undefined : known.get(intentId);
    if (intentId !== null && their === undefined) {
      found(
        'our records agree with the processor',
        checkoutId,
        `hold ${id} names ${intentId}, which the processor does not know`,
      );
    }
    if (status === 'held' && their?.status !== 'requires_capture') {
      found('our records agree with the processor', checkoutId, `hold ${id} is held here, ${their?.status} there`);
    }
  }
}

function checkOnePerShare(processor: ProcessorRecords, found: Found): void {
  for (const [shareId, own] of grouped(processor.holds, (their) => their.shareId)) {
    // Refunded captures count too: no card may be charged twice.
    const captured = own.filter(({ captured: amount }) => amount > 0);
    const live = own.filter(({ status }) => status === 'requires_capture');
    const { checkoutId = '' } = own[0] ?? {};
    if (captured.length > 1) {
      found('one capture for a share', checkoutId, `${shareId} was captured ${captured.length} times`);
    }
    if (live.length > 1) found('one live hold for a share', checkoutId, `${shareId} is held ${live.length} times`);
    if (live.length > 0 && captured.length > 0) {
      found('one live hold for a share', checkoutId, `${shareId} is captured and held`);
    }
  }
}

/**
 * Every capture of the processor, refunded or not, happened after the checkout.funded event; and its checkout is
 * completed, or canceled because another capture failed.
 */
function checkAllWereHeld(ours: OurRecords, processor: ProcessorRecords, found: Found): void {
  const rule = 'no capture before all shares are held';
  const checkouts = new Map(ours.checkouts.map((checkout) => [checkout.id, checkout]));
  const funded = grouped(
    ours.events.filter(({ type }) => type === 'checkout.funded'),
    ({ checkoutId }) => checkoutId,
  );
  for (const { checkoutId, intentId, captured, capturedAt } of processor.holds) {
    if (captured === 0) {
      if (capturedAt !== null) found(rule, checkoutId, `${intentId} was captured without an amount`);
      continue;
    }
    const checkout = checkouts.get(checkoutId);
    const isAllowed = checkout?.status === 'completed' || checkout?.reason === CAPTURE_FAILED;
    if (!isAllowed)
      found(rule, checkoutId, `${intentId} was captured, and the checkout is ${checkout?.status ?? 'unknown'}`);
    if (capturedAt === null) found(rule, checkoutId, `${intentId} was captured, without a charge.captured event`);
    else if (!(funded.get(checkoutId) ?? []).some(({ at }) => at <= capturedAt)) {
      found(
        rule,
        checkoutId,
        `${intentId} was captured at ${new Date(capturedAt).toISOString()}, before it was funded`,
      );
    }
  }
}

function checkCharges(ours: OurRecords, processor: ProcessorRecords, found: Found): void {
  const byCheckout = grouped(processor.holds, ({ checkoutId }) => checkoutId);
  const movements = grouped(ours.movements, ({ checkoutId }) => checkoutId);
  for (const checkout of ours.checkouts) {
    const own = byCheckout.get(checkout.id) ?? [];
    const charged = sumOf(own, ({ captured, refunded }) => captured - refunded);
    const elsewhere = paidElsewhere(movements.get(checkout.id) ?? []);
    const notRefunded = checkout.failedRefundAmount + elsewhere;
    if (checkout.status !== 'completed' && charged !== notRefunded) {
      found(
        'no guest is charged without a completed checkout',
        checkout.id,
        `${charged} is charged, and the checkout is ${checkout.status}`,
      );
    }
    if (checkout.status !== 'completed') continue;
    const due = checkout.amount - checkout.refundedAmount + notRefunded;
    if (charged !== due)
      found('captured = net + fee + refunded', checkout.id, `${charged} is charged there, ${due} here`);
    const entry = (kind: string): number => ours.entries.get(checkout.id)?.get(kind) ?? 0;
    // What settled an earlier debt of the venue counts as paid to it, and what it owes as taken back.
    const debts = entry('debt_paid') - entry('debt');
    const venue = sumOf(own, ({ transferred, reversed }) => transferred - reversed) + debts;
    const fee = checkout.feeAmount - entry('fee_return') + entry('fee_return_failed') - entry('fee_return_closed');
    const owed = owedToGuests(movements.get(checkout.id) ?? [], 'refund');
    if (venue + fee + owed + elsewhere !== due) {
      const parts = `${venue} to the venue + ${fee} fee + ${owed} owed to guests + ${elsewhere} paid elsewhere`;
      found('captured = net + fee + refunded', checkout.id, `${parts} is not ${due}`);
    }
    checkEntries(checkout, checkout.refundedAmount - notRefunded, ours.entries.get(checkout.id), found);
  }
}

/** `expected`: what the processor has refunded. */
function checkEntries(
  checkout: CheckoutRow,
  expected: number,
  entries: ReadonlyMap<string, number> | undefined,
  found: Found,
): void {
  const sum = (kind: string): number => entries?.get(kind) ?? 0;
  // A capture that was returned immediately has entries too.
  const captured = sum('capture') - sum('return');
  if (captured !== checkout.amount) {
    found('the ledger matches the checkout', checkout.id, `${captured} was captured, not ${checkout.amount}`);
  }
  if (sum('earning') + sum('fee') !== checkout.amount || sum('fee') !== checkout.feeAmount) {
    found(
      'the ledger matches the checkout',
      checkout.id,
      `${sum('earning')} earned + ${sum('fee')} fee of ${checkout.amount}`,
    );
  }
  const refunded = sum('refund') + sum('fee_return') - sum('refund_failed') - sum('fee_return_failed');
  if (refunded !== expected) {
    found('the ledger matches the checkout', checkout.id, `${refunded} refunded, not ${expected}`);
  }
}

function checkLedger(ours: OurRecords, processor: ProcessorRecords, found: Found): void {
  const total = [...ours.balances.values()].reduce((sum, balance) => sum + balance, 0);
  if (total !== 0) found('the ledger sums to zero', 'the ledger', `it sums to ${total}`);
  const balance = (account: string): number => ours.balances.get(account) ?? 0;
  const remaining = sumOf(
    processor.holds,
    (hold) => hold.captured - hold.fee - hold.refunded - hold.transferred + hold.reversed,
  );
  if (balance('processor_balance') !== remaining) {
    found(
      'the ledger agrees with the processor',
      'processor_balance',
      `${balance('processor_balance')} here, ${remaining} there`,
    );
  }
  const fees = sumOf(processor.holds, ({ fee }) => fee);
  if (balance('processor_fees') !== fees) {
    found('the ledger agrees with the processor', 'processor_fees', `${balance('processor_fees')} here, ${fees} there`);
  }
  const owed = sumOf(ours.movements, ({ owedAmount }) => owedAmount);
  if (balance('venue_debts') !== owed) {
    found('the ledger agrees with the debts', 'venue_debts', `${balance('venue_debts')} in the ledger, ${owed} owed`);
  }
  // Only what is owed to guests of failed refunds stays in these accounts, on their credit side.
  const remainders: [string, number][] = [
    ['guest_funds', -owedToGuests(ours.movements, 'return')],
    ['venue_payable', -owedToGuests(ours.movements, 'refund')],
    ['paid_elsewhere', -paidElsewhere(ours.movements)],
    ['disputed_funds', 0],
  ];
  for (const [account, expected] of remainders) {
    if (balance(account) !== expected)
      found('temporary accounts hold only failed refunds', account, `${balance(account)}, not ${expected}`);
  }
}
