// Reads the stored notices about disputes: finds the hold (through the processor, because a dispute has no metadata of
// ours), records the dispute, and posts the money that the processor withdrew or reinstated to the ledger.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Entry } from '../ledger/accounts.ts';
import { postEntries } from '../ledger/queries.ts';
import {
  claimNotices,
  type DisputeUpdate,
  lockDispute,
  postponeNotice,
  type StoredNotice,
  updateDispute,
} from './dispute-queries.ts';
import { type Processors, ProcessorUnavailable } from './processor.ts';
import { findHold } from './queries.ts';

export interface NoticeServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly processors: Processors;
}

const LEASE_MS = 60_000;
const DAY = 24 * 3_600_000;

/** One step of the worker: reads up to `batch` due notices. Returns how many it claimed. */
export async function readDueNotices(services: NoticeServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const notices = await claimNotices(services.db, now, now + LEASE_MS, batch);
  for (const notice of notices) {
    try {
      await applyNotice(services, notice);
      await postponeNotice(services.db, notice, null);
    } catch (error) {
      const shouldGiveUp = now - notice.receivedAt > 3 * DAY;
      services.log[shouldGiveUp ? 'error' : 'warn'](
        { notice: notice.id, err: error },
        shouldGiveUp
          ? 'reading a notice failed for three days; the worker gives it up'
          : 'reading a notice failed; the worker retries it',
      );
      await postponeNotice(
        services.db,
        notice,
        shouldGiveUp ? null : now + Math.min(1_000 * 2 ** notice.leaseToken, 3_600_000),
      );
    }
  }
  return notices.length;
}

async function applyNotice(services: NoticeServices, { mode, about }: StoredNotice): Promise<void> {
  const processor = services.processors[mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${mode} mode`);
  if (about.intentId === null) return;
  const { metadata } = await processor.retrieveHold(about.intentId);
  if (!isUuid(metadata.venueId ?? '') || !isUuid(metadata.holdId ?? '')) return;
  const hold = await findHold(services.db, metadata.venueId ?? '', metadata.holdId ?? '');
  if (hold === null || hold.mode !== mode || hold.intentId !== about.intentId) return;
  const update: DisputeUpdate = {
    venueId: hold.venueId,
    mode,
    checkoutId: hold.checkoutId,
    shareId: hold.shareId,
    holdId: hold.id,
    about,
    now: services.clock.now(),
  };
  await services.db.transaction(async (tx) => {
    const dispute = await lockDispute(tx, update);
    const next = {
      withdrawn: dispute.withdrawn || about.balanceChange === 'withdrawn',
      reinstated: dispute.reinstated || about.balanceChange === 'reinstated',
    };
    const entries: Entry[] = [];
    const { disputeId: subject } = about;
    const { amount, currency } = dispute;
    if (next.withdrawn && !dispute.withdrawn) entries.push({ kind: 'dispute', subject, amount });
    if (next.reinstated && !dispute.reinstated) entries.push({ kind: 'dispute_won', subject, amount });
    await postEntries(tx, { ...update, currency }, entries);
    await updateDispute(tx, update, next);
  });
}
