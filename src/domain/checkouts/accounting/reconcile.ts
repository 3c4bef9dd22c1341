// Reconciliation: asks the processor about everything that is left open and settles it, then walks through the processor's
// own books and compares each hold with ours. What nobody wants is let go, what nobody should have paid is given back, and
// what cannot be mended is told. Holds of venues that are not ours (another installation on the same account) are left alone.

import type { Mode } from '../../../base/config.ts';
import { isUuid } from '../../../base/ids.ts';
import type { HoldState } from '../../payments/hold.ts';
import { claimMovement, failedMovements, refundedByHold, unsettledMovements } from '../../payments/movement-queries.ts';
import { type HoldFacts, type Processor, ProcessorRefusal } from '../../payments/processor.ts';
import { holdsByIds, unsettledHolds } from '../../payments/queries.ts';
import { settleMovement } from '../../payments/settle-movements.ts';
import { ENDED_HOLD_STATUSES } from '../../payments/transitions.ts';
import { findVenue } from '../../venues/queries.ts';
import { captureFunded } from '../capture/capture.ts';
import { settleHoldNow } from '../holds/settle-hold.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import { fundedCheckouts } from '../queries.ts';

export interface Difference {
  readonly mode: Mode;
  readonly what: string;
  readonly subject: string;
  /** What was done about it; null: a person must look. */
  readonly done: string | null;
}

export interface ReconcileReport {
  readonly asked: number;
  readonly compared: number;
  readonly differences: readonly Difference[];
}

export interface ReconcileOptions {
  readonly mode: Mode;
  /** How far back the processor's books are read, in milliseconds since 1970. */
  readonly since: number;
  readonly onProgress?: (asked: number, compared: number) => void;
}

const PAGE = 100;
const LEASE_MS = 60_000;

export async function reconcile(services: PaymentServices, wish: ReconcileOptions): Promise<ReconcileReport> {
  const differences: Difference[] = [];
  const asked = await askAboutOpen(services, wish);
  const compared = await compareBooks(services, wish, asked, differences);
  for (const movement of await failedMovements(services.db, wish.mode, PAGE)) {
    const what = `a ${movement.kind} of ${movement.amount} was refused by the processor (${movement.lastError ?? 'no reason'})`;
    differences.push({ mode: wish.mode, what, subject: movement.checkoutId, done: null });
  }
  return { asked, compared, differences };
}

async function askAboutOpen(services: PaymentServices, wish: ReconcileOptions): Promise<number> {
  const { db } = services;
  const { mode } = wish;
  let asked = 0;
  const count = (): void => wish.onProgress?.(++asked, 0);
  await eachPage(
    (after) => unsettledHolds(db, mode, after, PAGE),
    async ({ venueId, id }) => {
      await settleHoldNow(services, venueId, id);
      count();
    },
  );
  await eachPage(
    (after) => fundedCheckouts(db, mode, after, PAGE),
    async ({ venueId, id }) => {
      await captureFunded(services, venueId, id);
      count();
    },
  );
  await eachPage(
    (after) => unsettledMovements(db, mode, after, PAGE),
    async ({ venueId, id }) => {
      const leaseEnds = services.clock.now() + LEASE_MS;
      const movement = await claimMovement(db, venueId, id, leaseEnds);
      if (movement !== null) await settleMovement(services, movement, leaseEnds);
      count();
    },
  );
  return asked;
}

/** Each row once, though rows move while they are walked through: by id, forward. */
async function eachPage<Row extends { readonly id: string }>(
  read: (after: string | null) => Promise<Row[]>,
  work: (row: Row) => Promise<void>,
): Promise<void> {
  for (let after: string | null = null, rows = await read(after); rows.length > 0; rows = await read(after)) {
    for (const row of rows) await work(row);
    after = rows.at(-1)?.id ?? null;
  }
}

