// Applies the stored processor events of disputes: finds the hold (through the processor, because a dispute has no
// metadata of ours), asks for the dispute, and posts the money that the processor withdrew or gave back, and its fee,
// to the ledger. An event is only a hint: the worker records what the processor answers, in any order of the events. The
// loss of a dispute is divided between the venue and our fee, also when it changes after the end. Transfers and refunds
// that waited for the end of a dispute go on.

import type { Queryable } from '../../../base/db.ts';
import { isUuid } from '../../../base/ids.ts';
import type { Entry } from '../../ledger/accounts.ts';
import { postEntries } from '../../ledger/queries.ts';
import { recordNotice } from '../../notices/record-notice.ts';
import { lockWrittenOff } from '../../payments/debt-queries.ts';
import {
  claimProcessorEvents,
  countDisputeChanges,
  type DisputeUpdate,
  type Division,
  dividedAmount,
  isOpenDispute,
  type LockedDispute,
  lockDispute,
  lossOf,
  postponeProcessorEvent,
  type StoredProcessorEvent,
  updateDispute,
} from '../../payments/dispute-queries.ts';
import { lockTransfers, resumeFrozen } from '../../payments/movement-queries.ts';
import type { DisputeFacts } from '../../payments/processor.ts';
import { findHold } from '../../payments/queries.ts';
import { hasPendingRefund, lockUnpaidRefunds } from '../../payments/refund-queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import { lockCheckout } from '../queries.ts';
import type { Step } from '../steps.ts';
import { writeSteps } from '../write-steps.ts';
import { decideLostDispute, decideReturnedLoss, mustDivideLater, reversalReasons } from './decide-dispute.ts';

export type ProcessorEventServices = Pick<PaymentServices, 'db' | 'clock' | 'ids' | 'log' | 'processors'>;

const LEASE_MS = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** One step of the worker: applies up to `batch` due events. Returns how many it claimed. */
export async function applyDueProcessorEvents(services: ProcessorEventServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const events = await claimProcessorEvents(services.db, now, now + LEASE_MS, batch);
  for (const event of events) {
    try {
      const isApplied = await applyProcessorEvent(services, event);
      await postponeProcessorEvent(services.db, event, isApplied ? null : retryAt(now, event));
    } catch (error) {
      // Never given up: a dispute that is not recorded lets its transfer go to the venue.
      const isOld = now - event.receivedAt > 3 * DAY;
      const fields = { event: event.id, err: error };
      services.log[isOld ? 'error' : 'warn'](fields, 'applying a processor event failed; the worker retries it');
      await postponeProcessorEvent(services.db, event, retryAt(now, event));
    }
  }
  return events.length;
}

function retryAt(now: number, { leaseToken }: StoredProcessorEvent): number {
  return now + Math.min(1_000 * 2 ** Math.min(leaseToken, 12), HOUR);
}

/** Returns false if the event must be applied again later. */
async function applyProcessorEvent(
  services: ProcessorEventServices,
  { mode, subject }: StoredProcessorEvent,
): Promise<boolean> {
  const { disputeId, intentId } = subject;
  if (intentId === null) return true;
  const processor = processorFor(services, mode);
  const { metadata } = await processor.retrieveHold(intentId);
  if (!isUuid(metadata.venueId ?? '') || !isUuid(metadata.holdId ?? '')) return true;
  const hold = await findHold(services.db, metadata.venueId ?? '', metadata.holdId ?? '');
  if (hold === null || hold.mode !== mode || hold.intentId !== intentId) return true;
  const { id: holdId, venueId, checkoutId, shareId } = hold;
  const changes = await countDisputeChanges(services.db, venueId, disputeId);
  const facts = await processor.retrieveDispute(disputeId);
  if (facts.intentId !== intentId) return true;
  const now = services.clock.now();
  return recordDispute(services, { venueId, mode, checkoutId, shareId, holdId, facts, now }, changes);
}

/**
 * Locks the checkout first, as a refund does, then the dispute, then the movements. Returns false if another worker has
 * recorded a later answer since `changes` were counted, or if the loss of a lost dispute cannot be divided yet.
 */
