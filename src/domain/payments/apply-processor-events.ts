// Applies the stored processor events of disputes: finds the hold (through the processor, because a dispute has no metadata of
// ours), records the dispute, and posts the money that the processor withdrew or reinstated to the ledger.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Entry } from '../ledger/accounts.ts';
import { postEntries } from '../ledger/queries.ts';
import {
  claimProcessorEvents,
  type DisputeUpdate,
  lockDispute,
  postponeProcessorEvent,
  type StoredProcessorEvent,
  updateDispute,
} from './dispute-queries.ts';
import { type Processors, ProcessorUnavailable } from './processor.ts';
import { findHold } from './queries.ts';

export interface ProcessorEventServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly processors: Processors;
}

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
  const processor = services.processors[mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${mode} mode`);
  if (subject.intentId === null) return;
  const { metadata } = await processor.retrieveHold(subject.intentId);
  if (!isUuid(metadata.venueId ?? '') || !isUuid(metadata.holdId ?? '')) return;
  const hold = await findHold(services.db, metadata.venueId ?? '', metadata.holdId ?? '');
  if (hold === null || hold.mode !== mode || hold.intentId !== subject.intentId) return;
  const update: DisputeUpdate = {
    venueId: hold.venueId,
    mode,
    checkoutId: hold.checkoutId,
    shareId: hold.shareId,
    holdId: hold.id,
    event: subject,
    now: services.clock.now(),
  };
  await services.db.transaction(async (tx) => {
    const dispute = await lockDispute(tx, update);
    const next = {
      withdrawn: dispute.withdrawn || subject.balanceChange === 'withdrawn',
      reinstated: dispute.reinstated || subject.balanceChange === 'reinstated',
    };
    const entries: Entry[] = [];
    const { disputeId } = subject;
    const { amount, currency } = dispute;
    if (next.withdrawn && !dispute.withdrawn) entries.push({ kind: 'dispute', subject: disputeId, amount });
    if (next.reinstated && !dispute.reinstated) entries.push({ kind: 'dispute_won', subject: disputeId, amount });
    await postEntries(tx, { ...update, currency }, entries);
    await updateDispute(tx, update, next);
  });
}
