// The invariants of money and events, checked after every commit and every call to the processor; and what must hold
// when all work is done.

import type { ChargeRow } from '../../sandbox/processor/row-types.ts';
import { checkDisputes, isRefundOfLostCharge, lostOf } from './disputes.ts';
import { Violation } from './scheduler.ts';
import type { ProcessorBooks } from './simulated-processor.ts';
import { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts';

type Checkout = Snapshot['checkouts'][number];
type Share = Snapshot['shares'][number];

const TERMINAL_STATUSES: ReadonlySet<string> = new Set(['completed', 'expired', 'canceled']);

/** The checkout's status that each event type shows. */
const STATUS_OF_EVENT: Readonly<Record<string, string>> = {
  'checkout.created': 'open',
  'checkout.collecting': 'collecting',
  'share.held': 'collecting',
  'checkout.funded': 'funded',
  'checkout.completed': 'completed',
  'checkout.expired': 'expired',
  'checkout.canceled': 'canceled',
  'refund.created': 'completed',
};

/** A refund can fail in any state after a charge. */
const isStatusOfEvent = (type: string, status: string): boolean =>
  type === 'refund.failed' ? TERMINAL_STATUSES.has(status) || status === 'funded' : STATUS_OF_EVENT[type] === status;

function check(condition: boolean, message: () => string): void {
  if (!condition) throw new Violation(message());
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export class Invariants {
  current: Snapshot = EMPTY_SNAPSHOT;
  /** The checkout that was created last. */
  newestCheckoutId: string | null = null;
  /** Holds whose capture a commit has decided. */
  readonly #decided = new Set<string>();
  readonly #capturedShares = new Set<string>();
  /** Every transition that was seen, such as "hold capturing → captured". */
  readonly transitions = new Set<string>();

  /** Called for each capture at the processor. */
  onCapture(charge: ChargeRow): void {
    const { hold_id: hold = '', share_id: share = '', checkout_id: checkout = '' } = charge.metadata;
    check(this.#decided.has(hold), () => `hold ${hold} was captured without a committed decision (${checkout})`);
    check(!this.#capturedShares.has(share), () => `share ${share} was captured twice`);
    this.#capturedShares.add(share);
  }

  onCommit(next: Snapshot, isOneCommit: boolean, books: ProcessorBooks): void {
    const before = this.current;
    this.current = next;
    for (const checkout of next.checkouts) {
      const party = next.shares.filter((share) => share.checkout === checkout.id && !share.isDropped);
      const old = before.checkouts.find(({ id }) => id === checkout.id);
      if (old === undefined) this.newestCheckoutId = checkout.id;
      this.#checkCheckout(checkout, old, party);
      this.#checkEvents(checkout, old, before, next, isOneCommit);
      this.#checkDecision(checkout, party, before, next);
    }
    for (const old of before.checkouts) {
      check(
        next.checkouts.some(({ id }) => id === old.id),
        () => `${old.id} was deleted`,
      );
    }
    this.#checkLedger(before, next);
    checkHeldShares(next);
    // With two commits in one snapshot, a capture may have been refused between them.
    if (isOneCommit) checkFailedShares(before, next, books);
    for (const kind of ['checkouts', 'shares', 'holds', 'movements'] as const)
      this.#recordTransitions(kind, before, next);
    this.#recordReplacements(before, next);
    this.#recordLeaving(before, next);
  }

  #recordLeaving(before: Snapshot, next: Snapshot): void {
    for (const { id } of next.shares.filter(({ hasLeft }) => hasLeft)) {
      const old = before.shares.find((share) => share.id === id);
      if (old !== undefined && !old.hasLeft) this.transitions.add(`share ${old.status} → left`);
    }
  }

  /** A guest gives another card for a hold that was not renewed: what becomes of the second hold. */
  #recordReplacements(before: Snapshot, next: Snapshot): void {
    const waiting = before.holds.filter(({ renews, status }) => renews !== null && status === 'open');
    for (const { id } of waiting) {
      const row = next.holds.find((hold) => hold.id === id);
      if (row === undefined || (row.status === 'open' && row.renews !== null)) continue;
      this.transitions.add(`replacement open → ${row.status === 'open' ? 'own hold' : row.status}`);
    }
  }

  #recordTransitions(kind: 'checkouts' | 'shares' | 'holds' | 'movements', before: Snapshot, next: Snapshot): void {
    const oldStatuses = new Map(before[kind].map((row) => [row.id, row.status as string]));
    const writtenOff = (rows: Snapshot): number => sum(rows.movements.map((row) => row.writtenOff));
    if (writtenOff(next) > writtenOff(before)) this.transitions.add('debt written off');
    if (next.disputes.some(({ ownPart }) => ownPart > 0)) this.transitions.add('dispute lost after a payment by hand');
    if (next.entries.some(({ kind }) => kind === 'dispute_loss_returned')) this.transitions.add('loss returned');
    if (next.entries.some(({ kind }) => kind === 'dispute_return_owed')) this.transitions.add('return owed again');
    if (new Set(next.disputes.map(({ hold }) => hold)).size < next.disputes.length) {
      this.transitions.add('charge disputed twice');
    }
    if (next.disputes.some(({ status }) => status === 'warning_closed')) this.transitions.add('inquiry closed');
    for (const row of next[kind]) {
      const old = oldStatuses.get(row.id);
      if (old === row.status || (old === undefined && kind !== 'holds')) continue;
      const name = kind === 'movements' && 'kind' in row ? row.kind : kind.slice(0, -1);
      if (name === 'transfer' && row.status === 'done' && 'sent' in row && row.sent !== row.amount) {
        this.transitions.add(row.sent === 0 ? 'transfer used up by debts' : 'transfer reduced by debts');
      }
      if (name === 'reversal' && row.status === 'done' && 'owed' in row && row.owed > 0) {
        this.transitions.add('reversal of a reduced transfer');
      }
      this.transitions.add(
        `${name} ${old ?? (('renews' in row && row.renews) !== null ? 'renewing' : 'new')} → ${row.status}`,
      );
    }
  }

  #checkCheckout(checkout: Checkout, old: Checkout | undefined, party: readonly Share[]): void {
    const { id, status, amount } = checkout;
    const total = sum(party.map((share) => share.amount));
    check(
      party.length === 0 ? status !== 'collecting' && status !== 'funded' && status !== 'completed' : total === amount,
      () => `the shares of ${id} add up to ${total}, not ${amount}`,
    );
    check(old === undefined || old.mode === checkout.mode, () => `${id} has changed its mode`);
    if (old !== undefined && TERMINAL_STATUSES.has(old.status)) {
      check(old.status === status, () => `${id} was ${old.status} and became ${status}`);
    }
    const allHeld = party.length > 0 && party.every((share) => share.status === 'held');
    check(status !== 'collecting' || !allHeld, () => `every share of ${id} is held, and it is not funded`);
    if (status === 'completed') {
      check(
        party.every((share) => share.status === 'captured' || share.status === 'refunded'),
        () => `${id} is completed, and a share is not captured`,
      );
      check(sum(party.map(({ refunded }) => refunded)) === checkout.refunded, () => `refunds of ${id} do not add up`);
    }
    if (status === 'expired' || status === 'canceled') {
      check(
        !party.some((share) => share.status === 'held' || share.status === 'captured'),
        () => `${id} is ${status}, and a share is still held or captured`,
      );
    }
  }

  #checkEvents(
    checkout: Checkout,
    old: Checkout | undefined,
    before: Snapshot,
    next: Snapshot,
    isOneCommit: boolean,
  ): void {
    const { id } = checkout;
    const all = next.events.filter(({ subject }) => subject === id);
    for (const [index, { sequence }] of all.entries()) {
      check(sequence === index + 1, () => `the events of ${id} have a gap at ${index + 1}`);
    }
    const known = before.events.filter(({ subject }) => subject === id).length;
    const added = all.slice(known);
    const count = (type: string): number => added.filter((event) => event.type === type).length;
    const paidAgain = paidAgainIn(id, before, next);
    const owedAgain = owedAgainIn(id, before, next);
    const mayBeSentAgain = hasRest(id, before, next);
    for (const event of added) {
      if (event.type === 'refund.created' && (paidAgain > 0 || owedAgain > 0 || mayBeSentAgain)) continue;
      check(isStatusOfEvent(event.type, event.status), () => `${event.type} of ${id} shows the status ${event.status}`);
    }
    const entered = (status: string): number => (checkout.status === status && old?.status !== status ? 1 : 0);
    const expected = (type: string, times: number): void =>
      check(count(type) === times, () => `${id}: ${count(type)} new ${type} events for ${times} changes`);
    expected('checkout.created', old === undefined ? 1 : 0);
    for (const status of ['completed', 'expired', 'canceled']) expected(`checkout.${status}`, entered(status));
    // One snapshot may skip a change to funded and back to collecting.
    check(count('checkout.funded') >= entered('funded'), () => `${id} became funded without an event`);
    check(count('checkout.collecting') >= entered('collecting'), () => `${id} became collecting without an event`);
    check(count('checkout.funded') <= 1, () => `${id}: two checkout.funded events in one commit`);
    const becameHeld = next.shares.filter(
      (share) =>
        share.checkout === id &&
        share.status === 'held' &&
        before.shares.find(({ id: oldId }) => oldId === share.id)?.status !== 'held',
    ).length;
    // With two commits in one snapshot, a share that became held in the first may be released in the second.
    if (isOneCommit) expected('share.held', becameHeld);
    else check(count('share.held') >= becameHeld, () => `${id}: a share became held without an event`);
    const isRefunded = checkout.status === 'completed' && checkout.refunded > (old?.refunded ?? 0);
    const refunds = (isRefunded ? 1 : 0) + paidAgain + owedAgain;
    // With two commits in one snapshot, a lost dispute may have dropped as much as was refunded.
    check(
      refunds === 0
        ? count('refund.created') === 0 || !isOneCommit || mayBeSentAgain
        : count('refund.created') >= refunds,
      () => `a refund of ${id} without an event`,
    );
  }

  #checkDecision(checkout: Checkout, party: readonly Share[], before: Snapshot, next: Snapshot): void {
    const added = next.holds.filter(
      (hold) =>
        hold.checkout === checkout.id &&
        hold.status === 'capturing' &&
        before.holds.find(({ id }) => id === hold.id)?.status !== 'capturing',
    );
    if (added.length === 0) return;
    check(checkout.status === 'funded', () => `${checkout.id} starts captures while ${checkout.status}`);
    // With two commits in one snapshot, the account may have been restricted between them.
    const isPayable = [...before.accounts, ...next.accounts].some(({ status }) => status === 'active');
    check(checkout.mode === 'test' || isPayable, () => `${checkout.id} starts captures, and its venue cannot be paid`);
    for (const share of party) {
      const isReady = share.status === 'held' && (share.amount === 0 || added.some((hold) => hold.share === share.id));
      check(isReady, () => `${checkout.id} starts captures, and share ${share.id} is ${share.status}`);
    }
    for (const { id } of added) this.#decided.add(id);
  }

  #checkLedger(before: Snapshot, next: Snapshot): void {
    check(next.entries.length >= before.entries.length, () => 'a ledger entry was deleted');
    if (next.entries.length === before.entries.length) return;
    const entry = (kind: string, subject: string): number =>
      next.entries.find((row) => row.kind === kind && row.subject === subject)?.amount ?? 0;
    for (const hold of next.holds) {
      const captured = hold.status === 'captured' ? hold.amount : 0;
      check(
        entry('capture', hold.id) === captured,
        () => `hold ${hold.id}: the ledger does not have its capture of ${captured}`,
      );
      const fee = hold.processorFee ?? 0;
      check(
        entry('processor_fee', hold.id) === fee,
        () => `hold ${hold.id}: the ledger does not have its fee of ${fee}`,
      );
    }
    for (const checkout of next.checkouts.filter(({ status }) => status === 'completed')) {
      const entries = next.entries.filter((row) => row.checkout === checkout.id);
      const total = (kind: string): number =>
        sum(entries.filter((row) => row.kind === kind).map(({ amount }) => amount));
      const returned = total('return');
      check(
        total('capture') - returned === total('earning') + total('fee'),
        () => `${checkout.id}: captured ≠ net + fee`,
      );
      check(total('fee') === checkout.fee, () => `${checkout.id}: the fee in the ledger is not the checkout's fee`);
    }
  }
}

