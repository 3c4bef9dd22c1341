// The rules about money, between our books and the processor's, once it is quiet: they agree to the cent, hold by hold.

import { CAPTURE_FAILED } from '../../src/domain/checkouts/capture/decide-capture.ts';
import { type Found, grouped, sumOf } from '../support/violation.ts';
import type { CheckoutRow, HoldRow, MovementRow, OurBooks, TheirBooks, TheirHold } from './books.ts';

export function checkMoney(ours: OurBooks, theirs: TheirBooks, found: Found): void {
  const holds = new Map(ours.holds.map((hold) => [hold.id, hold]));
  const movements = grouped(ours.movements, ({ holdId }) => holdId);
  checkSettled(ours, found);
  for (const their of theirs.holds)
    checkTheirHold(their, holds.get(their.holdId), movements.get(their.holdId) ?? [], found);
  checkOursAreThere(ours.holds, theirs, found);
  checkOnePerShare(theirs, found);
  checkAllWereHeld(ours, theirs, found);
  checkNobodyIsCharged(ours, theirs, found);
  checkLedger(ours, theirs, found);
  for (const id of theirs.live) found('test never reaches live', 'the processor', `its live books have ${id}`);
}

function checkSettled(ours: OurBooks, found: Found): void {
  const rule = 'nothing is left under way';
  for (const { id, checkoutId, status } of ours.holds) {
    if (['requested', 'capturing', 'releasing'].includes(status)) found(rule, checkoutId, `hold ${id} is ${status}`);
  }
  for (const { id, checkoutId, kind, status, trouble } of ours.movements) {
    if (['waiting', 'sending', 'failed'].includes(status)) {
      found(rule, checkoutId, `${kind} ${id} is ${status}${trouble === null ? '' : ` (${trouble})`}`);
    }
  }
  for (const { id, status } of ours.checkouts) if (status === 'funded') found(rule, id, 'the checkout is still funded');
}

const LIVE_HERE = new Set(['open', 'held', 'requested', 'capturing']);

function checkTheirHold(
  their: TheirHold,
  hold: HoldRow | undefined,
  movements: readonly MovementRow[],
  found: Found,
): void {
  const { intentId, checkoutId, status, captured } = their;
  const say = (rule: string, what: string): void => found(rule, checkoutId, `${intentId}: ${what}`);
  const isOurs = hold !== undefined && hold.intentId === intentId;
  if (status === 'requires_capture' && !(isOurs && LIVE_HERE.has(hold.status))) {
    say('no card is held that nobody waits for', `held there, ${hold?.status ?? 'unknown'} here`);
  }
  if (status === 'requires_capture' && isOurs && hold.status !== 'held') {
    say('both books agree', `held there, ${hold.status} here`);
  }
  const expected = isOurs && hold.status === 'captured' ? hold.amount : 0;
  if (captured !== expected) say('both books agree', `${captured} captured there, ${expected} here`);
  const done = (kind: MovementRow['kind']): number =>
    sumOf(
      movements.filter((one) => one.kind === kind && one.status === 'done'),
      ({ amount }) => amount,
    );
  const pairs: [string, number, number][] = [
    ['refunded', their.refunded, done('refund') + done('return')],
    ['transferred', their.transferred, done('transfer')],
    ['reversed', their.reversed, done('reversal')],
  ];
  for (const [word, there, here] of pairs) {
    if (there !== here) say('both books agree', `${there} ${word} there, ${here} here`);
  }
}

function checkOursAreThere(holds: readonly HoldRow[], theirs: TheirBooks, found: Found): void {
  const known = new Map(theirs.holds.map((their) => [their.intentId, their]));
  for (const { id, checkoutId, intentId, status } of holds) {
    const their = intentId === null ? undefined : known.get(intentId);
    if (intentId !== null && their === undefined) {
      found('both books agree', checkoutId, `hold ${id} names ${intentId}, which the processor does not know`);
    }
    if (status === 'held' && their?.status !== 'requires_capture') {
      found('both books agree', checkoutId, `hold ${id} is held here, ${their?.status} there`);
    }
  }
}

function checkOnePerShare(theirs: TheirBooks, found: Found): void {
  for (const [shareId, own] of grouped(theirs.holds, (their) => their.shareId)) {
    // Given back or not: nobody's card is charged twice.
    const captured = own.filter(({ captured: amount }) => amount > 0);
    const live = own.filter(({ status }) => status === 'requires_capture');
    const { checkoutId = '' } = own[0] ?? {};
    if (captured.length > 1) {
      found('one capture for a share', checkoutId, `${shareId} was captured ${captured.length} times`);
    }
    if (live.length > 1) found('one live hold for a share', checkoutId, `${shareId} is held ${live.length} times`);
    if (live.length > 0 && captured.length > 0) {
      found('one live hold for a share', checkoutId, `${shareId} is captured and held besides`);
    }
  }
}

