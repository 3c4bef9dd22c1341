// What must always hold about money and events, checked after every commit and every call to the bank; and what must hold
// once everything is quiet.

import type { ChargeRow } from '../../sandbox/processor/row-types.ts';
import { Violation } from './scheduler.ts';
import type { ProcessorBooks } from './simulated-processor.ts';
import { EMPTY_SNAPSHOT, type Snapshot } from './snapshot.ts';

type Checkout = Snapshot['checkouts'][number];
type Share = Snapshot['shares'][number];

const FINAL: ReadonlySet<string> = new Set(['completed', 'expired', 'canceled']);

/** The state that each event can be told in. */
const STATUS_OF: Readonly<Record<string, string>> = {
  'checkout.created': 'open',
  'checkout.collecting': 'collecting',
  'share.held': 'collecting',
  'checkout.funded': 'funded',
  'checkout.completed': 'completed',
  'checkout.expired': 'expired',
  'checkout.canceled': 'canceled',
  'refund.created': 'completed',
};

function insist(holds: boolean, message: () => string): void {
  if (!holds) throw new Violation(message());
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

export class Invariants {
  present: Snapshot = EMPTY_SNAPSHOT;
  /** The checkout that was made last. */
  newest: string | null = null;
  /** Holds whose capture was decided, by a commit. */
  readonly #decided = new Set<string>();
  readonly #capturedShares = new Set<string>();
  /** Every move that was seen, such as "hold capturing → captured". */
  readonly met = new Set<string>();

  /** A capture at the bank. */
  onCapture(charge: ChargeRow): void {
    const { hold_id: hold = '', share_id: share = '', checkout_id: checkout = '' } = charge.metadata;
    insist(this.#decided.has(hold), () => `hold ${hold} was captured, and no commit had decided that (${checkout})`);
    insist(!this.#capturedShares.has(share), () => `share ${share} was captured twice`);
    this.#capturedShares.add(share);
  }

  onCommit(next: Snapshot, isOneCommit: boolean): void {
    const before = this.present;
    this.present = next;
    for (const checkout of next.checkouts) {
      const party = next.shares.filter((share) => share.checkout === checkout.id && !share.dropped);
      const old = before.checkouts.find(({ id }) => id === checkout.id);
      if (old === undefined) this.newest = checkout.id;
      this.#checkCheckout(checkout, old, party);
      this.#checkEvents(checkout, old, before, next, isOneCommit);
      this.#checkDecision(checkout, party, before, next);
    }
    for (const old of before.checkouts) {
      insist(
        next.checkouts.some(({ id }) => id === old.id),
        () => `${old.id} is gone`,
      );
    }
    this.#checkLedger(before, next);
    for (const kind of ['checkouts', 'shares', 'holds', 'movements'] as const) this.#note(kind, before, next);
  }

  #note(kind: 'checkouts' | 'shares' | 'holds' | 'movements', before: Snapshot, next: Snapshot): void {
    const olds = new Map(before[kind].map((row) => [row.id, row.status as string]));
    for (const row of next[kind]) {
      const old = olds.get(row.id);
      if (old === row.status || (old === undefined && kind !== 'holds')) continue;
      const name = kind === 'movements' && 'kind' in row ? row.kind : kind.slice(0, -1);
      this.met.add(`${name} ${old ?? (('renews' in row && row.renews) !== null ? 'renewing' : 'new')} → ${row.status}`);
    }
  }

  #checkCheckout(checkout: Checkout, old: Checkout | undefined, party: readonly Share[]): void {
    const { id, status, amount } = checkout;
    const total = sum(party.map((share) => share.amount));
    insist(
      party.length === 0 ? status !== 'collecting' && status !== 'funded' && status !== 'completed' : total === amount,
      () => `the shares of ${id} add up to ${total}, not ${amount}`,
    );
    insist(checkout.mode === 'test', () => `${id} is in live mode`);
    if (old !== undefined && FINAL.has(old.status)) {
      insist(old.status === status, () => `${id} was ${old.status} and became ${status}`);
    }
    const allHeld = party.length > 0 && party.every((share) => share.status === 'held');
    insist(status !== 'collecting' || !allHeld, () => `every share of ${id} is held, and it is not funded`);
    if (status === 'completed') {
      insist(
        party.every((share) => share.status === 'captured' || share.status === 'refunded'),
        () => `${id} is completed, and a share is not captured`,
      );
      insist(sum(party.map(({ refunded }) => refunded)) === checkout.refunded, () => `refunds of ${id} do not add up`);
    }
    if (status === 'expired' || status === 'canceled') {
      insist(
        !party.some((share) => share.status === 'held' || share.status === 'captured'),
        () => `${id} is ${status}, and somebody is still held or charged`,
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
    for (const [at, { sequence }] of all.entries()) {
      insist(sequence === at + 1, () => `the events of ${id} have a gap at ${at + 1}`);
    }
    const known = before.events.filter(({ subject }) => subject === id).length;
    const fresh = all.slice(known);
    const count = (type: string): number => fresh.filter((event) => event.type === type).length;
    for (const event of fresh) {
      insist(STATUS_OF[event.type] === event.status, () => `${event.type} of ${id} tells of ${event.status}`);
    }
    const entered = (status: string): number => (checkout.status === status && old?.status !== status ? 1 : 0);
    const expected = (type: string, times: number): void =>
      insist(count(type) === times, () => `${id}: ${count(type)} new ${type}, and ${times} such changes`);
    expected('checkout.created', old === undefined ? 1 : 0);
    for (const status of ['completed', 'expired', 'canceled']) expected(`checkout.${status}`, entered(status));
    // It may go through funded, or back to collecting, within what one look shows.
    insist(count('checkout.funded') >= entered('funded'), () => `${id} is funded, and nobody was told`);
    insist(count('checkout.collecting') >= entered('collecting'), () => `${id} is collecting, and nobody was told`);
    insist(count('checkout.funded') <= 1, () => `${id}: funded twice at once`);
    const becameHeld = next.shares.filter(
      (share) =>
        share.checkout === id &&
        share.status === 'held' &&
        before.shares.find((one) => one.id === share.id)?.status !== 'held',
    ).length;
    // Two commits in one look: what became held in the first may be let go in the second.
    if (isOneCommit) expected('share.held', becameHeld);
    else insist(count('share.held') >= becameHeld, () => `${id}: a share became held, and nobody was told`);
    const refunds = checkout.status === 'completed' && checkout.refunded > (old?.refunded ?? 0) ? 1 : 0;
    insist(
      refunds === 0 ? count('refund.created') === 0 : count('refund.created') >= 1,
      () => `refund of ${id} not told`,
    );
  }

  #checkDecision(checkout: Checkout, party: readonly Share[], before: Snapshot, next: Snapshot): void {
    const fresh = next.holds.filter(
      (hold) =>
        hold.checkout === checkout.id &&
        hold.status === 'capturing' &&
        before.holds.find(({ id }) => id === hold.id)?.status !== 'capturing',
    );
    if (fresh.length === 0) return;
    insist(checkout.status === 'funded', () => `${checkout.id} begins to capture while ${checkout.status}`);
    for (const share of party) {
      const isReady = share.status === 'held' && (share.amount === 0 || fresh.some((hold) => hold.share === share.id));
      insist(isReady, () => `${checkout.id} begins to capture, and share ${share.id} is ${share.status}`);
    }
    for (const { id } of fresh) this.#decided.add(id);
  }

  #checkLedger(before: Snapshot, next: Snapshot): void {
    insist(next.entries.length >= before.entries.length, () => 'a ledger entry is gone');
    if (next.entries.length === before.entries.length) return;
    const entry = (kind: string, subject: string): number =>
      next.entries.find((one) => one.kind === kind && one.subject === subject)?.amount ?? 0;
    for (const hold of next.holds) {
      const captured = hold.status === 'captured' ? hold.amount : 0;
      insist(
        entry('capture', hold.id) === captured,
        () => `hold ${hold.id}: captured ${captured}, not so in the ledger`,
      );
    }
    for (const checkout of next.checkouts.filter(({ status }) => status === 'completed')) {
      const mine = next.entries.filter((one) => one.checkout === checkout.id);
      const total = (kind: string): number => sum(mine.filter((one) => one.kind === kind).map(({ amount }) => amount));
      const returned = total('return');
      insist(
        total('capture') - returned === total('earning') + total('fee'),
        () => `${checkout.id}: captured ≠ net + fee`,
      );
      insist(total('fee') === checkout.fee, () => `${checkout.id}: the fee is not the fee`);
    }
  }
}

/** Everything is quiet, wherever it stands: nothing that was decided is still open, and the bank's books are ours. */
export function checkQuiet(present: Snapshot, books: ProcessorBooks): void {
  for (const hold of present.holds) {
    const isOver = !['requested', 'capturing', 'releasing'].includes(hold.status);
    insist(isOver, () => `hold ${hold.id} is still ${hold.status}`);
  }
  for (const { id, kind, status } of present.movements) {
    insist(status === 'done' || status === 'dropped', () => `${kind} ${id} is still ${status}`);
  }
  for (const { id, status } of present.checkouts) insist(status !== 'funded', () => `${id} is still funded`);
  checkHoldsAtBank(present, books);
  checkMoney(present, books);
}

function checkHoldsAtBank(present: Snapshot, books: ProcessorBooks): void {
  for (const intent of books.intents.values()) {
    const ours = present.holds.find(({ id }) => id === intent.metadata.hold_id);
    insist(ours !== undefined, () => `${intent.id} belongs to no hold of ours: ${JSON.stringify(intent.metadata)}`);
    if (intent.status === 'requires_capture') {
      // A hold that somebody just made and nobody has looked at yet is open; any other is an orphan.
      insist(
        (ours?.status === 'held' || ours?.status === 'open') && ours.intent === intent.id,
        () => `${intent.id} holds money, and its hold ${ours?.id} is ${ours?.status}`,
      );
    }
    if (intent.status === 'succeeded') {
      insist(ours?.status === 'captured', () => `${intent.id} is captured, and its hold is ${ours?.status}`);
    }
  }
  for (const hold of present.holds) {
    const intent = hold.intent === null ? undefined : books.intents.get(hold.intent);
    if (hold.status === 'captured') insist(intent?.status === 'succeeded', () => `hold ${hold.id} was not captured`);
    if (hold.status === 'released') {
      insist(intent === undefined || intent.status === 'canceled', () => `hold ${hold.id} was not released`);
    }
  }
  const live = new Map<string, number>();
  for (const { status, metadata } of books.intents.values()) {
    if (status !== 'requires_capture') continue;
    const share = metadata.share_id ?? '';
    live.set(share, (live.get(share) ?? 0) + 1);
  }
  for (const [share, count] of live) insist(count < 2, () => `share ${share} has ${count} live holds`);
}

function checkMoney(present: Snapshot, books: ProcessorBooks): void {
  for (const checkout of present.checkouts) {
    const charges = [...books.charges.values()].filter(({ metadata }) => metadata.checkout_id === checkout.id);
    const charged = sum(charges.map(({ amountCaptured }) => amountCaptured));
    const refunded = sum(
      [...books.refunds.values()]
        .filter(({ charge }) => charges.some(({ id }) => id === charge))
        .map(({ amount }) => amount),
    );
    if (checkout.status === 'completed') {
      insist(charged === checkout.amount, () => `${checkout.id}: ${charged} charged for ${checkout.amount}`);
      insist(
        refunded === checkout.refunded,
        () => `${checkout.id}: the bank refunded ${refunded}, we ${checkout.refunded}`,
      );
    } else
      insist(
        charged === refunded,
        () => `${checkout.id} is ${checkout.status}, and ${charged - refunded} stay charged`,
      );
  }
  const balance = new Map<string, number>();
  for (const { debit, credit, amount } of present.entries) {
    balance.set(debit, (balance.get(debit) ?? 0) + amount);
    balance.set(credit, (balance.get(credit) ?? 0) - amount);
  }
  insist(sum([...balance.values()]) === 0, () => 'the ledger does not sum to zero');
  const ours = balance.get('processor_balance') ?? 0;
  insist(ours === books.balance(), () => `the bank keeps ${books.balance()} for us, and our ledger says ${ours}`);
  insist((balance.get('guest_funds') ?? 0) === 0, () => 'guests’ money is left over');
  const owed = -(balance.get('venue_payable') ?? 0);
  insist(owed === 0, () => `the venue is owed ${owed} with every transfer done`);
}

/** The end of all time: every checkout has come to an end, and no card is held. */
export function checkEnd(present: Snapshot, books: ProcessorBooks): void {
  checkQuiet(present, books);
  for (const { id, status } of present.checkouts) insist(FINAL.has(status), () => `${id} is ${status} at the end`);
  for (const { id, status } of books.intents.values()) {
    insist(status !== 'requires_capture', () => `${id} holds money at the end`);
  }
  for (const { id, status } of present.holds) {
    insist(
      status === 'captured' || status === 'released' || status === 'voided',
      () => `hold ${id} is ${status} at the end`,
    );
  }
}