async function recordDispute(
  services: ProcessorEventServices,
  update: DisputeUpdate,
  changes: number,
): Promise<boolean> {
  const { venueId, checkoutId, holdId, facts, now } = update;
  return services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    if (checkout === null) throw new Error(`checkout ${checkoutId} of a hold is not found`);
    const before = await lockDispute(tx, update);
    if (before.changes !== changes) return false;
    await postEntries(tx, { ...update, currency: before.currency }, entriesFor(before, facts));
    await updateDispute(tx, update);
    if (before.changes === 0) await recordDisputeNotice(tx, services, update, before.currency);
    if (isOpenDispute(facts.status)) return true;
    // The transfer stays frozen until then: the money is not there.
    if (!(await settleDivision(tx, services, checkout, update, before))) return false;
    await resumeFrozen(tx, venueId, holdId, now);
    return true;
  });
}

/** Recorded with the first answer of the processor. */
async function recordDisputeNotice(
  tx: Queryable,
  { ids }: ProcessorEventServices,
  { venueId, mode, checkoutId, facts, now }: DisputeUpdate,
  currency: string,
): Promise<void> {
  const detail = { checkout: checkoutId, amount: facts.amount, currency };
  await recordNotice(tx, { ids, now }, { venueId, mode, kind: 'dispute', subject: facts.disputeId, detail });
}

/** Divides what the processor has taken or given back since the last division. Returns false if that must wait. */
async function settleDivision(
  tx: Queryable,
  services: ProcessorEventServices,
  checkout: LockedCheckout,
  { shareId, holdId, facts, now }: DisputeUpdate,
  { division, changes, ...before }: LockedDispute,
): Promise<boolean> {
  const withdrawn = Math.max(before.withdrawn, facts.withdrawn);
  const reinstated = Math.max(before.reinstated, facts.reinstated);
  const loss = lossOf({ status: facts.status, withdrawn, reinstated }, division);
  const change = loss === null ? 0 : loss - (division === null ? 0 : dividedAmount(division));
  if (loss === null || (division !== null && change === 0)) return true;
  const { venueId, id: checkoutId } = checkout;
  const { disputeId: id } = facts;
  const subject = division === null ? id : `${id} ${changes + 1}`;
  const context = { now, newId: () => services.ids.uuid() };
  const fields = { dispute: id, checkout: checkoutId };
  if (division !== null && change < 0) {
    services.log.warn({ ...fields, amount: -change }, 'the processor gave back a loss; those who bore it get it back');
    const writtenOff = await lockWrittenOff(tx, venueId, holdId, reversalReasons(id));
    const returned = { amount: -change, writtenOff };
    const steps = decideReturnedLoss(checkout, { id, shareId, holdId, subject, division }, returned, context);
    await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
    return true;
  }
  const [transfers, refunds] = await Promise.all([
    lockTransfers(tx, venueId, checkoutId),
    lockUnpaidRefunds(tx, venueId, holdId),
  ]);
  if (mustDivideLater(checkout, { transfers, refunds }, holdId)) return false;
  const lost = { id, shareId, holdId, subject, division, amount: change };
  const steps = decideLostDispute(checkout, { transfers, refunds }, lost, context);
  // A refund that is under way may fail, and is dropped then: the loss is not ours yet.
  if (hasOwnLoss(steps, division) && (await hasPendingRefund(tx, venueId, holdId))) return false;
  await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
  return true;
}

function hasOwnLoss(steps: readonly Step[], before: Division | null): boolean {
  return steps.some((step) => step.step === 'divide loss' && step.next.ownPart > (before?.ownPart ?? 0));
}

/** What the processor says beyond what is recorded: it may give money back, or charge a fee, in several steps. */
function entriesFor(before: LockedDispute, facts: DisputeFacts): readonly Entry[] {
  const totals = [
    { kind: 'dispute', recorded: before.withdrawn, total: facts.withdrawn },
    { kind: 'dispute_won', recorded: before.reinstated, total: facts.reinstated },
    { kind: 'dispute_fee', recorded: before.processorFee, total: facts.processorFee },
    { kind: 'dispute_fee_returned', recorded: before.processorFeeReturned, total: facts.processorFeeReturned },
  ] as const;
  return totals
    .filter(({ recorded, total }) => total > recorded)
    .map(({ kind, recorded, total }) => ({
      kind,
      // Each step has a subject of its own.
      subject: recorded === 0 ? facts.disputeId : `${facts.disputeId} ${total}`,
      amount: total - recorded,
    }));
}
