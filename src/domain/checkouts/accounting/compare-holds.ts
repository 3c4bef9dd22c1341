// Compares the processor's payment intents with our holds. It releases intents that hold no money or that our own records
// show as ended, and names a remedy for the others: a card that no share needs is released, a charge that we have no
// record of is refunded. A refund that has failed there, and whose event was lost, is recorded. It never names a remedy for
// a charge that was paid out, or that was made at a time that our records do not have. It ignores holds of unknown venues:
// another installation may use the same processor account.

import type { Mode } from '../../../base/config.ts';
import { isUuid } from '../../../base/ids.ts';
import { isRecorded, type Recorded, readRecorded } from '../../installation/record-gaps.ts';
import type { HoldState } from '../../payments/hold.ts';
import { holdPages } from '../../payments/hold-pages.ts';
import { refundedByHold } from '../../payments/movement-queries.ts';
import { type HoldFacts, type Processor, ProcessorRefusal, ProcessorUnavailable } from '../../payments/processor.ts';
import { holdsByIds } from '../../payments/queries.ts';
import { recheckRefunds } from '../../payments/settle-movements.ts';
import { ENDED_HOLD_STATUSES } from '../../payments/transitions.ts';
import { findVenue } from '../../venues/queries.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';

export interface Difference {
  readonly mode: Mode;
  readonly what: string;
  readonly subject: string;
  /** What reconciliation did about it; null: an operator must act. */
  readonly done: string | null;
  /** Both records agree, and a refund, payout or reversal waits for a person: the desk lists it by itself. */
  readonly isWaiting?: true;
}

export interface Remedy {
  readonly action: 'release' | 'refund';
  readonly venueId: string;
  readonly intentId: string;
  /** What is held, or charged and not refunded. */
  readonly amount: number;
}

export interface Finding extends Omit<Difference, 'mode'> {
  /** What an operator can apply. */
  readonly remedy?: Remedy;
}

export async function compareWithProcessor(
  services: PaymentServices,
  mode: Mode,
  since: number,
  runId: string,
  onCompared: (compared: number) => void,
): Promise<{ readonly compared: number; readonly findings: readonly Finding[] }> {
  const processor = processorFor(services, mode);
  const recorded = await readRecorded(services.db);
  const findings: Finding[] = [];
  let compared = 0;
  for await (const holds of holdPages(processor, since)) {
    const ourHolds = holds.filter(({ metadata }) => isUuid(metadata.venueId ?? '') && isUuid(metadata.holdId ?? ''));
    for (const venueId of new Set(ourHolds.map(({ metadata }) => metadata.venueId ?? ''))) {
      const ofVenue = ourHolds.filter(({ metadata }) => metadata.venueId === venueId);
      findings.push(...(await compareVenue(services, { processor, venueId, runId, recorded }, ofVenue)));
    }
    compared += holds.length;
    onCompared(compared);
  }
  return { compared, findings };
}

async function compareVenue(
  services: PaymentServices,
  at: Pick<Comparison, 'processor' | 'venueId' | 'runId' | 'recorded'>,
  intents: readonly HoldFacts[],
): Promise<Finding[]> {
  const { venueId } = at;
  if ((await findVenue(services.db, venueId)) === null) return [];
  const ids = intents.map(({ metadata }) => metadata.holdId ?? '');
  const holds = new Map((await holdsByIds(services.db, venueId, ids)).map((hold) => [hold.id, hold]));
  const refunded = await refundedByHold(services.db, venueId, ids);
  const findings: Finding[] = [];
  for (const facts of intents) {
    const hold = holds.get(facts.metadata.holdId ?? '');
    const refunds = refunded.get(facts.metadata.holdId ?? '') ?? NOTHING_REFUNDED;
    const recheck = async (holdId: string): Promise<RefundedAmounts> => {
      await recheckRefunds(services, venueId, holdId);
      return (await refundedByHold(services.db, venueId, [holdId])).get(holdId) ?? NOTHING_REFUNDED;
    };
    const finding = await compareHold({ ...at, hold, facts, refunds, recheck }).catch(unansweredFinding);
    if (finding !== null) findings.push({ subject: facts.intentId, ...finding });
  }
  return findings;
}

/** One intent that the processor fails for must not keep the others from being compared. */
function unansweredFinding(error: unknown): HoldFinding {
  if (!(error instanceof ProcessorUnavailable)) throw error;
  return { what: `the processor could not be asked about it (${error.message})`, done: null };
}

interface RefundedAmounts {
  readonly done: number;
  readonly open: number;
}

const NOTHING_REFUNDED: RefundedAmounts = { done: 0, open: 0 };

