// Writes a planned year: its payments at the sandbox processor first, then everything in the database in one transaction,
// in the order of its times. The decisions and statements are those of the service; what is left out is waiting for the
// processor and locking rows that no other process can see. After a crash in between the database has nothing of it, and
// `everyshare reconcile --apply` returns what the processor holds.

import type { Db, Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import type { PastMovement, Processor } from '../payments/processor.ts';
import { PastCheckout, type PastSettings } from './past-checkout.ts';
import { WORKER_MS } from './past-movements.ts';
import type { PlannedCheckout } from './plan.ts';
import { refreshStatistics } from './statistics-queries.ts';

/** Statements in flight at once: each has a time limit from the moment it is sent. */
const MAX_PENDING = 50;
/** After this many writes, and again whenever there are four times as many. */
const FIRST_STATISTICS = 200;

export interface PastServices {
  readonly db: Db;
  readonly log: Log;
  readonly random: Random;
  readonly processor: Pick<Processor, 'makePastPayments' | 'makePastMovements'>;
  /** The venue's account at the processor. */
  readonly accountId: string;
  /** The part of the work that is done, from 0 to 1. */
  readonly onProgress: (part: number) => void;
}

export async function writePast(
  services: PastServices,
  settings: PastSettings,
  plans: readonly PlannedCheckout[],
): Promise<readonly PastCheckout[]> {
  const checkouts = plans.map((plan) => new PastCheckout(plan, settings));
  await replayPayments(services, checkouts);
  const processorIds = await makeMovements(services, settings, checkouts);
  await services.db.transaction((tx) => writeInOrder(tx, services, checkouts, processorIds));
  return checkouts;
}

/** Where the payments at the processor end in the progress, and the writes begin. */
const PAYMENTS_PART = 0.3;
const CHECKOUTS_PER_CALL = 20;

async function replayPayments(
  { processor, onProgress }: PastServices,
  checkouts: readonly PastCheckout[],
): Promise<void> {
  for (let first = 0; first < checkouts.length; first += CHECKOUTS_PER_CALL) {
    const some = checkouts.slice(first, first + CHECKOUTS_PER_CALL);
    const made = [...(await processor.makePastPayments(some.flatMap(({ payments }) => payments)))];
    for (const checkout of some) checkout.replay(made.splice(0, checkout.payments.length));
    onProgress((first / checkouts.length) * PAYMENTS_PART);
  }
}

/** Returns the processor's id of each movement. Reversals come after the transfers that they reverse. */
async function makeMovements(
  { processor, accountId }: PastServices,
  { venueId, until }: PastSettings,
  checkouts: readonly PastCheckout[],
): Promise<ReadonlyMap<string, string>> {
  const processorIds = new Map<string, string>();
  const make = async (kinds: readonly string[]): Promise<void> => {
    const movements = checkouts.flatMap((checkout) =>
      checkout.movements.sentUntil(until).flatMap(({ id, kind, amount, dueAt, holdId, reversedTransferId }) => {
        if (!kinds.includes(kind)) return [];
        const { intentId, chargeId } = checkout.holdFacts(holdId);
        const money = { at: dueAt + WORKER_MS, amount, movementId: id };
        const ofTransfer = { currency: 'usd', accountId, chargeId, checkoutId: checkout.id };
        const transferId = processorIds.get(reversedTransferId ?? '') ?? '';
        const byKind: Readonly<Record<string, PastMovement>> = {
          transfer: { ...money, kind: 'transfer', ...ofTransfer },
          refund: { ...money, kind: 'refund', intentId, venueId },
          reversal: { ...money, kind: 'reversal', transferId },
        };
        return byKind[kind] ?? [];
      }),
    );
    const ids = await processor.makePastMovements(movements);
    for (const [index, { movementId }] of movements.entries()) processorIds.set(movementId, ids[index] ?? '');
  };
  await make(['transfer']);
  await make(['refund', 'reversal']);
  return processorIds;
}

/** Statements are sent without waiting for answers; PostgreSQL keeps their order. */
async function writeInOrder(
  tx: Queryable,
  { log, random, onProgress }: PastServices,
  checkouts: readonly PastCheckout[],
  processorIds: ReadonlyMap<string, string>,
): Promise<void> {
  const writes = checkouts.flatMap((checkout) => checkout.writes).sort((a, b) => a.at - b.at);
  let pending: Promise<unknown>[] = [];
  let nextStatistics = FIRST_STATISTICS;
  for (const [index, { mustWait, write }] of writes.entries()) {
    if (index >= nextStatistics) {
      pending.push(refreshStatistics(tx));
      nextStatistics *= 4;
    }
    if (mustWait || pending.length >= MAX_PENDING) {
      await Promise.all(pending);
      pending = [];
      onProgress(PAYMENTS_PART + (index / writes.length) * (1 - PAYMENTS_PART));
    }
    const written = write(tx, { log, random, processorIds });
    if (mustWait) await written;
    else pending.push(written);
  }
  await Promise.all(pending);
}