async function compareBooks(
  services: PaymentServices,
  wish: ReconcileOptions,
  asked: number,
  differences: Difference[],
): Promise<number> {
  const processor = processorFor(services, wish.mode);
  let compared = 0;
  let after: string | null = null;
  do {
    const page = await processor.holdsSince(wish.since, after);
    const ours = page.holds.filter(({ marks }) => isUuid(marks.venueId ?? '') && isUuid(marks.holdId ?? ''));
    for (const venueId of new Set(ours.map(({ marks }) => marks.venueId ?? ''))) {
      const theirs = ours.filter(({ marks }) => marks.venueId === venueId);
      differences.push(...(await compareVenue(services, processor, venueId, theirs)));
    }
    compared += page.holds.length;
    wish.onProgress?.(asked, compared);
    after = page.next;
  } while (after !== null);
  return compared;
}

async function compareVenue(
  services: PaymentServices,
  processor: Processor,
  venueId: string,
  theirs: readonly HoldFacts[],
): Promise<Difference[]> {
  if ((await findVenue(services.db, venueId)) === null) return [];
  const ids = theirs.map(({ marks }) => marks.holdId ?? '');
  const holds = new Map((await holdsByIds(services.db, venueId, ids)).map((hold) => [hold.id, hold]));
  const refunded = await refundedByHold(services.db, venueId, ids);
  const found: Difference[] = [];
  for (const facts of theirs) {
    const hold = holds.get(facts.marks.holdId ?? '');
    const back = refunded.get(facts.marks.holdId ?? '') ?? { done: 0, open: 0 };
    const difference = await compareHold(processor, hold, facts, back);
    if (difference !== null) found.push({ mode: processor.mode, subject: facts.intentId, ...difference });
  }
  return found;
}

type Found = Pick<Difference, 'what' | 'done'> | null;

async function compareHold(
  processor: Processor,
  hold: HoldState | undefined,
  facts: HoldFacts,
  back: { readonly done: number; readonly open: number },
): Promise<Found> {
  // One that was asked for and whose answer is still on its way has no intent here yet.
  const isSame = hold?.intentId == null || hold.intentId === facts.intentId;
  const isWanted = hold !== undefined && isSame && !isOver(hold);
  if (facts.status === 'captured') {
    const isCounted = hold?.intentId === facts.intentId && (hold.status === 'captured' || hold.status === 'returned');
    if (isCounted) return compareCharge(processor, hold, facts, back);
    // Between two steps of a capture or a release that is under way.
    if (isWanted && (hold.status === 'capturing' || hold.status === 'releasing')) return null;
    if (isWanted) return { what: `captured there, ${hold.status} here`, done: null };
    return unwantedCharge(processor, facts);
  }
  if (isWanted && hold.status === 'captured') return { what: `captured here, ${facts.status} there`, done: null };
  if (isWanted || facts.status === 'gone') return null;
  // A guest's money that nobody waits for: let go.
  return releaseHold(processor, facts);
}

function isOver(hold: HoldState): boolean {
  return ENDED_HOLD_STATUSES.includes(hold.status);
}

async function releaseHold(processor: Processor, facts: HoldFacts): Promise<Found> {
  // A hold that waits for a card holds nothing; letting it go is tidying up, not a difference.
  const what = facts.status === 'held' ? 'a card is held that nobody waits for' : null;
  try {
    await processor.release(facts.intentId, `reconcile release ${facts.intentId}`);
    return what === null ? null : { what, done: 'released' };
  } catch (error) {
    if (!(error instanceof ProcessorRefusal)) throw error;
    return { what: what ?? 'an intent that nobody waits for cannot be let go', done: null };
  }
}

async function unwantedCharge(processor: Processor, facts: HoldFacts): Promise<Found> {
  const { captured, refunded } = await processor.chargeTotals(facts.intentId);
  if (captured === refunded) return null;
  const key = `reconcile refund ${facts.intentId} ${refunded}`;
  await processor.refund(facts.intentId, { key, amount: captured - refunded, movementId: key });
  return { what: `${captured - refunded} was charged for nothing that is in our books`, done: 'refunded' };
}

async function compareCharge(
  processor: Processor,
  hold: HoldState,
  facts: HoldFacts,
  back: { readonly done: number; readonly open: number },
): Promise<Found> {
  if (facts.captured !== hold.amount) {
    return { what: `${facts.captured} captured there, ${hold.amount} here`, done: null };
  }
  const { refunded } = await processor.chargeTotals(facts.intentId);
  if (refunded < back.done || refunded > back.done + back.open) {
    return { what: `${refunded} refunded there, ${back.done} here`, done: null };
  }
  return null;
}
