// Reconciliation: settles every hold, capture and movement that is still open, then compares the processor's payment
// intents with our holds, and reports the differences. What would move money that we have no record of is done only when
// an operator applies it, because the records may come from a backup.

import type { Mode } from '../../../base/config.ts';
import { isUnavailable } from '../../../base/db.ts';
import { recordAlive } from '../../installation/record-gaps.ts';
import { firstChargeAt } from '../../ledger/queries.ts';
import { holdsWithoutFee } from '../../payments/fee-queries.ts';
import { claimMovement, failedMovements, stuckMovements, unsettledMovements } from '../../payments/movement-queries.ts';
import { unsettledHolds } from '../../payments/queries.ts';
import { settleFee } from '../../payments/settle-fee.ts';
import { settleMovement } from '../../payments/settle-movements.ts';
import { captureFunded } from '../capture/capture.ts';
import { fundedCheckouts } from '../capture/queries.ts';
import { settleHoldNow } from '../holds/settle-hold.ts';
import type { PaymentServices } from '../payment-services.ts';
import { applyRemedies, type RemedyApproval } from './apply-remedies.ts';
import { compareDisputes } from './compare-disputes.ts';
import { compareWithProcessor, type Difference } from './compare-holds.ts';

export interface ReconcileReport {
  readonly asked: number;
  readonly compared: number;
  readonly differences: readonly Difference[];
}

export interface ReconcileOptions {
  readonly mode: Mode;
  /** Compares intents that were created since then, in milliseconds since 1970. */
  readonly since: number;
  /** Records what an operator applies; null: releases and refunds of what we have no record of are only reported. */
  readonly apply: RemedyApproval | null;
  readonly onProgress?: (asked: number, compared: number) => void;
}

const PAGE_SIZE = 100;
const LEASE_MS = 60_000;
/** All guests of a checkout are charged within seconds, unless the processor fails. */
const MAX_CAPTURE_MS = 5 * 60_000;
/** The processor names its fee with the capture, or within minutes. */
const MAX_FEE_WAIT_MS = 24 * 3_600_000;
const MAX_MOVEMENT_WAIT_MS = 24 * 3_600_000;

export async function reconcile(services: PaymentServices, options: ReconcileOptions): Promise<ReconcileReport> {
  const differences: Difference[] = [];
  // No worker may have run since a backup was restored.
  await recordAlive(services.db, services.clock.now());
  const { asked, failures } = await settleOpen(services, options);
  differences.push(...failures);
  differences.push(...(await partlyCharged(services, options.mode)));
  differences.push(...(await feesMissing(services, options.mode)));
  const onCompared = (compared: number): void => options.onProgress?.(asked, compared);
  const { mode, since, apply } = options;
  const runId = services.ids.uuid();
  const { compared, findings } = await compareWithProcessor(services, mode, since, runId, onCompared);
  differences.push(...(await applyRemedies(services, mode, findings, runId, apply)));
  for (const movement of await failedMovements(services.db, options.mode, PAGE_SIZE)) {
    const what = `a ${movement.kind} of ${movement.amount} was refused by the processor (${movement.lastError ?? 'no reason'})`;
    differences.push({ mode: options.mode, what, subject: movement.checkoutId, done: null, isWaiting: true });
  }
  differences.push(...(await movementsWaiting(services, options.mode)));
  differences.push(...(await compareDisputes(services, mode, since)));
  return { asked, compared, differences };
}

/** An unavailable processor is asked again for ever, so nothing but this says that a venue or a guest waits. */
async function movementsWaiting({ db, clock }: PaymentServices, mode: Mode): Promise<Difference[]> {
  const now = clock.now();
  return (await stuckMovements(db, mode, now - MAX_MOVEMENT_WAIT_MS, PAGE_SIZE)).map((movement) => {
    const hours = Math.floor((now - movement.firstDueAt) / 3_600_000);
    const reason = movement.lastError ?? 'no reason';
    const what = `a ${movement.kind} of ${movement.amount} waits for ${hours} hours (${reason})`;
    return { mode, what, subject: movement.checkoutId, done: null, isWaiting: true };
  });
}

