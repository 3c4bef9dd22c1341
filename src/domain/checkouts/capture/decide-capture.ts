// The capture of a funded checkout, as decisions. Pure. Before the first capture every hold is checked with the processor:
// one that was lost leads back to collecting, with nobody charged. When all stand, all are captured. A capture that fails
// for good after another went through leads the other way back: what was captured is refunded, the rest let go, and the
// checkout canceled. Nothing is finished as long as the outcome of one capture is not known.

import { divideInProportion } from '../../../base/money.ts';
import type { Entry } from '../../ledger/accounts.ts';
import type { HoldState } from '../../payments/hold.ts';
import type { HoldFacts } from '../../payments/processor.ts';
import { applySteps } from '../apply-steps.ts';
import { loseHold, matchesRequest } from '../holds/decide-hold.ts';
import { holdOf, type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import type { NewMovementAlias, Step } from '../steps.ts';

export const CAPTURE_FAILED = 'capture_failed';

/** The holds behind the party's shares; a share of 0 has none. */
export function partyHolds(checkout: LockedCheckout): readonly HoldState[] {
  return checkout.shares.flatMap((share) => holdOf(checkout, share.id) ?? []);
}

export function hasBegun(checkout: LockedCheckout): boolean {
  return checkout.holds.some(({ status }) => status === 'capturing' || status === 'captured');
}

/** Every hold was asked about: either all stand and the captures begin, or the lost ones lead back to collecting. */
export function beginCaptures(
  checkout: LockedCheckout,
  facts: ReadonlyMap<string, HoldFacts>,
  now: number,
): readonly Step[] {
  if (checkout.status !== 'funded' || hasBegun(checkout)) return [];
  if (!checkout.shares.every(({ status }) => status === 'held')) return [];
  const holds = partyHolds(checkout);
  const lost = holds.filter((hold) => {
    const found = facts.get(hold.id);
    return found === undefined || found.status !== 'held' || !matchesRequest(hold, found);
  });
  if (holds.some(({ id }) => !facts.has(id))) return [];
  if (lost.length === 0) return [{ step: 'begin captures', ids: holds.map(({ id }) => id) }];
  let steps: readonly Step[] = [];
  for (const hold of lost) {
    const to = facts.get(hold.id)?.status === 'gone' ? 'gone' : 'releasing';
    steps = [
      ...steps,
      ...loseHold(applySteps(checkout, steps), hold, to, now).filter(({ step }) => step !== 'record event'),
    ];
  }
  return [...steps, { step: 'record event', type: 'checkout.collecting' }];
}

export type CaptureOutcome =
  | { readonly outcome: 'captured'; readonly chargeId: string | null }
  | { readonly outcome: 'refused'; readonly code: string }
  /** A passing reason, or no answer: it is tried again, in the first case under another key. */
  | { readonly outcome: 'unknown'; readonly isNotNow: boolean };

export interface CaptureSettings {
  readonly now: number;
  readonly newId: () => string;
  /** How long a venue's money is kept back, in milliseconds. */
  readonly payoutDelay: number;
  /** When to try again what is not known yet. */
  readonly tryAgainAt: number;
}

export function recordCaptures(
  checkout: LockedCheckout,
  outcomes: ReadonlyMap<string, CaptureOutcome>,
  settings: CaptureSettings,
): readonly Step[] {
  if (checkout.status !== 'funded') return [];
  const capturing = checkout.holds.filter(({ status }) => status === 'capturing');
  const taken = [...countCaptureAttempts(capturing, outcomes), ...captured(checkout, capturing, outcomes)];
  const refused = capturing.filter(({ id }) => outcomes.get(id)?.outcome === 'refused');
  const next = applySteps(checkout, taken);
  if (refused.length === 0) return [...taken, ...completeWhenAllCaptured(next, settings)];
  const anyCaptured = next.holds.some(({ status }) => status === 'captured');
  const unknown = next.holds.filter(({ id, status }) => status === 'capturing' && !refused.some((r) => r.id === id));
  // Whether anybody was charged is not known yet: the way back depends on it.
  if (!anyCaptured && unknown.length > 0) return [...taken, { step: 'schedule retry', at: settings.tryAgainAt }];
  const back = [...taken, ...releaseRefused(next, refused, settings.now)];
  if (!anyCaptured) {
    return [
      ...back,
      { step: 'move checkout', from: 'funded', to: 'collecting' },
      { step: 'record event', type: 'checkout.collecting' },
    ];
  }
  const letGo = unknown.map(
    ({ id }): Step => ({ step: 'move hold', id, from: 'capturing', to: 'releasing', dueAt: settings.now }),
  );
  const all = [...back, ...letGo];
  return [...all, ...finishReturn(applySteps(checkout, all), settings)];
}

function countCaptureAttempts(
  capturing: readonly HoldState[],
  outcomes: ReadonlyMap<string, CaptureOutcome>,
): readonly Step[] {
  const ids = capturing
    .map(({ id }) => id)
    .filter((id) => {
      const outcome = outcomes.get(id);
      return outcome?.outcome === 'unknown' && outcome.isNotNow;
    });
  return ids.length > 0 ? [{ step: 'count capture attempt', ids }] : [];
}

function captured(
  checkout: LockedCheckout,
  holds: readonly HoldState[],
  outcomes: ReadonlyMap<string, CaptureOutcome>,
): readonly Step[] {
  const taken = holds.flatMap((hold) => {
    const outcome = outcomes.get(hold.id);
    return outcome?.outcome === 'captured' ? [{ hold, chargeId: outcome.chargeId ?? hold.chargeId }] : [];
  });
  if (taken.length === 0) return [];
  const shares = taken.flatMap(({ hold }) => shareOf(checkout, hold.shareId) ?? []);
  const ids = shares.filter(({ status }) => status === 'held').map(({ id }) => id);
  return [
    {
      step: 'holds captured',
      holds: taken.map(({ hold, chargeId }) => ({ id: hold.id, from: hold.status, chargeId })),
    },
    { step: 'post', entries: taken.map(({ hold }) => ({ kind: 'capture', subject: hold.id, amount: hold.amount })) },
    ...(ids.length > 0 ? [{ step: 'move shares', ids, from: 'held', to: 'captured' } as const] : []),
  ];
}

function releaseRefused(checkout: LockedCheckout, refused: readonly HoldState[], now: number): readonly Step[] {
  return refused.flatMap((hold): Step[] => [
    { step: 'move hold', id: hold.id, from: 'capturing', to: 'releasing', dueAt: now },
    ...(shareOf(checkout, hold.shareId)?.status === 'held'
      ? [{ step: 'move shares', ids: [hold.shareId], from: 'held', to: 'failed' } as const]
      : []),
  ]);
}

/** The fee of each share: the whole fee in proportion, by largest remainder. */
export function feeParts(checkout: LockedCheckout): ReadonlyMap<string, number> {
  const services = divideInProportion(
    checkout.feeAmount,
    checkout.shares.map(({ amount }) => amount),
  );
  return new Map(checkout.shares.map(({ id }, index) => [id, services[index] ?? 0]));
}

function completeWhenAllCaptured(checkout: LockedCheckout, settings: CaptureSettings): readonly Step[] {
  const paying = checkout.shares.filter(({ amount }) => amount > 0);
  if (!paying.every(({ status }) => status === 'captured'))
    return [{ step: 'schedule retry', at: settings.tryAgainAt }];
  const fees = feeParts(checkout);
  const entries: Entry[] = [];
  const transfers: NewMovementAlias[] = [];
  for (const share of paying) {
    const hold = holdOf(checkout, share.id);
    if (hold === undefined) throw new Error(`share ${share.id} is captured and has no hold`);
    const fee = fees.get(share.id) ?? 0;
    const net = share.amount - fee;
    entries.push({ kind: 'earning', subject: hold.id, amount: net }, { kind: 'fee', subject: hold.id, amount: fee });
    if (net > 0) transfers.push(transferOf(share, hold, net, settings));
  }
  const free = checkout.shares.filter(({ amount, status }) => amount === 0 && status === 'held').map(({ id }) => id);
  return [
    ...(free.length > 0 ? [{ step: 'move shares', ids: free, from: 'held', to: 'captured' } as const] : []),
    { step: 'post', entries },
    { step: 'move checkout', from: 'funded', to: 'completed' },
    { step: 'open payout', id: settings.newId() },
    { step: 'add movements', movements: transfers },
    { step: 'record event', type: 'checkout.completed' },
  ];
}

function transferOf(share: ShareState, hold: HoldState, amount: number, settings: CaptureSettings): NewMovementAlias {
  return {
    id: settings.newId(),
    kind: 'transfer',
    shareId: share.id,
    holdId: hold.id,
    amount,
    feePart: 0,
    takesBack: null,
    reason: null,
    dueAt: settings.now + settings.payoutDelay,
  };
}

/** A hold was let go, or turned out to be captured. In a funded checkout that is on its way back this may be the last. */
export function recordRelease(
  checkout: LockedCheckout,
  holdId: string,
  outcome: 'released' | 'captured',
  settings: CaptureSettings,
): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold?.status !== 'releasing') return [];
  const share = shareOf(checkout, hold.shareId);
  if (!isBeingReturned(checkout, share)) return releaseUnwanted(hold, outcome, settings);
  const steps: readonly Step[] =
    outcome === 'released'
      ? [
          { step: 'move hold', id: hold.id, from: 'releasing', to: 'released', dueAt: null },
          { step: 'move shares', ids: [hold.shareId], from: 'held', to: 'released' },
        ]
      : captured(checkout, [hold], new Map([[hold.id, { outcome, chargeId: null }]]));
  return [...steps, ...finishReturn(applySteps(checkout, steps), settings)];
}

