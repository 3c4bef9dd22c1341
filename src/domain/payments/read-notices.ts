// What the processor told us about disputes, understood and recorded: whose it is (asked back, since a dispute carries no
// marks of ours), what it is about, and the money that the processor took or gave back, in the ledger.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Entry } from '../ledger/accounts.ts';
import { postEntries } from '../ledger/queries.ts';
import {
  updateDispute,
  claimNotices,
  type DisputeUpdate,
  lockDispute,
  postponeNotice,
  type StoredNotice,
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

/** The explicit step of the worker. Answers how many notices were looked at. */
export async function readDueNotices(services: NoticeServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const notices = await claimNotices(services.db, now, now + LEASE_MS, batch);
  for (const notice of notices) {
    try {
      await applyNotice(services, notice);
      await postponeNotice(services.db, notice, null);
    } catch (error) {
      const giveUp = now - notice.receivedAt > 3 * DAY;
      services.log[giveUp ? 'error' : 'warn']({ notice: notice.id, err: error }, 'a notice of the processor waits');
      await postponeNotice(
        services.db,
        notice,
        giveUp ? null : now + Math.min(1_000 * 2 ** notice.leaseToken, 3_600_000),
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
  const write: DisputeUpdate = {
    venueId: hold.venueId,
    mode,
    checkoutId: hold.checkoutId,
    shareId: hold.shareId,
    holdId: hold.id,
    about,
    now: services.clock.now(),
  };
  await services.db.transaction(async (tx) => {
    const before = await lockDispute(tx, write);
    const next = {
      withdrawn: before.withdrawn || about.balanceChange === 'withdrawn',
      reinstated: before.reinstated || about.balanceChange === 'reinstated',
    };
    const entries: Entry[] = [];
    const { disputeId: subject } = about;
    const { amount, currency } = before;
    if (next.withdrawn && !before.withdrawn) entries.push({ kind: 'dispute', subject, amount });
    if (next.reinstated && !before.reinstated) entries.push({ kind: 'dispute_won', subject, amount });
    await postEntries(tx, { ...write, currency }, entries);
    await updateDispute(tx, write, next);
  });
}
