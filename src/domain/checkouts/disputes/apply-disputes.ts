// Applies the stored processor events of disputes: finds the hold (through the processor, because a dispute has no
// metadata of ours), records the dispute, and posts the money that the processor withdrew or reinstated, and its fee, to
// the ledger. A lost dispute is divided between the venue and our fee. Transfers and refunds that waited for the end of a
// dispute go on.

import type { Queryable } from '../../../base/db.ts';
import { isUuid } from '../../../base/ids.ts';
import type { Entry } from '../../ledger/accounts.ts';
import { postEntries } from '../../ledger/queries.ts';
import {
  claimProcessorEvents,
  type DisputeUpdate,
  isOpenDispute,
  type LockedDispute,
  lockDispute,
  postponeProcessorEvent,
  type StoredProcessorEvent,
  updateDispute,
} from '../../payments/dispute-queries.ts';
import { lockTransfers, resumeFrozen } from '../../payments/movement-queries.ts';
import type { DisputeEvent } from '../../payments/processor-event.ts';
import { findHold } from '../../payments/queries.ts';
import { lockUnpaidRefunds } from '../../payments/refund-queries.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import { lockCheckout } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { decideLostDispute, type LostDispute, mustDivideLater } from './decide-dispute.ts';

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
      const shouldGiveUp = now - event.receivedAt > 3 * DAY;
      services.log[shouldGiveUp ? 'error' : 'warn'](
        { event: event.id, err: error },
        shouldGiveUp
          ? 'applying a processor event failed for three days; the worker gives it up'
          : 'applying a processor event failed; the worker retries it',
      );
      await postponeProcessorEvent(services.db, event, shouldGiveUp ? null : retryAt(now, event));
    }
  }
  return events.length;
}

function retryAt(now: number, { leaseToken }: StoredProcessorEvent): number {
  return now + Math.min(1_000 * 2 ** leaseToken, HOUR);
}

/** Returns false if the event must be applied again later: the loss of a dispute cannot be divided yet. */
async function applyProcessorEvent(
  services: ProcessorEventServices,
  { mode, subject }: StoredProcessorEvent,
): Promise<boolean> {
  if (subject.intentId === null) return true;
  const { metadata } = await processorFor(services, mode).retrieveHold(subject.intentId);
  if (!isUuid(metadata.venueId ?? '') || !isUuid(metadata.holdId ?? '')) return true;
  const hold = await findHold(services.db, metadata.venueId ?? '', metadata.holdId ?? '');
  if (hold === null || hold.mode !== mode || hold.intentId !== subject.intentId) return true;
  return recordDispute(services, {
    venueId: hold.venueId,
    mode,
    checkoutId: hold.checkoutId,
    shareId: hold.shareId,
    holdId: hold.id,
    event: subject,
    now: services.clock.now(),
  });
}

/**
 * Locks the checkout first, as a refund does, then the dispute, then the movements. Returns false if the dispute was lost
 * and its loss cannot be divided yet.
 */
async function recordDispute(services: ProcessorEventServices, update: DisputeUpdate): Promise<boolean> {
  const { venueId, checkoutId, holdId, now } = update;
  return services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    if (checkout === null) throw new Error(`checkout ${checkoutId} of a hold is not found`);
    const before = await lockDispute(tx, update);
    await postEntries(tx, { ...update, currency: before.currency }, entriesFor(before, update.event));
    const status = await updateDispute(tx, update);
    if (isOpenDispute(status)) return true;
    if (status === 'lost' && !before.isDivided) {
      const dispute = { id: update.event.disputeId, shareId: update.shareId, holdId, amount: before.amount };
      if (!(await divideLostDispute(tx, services, checkout, dispute, now))) return false;
    }
    await resumeFrozen(tx, venueId, holdId, now);
    return true;
  });
}

async function divideLostDispute(
  tx: Queryable,
  services: ProcessorEventServices,
  checkout: LockedCheckout,
  dispute: LostDispute,
  now: number,
): Promise<boolean> {
  const { venueId, id: checkoutId } = checkout;
  const [transfers, refunds] = await Promise.all([
    lockTransfers(tx, venueId, checkoutId),
    lockUnpaidRefunds(tx, venueId, dispute.holdId),
  ]);
  const movements = { transfers, refunds };
  if (mustDivideLater(checkout, movements, dispute.holdId)) return false;
  const newId = (): string => services.ids.uuid();
  const steps = decideLostDispute(checkout, movements, dispute, { now, newId });
  if (steps.length === 0) {
    const fields = { dispute: dispute.id, checkout: checkoutId };
    services.log.error(fields, 'a dispute was lost on money that no venue has earned; an operator must act');
  }
  await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
  return true;
}

function entriesFor(before: LockedDispute, event: DisputeEvent): readonly Entry[] {
  const { disputeId: subject, balanceChange } = event;
  const { amount } = before;
  const entries = feeEntries(before, event);
  if (balanceChange === 'withdrawn' && !before.withdrawn) return [{ kind: 'dispute', subject, amount }, ...entries];
  if (balanceChange === 'reinstated' && !before.reinstated) {
    return [{ kind: 'dispute_won', subject, amount }, ...entries];
  }
  return entries;
}

/** What the event says beyond what is recorded: events come twice and out of order, and a fee may be added later. */
function feeEntries(before: LockedDispute, { disputeId, ...event }: DisputeEvent): readonly Entry[] {
  const fees = [
    { kind: 'dispute_fee', recorded: before.processorFee, total: event.processorFee ?? 0 },
    { kind: 'dispute_fee_returned', recorded: before.processorFeeReturned, total: event.processorFeeReturned ?? 0 },
  ] as const;
  return fees
    .filter(({ recorded, total }) => total > recorded)
    .map(({ kind, recorded, total }) => ({
      kind,
      // A later fee of the same dispute has a subject of its own.
      subject: recorded === 0 ? disputeId : `${disputeId} ${total}`,
      amount: total - recorded,
    }));
}
