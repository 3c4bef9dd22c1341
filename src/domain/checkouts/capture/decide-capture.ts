// Decisions about the capture of a funded checkout. Pure. Before the first capture every hold is verified with the
// processor, and that it can pay the venue: if one hold was lost, the checkout goes back to collecting and no guest is
// charged. If all are held, all are captured. If a capture is refused permanently after another one succeeded, the
// captured money is returned, the other holds are released and the checkout is canceled. Nothing ends while the outcome
// of a capture is unknown.

import { divideInProportion } from '../../../base/money.ts';
import type { Entry } from '../../ledger/accounts.ts';
import { type HoldState, usesSavedCard } from '../../payments/hold.ts';
import type { NewMovement } from '../../payments/movement-queries.ts';
import type { HoldFacts } from '../../payments/processor.ts';
import { applySteps } from '../apply-steps.ts';
import { endUnfunded } from '../end-unfunded.ts';
import { holdOf, type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import { loseHold, matchesRequest } from '../lose-hold.ts';
import type { Step } from '../steps.ts';

export const CAPTURE_FAILED = 'capture_failed';
export const VENUE_NOT_PAYABLE = 'venue_not_payable';

/** The current holds of the party's shares; a share of 0 has none. */
export function partyHolds(checkout: LockedCheckout): readonly HoldState[] {
  return checkout.shares.flatMap((share) => holdOf(checkout, share.id) ?? []);
}

export function hasBegunCapturing(checkout: LockedCheckout): boolean {
  return checkout.holds.some(({ status }) => status === 'capturing' || status === 'captured');
}

const PAYABLE_RETRY_MS = 60_000;

/**
 * The venue cannot be paid, so no guest is charged: the cards stay held, and the worker looks again every minute. At the
 * deadline every card is released.
 */
export function waitUntilPayable(checkout: LockedCheckout, now: number): readonly Step[] {
  if (checkout.status !== 'funded' || hasBegunCapturing(checkout)) return [];
  if (checkout.expiresAt <= now) return endUnfunded(checkout, 'canceled', now, VENUE_NOT_PAYABLE);
  const at = Math.min(now + PAYABLE_RETRY_MS, checkout.expiresAt);
  return [{ step: 'schedule retry', at, reason: VENUE_NOT_PAYABLE }];
}

/** Given the facts of every hold: begins the captures if all are held, else goes back to collecting. */
export function beginCaptures(
  checkout: LockedCheckout,
  facts: ReadonlyMap<string, HoldFacts>,
  now: number,
): readonly Step[] {
  if (checkout.status !== 'funded' || hasBegunCapturing(checkout)) return [];
  if (!checkout.shares.every(({ status }) => status === 'held')) return [];
  if (!checkout.isVenuePayable) return waitUntilPayable(checkout, now);
  const holds = partyHolds(checkout);
  const lost = holds.filter((hold) => {
    const current = facts.get(hold.id);
    return current === undefined || current.status !== 'held' || !matchesRequest(hold, current);
  });
  if (holds.some(({ id }) => !facts.has(id))) return [];
  if (lost.length === 0) {
    return [{ step: 'begin captures', ids: holds.map(({ id }) => id) }, ...releaseReplacements(checkout, now)];
  }
  let steps: readonly Step[] = [];
  for (const hold of lost) {
    const to = facts.get(hold.id)?.status === 'voided' ? 'voided' : 'releasing';
    steps = [
      ...steps,
      ...loseHold(applySteps(checkout, steps), hold, to, now).filter(({ step }) => step !== 'record event'),
    ];
  }
  return [...steps, { step: 'record event', type: 'checkout.collecting' }];
}

/**
 * The steps have funded the checkout: adds those that begin its captures in the same transaction, with their lease until
 * `leaseEnds`, if the facts of every hold allow it. Returns the steps alone otherwise.
 */
export function beginOnceFunded(
  checkout: LockedCheckout,
  steps: readonly Step[],
  facts: ReadonlyMap<string, HoldFacts>,
  now: number,
  leaseEnds: number,
): readonly Step[] {
  const begun = beginCaptures(applySteps(checkout, steps), facts, now);
  if (!begun.some(({ step }) => step === 'begin captures')) return steps;
  return [...steps, { step: 'lease captures', until: leaseEnds }, ...begun];
}

/** The holds that guests were about to replace others with are not needed: the ones that stand are captured. */
function releaseReplacements(checkout: LockedCheckout, now: number): readonly Step[] {
  const open = checkout.holds.filter(
    (hold) => hold.renews !== null && (hold.status === 'open' || (hold.status === 'requested' && !usesSavedCard(hold))),
  );
  return open.map(({ id, status }) => ({ step: 'transition hold', id, from: status, to: 'releasing', dueAt: now }));
}

export type CaptureOutcome =
  /** `processorFee` is null if it is not known yet: the worker asks again, and no capture waits for it. */
  | { readonly outcome: 'captured'; readonly chargeId: string | null; readonly processorFee: number | null }
  | { readonly outcome: 'refused'; readonly code: string }
  /** `isKeySpent`: the processor has stored a failure, and the retry needs another key. */
  | { readonly outcome: 'unknown'; readonly isKeySpent: boolean; readonly reason: string };

export interface CaptureSettings {
  readonly now: number;
  readonly newId: () => string;
  /** How long the transfers to the venue wait, in milliseconds. */
  readonly payoutDelay: number;
  /** When the worker retries captures with an unknown outcome. */
  readonly retryAt: number;
}

/** Given the outcomes of the capture calls: completes the checkout, schedules a retry, or undoes the captures. */
export function recordCaptures(
  checkout: LockedCheckout,
  outcomes: ReadonlyMap<string, CaptureOutcome>,
  settings: CaptureSettings,
): readonly Step[] {
  if (checkout.status !== 'funded') return [];
  const capturing = checkout.holds.filter(({ status }) => status === 'capturing');
  const recorded = [...replaceSpentKeys(capturing, outcomes), ...recordCaptured(checkout, capturing, outcomes)];
  const refused = capturing.filter(({ id }) => outcomes.get(id)?.outcome === 'refused');
  const next = applySteps(checkout, recorded);
  const reason = unknownReason(outcomes);
  if (refused.length === 0) return [...recorded, ...completeWhenAllCaptured(next, settings, reason)];
  const hasCaptured = next.holds.some(({ status }) => status === 'captured');
  const unknown = next.holds.filter(
    ({ id, status }) => status === 'capturing' && !refused.some((hold) => hold.id === id),
  );
  // Whether any guest was charged is not known yet, and what follows depends on it.
  if (!hasCaptured && unknown.length > 0)
    return [...recorded, { step: 'schedule retry', at: settings.retryAt, reason }];
  const refusedReleased = [...recorded, ...releaseRefused(next, refused, settings.now)];
  if (!hasCaptured) {
    return [
      ...refusedReleased,
      { step: 'transition checkout', from: 'funded', to: 'collecting' },
      { step: 'record event', type: 'checkout.collecting' },
    ];
  }
  const unknownReleased = unknown.map(
    ({ id }): Step => ({ step: 'transition hold', id, from: 'capturing', to: 'releasing', dueAt: settings.now }),
  );
  const steps = [...refusedReleased, ...unknownReleased];
  return [...steps, ...cancelWhenAllReturned(applySteps(checkout, steps), settings)];
}

function replaceSpentKeys(
  capturing: readonly HoldState[],
  outcomes: ReadonlyMap<string, CaptureOutcome>,
): readonly Step[] {
  const ids = capturing
    .map(({ id }) => id)
    .filter((id) => {
      const outcome = outcomes.get(id);
      return outcome?.outcome === 'unknown' && outcome.isKeySpent;
    });
  return ids.length > 0 ? [{ step: 'use next keys', ids }] : [];
}

function recordCaptured(
  checkout: LockedCheckout,
  holds: readonly HoldState[],
  outcomes: ReadonlyMap<string, CaptureOutcome>,
): readonly Step[] {
  const captures = holds.flatMap((hold) => {
    const outcome = outcomes.get(hold.id);
    return outcome?.outcome === 'captured'
      ? [{ hold, chargeId: outcome.chargeId ?? hold.chargeId, processorFee: outcome.processorFee }]
      : [];
  });
  if (captures.length === 0) return [];
  const shares = captures.flatMap(({ hold }) => shareOf(checkout, hold.shareId) ?? []);
  const ids = shares.filter(({ status }) => status === 'held').map(({ id }) => id);
  return [
    {
      step: 'record captures',
      holds: captures.map(({ hold, ...facts }) => ({ id: hold.id, from: hold.status, ...facts })),
    },
    {
      step: 'post entries',
      entries: captures.flatMap(({ hold, processorFee }): Entry[] => [
        { kind: 'capture', subject: hold.id, amount: hold.amount },
        { kind: 'processor_fee', subject: hold.id, amount: processorFee ?? 0 },
      ]),
    },
    ...(ids.length > 0 ? [{ step: 'transition shares', ids, from: 'held', to: 'captured' } as const] : []),
  ];
}

function releaseRefused(checkout: LockedCheckout, refused: readonly HoldState[], now: number): readonly Step[] {
  return refused.flatMap((hold): Step[] => [
    { step: 'transition hold', id: hold.id, from: 'capturing', to: 'releasing', dueAt: now },
    ...(shareOf(checkout, hold.shareId)?.status === 'held'
      ? [{ step: 'transition shares', ids: [hold.shareId], from: 'held', to: 'failed' } as const]
      : []),
  ]);
}

/** The fee of each share: the checkout's fee in proportion to the amounts, by largest remainder. */
export function feeParts(checkout: LockedCheckout): ReadonlyMap<string, number> {
  const parts = divideInProportion(
    checkout.feeAmount,
    checkout.shares.map(({ amount }) => amount),
  );
  return new Map(checkout.shares.map(({ id }, index) => [id, parts[index] ?? 0]));
}

/** Of the first capture whose outcome is unknown. */
function unknownReason(outcomes: ReadonlyMap<string, CaptureOutcome>): string {
  for (const outcome of outcomes.values()) if (outcome.outcome === 'unknown') return outcome.reason;
  return 'a card is not charged yet';
}

function completeWhenAllCaptured(checkout: LockedCheckout, settings: CaptureSettings, reason: string): readonly Step[] {
  const paying = checkout.shares.filter(({ amount }) => amount > 0);
  if (!paying.every(({ status }) => status === 'captured'))
    return [{ step: 'schedule retry', at: settings.retryAt, reason }];
  const fees = feeParts(checkout);
  const entries: Entry[] = [];
  const transfers: NewMovement[] = [];
  for (const share of paying) {
    const hold = holdOf(checkout, share.id);
    if (hold === undefined) throw new Error(`share ${share.id} is captured but has no hold`);
    const fee = fees.get(share.id) ?? 0;
    const net = share.amount - fee;
    entries.push({ kind: 'earning', subject: hold.id, amount: net }, { kind: 'fee', subject: hold.id, amount: fee });
    if (net > 0) transfers.push(transferOf(share, hold, net, settings));
  }
  const free = checkout.shares.filter(({ amount, status }) => amount === 0 && status === 'held').map(({ id }) => id);
  return [
    ...(free.length > 0 ? [{ step: 'transition shares', ids: free, from: 'held', to: 'captured' } as const] : []),
    { step: 'post entries', entries },
    { step: 'transition checkout', from: 'funded', to: 'completed' },
    { step: 'open payout', id: settings.newId() },
    { step: 'add movements', movements: transfers },
    { step: 'record event', type: 'checkout.completed' },
  ];
}

function transferOf(share: ShareState, hold: HoldState, amount: number, settings: CaptureSettings): NewMovement {
  return {
    id: settings.newId(),
    kind: 'transfer',
    shareId: share.id,
    holdId: hold.id,
    amount,
    feePart: 0,
    reversedTransferId: null,
    reason: null,
    dueAt: settings.now + settings.payoutDelay,
  };
}

/**
 * A release has ended: the hold is released, or had been captured after all. If the captures of the checkout are being
 * undone, this may be the last hold that the cancellation waits for.
 */
export function recordRelease(
  checkout: LockedCheckout,
  holdId: string,
  outcome: 'released' | 'captured',
  settings: CaptureSettings,
): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold?.status !== 'releasing') return [];
  const share = shareOf(checkout, hold.shareId);
  // A hold that another one replaced may be in release beside it. Only the last release says that the share is released.
  const isLastRelease = !checkout.holds.some(
    ({ id, shareId, status }) => id !== hold.id && shareId === hold.shareId && status === 'releasing',
  );
  if (!isBeingUndone(checkout, share) || (outcome === 'released' && !isLastRelease)) {
    return recordUnwantedRelease(hold, outcome, settings);
  }
  const steps: readonly Step[] =
    outcome === 'released'
      ? [
          { step: 'transition hold', id: hold.id, from: 'releasing', to: 'released', dueAt: null },
          { step: 'transition shares', ids: [hold.shareId], from: 'held', to: 'released' },
        ]
      : recordCaptured(checkout, [hold], new Map([[hold.id, { outcome, chargeId: null, processorFee: null }]]));
  return [...steps, ...cancelWhenAllReturned(applySteps(checkout, steps), settings)];
}

