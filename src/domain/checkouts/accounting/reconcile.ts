// Reconciliation: settles every hold, capture and movement that is still open, then reads the processor's payment
// intents and compares each with our hold. It releases holds that no share needs, refunds charges that we did not
// record, and reports what it cannot correct. It ignores holds of unknown venues: another installation may use the same
// processor account.

import type { Mode } from '../../../base/config.ts';
import { isUuid } from '../../../base/ids.ts';
import { firstChargeAt } from '../../ledger/queries.ts';
import type { HoldState } from '../../payments/hold.ts';
import { holdPages } from '../../payments/hold-pages.ts';
import { claimMovement, failedMovements, refundedByHold, unsettledMovements } from '../../payments/movement-queries.ts';
import { type HoldFacts, type Processor, ProcessorRefusal } from '../../payments/processor.ts';
import { holdsByIds, unsettledHolds } from '../../payments/queries.ts';
import { settleMovement } from '../../payments/settle-movements.ts';
import { ENDED_HOLD_STATUSES } from '../../payments/transitions.ts';
import { findVenue } from '../../venues/queries.ts';
import { captureFunded } from '../capture/capture.ts';
import { fundedCheckouts } from '../capture/queries.ts';
import { settleHoldNow } from '../holds/settle-hold.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';

export interface Difference {
  readonly mode: Mode;
  readonly what: string;
  readonly subject: string;
  /** What reconciliation did about it; null: an operator must act. */
  readonly done: string | null;
}

export interface ReconcileReport {
  readonly asked: number;
  readonly compared: number;
  readonly differences: readonly Difference[];
}

export interface ReconcileOptions {
  readonly mode: Mode;
  /** Compares intents that were created since then, in milliseconds since 1970. */
  readonly since: number;
  readonly onProgress?: (asked: number, compared: number) => void;
}

const PAGE_SIZE = 100;
const LEASE_MS = 60_000;
/** All guests of a checkout are charged within seconds, unless the processor fails. */
const MAX_CAPTURE_MS = 5 * 60_000;

export async function reconcile(services: PaymentServices, options: ReconcileOptions): Promise<ReconcileReport> {
  const differences: Difference[] = [];
  const asked = await settleOpen(services, options);
  differences.push(...(await partlyCharged(services, options.mode)));
  const compared = await compareWithProcessor(services, options, asked, differences);
  for (const movement of await failedMovements(services.db, options.mode, PAGE_SIZE)) {
    const what = `a ${movement.kind} of ${movement.amount} was refused by the processor (${movement.lastError ?? 'no reason'})`;
    differences.push({ mode: options.mode, what, subject: movement.checkoutId, done: null });
  }
  return { asked, compared, differences };
}