/** Captures have begun, and this was the hold that stood for its share: not one whose place another has taken. */
function isBeingReturned(checkout: LockedCheckout, share: ShareState | undefined): boolean {
  if (checkout.status !== 'funded' || share?.status !== 'held') return false;
  return hasBegun(checkout) && holdOf(checkout, share.id) === undefined;
}

/** Nobody waits for it. Should it have been captured all the same, whoever was charged gets it back. */
function releaseUnwanted(
  hold: HoldState,
  outcome: 'released' | 'captured',
  settings: CaptureSettings,
): readonly Step[] {
  if (outcome === 'released') {
    return [{ step: 'move hold', id: hold.id, from: 'releasing', to: 'released', dueAt: null }];
  }
  return [
    { step: 'move hold', id: hold.id, from: 'releasing', to: 'returned', dueAt: null },
    { step: 'post', entries: [{ kind: 'capture', subject: hold.id, amount: hold.amount }] },
    { step: 'add movements', movements: [refundCaptured(hold, settings)] },
  ];
}

/** Once nothing is unknown any more: everybody who was charged gets it back, and the checkout is canceled. */
function finishReturn(checkout: LockedCheckout, settings: CaptureSettings): readonly Step[] {
  const open = checkout.shares.filter(({ amount, status }) => amount > 0 && status === 'held');
  if (open.length > 0) return [{ step: 'schedule retry', at: settings.tryAgainAt }];
  const charged = checkout.shares.filter(({ status, amount }) => status === 'captured' && amount > 0);
  const free = checkout.shares.filter(({ amount, status }) => amount === 0 && status === 'held').map(({ id }) => id);
  const refunds = charged.flatMap((share) => {
    const hold = holdOf(checkout, share.id);
    return hold === undefined ? [] : [refundCaptured(hold, settings)];
  });
  const ids = charged.map(({ id }) => id);
  const total = charged.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...(free.length > 0 ? [{ step: 'move shares', ids: free, from: 'held', to: 'released' } as const] : []),
    { step: 'add movements', movements: refunds },
    { step: 'refund shares', amounts: new Map(charged.map(({ id, amount }) => [id, amount])) },
    { step: 'move shares', ids, from: 'captured', to: 'refunded' },
    { step: 'move checkout', from: 'funded', to: 'canceled', reason: CAPTURE_FAILED },
    { step: 'refund checkout', amount: total },
    { step: 'record event', type: 'checkout.canceled' },
  ];
}

function refundCaptured(hold: HoldState, settings: CaptureSettings): NewMovementAlias {
  return {
    id: settings.newId(),
    kind: 'return',
    shareId: hold.shareId,
    holdId: hold.id,
    amount: hold.amount,
    feePart: 0,
    takesBack: null,
    reason: CAPTURE_FAILED,
    dueAt: settings.now,
  };
}
