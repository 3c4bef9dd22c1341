// Sends refunds, returns, transfers and reversals to the processor. Each is committed first, then called with its own
// key, then recorded with its ledger entries. A time-out is no failure: the worker repeats the same call until the
// processor answers. Before each repetition it searches for what an earlier call may have done.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { postEntries } from '../ledger/queries.ts';
import { callKeys } from './hold.ts';
import {
  claimMovements,
  findMovementOutcome,
  finishMovement,
  freezeIfDisputed,
  type MovementRow,
  postponeMovement,
  venuesWithDueMovements,
} from './movement-queries.ts';
import { requirePayoutAccount } from './payout-account.ts';
import {
  type Processor,
  ProcessorRefusal,
  type Processors,
  ProcessorUnavailable,
  type RefundFacts,
  requireLease,
} from './processor.ts';
import { findHold, type HoldWithSecret } from './queries.ts';
import { CHARGE_DISPUTED, isRefund, recordDisputed, recordRefund } from './settle-refund.ts';

export interface MovementServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly processors: Processors;
}

const LEASE_MS = 60_000;
const HOUR = 3_600_000;
/** The processor stores a key for 24 hours at least; this leaves a margin. */
const MAX_KEY_AGE_MS = 20 * HOUR;
/** Error codes of the processor that a later retry cannot change. */
const PERMANENT_REFUSALS: ReadonlySet<string> = new Set([
  'charge_already_refunded',
  'amount_too_large',
  'transfer_failed',
]);

/** One step of the worker: sends up to `batch` due movements. Returns how many it claimed. */
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
  for (const result of settled) {
    if (result.status === 'rejected')
      services.log.error({ err: result.reason }, 'a movement failed; the worker retries it');
  }
  return movements.length;
}

export async function settleMovement(
  services: MovementServices,
  movement: MovementRow,
  leaseEnds: number,
): Promise<void> {
  const fields = { movement: movement.id, kind: movement.kind, checkout: movement.checkoutId };
  try {
    if (isRefund(movement))
      return await recordRefund(services, movement, await settleRefund(services, movement, leaseEnds));
    const processorId = await sendMovement(services, movement, leaseEnds);
    if (processorId === null) {
      services.log.info(fields, 'the charge is disputed; its transfer waits for the end of the dispute');
      return;
    }
    await recordDone(services, movement, processorId);
  } catch (error) {
    if (error instanceof ProcessorRefusal) return recordRefusal(services, movement, error.code);
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ ...fields, err: error }, 'the processor is unavailable; the worker retries the movement');
    const wait = Math.min(1_000 * 2 ** Math.min(movement.leaseToken, 12), HOUR);
    await postponeMovement(services.db, movement, services.clock.now() + wait, error.kind, error.message.slice(0, 200));
  }
}

/**
 * A refusal may be temporary (an account that is not ready, a balance that is too low): the worker retries it for two
 * weeks. A permanent refusal, or one that lasts longer, fails the movement and is left to an operator.
 */
async function recordRefusal(services: MovementServices, movement: MovementRow, code: string): Promise<void> {
  if (code === CHARGE_DISPUTED && isRefund(movement) && (await recordDisputed(services, movement))) return;
  const now = services.clock.now();
  const fields = { movement: movement.id, kind: movement.kind, checkout: movement.checkoutId, code };
  if (PERMANENT_REFUSALS.has(code) || now - movement.firstDueAt > 14 * 24 * HOUR) {
    services.log.error(fields, 'the processor refused a movement for good; an operator must act');
    if (isRefund(movement)) return recordRefund(services, movement, { refundId: null, status: 'failed', reason: code });
    await finishMovement(services.db, movement, { status: 'failed', processorId: null, error: code }, now);
    return;
  }
  services.log.error(fields, 'the processor refused a movement; the worker retries it');
  const wait = Math.min(60_000 * 2 ** Math.min(movement.refusals, 10), 6 * HOUR);
  await postponeMovement(services.db, movement, now + wait, 'refused', code);
}

