// Sends refunds, returns, transfers and reversals to the processor. Each is committed first, then called with its own
// key, then recorded with its ledger entries. A time-out is no failure: the worker repeats the same call until the
// processor answers. Before each repetition it searches for what an earlier call may have done.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Entry } from '../ledger/accounts.ts';
import { postEntries } from '../ledger/queries.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { callKeys } from './hold.ts';
import {
  claimMovements,
  findMovementOutcome,
  finishMovement,
  freezeIfDisputed,
  LEASE_MS,
  LOSS_RETURNED,
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
import { claimDoneRefunds } from './refund-queries.ts';
import { CHARGE_DISPUTED, isRefund, recordDisputed, recordRefund } from './settle-refund.ts';
import type { TraceMovement } from './trace-movement.ts';
import { decideReversalAmount, decideTransferAmount, oweReversal } from './venue-debts.ts';

export interface MovementServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly processors: Processors;
  /** Absent: there are no traces. */
  readonly traceMovement?: TraceMovement;
}

const HOUR = 3_600_000;
/** The processor stores a key for 24 hours at least; this leaves a margin. */
const MAX_KEY_AGE_MS = 20 * HOUR;
const MAX_REFUSED_MS = 14 * 24 * HOUR;
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
    movements.map((movement) => {
      const work = (): Promise<void> => settleMovement(services, movement, now + LEASE_MS);
      return services.traceMovement?.(movement, work) ?? work();
    }),
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
    const end = await sendMovement(services, movement, leaseEnds);
    if (end === 'frozen')
      services.log.info(fields, 'the charge is disputed; its transfer waits for the end of the dispute');
    else if (end === 'owed') services.log.info(fields, 'nothing of the transfer was sent; the venue owes the reversal');
    else await recordDone(services, movement, end.processorId);
  } catch (error) {
    if (error instanceof ProcessorRefusal) return recordRefusal(services, movement, error.code);
    if (!(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ ...fields, err: error }, 'the processor is unavailable; the worker retries the movement');
    const wait = Math.min(1_000 * 2 ** Math.min(movement.leaseToken, 12), HOUR);
    await postponeMovement(services.db, movement, services.clock.now() + wait, error.kind, error.message.slice(0, 200));
  }
}

/** Asks for the done refunds of a charge again: one may have failed, and its event was lost. */
export async function recheckRefunds(services: MovementServices, venueId: string, holdId: string): Promise<void> {
  const leaseEnds = services.clock.now() + LEASE_MS;
  for (const refund of await claimDoneRefunds(services.db, venueId, holdId, leaseEnds)) {
    await settleMovement(services, refund, leaseEnds);
  }
}

/**
 * A refusal may be temporary (an account that is not ready, a balance that is too low): the worker retries it for two
 * weeks. A permanent refusal, or one that lasts longer, fails the movement and is left to an operator. A refund that is
 * refused because of a dispute does not fail before the dispute is known, because the dispute may be won after months.
 */
async function recordRefusal(services: MovementServices, movement: MovementRow, code: string): Promise<void> {
  const isDisputed = code === CHARGE_DISPUTED && isRefund(movement);
  if (isDisputed && (await recordDisputed(services, movement))) return;
  const now = services.clock.now();
  const fields = { movement: movement.id, kind: movement.kind, checkout: movement.checkoutId, code };
  if (movement.kind === 'reversal' && code === 'balance_insufficient') {
    services.log.warn(fields, 'the account of the venue has no funds for a reversal; its later transfers settle it');
    return oweReversal(services, movement, code);
  }
  const isTooOld = !isDisputed && now - movement.firstDueAt > MAX_REFUSED_MS;
  if (PERMANENT_REFUSALS.has(code) || isTooOld) {
    services.log.error(fields, 'the processor refused a movement permanently; an operator must act');
    if (isRefund(movement)) return recordRefund(services, movement, { refundId: null, status: 'failed', reason: code });
    return recordFailed(services, movement, code);
  }
  services.log.error(fields, 'the processor refused a movement; the worker retries it');
  const wait = Math.min(60_000 * 2 ** Math.min(movement.refusals, 10), 6 * HOUR);
  await postponeMovement(services.db, movement, now + wait, 'refused', code);
}

/** A transfer that failed is a payout that did not reach the venue: its people get a notice. */
async function recordFailed({ db, ids, clock }: MovementServices, movement: MovementRow, code: string): Promise<void> {
  const now = clock.now();
  const { venueId, mode, checkoutId: checkout, amount, currency } = movement;
  await db.transaction(async (tx) => {
    const finished = await finishMovement(tx, movement, { status: 'failed', processorId: null, error: code }, now);
    if (finished === null || movement.kind !== 'transfer') return;
    const detail = { checkout, amount, currency };
    await recordNotice(tx, { ids, now }, { venueId, mode, kind: 'payout', subject: movement.id, detail });
  });
}

/** What the processor says about a refund, after it was made or found. */
async function settleRefund(
  services: MovementServices,
  movement: MovementRow,
  leaseEnds: number,
): Promise<RefundFacts> {
  const { processor, hold, key, shouldSearch } = await prepare(services, movement);
  const { id: movementId, venueId, amount, processorId, status } = movement;
  if (status !== 'sending') {
    if (processorId === null) throw new Error(`the refund ${movementId} is ${status} but has no id of the processor`);
    return processor.retrieveRefund(processorId);
  }
  const intentId = intentOf(hold);
  const found = shouldSearch ? await processor.findRefund(intentId, movementId) : null;
  if (found !== null) return found;
  requireLease(services.clock, leaseEnds);
  const made = await processor.refund(intentId, { key, amount, movementId, venueId });
  // The answer may be a replay of the first one, and the refund has failed since.
  return shouldSearch && made.refundId !== null ? processor.retrieveRefund(made.refundId) : made;
}