/** Failed refunds of the checkout that an operator has retried or paid by hand: each has its event. */
function paidAgainIn(checkout: string, before: Snapshot, next: Snapshot): number {
  const failed = failedIn(before);
  return refundsOf(checkout, next).filter(
    ({ id, status }) => failed.has(id) && (status === 'waiting' || status === 'closed'),
  ).length;
}

/** A lost dispute has paid a part of a failed refund: its rest has an event, that of a refund which had not failed has none. */
function hasRest(checkout: string, before: Snapshot, next: Snapshot): boolean {
  const failed = failedIn(before);
  const known = new Set(before.movements.map(({ id }) => id));
  const refunds = refundsOf(checkout, next);
  const dropped = refunds.filter(({ id, status }) => failed.has(id) && status === 'dropped');
  return refunds.some(({ id, hold }) => !known.has(id) && dropped.some((one) => one.hold === hold));
}

const failedIn = ({ movements }: Snapshot): ReadonlySet<string> =>
  new Set(movements.filter(({ status }) => status === 'failed').map(({ id }) => id));

const refundsOf = (checkout: string, { movements }: Snapshot): Snapshot['movements'][number][] =>
  movements.filter(({ kind, checkout: of }) => of === checkout && isRefundKind(kind));

/** How often the processor gave back the loss of a charge that was to be returned. */
function owedAgainIn(checkout: string, before: Snapshot, next: Snapshot): number {
  const count = ({ entries }: Snapshot): number =>
    entries.filter((entry) => entry.checkout === checkout && entry.kind === 'dispute_return_owed').length;
  return count(next) - count(before);
}

