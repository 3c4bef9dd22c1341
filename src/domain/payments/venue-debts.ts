// What a venue owes, because a transfer could not be taken back from its account, is deducted from its later transfers.
// What a call asks for is decided once, in one transaction, before the first call, so that every repetition of the call
// asks for the same.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import { postEntries } from '../ledger/queries.ts';
import {
  type Debt,
  lockDebts,
  lockReversible,
  lockSending,
  recordOwed,
  recordReversalAmount,
  recordTransferAmount,
  releaseOffsets,
} from './debt-queries.ts';
import type { MovementRow } from './movement-queries.ts';
import { ProcessorUnavailable } from './processor.ts';

export interface DebtServices {
  readonly db: Db;
  readonly clock: Clock;
}

/**
 * What is sent of a transfer: its amount less what the venue owes. `found`: what the processor has transferred already.
 * If that is another amount than was decided, the decision of that call was lost (a failover without synchronous
 * replication, a restored backup) and replaced: it is decided again, as the processor has it.
 */
export async function decideTransferAmount(
  { db, clock }: DebtServices,
  movement: MovementRow,
  found: number | null,
): Promise<number> {
  return db.transaction(async (tx) => {
    const locked = await lockSending(tx, movement);
    if (locked === null) throw leaseLost();
    if (locked.sentAmount !== null) {
      if (found === null || found === locked.sentAmount) return locked.sentAmount;
      await releaseOffsets(tx, movement.venueId, movement.id);
    }
    const offsets = takeFrom(await lockDebts(tx, movement), movement.amount - (found ?? 0));
    const sentAmount = movement.amount - sum(offsets);
    requireFound(movement, sentAmount, found);
    await recordTransferAmount(tx, movement, sentAmount, offsets, clock.now());
    return sentAmount;
  });
}

/**
 * What a reversal takes back: at most what was sent of the transfer. The venue owes the rest at once. If nothing is left
 * to take back, all of it is owed, and no call is made.
 */
export async function decideReversalAmount(
  { db, clock }: DebtServices,
  movement: MovementRow,
  found: number | null,
): Promise<number> {
  return db.transaction(async (tx) => {
    const reversible = await lockReversible(tx, movement);
    const locked = await lockSending(tx, movement);
    if (locked === null) throw leaseLost();
    if (locked.sentAmount !== null) return requireFound(movement, locked.sentAmount, found);
    const sentAmount = found ?? Math.min(movement.amount, reversible);
    if (sentAmount === 0) await recordOwed(tx, movement, null);
    else await recordReversalAmount(tx, movement, sentAmount);
    const debt = { kind: 'debt', subject: movement.id, amount: movement.amount - sentAmount } as const;
    await postEntries(tx, { ...movement, now: clock.now() }, [debt]);
    return sentAmount;
  });
}

/** The processor has refused the reversal because the account has no funds. It is not tried again: the venue owes it. */
export async function oweReversal({ db, clock }: DebtServices, movement: MovementRow, code: string): Promise<void> {
  await db.transaction(async (tx) => {
    const locked = await lockSending(tx, movement);
    // Another worker has claimed it since, and gets the same refusal for the same key.
    if (locked === null) return;
    await recordOwed(tx, movement, code);
    // What was never sent is owed since the decision, under the subject without the word.
    const debt = {
      kind: 'debt',
      subject: `${movement.id} refused`,
      amount: locked.sentAmount ?? movement.amount,
    } as const;
    await postEntries(tx, { ...movement, now: clock.now() }, [debt]);
  });
}

const sum = (debts: readonly Debt[]): number => debts.reduce((total, { amount }) => total + amount, 0);

/** The oldest debts, up to this amount. */
function takeFrom(debts: readonly Debt[], most: number): Debt[] {
  let left = most;
  const taken: Debt[] = [];
  for (const debt of debts) {
    const amount = Math.min(debt.amount, left);
    if (amount <= 0) break;
    taken.push({ ...debt, amount });
    left -= amount;
  }
  return taken;
}

function requireFound({ id, kind }: MovementRow, sentAmount: number, found: number | null): number {
  if (found === null || found === sentAmount) return sentAmount;
  throw new Error(`the processor has made the ${kind} ${id} of ${found}, and our records say ${sentAmount}`);
}

function leaseLost(): ProcessorUnavailable {
  return new ProcessorUnavailable('another worker has claimed the movement');
}
