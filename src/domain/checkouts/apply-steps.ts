// The checkout as it will be once some steps are written. Pure: a decision uses it to build on earlier steps.

import type { HoldState } from '../payments/hold.ts';
import { ENDED_HOLD_STATUSES } from '../payments/transitions.ts';
import type { LockedCheckout, ShareState } from './locked-checkout.ts';
import type { Step } from './steps.ts';

export function applySteps(checkout: LockedCheckout, steps: readonly Step[]): LockedCheckout {
  return steps.reduce(applyStep, checkout);
}

function applyStep(checkout: LockedCheckout, step: Step): LockedCheckout {
  switch (step.step) {
    case 'transition checkout':
      return { ...checkout, status: step.to, organizerId: step.organizerId ?? checkout.organizerId };
    case 'transition shares':
      return updateShares(checkout, step.ids, (share) => ({ ...share, status: step.to }));
    case 'drop shares':
      return { ...checkout, shares: checkout.shares.filter(({ id }) => !step.ids.includes(id)) };
    case 'add shares': {
      const added = step.shares.map(
        (share): ShareState => ({ ...share, status: 'invited', refundedAmount: 0, lostAmount: 0 }),
      );
      return { ...checkout, shares: [...checkout.shares, ...added].sort((a, b) => a.position - b.position) };
    }
    case 'rename shares':
      return updateShares(checkout, [...step.names.keys()], (share) => ({
        ...share,
        displayName: step.names.get(share.id) ?? share.displayName,
      }));
    case 'claim seat': {
      const { memberId, displayName } = step;
      return updateShares(checkout, [step.shareId], (share) => ({ ...share, memberId, displayName }));
    }
    case 'refund shares':
      return updateShares(checkout, [...step.amounts.keys()], (share) => ({
        ...share,
        refundedAmount: share.refundedAmount + (step.amounts.get(share.id) ?? 0),
      }));
    case 'divide loss':
      return updateShares(checkout, [step.shareId], (share) => ({
        ...share,
        lostAmount: share.lostAmount + step.lostAmount,
      }));
    case 'refund checkout':
      return { ...checkout, refundedAmount: checkout.refundedAmount + step.amount };
    case 'transition hold':
      return updateHolds(checkout, [step.id], (hold) => ({ ...hold, status: step.to }));
    case 'record captures':
      return updateHolds(
        checkout,
        step.holds.map(({ id }) => id),
        (hold) => ({ ...hold, status: 'captured' }),
      );
    case 'lease captures':
      return { ...checkout, leaseToken: checkout.leaseToken + 1 };
    case 'begin captures':
      return updateHolds(checkout, step.ids, (hold) => ({ ...hold, status: 'capturing' }));
    case 'activate renewal':
      return updateHolds(checkout, [step.id], (hold) => ({ ...hold, renews: null }));
    default:
      return checkout;
  }
}

function updateShares(
  checkout: LockedCheckout,
  ids: readonly string[],
  change: (share: ShareState) => ShareState,
): LockedCheckout {
  return { ...checkout, shares: checkout.shares.map((share) => (ids.includes(share.id) ? change(share) : share)) };
}

function updateHolds(
  checkout: LockedCheckout,
  ids: readonly string[],
  change: (hold: HoldState) => HoldState,
): LockedCheckout {
  const holds = checkout.holds.map((hold) => (ids.includes(hold.id) ? change(hold) : hold));
  return { ...checkout, holds: holds.filter(({ status }) => !ENDED_HOLD_STATUSES.includes(status)) };
}