const isRefundKind = (kind: string): boolean => kind === 'refund' || kind === 'return';

/** Every held share of a checkout that collects has a current hold on a card: no good hold is given up silently. */
function checkHeldShares({ checkouts, shares, holds }: Snapshot): void {
  const collecting = new Set(checkouts.filter(({ status }) => status === 'collecting').map(({ id }) => id));
  for (const share of shares) {
    if (!collecting.has(share.checkout) || share.isDropped || share.status !== 'held' || share.amount === 0) continue;
    const isHeld = holds.some((hold) => hold.share === share.id && hold.renews === null && hold.status === 'held');
    check(isHeld, () => `share ${share.id} is held, and no card of it is`);
  }
}

/** A share fails only if its card is not held any more, or its capture was refused: a good hold is never given up. */
function checkFailedShares(before: Snapshot, next: Snapshot, books: ProcessorBooks): void {
  const wasHeld = (rows: readonly { readonly id: string; readonly status: string }[], id: string): boolean =>
    rows.find((row) => row.id === id)?.status === 'held';
  for (const { id: share, status } of next.shares) {
    if (status !== 'failed' || !wasHeld(before.shares, share)) continue;
    for (const hold of next.holds) {
      if (hold.share !== share || hold.status === 'held' || !wasHeld(before.holds, hold.id)) continue;
      const isGood = books.intents.get(hold.intent ?? '')?.status === 'requires_capture';
      check(!isGood, () => `share ${share} failed, although its hold ${hold.id} was good`);
    }
  }
}