/** Captures have begun, and the share has no other current hold: the released one was its hold. */
function isBeingUndone(checkout: LockedCheckout, share: ShareState | undefined): boolean {
  if (checkout.status !== 'funded' || share?.status !== 'held') return false;
  return hasBegunCapturing(checkout) && holdOf(checkout, share.id) === undefined;
}

/** No share needs the hold any more. If it was captured nevertheless, its payer gets the money back. */
function recordUnwantedRelease(
  hold: HoldState,
  outcome: 'released' | 'captured',
  settings: CaptureSettings,
): readonly Step[] {
  if (outcome === 'released') {
    return [{ step: 'transition hold', id: hold.id, from: 'releasing', to: 'released', dueAt: null }];
  }
  return [
    // It is due at once: the worker asks for the processor's fee.
    { step: 'transition hold', id: hold.id, from: 'releasing', to: 'returned', dueAt: settings.now },
    { step: 'post entries', entries: [{ kind: 'capture', subject: hold.id, amount: hold.amount }] },
    { step: 'add movements', movements: [returnOf(hold, settings)] },
  ];
}

/** Once no outcome is unknown: returns the money of every captured share and cancels the checkout. */
function cancelWhenAllReturned(checkout: LockedCheckout, settings: CaptureSettings): readonly Step[] {
  const unsettled = checkout.shares.filter(({ amount, status }) => amount > 0 && status === 'held');
  if (unsettled.length > 0)
    return [
      { step: 'schedule retry', at: settings.retryAt, reason: 'a card was refused, and another is not released yet' },
    ];
  const charged = checkout.shares.filter(({ status, amount }) => status === 'captured' && amount > 0);
  const free = checkout.shares.filter(({ amount, status }) => amount === 0 && status === 'held').map(({ id }) => id);
  const returns = charged.flatMap((share) => {
    const hold = holdOf(checkout, share.id);
    return hold === undefined ? [] : [returnOf(hold, settings)];
  });
  const ids = charged.map(({ id }) => id);
  const total = charged.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...(free.length > 0 ? [{ step: 'transition shares', ids: free, from: 'held', to: 'released' } as const] : []),
    { step: 'add movements', movements: returns },
    { step: 'refund shares', amounts: new Map(charged.map(({ id, amount }) => [id, amount])) },
    { step: 'transition shares', ids, from: 'captured', to: 'refunded' },
    { step: 'transition checkout', from: 'funded', to: 'canceled', reason: CAPTURE_FAILED },
    { step: 'refund checkout', amount: total },
    { step: 'record event', type: 'checkout.canceled' },
  ];
}

function returnOf(hold: HoldState, settings: CaptureSettings): NewMovement {
  return {
    id: settings.newId(),
    kind: 'return',
    shareId: hold.shareId,
    holdId: hold.id,
    amount: hold.amount,
    feePart: 0,
    reversedTransferId: null,
    reason: CAPTURE_FAILED,
    dueAt: settings.now,
  };
}