interface Comparison {
  readonly processor: Processor;
  readonly venueId: string;
  /** Part of every key: the processor repeats a stored failure for a key, and the next run must get a new answer. */
  readonly runId: string;
  readonly recorded: Recorded;
  readonly hold: HoldState | undefined;
  readonly facts: HoldFacts;
  readonly refunds: RefundedAmounts;
  /** Asks for the refunds of a hold again, and reads what is recorded of them then. */
  readonly recheck: (holdId: string) => Promise<RefundedAmounts>;
}

type HoldFinding = Omit<Finding, 'subject'> | null;

async function compareHold(comparison: Comparison): Promise<HoldFinding> {
  const { hold, facts } = comparison;
  // A hold without an intent was requested, and its answer is not recorded yet.
  const isSame = hold?.intentId == null || hold.intentId === facts.intentId;
  const isWanted = hold !== undefined && isSame && !hasEnded(hold);
  if (facts.status === 'captured') {
    const isRecorded = hold?.intentId === facts.intentId && (hold.status === 'captured' || hold.status === 'returned');
    if (isRecorded) return compareCharge(comparison, hold);
    // A capture or a release is in progress.
    if (isWanted && (hold.status === 'capturing' || hold.status === 'releasing')) return null;
    if (isWanted) return { what: `captured at the processor, ${hold.status} here`, done: null };
    return findUnwantedCharge(comparison);
  }
  if (isWanted && hold.status === 'captured')
    return { what: `captured here, ${facts.status} at the processor`, done: null };
  if (isWanted || facts.status === 'voided') return null;
  return findUnwantedHold(comparison);
}

function hasEnded(hold: HoldState): boolean {
  return ENDED_HOLD_STATUSES.includes(hold.status);
}

/** Releases an intent that waits for a card, and a card that our records show as released. Others are for an operator. */
async function findUnwantedHold({ processor, venueId, runId, hold, facts }: Comparison): Promise<HoldFinding> {
  const isHeld = facts.status === 'held';
  const what = isHeld ? 'a card is held that no share needs' : null;
  if (isHeld && hold === undefined) {
    const remedy = { action: 'release', venueId, intentId: facts.intentId, amount: facts.capturable } as const;
    return { what: 'a card is held, and the hold is not in our records', done: null, remedy };
  }
  try {
    await processor.release(facts.intentId, `reconcile release ${facts.intentId} ${runId}`);
    return what === null ? null : { what, done: 'released' };
  } catch (error) {
    if (!(error instanceof ProcessorRefusal)) throw error;
    return { what: what ?? 'an intent that no share needs cannot be released', done: null };
  }
}

async function findUnwantedCharge({ processor, venueId, recorded, facts }: Comparison): Promise<HoldFinding> {
  const { captured, refunded } = await processor.chargeTotals(facts.intentId);
  const amount = captured - refunded;
  if (amount === 0) return null;
  const what = `${amount} was charged and is not in our records`;
  if (facts.heldAt === null || !isRecorded(recorded, facts.heldAt)) {
    return { what: `${what}: it was made at a time that our records do not have (a restored backup?)`, done: null };
  }
  const { checkoutId } = facts.metadata;
  if (
    checkoutId === undefined ||
    facts.chargeId === null ||
    (await processor.hasTransfers(checkoutId, facts.chargeId))
  ) {
    return { what: `${what}: the venue was paid with it`, done: null };
  }
  return { what, done: null, remedy: { action: 'refund', venueId, intentId: facts.intentId, amount } };
}

/**
 * No venue is paid with a charge that goes back to its guest. If it was, our records have lost the checkout's completion
 * (a failover without synchronous replication), and the worker returned the charge as one that no share needs.
 */
async function findTransferOfReturned(
  processor: Processor,
  { checkoutId }: HoldState,
  { chargeId }: HoldFacts,
): Promise<HoldFinding> {
  if (chargeId === null || !(await processor.hasTransfers(checkoutId, chargeId))) return null;
  return { what: 'the charge was returned to its guest, and the venue was paid with it', done: null };
}

async function compareCharge(
  { processor, facts, refunds, recheck }: Comparison,
  hold: HoldState,
): Promise<HoldFinding> {
  if (facts.captured !== hold.amount) {
    return { what: `${facts.captured} captured at the processor, ${hold.amount} here`, done: null };
  }
  const { refunded } = await processor.chargeTotals(facts.intentId);
  const agrees = ({ done, open }: RefundedAmounts): boolean => refunded >= done && refunded <= done + open;
  if (agrees(refunds)) return hold.status === 'returned' ? findTransferOfReturned(processor, hold, facts) : null;
  if (refunded < refunds.done) {
    const rechecked = await recheck(hold.id);
    const what = `${refunds.done - rechecked.done} of the refunds has failed at the processor`;
    if (agrees(rechecked)) return { what, done: 'recorded' };
  }
  return { what: `${refunded} refunded at the processor, ${refunds.done} here`, done: null };
}