/** All work is done: every decision is carried out, and the processor's books agree with ours. */
export function checkSettled(current: Snapshot, books: ProcessorBooks): void {
  for (const hold of current.holds) {
    const isSettled = !['requested', 'capturing', 'releasing'].includes(hold.status);
    check(isSettled, () => `hold ${hold.id} is still ${hold.status}`);
    check(
      hold.status !== 'captured' || hold.processorFee !== null,
      () => `hold ${hold.id} is captured, and the processor's fee of it is not recorded`,
    );
  }
  for (const movement of current.movements) {
    const { id, kind, status } = movement;
    const isFailed =
      status === 'failed' && (books.hasFailedRefund(id) || isRefundOfLostCharge(current, books, movement));
    check(
      status === 'done' || status === 'dropped' || status === 'owed' || status === 'closed' || isFailed,
      () => `${kind} ${id} is still ${status}`,
    );
    check(
      status !== 'closed' || !books.hasPaidRefund(id),
      () => `${kind} ${id} was paid by hand, and the processor has paid it too`,
    );
    const isPaid = status !== 'done' || !books.hasFailedRefund(id);
    check(isPaid, () => `${kind} ${id} is done, and has failed at the processor`);
  }
  for (const { id, status } of current.checkouts) check(status !== 'funded', () => `${id} is still funded`);
  checkProcessorHolds(current, books);
  checkDisputes(current, books);
  checkMoney(current, books);
}

