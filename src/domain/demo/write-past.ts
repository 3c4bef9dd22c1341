// Writes a planned year: its payments at the sandbox processor first, then everything in the database in one transaction,
// in the order of its times. The decisions and statements are those of the service; what is left out is waiting for the
// processor and locking rows that no other process can see. After a crash in between the database has nothing of it, and
// `everyshare reconcile --apply` returns what the processor holds.

import type { Db, Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { postEntries } from '../ledger/queries.ts';
import { recordTransferAmount } from '../payments/debt-queries.ts';
import { claimMovements, finishMovement, type MovementRow } from '../payments/movement-queries.ts';
import type { PastMovement, PastPayments } from '../payments/processor.ts';
import { isRefund, recordRefund } from '../payments/settle-refund.ts';
import { decideReversalAmount } from '../payments/venue-debts.ts';
import { idsAt, PastCheckout, type PastSettings } from './past-checkout.ts';
import { WORKER_MS } from './past-movements.ts';
import type { PlannedCheckout } from './plan.ts';

const LEASE_MS = 60_000;
const MAX_CLAIMED = 1_000;
/** Statements in flight at once: each has a time limit from the moment it is sent. */
const MAX_PENDING = 50;

export interface PastServices {
  readonly db: Db;
  readonly log: Log;
  readonly random: Random;
  readonly past: PastPayments;
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
  await services.db.transaction((tx) => writeInOrder(tx, services, settings, checkouts, processorIds));
  return checkouts;
}

/** Where the payments at the processor end in the progress, and the writes begin. */
const PAYMENTS_PART = 0.3;
const CHECKOUTS_PER_CALL = 60;

async function replayPayments({ past, onProgress }: PastServices, checkouts: readonly PastCheckout[]): Promise<void> {
  for (let first = 0; first < checkouts.length; first += CHECKOUTS_PER_CALL) {
    const some = checkouts.slice(first, first + CHECKOUTS_PER_CALL);
    const made = [...(await past.makePayments(some.flatMap(({ payments }) => payments)))];
    for (const checkout of some) checkout.replay(made.splice(0, checkout.payments.length));
    onProgress((first / checkouts.length) * PAYMENTS_PART);
  }
}

/** Returns the processor's id of each movement. Reversals come after the transfers that they reverse. */
async function makeMovements(
  { past, accountId }: PastServices,
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
    const ids = await past.makeMovements(movements);
    for (const [index, { movementId }] of movements.entries()) processorIds.set(movementId, ids[index] ?? '');
  };
  await make(['transfer']);
  await make(['refund', 'reversal']);
  return processorIds;
}

/** Steps are sent without waiting; PostgreSQL keeps their order. A settlement reads, so everything before it is awaited. */
async function writeInOrder(
  tx: Queryable,
  services: PastServices,
  settings: PastSettings,
  checkouts: readonly PastCheckout[],
  processorIds: ReadonlyMap<string, string>,
): Promise<void> {
  const writes = checkouts.flatMap((checkout) => checkout.writes).sort((a, b) => a.at - b.at);
  let pending: Promise<unknown>[] = [];
  for (const [index, { at, kind, write }] of writes.entries()) {
    pending.push(write(tx));
    if (kind === 'steps' && pending.length < MAX_PENDING) continue;
    await Promise.all(pending);
    pending = [];
    if (kind === 'settle') await settleDue(tx, services, settings, at, processorIds);
    services.onProgress(PAYMENTS_PART + (index / writes.length) * (1 - PAYMENTS_PART));
  }
  await Promise.all(pending);
}

/** Records what the worker would have sent at this time. */
async function settleDue(
  tx: Queryable,
  { log, random }: PastServices,
  { venueId }: PastSettings,
  at: number,
  processorIds: ReadonlyMap<string, string>,
): Promise<void> {
  const db: Db = { query: tx.query, priority: tx, transaction: (work) => work(tx), close: async () => undefined };
  const services = { db, log, clock: { now: () => at }, ids: idsAt(at, random) };
  const movements = await claimMovements(tx, venueId, at, at + LEASE_MS, MAX_CLAIMED);
  await Promise.all(
    movements.map(async (movement) => {
      const processorId = movement.processorId ?? processorIds.get(movement.id);
      // It is due, and its time at the processor is after the end of the plan: the worker sends it.
      if (processorId === undefined) return;
      if (isRefund(movement))
        return recordRefund(services, movement, { refundId: processorId, status: 'done', reason: null });
      if (movement.kind === 'reversal') await decideReversalAmount(services, movement, null);
      else await recordTransferAmount(tx, movement, movement.amount, [], at);
      await recordDone(tx, movement, processorId, at);
    }),
  );
}

async function recordDone(tx: Queryable, movement: MovementRow, processorId: string, at: number): Promise<void> {
  const done = await finishMovement(tx, movement, { status: 'done', processorId, error: null }, at);
  if (done === null) throw new Error(`the demo’s movement ${movement.id} was not being sent`);
  const { kind, id: subject } = movement;
  await postEntries(tx, { ...movement, now: at }, [{ kind, subject, amount: done.sentAmount }]);
}
