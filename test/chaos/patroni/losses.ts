// What an asynchronous failover may lose, and what not. Changes of the last moments are gone although they were
// acknowledged, in whole transactions: so every rule about our own records still holds. Where the processor's records
// differ from ours, `everyshare reconcile` must have reported it, or the money must be where it was before. Pure.

import type { Violation } from '../../support/violation.ts';
import type { ProcessorHold } from '../records.ts';
import type { RunSummary } from '../summary.ts';

/** What callers, guests and venue systems were answered, and what was sent to partners. */
const ANSWERED_RULES: ReadonlySet<string> = new Set([
  'clients get correct responses',
  'an acknowledged checkout is stored',
  'equal creates get equal responses',
  'a repeated create makes one checkout',
  'a terminal state is final',
  'an acknowledged cancel holds',
  'an acknowledged refund happens once',
  'an acknowledged refund has its event',
  'equal requests get equal responses',
  'another body is a conflict',
  'guests get correct responses',
  'an acknowledged party has its shares',
  'a share belongs to the guest whose it was called',
  'a declined card holds no money',
  'a held card is in both records',
  'an issued key is stored',
  'a revoked key is refused',
  'a key works from the moment it is issued',
  'every ping is applied',
  'what a ping names is read',
  'a version is read once',
  'nothing that was read is applied out of order',
]);

/** Where our records are compared with the processor's. The subject is the checkout. */
const COMPARED_RULES: ReadonlySet<string> = new Set([
  'no hold is orphaned',
  'our records agree with the processor',
  'one capture for a share',
  'one live hold for a share',
  'no capture before all shares are held',
  'no guest is charged without a completed checkout',
  'captured = net + fee + refunded',
  'a failed refund is owed to its guest',
  // A payout whose decision was lost waits for an operator.
  'no work is left unfinished',
]);

/** Sums over all checkouts: they differ if one of them does. */
const SUM_RULES: ReadonlySet<string> = new Set(['the ledger agrees with the processor']);

export interface Losses {
  /** Acknowledged and gone. */
  readonly answered: readonly Violation[];
  /** Different at the processor, and reported by reconcile or made whole. */
  readonly reconciled: readonly Violation[];
  /** Everything else. */
  readonly violations: readonly Violation[];
}

/** `reported`: the checkouts and payment intents that reconcile has named. */
export function divideLosses(
  violations: readonly Violation[],
  holds: readonly ProcessorHold[],
  reported: ReadonlySet<string>,
): Losses {
  const isKnown = (checkoutId: string): boolean => {
    const own = holds.filter((hold) => hold.checkoutId === checkoutId);
    const isReported = reported.has(checkoutId) || own.some(({ intentId }) => reported.has(intentId));
    return isReported || (own.length > 0 && own.every(isWhole));
  };
  const answered = violations.filter(({ rule }) => ANSWERED_RULES.has(rule));
  const compared = violations.filter(({ rule }) => COMPARED_RULES.has(rule));
  const known = compared.filter(({ subject }) => isKnown(subject));
  const hasLosses = answered.length + known.length > 0;
  const sums = violations.filter(({ rule }) => SUM_RULES.has(rule) && hasLosses);
  const reconciled = [...known, ...sums];
  const allowed = new Set([...answered, ...reconciled]);
  return { answered, reconciled, violations: violations.filter((violation) => !allowed.has(violation)) };
}

/** No guest is charged or held, and no venue was paid. */
function isWhole({ status, captured, refunded, transferred, reversed }: ProcessorHold): boolean {
  return status !== 'requires_capture' && captured === refunded && transferred === reversed;
}

export function withLosses(
  summary: RunSummary,
  { answered, reconciled, violations }: Losses,
  reported: number,
): RunSummary {
  const count = (found: readonly Violation[]): number => new Set(found.map(({ subject }) => subject)).size;
  const figures = {
    acknowledged_and_lost: count(answered),
    differ_from_processor: count(reconciled),
    reported_by_reconcile: reported,
  };
  const line =
    `asynchronous replication: ${figures.acknowledged_and_lost} bookings, guests or keys lost something that was acknowledged, ` +
    `${figures.differ_from_processor} checkouts differ from the processor's records; reconcile reported ${reported} of its payments`;
  return {
    ...summary,
    ok: violations.length === 0,
    violations,
    figures: { ...summary.figures, losses: figures },
    lines: [...summary.lines, line],
  };
}