/** What the processor says about a refund, after it was made or found. */
async function settleRefund(
  services: MovementServices,
  movement: MovementRow,
  leaseEnds: number,
): Promise<RefundFacts> {
  const { processor, hold, key, mayExist } = await prepare(services, movement);
  const { id: movementId, venueId, amount, processorId, status } = movement;
  if (status !== 'sending') {
    if (processorId === null) throw new Error(`the refund ${movementId} is ${status} but has no id of the processor`);
    return processor.retrieveRefund(processorId);
  }
  const intentId = intentOf(hold);
  const found = mayExist ? await processor.findRefund(intentId, movementId) : null;
  if (found !== null) return found;
  requireLease(services.clock, leaseEnds);
  const made = await processor.refund(intentId, { key, amount, movementId, venueId });
  // The answer may be a replay of the first one, and the refund has failed since.
  return mayExist && made.refundId !== null ? processor.retrieveRefund(made.refundId) : made;
}

interface PreparedMovement {
  readonly processor: Processor;
  readonly hold: HoldWithSecret;
  readonly key: string;
  /** An earlier call may have made it. */
  readonly mayExist: boolean;
}

async function prepare(services: MovementServices, movement: MovementRow): Promise<PreparedMovement> {
  const processor = services.processors[movement.mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${movement.mode} mode`);
  const hold = await findHold(services.db, movement.venueId, movement.holdId);
  if (hold === null) throw new Error(`the hold of movement ${movement.id} is not found`);
  // A retry searches first: the last call may have done it and failed then, the processor forgets a key after a day, and
  // rejects a key whose parameters have changed. So does a late first attempt: the records may come from a backup.
  const mayExist = movement.leaseToken > 1 || services.clock.now() - movement.firstDueAt > MAX_KEY_AGE_MS;
  return { processor, hold, key: callKeys.movement(movement), mayExist };
}

/** The processor's id of a transfer or a reversal; null: it is a transfer that waits for the end of a dispute. */
async function sendMovement(
  services: MovementServices,
  movement: MovementRow,
  leaseEnds: number,
): Promise<string | null> {
  const { processor, hold, key, mayExist } = await prepare(services, movement);
  if (movement.kind === 'transfer') {
    const found = mayExist ? await processor.findTransfer(movement.checkoutId, movement.id) : null;
    if (found !== null) return found.transferId;
    // The processor would transfer the money of a disputed charge, and a lost dispute would then be our loss.
    if (await freezeIfDisputed(services.db, movement)) return null;
    return sendTransfer(services, { processor, movement, hold, key, leaseEnds });
  }
  const transferId = await transferToReverse(services, movement);
  const found = mayExist ? await processor.findReversal(transferId, movement.id) : null;
  if (found === null) requireLease(services.clock, leaseEnds);
  const request = { key, amount: movement.amount, movementId: movement.id };
  return (found ?? (await processor.reverse(transferId, request))).reversalId;
}

async function transferToReverse(services: MovementServices, movement: MovementRow): Promise<string> {
  const transfer = await findMovementOutcome(services.db, movement.venueId, movement.reversedTransferId ?? '');
  if (transfer?.status === 'done' && transfer.processorId !== null) return transfer.processorId;
  // The reversal fails with its transfer. When an operator retries both, the transfer is made first.
  if (transfer?.status === 'failed') throw new ProcessorRefusal('transfer_failed', 'the transfer itself was refused');
  throw new ProcessorUnavailable('the transfer to reverse was not made yet');
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
  if (hold.chargeId === null) throw new Error(`hold ${hold.id} was captured but has no charge`);
  const { amount, currency, checkoutId } = movement;
  const { accountId } = await requirePayoutAccount(services, movement.venueId, movement.mode);
  const { chargeId } = hold;
  const movementId = movement.id;
  requireLease(services.clock, leaseEnds);
  const { transferId } = await processor.transfer({
    key,
    amount,
    currency,
    accountId,
    chargeId,
    checkoutId,
    movementId,
  });
  return transferId;
}

async function recordDone(services: MovementServices, movement: MovementRow, processorId: string): Promise<void> {
  const now = services.clock.now();
  await services.db.transaction(async (tx) => {
    const isFirst = await finishMovement(tx, movement, { status: 'done', processorId, error: null }, now);
    const { kind, id: subject, amount } = movement;
    if (isFirst) await postEntries(tx, { ...movement, now }, [{ kind, subject, amount }]);
  });
}

function intentOf(hold: HoldWithSecret): string {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} was captured but has no intent`);
  return hold.intentId;
}
