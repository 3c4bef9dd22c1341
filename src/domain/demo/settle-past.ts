// Records the movements of one checkout that the worker sent at a time in the past.

import type { Db, Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import type { Random } from '../../base/random.ts';
import { type EntryScope, postEntries } from '../ledger/queries.ts';
import { finishMovement, type MovementRow, type NewMovement } from '../payments/movement-queries.ts';
import { claimWaiting, finishTransfers } from '../payments/past-queries.ts';
import { claimDoneRefunds } from '../payments/refund-queries.ts';
import { isRefund, recordRefund } from '../payments/settle-refund.ts';
import { decideReversalAmount } from '../payments/venue-debts.ts';
import { idsAt } from './past-ids.ts';

const LEASE_MS = 60_000;

export interface SettleServices {
  readonly log: Log;
  readonly random: Random;
  /** The processor's id of each movement. */
  readonly processorIds: ReadonlyMap<string, string>;
}

/** `scope.now` is when they were sent. Transfers wait for no answer; refunds and reversals read what is there. */
export async function settlePast(
  tx: Queryable,
  services: SettleServices,
  scope: EntryScope,
  movements: readonly NewMovement[],
): Promise<void> {
  const transfers = movements.filter(({ kind }) => kind === 'transfer');
  const others = movements.filter(({ kind }) => kind !== 'transfer');
  if (transfers.length > 0) await sendTransfers(tx, services, scope, transfers);
  if (others.length === 0) return;
  const ids = others.map(({ id }) => id);
  const claimed = await claimWaiting(tx, scope.venueId, ids, scope.now + LEASE_MS);
  for (const movement of claimed) await sendOne(tx, services, movement, scope.now);
}

async function sendTransfers(
  tx: Queryable,
  { processorIds }: SettleServices,
  scope: EntryScope,
  transfers: readonly NewMovement[],
): Promise<void> {
  const sent = transfers.map(({ id }) => ({ id, processorId: processorIds.get(id) ?? '' }));
  const ids = sent.map(({ id }) => id);
  const [, finished] = await Promise.all([
    claimWaiting(tx, scope.venueId, ids, scope.now + LEASE_MS),
    finishTransfers(tx, scope.venueId, sent, scope.now),
    postEntries(
      tx,
      scope,
      transfers.map(({ id, amount }) => ({ kind: 'transfer', subject: id, amount })),
    ),
  ]);
  if (finished !== sent.length) throw new Error(`transfers of the demo’s ${scope.checkoutId} were not waiting`);
}

async function sendOne(tx: Queryable, services: SettleServices, movement: MovementRow, at: number): Promise<void> {
  const processorId = services.processorIds.get(movement.id) ?? '';
  const inTransaction = servicesAt(tx, services, at);
  if (isRefund(movement)) {
    return recordRefund(inTransaction, movement, { refundId: processorId, status: 'done', reason: null });
  }
  await decideReversalAmount(inTransaction, movement, null);
  const done = await finishMovement(tx, movement, { status: 'done', processorId, error: null }, at);
  if (done === null) throw new Error(`the demo’s movement ${movement.id} was not being sent`);
  await postEntries(tx, { ...movement, now: at }, [
    { kind: movement.kind, subject: movement.id, amount: done.sentAmount },
  ]);
}

/** The worker asks for a done refund again after some days: it is still done. */
export async function recheckPast(
  tx: Queryable,
  services: SettleServices,
  { venueId, now }: EntryScope,
  holdIds: readonly string[],
): Promise<void> {
  for (const holdId of holdIds) {
    for (const movement of await claimDoneRefunds(tx, venueId, holdId, now + LEASE_MS)) {
      const outcome = { refundId: movement.processorId, status: 'done', reason: null } as const;
      await recordRefund(servicesAt(tx, services, now), movement, outcome);
    }
  }
}

/** What the worker's functions are handed: each of their transactions is a part of ours. */
function servicesAt(tx: Queryable, { log, random }: SettleServices, at: number) {
  const db: Db = {
    query: tx.query,
    priority: tx,
    background: tx,
    monitoring: tx,
    transaction: (work) => work(tx),
    close: async () => undefined,
  };
  return { db, log, clock: { now: () => at }, ids: idsAt(at, random) };
}
