// What a checkout will look like once some steps are written. Pure: lets one decision follow from another.

import type { HoldState } from '../payments/hold.ts';
import { OVER } from '../payments/transitions.ts';
import type { ShareState, Standing } from './locked-checkout.ts';
import type { Step } from './steps.ts';

export function after(standing: Standing, steps: readonly Step[]): Standing {
  return steps.reduce(one, standing);
}

function one(standing: Standing, step: Step): Standing {
  switch (step.step) {
    case 'move checkout':
      return { ...standing, status: step.to, organizerId: step.organizerId ?? standing.organizerId };
    case 'move shares':
      return onShares(standing, step.ids, (share) => ({ ...share, status: step.to }));
    case 'drop shares':
      return { ...standing, shares: standing.shares.filter(({ id }) => !step.ids.includes(id)) };
    case 'add shares': {
      const added = step.shares.map((share): ShareState => ({ ...share, status: 'invited', refundedAmount: 0 }));
      return { ...standing, shares: [...standing.shares, ...added].sort((a, b) => a.place - b.place) };
    }
    case 'take seat': {
      const { memberId, displayName } = step;
      return onShares(standing, [step.shareId], (share) => ({ ...share, memberId, displayName }));
    }
    case 'refund shares':
      return onShares(standing, [...step.amounts.keys()], (share) => ({
        ...share,
        refundedAmount: share.refundedAmount + (step.amounts.get(share.id) ?? 0),
      }));
    case 'refund checkout':
      return { ...standing, refundedAmount: standing.refundedAmount + step.amount };
    case 'move hold':
      return onHolds(standing, [step.id], (hold) => ({ ...hold, status: step.to }));
    case 'holds captured':
      return onHolds(
        standing,
        step.holds.map(({ id }) => id),
        (hold) => ({ ...hold, status: 'captured' }),
      );
    case 'begin captures':
      return onHolds(standing, step.ids, (hold) => ({ ...hold, status: 'capturing' }));
    case 'seat hold':
      return onHolds(standing, [step.id], (hold) => ({ ...hold, renews: null }));
    default:
      return standing;
  }
}

function onShares(standing: Standing, ids: readonly string[], change: (share: ShareState) => ShareState): Standing {
  return { ...standing, shares: standing.shares.map((share) => (ids.includes(share.id) ? change(share) : share)) };
}

function onHolds(standing: Standing, ids: readonly string[], change: (hold: HoldState) => HoldState): Standing {
  const holds = standing.holds.map((hold) => (ids.includes(hold.id) ? change(hold) : hold));
  return { ...standing, holds: holds.filter(({ status }) => !OVER.includes(status)) };
}