function checkProcessorHolds(current: Snapshot, books: ProcessorBooks): void {
  for (const intent of books.intents.values()) {
    const ours = current.holds.find(({ id }) => id === intent.metadata.hold_id);
    check(ours !== undefined, () => `${intent.id} belongs to no hold: ${JSON.stringify(intent.metadata)}`);
    if (intent.status === 'requires_capture') {
      // A hold that a guest has paid and no worker has read yet is open. Any other is an orphan.
      check(
        (ours?.status === 'held' || ours?.status === 'open') && ours.intent === intent.id,
        () => `${intent.id} holds money, and its hold ${ours?.id} is ${ours?.status}`,
      );
    }
    if (intent.status === 'succeeded') {
      check(ours?.status === 'captured', () => `${intent.id} is captured, and its hold is ${ours?.status}`);
    }
  }
  for (const hold of current.holds) {
    const intent = hold.intent === null ? undefined : books.intents.get(hold.intent);
    if (hold.status === 'captured') check(intent?.status === 'succeeded', () => `hold ${hold.id} was not captured`);
    if (hold.status === 'released') {
      check(intent === undefined || intent.status === 'canceled', () => `hold ${hold.id} was not released`);
    }
  }
  const live = new Map<string, number>();
  for (const { status, metadata } of books.intents.values()) {
    if (status !== 'requires_capture') continue;
    const share = metadata.share_id ?? '';
    live.set(share, (live.get(share) ?? 0) + 1);
  }
  for (const [share, count] of live) check(count < 2, () => `share ${share} has ${count} live holds`);
}