/** Settles each row by itself: one that cannot be settled is reported, and the others are settled all the same. */
async function settleOpen(
  services: PaymentServices,
  options: ReconcileOptions,
): Promise<{ readonly asked: number; readonly failures: readonly Difference[] }> {
  const { db } = services;
  const { mode } = options;
  const failures: Difference[] = [];
  let asked = 0;
  const settle = async (subject: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (isUnavailable(error)) throw error;
      services.log.error({ err: error, subject }, 'reconcile could not settle this; it goes on with the next');
      const what = `it could not be settled: ${error instanceof Error ? error.message : String(error)}`;
      failures.push({ mode, subject, what, done: null });
    }
    options.onProgress?.(++asked, 0);
  };
  await forEachRow(
    (after) => unsettledHolds(db, mode, after, PAGE_SIZE),
    ({ venueId, id, checkoutId }) => settle(checkoutId, () => settleHoldNow(services, venueId, id)),
  );
  await forEachRow(
    (after) => fundedCheckouts(db, mode, after, PAGE_SIZE),
    ({ venueId, id }) => settle(id, () => captureFunded(services, venueId, id)),
  );
  await forEachRow(
    (after) => unsettledMovements(db, mode, after, PAGE_SIZE),
    ({ venueId, id, checkoutId }) =>
      settle(checkoutId, async () => {
        const leaseEnds = services.clock.now() + LEASE_MS;
        const movement = await claimMovement(db, venueId, id, leaseEnds);
        if (movement !== null) await settleMovement(services, movement, leaseEnds);
      }),
  );
  await forEachRow(
    (after) => holdsWithoutFee(db, mode, after, PAGE_SIZE),
    (hold) => settle(hold.checkoutId, () => settleFee(services, hold)),
  );
  return { asked, failures };
}

/** Charges whose fee the processor does not name: the ledger is too high by it. */
async function feesMissing({ db, clock }: PaymentServices, mode: Mode): Promise<Difference[]> {
  const differences: Difference[] = [];
  await forEachRow(
    (after) => holdsWithoutFee(db, mode, after, PAGE_SIZE),
    async ({ venueId, checkoutId, intentId }) => {
      const chargedAt = await firstChargeAt(db, venueId, checkoutId);
      if (chargedAt === null || clock.now() - chargedAt < MAX_FEE_WAIT_MS) return;
      const what = 'the processor has not named its fee of a charge for more than a day';
      differences.push({ mode, what, subject: intentId ?? checkoutId, done: null });
    },
  );
  return differences;
}

/** Checkouts that have charged some of their guests and wait for the others: all is to be charged at once, or nothing. */
async function partlyCharged(services: PaymentServices, mode: Mode): Promise<Difference[]> {
  const { db, clock } = services;
  const differences: Difference[] = [];
  await forEachRow(
    (after) => fundedCheckouts(db, mode, after, PAGE_SIZE),
    async ({ venueId, id }) => {
      const chargedAt = await firstChargeAt(db, venueId, id);
      if (chargedAt === null || clock.now() - chargedAt < MAX_CAPTURE_MS) return;
      const minutes = Math.floor((clock.now() - chargedAt) / 60_000);
      const what = `a guest was charged ${minutes} minutes ago, and the other guests are not charged yet`;
      differences.push({ mode, what, subject: id, done: null });
    },
  );
  return differences;
}

/** Visits each row once, in the order of ids, although rows change while they are visited. */
async function forEachRow<Row extends { readonly id: string }>(
  read: (after: string | null) => Promise<Row[]>,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  for (let after: string | null = null, rows = await read(after); rows.length > 0; rows = await read(after)) {
    for (const row of rows) await work(row);
    after = rows.at(-1)?.id ?? null;
  }
}