/**
 * Whatever the processor has captured, given back since or not, was captured after we had told that all were held; and the
 * checkout was completed, or canceled because another capture failed.
 */
function checkAllWereHeld(ours: OurBooks, theirs: TheirBooks, found: Found): void {
  const rule = 'no capture before all are held';
  const checkouts = new Map(ours.checkouts.map((checkout) => [checkout.id, checkout]));
  const funded = grouped(
    ours.events.filter(({ type }) => type === 'checkout.funded'),
    ({ checkoutId }) => checkoutId,
  );
  for (const { checkoutId, intentId, captured, capturedAt } of theirs.holds) {
    if (captured === 0) {
      if (capturedAt !== null) found(rule, checkoutId, `${intentId} was captured, and nothing was received by it`);
      continue;
    }
    const checkout = checkouts.get(checkoutId);
    const mayBe = checkout?.status === 'completed' || checkout?.reason === CAPTURE_FAILED;
    if (!mayBe) found(rule, checkoutId, `${intentId} was captured, and it is ${checkout?.status ?? 'unknown'}`);
    if (capturedAt === null) found(rule, checkoutId, `${intentId} was captured, and nobody knows when`);
    else if (!(funded.get(checkoutId) ?? []).some(({ at }) => at <= capturedAt)) {
      found(
        rule,
        checkoutId,
        `${intentId} was captured at ${new Date(capturedAt).toISOString()}, before it was funded`,
      );
    }
  }
}

function checkNobodyIsCharged(ours: OurBooks, theirs: TheirBooks, found: Found): void {
  const byCheckout = grouped(theirs.holds, ({ checkoutId }) => checkoutId);
  for (const checkout of ours.checkouts) {
    const own = byCheckout.get(checkout.id) ?? [];
    const charged = sumOf(own, ({ captured, refunded }) => captured - refunded);
    if (checkout.status !== 'completed' && charged !== 0) {
      found(
        'nobody is charged without a completed checkout',
        checkout.id,
        `${charged} is kept, it is ${checkout.status}`,
      );
    }
    if (checkout.status !== 'completed') continue;
    const due = checkout.amount - checkout.refundedAmount;
    if (charged !== due) found('captured = net + fee + refunded', checkout.id, `${charged} is kept there, ${due} here`);
    const venue = sumOf(own, ({ transferred, reversed }) => transferred - reversed);
    const kept = checkout.feeAmount - (ours.entries.get(checkout.id)?.get('fee_return') ?? 0);
    if (venue + kept !== due) {
      found('captured = net + fee + refunded', checkout.id, `${venue} to the venue + ${kept} fee is not ${due}`);
    }
    checkEntries(checkout, ours.entries.get(checkout.id), found);
  }
}

function checkEntries(checkout: CheckoutRow, entries: ReadonlyMap<string, number> | undefined, found: Found): void {
  const sum = (kind: string): number => entries?.get(kind) ?? 0;
  // What was captured for a share and given back at once is in the books too.
  const captured = sum('capture') - sum('return');
  if (captured !== checkout.amount) {
    found('the ledger tells the story', checkout.id, `${captured} was captured by it, not ${checkout.amount}`);
  }
  if (sum('earning') + sum('fee') !== checkout.amount || sum('fee') !== checkout.feeAmount) {
    found(
      'the ledger tells the story',
      checkout.id,
      `${sum('earning')} earned + ${sum('fee')} fee of ${checkout.amount}`,
    );
  }
  if (sum('refund') + sum('fee_return') !== checkout.refundedAmount) {
    const back = sum('refund') + sum('fee_return');
    found('the ledger tells the story', checkout.id, `${back} given back, not ${checkout.refundedAmount}`);
  }
}

function checkLedger(ours: OurBooks, theirs: TheirBooks, found: Found): void {
  const total = [...ours.balances.values()].reduce((sum, balance) => sum + balance, 0);
  if (total !== 0) found('the ledger sums to zero', 'the ledger', `it sums to ${total}`);
  const balance = (account: string): number => ours.balances.get(account) ?? 0;
  const kept = sumOf(theirs.holds, (one) => one.captured - one.refunded - one.transferred + one.reversed);
  if (balance('processor_balance') !== kept) {
    found(
      'the ledger agrees with the processor',
      'processor_balance',
      `${balance('processor_balance')} here, ${kept} there`,
    );
  }
  for (const account of ['guest_funds', 'venue_payable', 'disputed_funds']) {
    if (balance(account) !== 0)
      found('the ledger is even once it is quiet', account, `it stands at ${balance(account)}`);
  }
}
