// Refunds, returns, transfers and reversals: each is committed first, then called with a key of its own, then
// recorded with its ledger entry. A time-out is not a failure: the same call is made again until the processor answers.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Entry } from '../ledger/accounts.ts';
import { postEntries } from '../ledger/queries.ts';
import { callKeys } from './hold.ts';
import {
  claimMovements,
  findMovementOutcome,
  finishMovement,
  type MovementRow,
  postponeMovement,
  venuesWithDueMovements,
} from './movement-queries.ts';
import { findOrCreatePayoutAccount } from './payout-account.ts';
import { type Processor, ProcessorRefusal, type Processors, ProcessorUnavailable, requireLease } from './processor.ts';
import { findHold, type HoldWithSecret } from './queries.ts';

export interface MovementServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly processors: Processors;
}

const LEASE_MS = 60_000;
const HOUR = 3_600_000;
/** Words of the processor that no waiting changes. */
const PERMANENT_REFUSALS: ReadonlySet<string> = new Set(['charge_already_refunded', 'amount_too_large', 'transfer_failed']);

/** The explicit step of the worker: sends up to `batch` movements that are due. Answers how many. */
export async function settleDueMovements(services: MovementServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const venues = await venuesWithDueMovements(services.db, now, batch);
  const claimed = await Promise.all(
    venues.map(({ venueId, due }) => claimMovements(services.db, venueId, now, now + LEASE_MS, due)),
  );
  const movements = claimed.flat();
  const settled = await Promise.allSettled(
    movements.map((movement) => settleMovement(services, movement, now + LEASE_MS)),
  );
  for (const one of settled) {
    if (one.status === 'rejected') services.log.error({ err: one.reason }, 'money was not moved; it is tried again');
  }
  return movements.length;
}

export async function settleMovement(
  services: MovementServices,
  movement: MovementRow,
  leaseEnds: number,
): Promise<void> {
  const about = { movement: movement.id, kind: movement.kind, checkout: movement.checkoutId };
  try {
    const processorId = await sendMovement(services, movement, leaseEnds);
    await recordDone(services, movement, processorId);
  } catch (error) {
    if (error instanceof ProcessorRefusal) return recordRefusal(services, movement, error.code);
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ ...about, err: error }, 'money is moved later');
    const wait = Math.min(1_000 * 2 ** Math.min(movement.leaseToken, 12), HOUR);
    await postponeMovement(services.db, movement, services.clock.now() + wait, error.message.slice(0, 200), false);
  }
}

/**
 * A no may pass (an account that is not ready yet, a balance that is too low today): it is tried again for two weeks. What
 * cannot pass, or has not passed by then, is left to a person.
 */
async function recordRefusal(services: MovementServices, movement: MovementRow, code: string): Promise<void> {
  const now = services.clock.now();
  const about = { movement: movement.id, kind: movement.kind, checkout: movement.checkoutId, code };
  if (PERMANENT_REFUSALS.has(code) || now - movement.createdAt > 14 * 24 * HOUR) {
    services.log.error(about, 'the processor has refused to move money: an operator must look');
    await finishMovement(services.db, movement, { status: 'failed', processorId: null, trouble: code }, now);
    return;
  }
  services.log.error(about, 'the processor has refused to move money: it is tried again');
  const wait = Math.min(60_000 * 2 ** Math.min(movement.refusals, 10), 6 * HOUR);
  await postponeMovement(services.db, movement, now + wait, code, true);
}

async function sendMovement(services: MovementServices, movement: MovementRow, leaseEnds: number): Promise<string> {
  const processor = services.processors[movement.mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${movement.mode} mode`);
  const hold = await findHold(services.db, movement.venueId, movement.holdId);
  if (hold === null) throw new Error(`movement ${movement.id} belongs to no hold`);
  const wish = { key: callKeys.movement(movement), amount: movement.amount, movementId: movement.id };
  // Whoever asks again looks first: a key is forgotten after a day, and a word of ours may have changed since.
  const mayBeMade = movement.leaseToken > 1;
  switch (movement.kind) {
    case 'refund':
    case 'return': {
      const intentId = intentOf(hold);
      const made = mayBeMade ? await processor.findRefund(intentId, movement.id) : null;
      if (made === null) requireLease(services.clock, leaseEnds);
      return (made ?? (await processor.refund(intentId, wish))).refundId;
    }
    case 'transfer': {
      const made = mayBeMade ? await processor.findTransfer(movement.checkoutId, movement.id) : null;
      return made?.transferId ?? (await sendTransfer(services, { processor, movement, hold, key: wish.key, leaseEnds }));
    }
    case 'reversal': {
      const transferId = await transferToReverse(services, movement);
      const made = mayBeMade ? await processor.findReversal(transferId, movement.id) : null;
      if (made === null) requireLease(services.clock, leaseEnds);
      return (made ?? (await processor.reverse(transferId, wish))).reversalId;
    }
  }
}

async function transferToReverse(services: MovementServices, movement: MovementRow): Promise<string> {
  const taken = await findMovementOutcome(services.db, movement.venueId, movement.reversedTransferId ?? '');
  if (taken?.status === 'done' && taken.processorId !== null) return taken.processorId;
  // Asked for again together, they are made and taken back one after the other.
  if (taken?.status === 'failed') throw new ProcessorRefusal('transfer_failed', 'the transfer itself was refused');
  throw new ProcessorUnavailable('the transfer that is to be taken back was not made yet');
}

interface TransferCall {
  readonly processor: Processor;
  readonly movement: MovementRow;
  readonly hold: HoldWithSecret;
  readonly key: string;
  readonly leaseEnds: number;
}

async function sendTransfer(
  services: MovementServices,
  { processor, movement, hold, key, leaseEnds }: TransferCall,
): Promise<string> {
  if (hold.chargeId === null) throw new Error(`hold ${hold.id} was captured and has no charge`);
  const { amount, currency, checkoutId } = movement;
  const { accountId } = await findOrCreatePayoutAccount(services, movement.venueId, movement.mode);
  const { chargeId } = hold;
  const movementId = movement.id;
  requireLease(services.clock, leaseEnds);
  const made = await processor.transfer({ key, amount, currency, accountId, chargeId, checkoutId, movementId });
  return made.transferId;
}

async function recordDone(services: MovementServices, movement: MovementRow, processorId: string): Promise<void> {
  const now = services.clock.now();
  await services.db.transaction(async (tx) => {
    const isMine = await finishMovement(tx, movement, { status: 'done', processorId, trouble: null }, now);
    if (isMine) await postEntries(tx, { ...movement, now }, entriesFor(movement));
  });
}

function entriesFor({ kind, id, amount, feePart }: MovementRow): readonly Entry[] {
  if (kind !== 'refund') return [{ kind, subject: id, amount }];
  return [
    { kind: 'refund', subject: id, amount: amount - feePart },
    { kind: 'fee_return', subject: id, amount: feePart },
  ];
}

function intentOf(hold: HoldWithSecret): string {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} was captured and has no intent`);
  return hold.intentId;
}
