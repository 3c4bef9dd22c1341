// Applies the stored processor events of disputes: finds the hold (through the processor, because a dispute has no
// metadata of ours), records the dispute, and posts the money that the processor withdrew or reinstated to the ledger. A
// lost dispute is divided between the venue and our fee. Transfers that waited for the end of a dispute go on.

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
import { lockTransfers, resumeTransfer } from '../../payments/movement-queries.ts';
import type { DisputeEvent } from '../../payments/processor-event.ts';
import { findHold } from '../../payments/queries.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import { lockCheckout } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { decideLostDispute } from './decide-dispute.ts';

export type ProcessorEventServices = Pick<PaymentServices, 'db' | 'clock' | 'ids' | 'log' | 'processors'>;

const LEASE_MS = 60_000;
const DAY = 24 * 3_600_000;

/** One step of the worker: applies up to `batch` due events. Returns how many it claimed. */
export async function applyDueProcessorEvents(services: ProcessorEventServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const events = await claimProcessorEvents(services.db, now, now + LEASE_MS, batch);
  for (const event of events) {
    try {
      await applyProcessorEvent(services, event);
      await postponeProcessorEvent(services.db, event, null);
    } catch (error) {
      const shouldGiveUp = now - event.receivedAt > 3 * DAY;
      services.log[shouldGiveUp ? 'error' : 'warn'](
        { event: event.id, err: error },
        shouldGiveUp
          ? 'applying a processor event failed for three days; the worker gives it up'
          : 'applying a processor event failed; the worker retries it',
      );
      await postponeProcessorEvent(
        services.db,
        event,
        shouldGiveUp ? null : now + Math.min(1_000 * 2 ** event.leaseToken, 3_600_000),
      );
    }
  }
  return events.length;
}

async function applyProcessorEvent(
  services: ProcessorEventServices,
  { mode, subject }: StoredProcessorEvent,
): Promise<void> {
  if (subject.intentId === null) return;
  const { metadata } = await processorFor(services, mode).retrieveHold(subject.intentId);
  if (!isUuid(metadata.venueId ?? '') || !isUuid(metadata.holdId ?? '')) return;
  const hold = await findHold(services.db, metadata.venueId ?? '', metadata.holdId ?? '');
  if (hold === null || hold.mode !== mode || hold.intentId !== subject.intentId) return;
  await recordDispute(services, {
    venueId: hold.venueId,
    mode,
    checkoutId: hold.checkoutId,
    shareId: hold.shareId,
    holdId: hold.id,
    event: subject,
    now: services.clock.now(),
  });
}

/** Locks the checkout first, as a refund does, then the dispute, then the transfers. */
async function recordDispute(services: ProcessorEventServices, update: DisputeUpdate): Promise<void> {
  const { venueId, checkoutId, holdId, now } = update;
  const newId = (): string => services.ids.uuid();
  await services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    if (checkout === null) throw new Error(`checkout ${checkoutId} of a hold is not found`);
    const before = await lockDispute(tx, update);
    await postEntries(tx, { ...update, currency: before.currency }, entriesFor(before, update.event));
    const status = await updateDispute(tx, update);
    if (isOpenDispute(status)) return;
    if (status === 'lost' && !before.isDivided) {
      const transfers = await lockTransfers(tx, venueId, checkoutId);
      const dispute = { id: update.event.disputeId, shareId: update.shareId, holdId, amount: before.amount };
      const steps = decideLostDispute(checkout, transfers, dispute, { now, newId });
      if (steps.length === 0) {
        const fields = { dispute: dispute.id, checkout: checkoutId };
        services.log.error(fields, 'a dispute was lost on money that no venue has earned; an operator must act');
      }
      await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
    }
    await resumeTransfer(tx, venueId, holdId, now);
  });
}

function entriesFor(before: LockedDispute, { disputeId, balanceChange }: DisputeEvent): readonly Entry[] {
  const { amount } = before;
  if (balanceChange === 'withdrawn' && !before.withdrawn) return [{ kind: 'dispute', subject: disputeId, amount }];
  if (balanceChange === 'reinstated' && !before.reinstated) {
    return [{ kind: 'dispute_won', subject: disputeId, amount }];
  }
  return [];
}