async function settleOpen(services: PaymentServices, options: ReconcileOptions): Promise<number> {
  const { db } = services;
  const { mode } = options;
  let asked = 0;
  const count = (): void => options.onProgress?.(++asked, 0);
  await forEachRow(
    (after) => unsettledHolds(db, mode, after, PAGE_SIZE),
    async ({ venueId, id }) => {
      await settleHoldNow(services, venueId, id);
      count();
    },
  );
  await forEachRow(
    (after) => fundedCheckouts(db, mode, after, PAGE_SIZE),
    async ({ venueId, id }) => {
      await captureFunded(services, venueId, id);
      count();
    },
  );
  await forEachRow(
    (after) => unsettledMovements(db, mode, after, PAGE_SIZE),
    async ({ venueId, id }) => {
      const leaseEnds = services.clock.now() + LEASE_MS;
      const movement = await claimMovement(db, venueId, id, leaseEnds);
      if (movement !== null) await settleMovement(services, movement, leaseEnds);
      count();
    },
  );
  return asked;
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

async function compareWithProcessor(
  services: PaymentServices,
  options: ReconcileOptions,
  asked: number,
  differences: Difference[],
): Promise<number> {
  const processor = processorFor(services, options.mode);
  let compared = 0;
  for await (const holds of holdPages(processor, options.since)) {
    const ourHolds = holds.filter(({ metadata }) => isUuid(metadata.venueId ?? '') && isUuid(metadata.holdId ?? ''));
    for (const venueId of new Set(ourHolds.map(({ metadata }) => metadata.venueId ?? ''))) {
      const ofVenue = ourHolds.filter(({ metadata }) => metadata.venueId === venueId);
      differences.push(...(await compareVenue(services, processor, venueId, ofVenue)));
    }
    compared += holds.length;
    options.onProgress?.(asked, compared);
  }
  return compared;
}

async function compareVenue(
  services: PaymentServices,
  processor: Processor,
  venueId: string,
  intents: readonly HoldFacts[],
): Promise<Difference[]> {
  if ((await findVenue(services.db, venueId)) === null) return [];
  const ids = intents.map(({ metadata }) => metadata.holdId ?? '');
  const holds = new Map((await holdsByIds(services.db, venueId, ids)).map((hold) => [hold.id, hold]));
  const refunded = await refundedByHold(services.db, venueId, ids);
  const differences: Difference[] = [];
  for (const facts of intents) {
    const hold = holds.get(facts.metadata.holdId ?? '');
    const refunds = refunded.get(facts.metadata.holdId ?? '') ?? { done: 0, open: 0 };
    const difference = await compareHold(processor, hold, facts, refunds);
    if (difference !== null) differences.push({ mode: processor.mode, subject: facts.intentId, ...difference });
  }
  return differences;
}

type Finding = Pick<Difference, 'what' | 'done'> | null;

async function compareHold(
  processor: Processor,
  hold: HoldState | undefined,
  facts: HoldFacts,
  refunds: { readonly done: number; readonly open: number },
): Promise<Finding> {
  // A hold without an intent was requested, and its answer is not recorded yet.
  const isSame = hold?.intentId == null || hold.intentId === facts.intentId;
  const isWanted = hold !== undefined && isSame && !hasEnded(hold);
  if (facts.status === 'captured') {
    const isRecorded = hold?.intentId === facts.intentId && (hold.status === 'captured' || hold.status === 'returned');
    if (isRecorded) return compareCharge(processor, hold, facts, refunds);
    // A capture or a release is in progress.
    if (isWanted && (hold.status === 'capturing' || hold.status === 'releasing')) return null;
    if (isWanted) return { what: `captured at the processor, ${hold.status} here`, done: null };
    return refundUnwantedCharge(processor, facts);
  }
  if (isWanted && hold.status === 'captured')
    return { what: `captured here, ${facts.status} at the processor`, done: null };
  if (isWanted || facts.status === 'voided') return null;
  return releaseUnwantedHold(processor, facts);
}

function hasEnded(hold: HoldState): boolean {
  return ENDED_HOLD_STATUSES.includes(hold.status);
}

async function releaseUnwantedHold(processor: Processor, facts: HoldFacts): Promise<Finding> {
  // An intent that waits for a card holds no money. Releasing it is no difference to report.
  const what = facts.status === 'held' ? 'a card is held that no share needs' : null;
  try {
    await processor.release(facts.intentId, `reconcile release ${facts.intentId}`);
    return what === null ? null : { what, done: 'released' };
  } catch (error) {
    if (!(error instanceof ProcessorRefusal)) throw error;
    return { what: what ?? 'an intent that no share needs cannot be released', done: null };
  }
}

async function refundUnwantedCharge(processor: Processor, facts: HoldFacts): Promise<Finding> {
  const { captured, refunded } = await processor.chargeTotals(facts.intentId);
  if (captured === refunded) return null;
  const key = `reconcile refund ${facts.intentId} ${refunded}`;
  await processor.refund(facts.intentId, { key, amount: captured - refunded, movementId: key });
  return { what: `${captured - refunded} was charged and is not in our records`, done: 'refunded' };
}

async function compareCharge(
  processor: Processor,
  hold: HoldState,
  facts: HoldFacts,
  refunds: { readonly done: number; readonly open: number },
): Promise<Finding> {
  if (facts.captured !== hold.amount) {
    return { what: `${facts.captured} captured at the processor, ${hold.amount} here`, done: null };
  }
  const { refunded } = await processor.chargeTotals(facts.intentId);
  if (refunded < refunds.done || refunded > refunds.done + refunds.open) {
    return { what: `${refunded} refunded at the processor, ${refunds.done} here`, done: null };
  }
  return null;
}
