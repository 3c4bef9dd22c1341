// What happens to stored objects by the clock alone: an uncaptured hold lapses, a refund succeeds or fails later or
// gets the funds that it waits for, and balances are paid out daily. The times are in the rows, so they survive a
// restart. Nothing here reads a clock or sets a timer.

import { releaseHold } from './holds.ts';
import { isPayoutDue, payOutDaily } from './payouts.ts';
import { changeRefund, fundRefunds } from './refunds.ts';
import type { ChargeRow, Mode, RefundRow } from './row-types.ts';
import type { Store } from './store.ts';
import { TimerQueue } from './timer-queue.ts';
import type { Transaction } from './transaction.ts';

interface DueChange {
  readonly mode: Mode;
  apply(tx: Transaction): void;
}

const MODES = ['test', 'live'] as const;

export class DueChanges {
  readonly #queue = new TimerQueue<DueChange>();
  readonly #store: Store;
  /** The refunds that wait for funds, oldest first. */
  readonly #unfunded: Readonly<Record<Mode, Set<string>>> = { test: new Set(), live: new Set() };

  constructor(store: Store) {
    this.#store = store;
    for (const mode of MODES) {
      for (const charge of store.tables(mode).charges.oldestFirst()) this.#addHold(mode, charge);
      for (const refund of store.tables(mode).refunds.oldestFirst()) this.#addRefund(mode, refund);
    }
    store.subscribe((mode, table, row) => {
      if (table === 'charges') this.#addHold(mode, row as ChargeRow);
      if (table === 'refunds') this.#addRefund(mode, row as RefundRow);
    });
  }

  /** Applies everything that is due, each change in a transaction of its own. */
  applyDue(nowMs: number, transact: (mode: Mode, task: (tx: Transaction) => void) => void): void {
    for (let due = this.#queue.takeDue(nowMs); due !== undefined; due = this.#queue.takeDue(nowMs)) {
      transact(due.mode, due.apply);
    }
    for (const mode of MODES) {
      if (isPayoutDue(this.#store.tables(mode).payoutSettings.get('day')?.day, nowMs)) transact(mode, payOutDaily);
      const unfunded = this.#unfunded[mode];
      if (unfunded.size > 0) transact(mode, (tx) => fundRefunds(tx, [...unfunded]));
    }
  }

  #addHold(mode: Mode, charge: ChargeRow): void {
    if (charge.captureBefore === null || charge.captured || charge.released || charge.captureTries > 0) return;
    const { id, captureBefore } = charge;
    const apply = (tx: Transaction): void => {
      const intent = tx.find('intents', tx.require('charges', id).intent);
      if (intent?.status === 'requires_capture' && intent.charge === id) releaseHold(tx, intent, 'automatic');
    };
    this.#queue.add(captureBefore * 1000, { mode, apply });
  }

  #addRefund(mode: Mode, { id, next, waitsForFunds }: RefundRow): void {
    if (waitsForFunds === true) this.#unfunded[mode].add(id);
    else this.#unfunded[mode].delete(id);
    if (next === undefined || next === null) return;
    const apply = (tx: Transaction): void => {
      const refund = tx.require('refunds', id);
      // Funds that came meanwhile have given it another end.
      if (refund.next?.at === next.at) changeRefund(tx, refund);
    };
    this.#queue.add(next.at * 1000, { mode, apply });
  }
}