interface PreparedMovement {
  readonly processor: Processor;
  readonly hold: HoldWithSecret;
  readonly key: string;
  /** An earlier call may have made it: it is searched for before another call. */
  readonly shouldSearch: boolean;
}

async function prepare(services: MovementServices, movement: MovementRow): Promise<PreparedMovement> {
  const processor = services.processors[movement.mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${movement.mode} mode`);
  const hold = await findHold(services.db, movement.venueId, movement.holdId);
  if (hold === null) throw new Error(`the hold of movement ${movement.id} is not found`);
  // A retry searches first: the last call may have done it and failed then, the processor forgets a key after a day, and
  // rejects a key whose parameters have changed. So does a late first attempt: the records may come from a backup.
  const shouldSearch = movement.leaseToken > 1 || services.clock.now() - movement.firstDueAt > MAX_KEY_AGE_MS;
  return { processor, hold, key: callKeys.movement(movement), shouldSearch };
}

/** The processor's id is null for a transfer that settles debts as a whole: nothing is sent. */
type MovementEnd = { readonly processorId: string | null } | 'frozen' | 'owed';

async function sendMovement(
  services: MovementServices,
  movement: MovementRow,
  leaseEnds: number,
): Promise<MovementEnd> {
  const { processor, hold, key, shouldSearch } = await prepare(services, movement);
  if (movement.kind === 'transfer') {
    const found = shouldSearch ? await processor.findTransfer(movement.checkoutId, movement.id) : null;
    // The processor would transfer the money of a disputed charge, and a lost dispute would then be our loss.
    if (found === null && (await freezeIfDisputed(services.db, movement))) return 'frozen';
    const amount = await decideTransferAmount(services, movement, found?.amount ?? null);
    if (found !== null) return found;
    if (amount === 0) return { processorId: null };
    return { processorId: await sendTransfer(services, { processor, movement, hold, key, amount, leaseEnds }) };
  }
  return sendReversal(services, movement, { processor, key, shouldSearch, leaseEnds });
}

async function sendReversal(
  services: MovementServices,
  movement: MovementRow,
  { processor, key, shouldSearch, leaseEnds }: Omit<PreparedMovement, 'hold'> & { readonly leaseEnds: number },
): Promise<MovementEnd> {
  const transferId = await transferToReverse(services, movement);
  const found = shouldSearch && transferId !== null ? await processor.findReversal(transferId, movement.id) : null;
  const amount = await decideReversalAmount(services, movement, found?.amount ?? null);
  if (found !== null) return found;
  if (amount === 0) return 'owed';
  if (transferId === null) throw new Error(`nothing was sent that the reversal ${movement.id} can take back`);
  requireLease(services.clock, leaseEnds);
  return { processorId: (await processor.reverse(transferId, { key, amount, movementId: movement.id })).reversalId };
}

/** Null: nothing was sent. The whole transfer has settled debts of the venue, or an operator has paid it by hand. */
async function transferToReverse(services: MovementServices, movement: MovementRow): Promise<string | null> {
  const transfer = await findMovementOutcome(services.db, movement.venueId, movement.reversedTransferId ?? '');
  if (transfer?.status === 'done') return transfer.processorId;
  if (transfer?.status === 'closed') return null;
  if (transfer?.isByHand) throw new ProcessorUnavailable('an operator pays the transfer by hand');
  // The reversal fails with its transfer. When an operator retries both, the transfer is made first.
  if (transfer?.status === 'failed') throw new ProcessorRefusal('transfer_failed', 'the transfer itself was refused');
  throw new ProcessorUnavailable('the transfer to reverse was not made yet');
}

interface TransferCall {
  readonly processor: Processor;
  readonly movement: MovementRow;
  readonly hold: HoldWithSecret;
  readonly key: string;
  readonly amount: number;
  readonly leaseEnds: number;
}

async function sendTransfer(
  services: MovementServices,
  { processor, movement, hold, key, amount, leaseEnds }: TransferCall,
): Promise<string> {
  if (hold.chargeId === null) throw new Error(`hold ${hold.id} was captured but has no charge`);
  const { currency, checkoutId } = movement;
  const { accountId } = await requirePayoutAccount(services, movement.venueId, movement.mode);
  // A charge pays no more transfers than it has captured, so money that came back is sent from the balance.
  const chargeId = movement.reason === LOSS_RETURNED ? null : hold.chargeId;
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

async function recordDone(
  services: MovementServices,
  movement: MovementRow,
  processorId: string | null,
): Promise<void> {
  const now = services.clock.now();
  await services.db.transaction(async (tx) => {
    const finished = await finishMovement(tx, movement, { status: 'done', processorId, error: null }, now);
    if (finished !== null) await postEntries(tx, { ...movement, now }, entriesOf(movement, finished.sentAmount));
  });
}

/** What a transfer does not send settles debts of the venue. What a reversal does not take back is owed already. */
function entriesOf({ kind, id: subject, amount }: MovementRow, sentAmount: number): readonly Entry[] {
  const sent: Entry = { kind, subject, amount: sentAmount };
  return kind === 'transfer' ? [sent, { kind: 'debt_paid', subject, amount: amount - sentAmount }] : [sent];
}

function intentOf(hold: HoldWithSecret): string {
  if (hold.intentId === null) throw new Error(`hold ${hold.id} was captured but has no intent`);
  return hold.intentId;
}