function checkMoney(current: Snapshot, books: ProcessorBooks): void {
  for (const checkout of current.checkouts) {
    const charges = [...books.charges.values()].filter(({ metadata }) => metadata.checkout_id === checkout.id);
    const charged = sum(charges.map(({ amountCaptured }) => amountCaptured));
    const refunded = sum(
      [...books.refunds.values()]
        .filter(({ charge, status }) => status !== 'failed' && charges.some(({ id }) => id === charge))
        .map(({ amount }) => amount),
    );
    const byHand = sum(
      current.movements
        .filter(
          (movement) =>
            movement.checkout === checkout.id && movement.status === 'closed' && isRefundKind(movement.kind),
        )
        .map(({ amount }) => amount),
    );
    if (checkout.status === 'completed') {
      check(charged === checkout.amount, () => `${checkout.id}: ${charged} charged for ${checkout.amount}`);
      check(
        refunded === checkout.refunded - checkout.failedRefund - byHand,
        () =>
          `${checkout.id}: the processor refunded ${refunded}, our records say ${checkout.refunded} less ${checkout.failedRefund} failed and ${byHand} paid by hand`,
      );
    } else {
      const lost = lostOf(current, books, ({ metadata }) => metadata.checkout_id === checkout.id);
      check(
        charged === refunded + lost + checkout.failedRefund + byHand,
        () => `${checkout.id} is ${checkout.status}, and ${charged - refunded - lost} are still charged`,
      );
    }
  }
  const balance = new Map<string, number>();
  for (const { debit, credit, amount } of current.entries) {
    balance.set(debit, (balance.get(debit) ?? 0) + amount);
    balance.set(credit, (balance.get(credit) ?? 0) - amount);
  }
  check(sum([...balance.values()]) === 0, () => 'the ledger does not sum to zero');
  const disputed = balance.get('disputed_funds') ?? 0;
  check(disputed === 0, () => `${disputed} is disputed, although every dispute has ended`);
  const ours = balance.get('processor_balance') ?? 0;
  check(ours === books.balance(), () => `the processor's balance is ${books.balance()}, and our ledger says ${ours}`);
  const total = (kind: string): number =>
    sum(current.entries.filter((row) => row.kind === kind).map((row) => row.amount));
  const sent = total('transfer') - total('reversal');
  check(
    sent === books.sentToVenues(),
    () => `the processor has sent ${books.sentToVenues()} to the venue, and our ledger says ${sent}`,
  );
  check(books.overdrawnAccounts().length === 0, () => `the account ${books.overdrawnAccounts()[0]} is overdrawn`);
  const debts = sum(current.movements.map(({ owed, settled }) => owed - settled));
  const recorded = balance.get('venue_debts') ?? 0;
  check(recorded === debts, () => `the venue owes ${debts}, and our ledger says ${recorded}`);
  const writtenOff = sum(current.movements.map((movement) => movement.writtenOff));
  const lost = balance.get('written_off') ?? 0;
  const paidTwice = sum(current.disputes.map(({ ownPart }) => ownPart));
  check(
    lost === writtenOff + paidTwice,
    () => `${writtenOff} was written off and ${paidTwice} paid twice, and our ledger says ${lost}`,
  );
  const paidElsewhere = -(balance.get('paid_elsewhere') ?? 0);
  const closed = sum(
    current.movements
      .filter(({ status }) => status === 'closed')
      .map(({ kind, amount, sent }) => (kind === 'transfer' ? (sent ?? amount) : amount)),
  );
  check(paidElsewhere === closed, () => `${closed} was paid by hand, and our ledger says ${paidElsewhere}`);
  // What is owed to guests because refunds failed is in the account that the refund came from.
  const failed = current.movements.filter(({ status }) => status === 'failed');
  const owedTo = (kind: string): number =>
    sum(failed.filter((one) => one.kind === kind).map(({ amount, feePart }) => amount - feePart));
  const funds = -(balance.get('guest_funds') ?? 0);
  check(funds === owedTo('return'), () => `the account guest_funds has ${funds}, and ${owedTo('return')} is owed`);
  const owed = -(balance.get('venue_payable') ?? 0);
  check(owed === owedTo('refund'), () => `the venue is owed ${owed}, although every transfer is done`);
}

/** The end of a seed: every checkout has a terminal status, and no card is held. */
export function checkEnd(current: Snapshot, books: ProcessorBooks): void {
  checkSettled(current, books);
  for (const { id, status } of current.checkouts)
    check(TERMINAL_STATUSES.has(status), () => `${id} is ${status} at the end`);
  for (const { id, status } of books.intents.values()) {
    check(status !== 'requires_capture', () => `${id} still holds money at the end`);
  }
  for (const { id, status } of current.holds) {
    check(
      status === 'captured' || status === 'released' || status === 'voided',
      () => `hold ${id} is ${status} at the end`,
    );
  }
}
