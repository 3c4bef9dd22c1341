// The organizer chooses the party, or changes it. Pure. A member whose amount is unchanged keeps the share and its
// hold, under the name that the organizer types now. Any other share is dropped and its holds are released; a changed amount gets a new share. A share of 0 becomes
// held at once, without a card.

import { applySteps } from '../apply-steps.ts';
import { fundWhenAllHeld, markShareHeld } from '../holds/decide-hold.ts';
import { isOverdue, type LockedCheckout, type ShareState } from '../locked-checkout.ts';
import type { DropReason, NewShare, Step } from '../steps.ts';

/** A member of the new party with the amount to pay. */
export interface PartyShare {
  readonly memberId: string;
  readonly displayName: string | null;
  readonly amount: number;
  readonly invitedPhoneHash?: Buffer | null;
  readonly isAccepted?: boolean;
}

export type PartyRefusal = 'checkout_past_pay_by' | 'checkout_not_open' | 'not_organizer';

export function decideParty(
  checkout: LockedCheckout,
  party: readonly PartyShare[],
  now: number,
  newId: () => string,
): { readonly refusal: PartyRefusal } | { readonly steps: readonly Step[] } {
  // The organizer is first.
  const organizerId = party[0]?.memberId ?? '';
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'open' && checkout.status !== 'collecting') return { refusal: 'checkout_not_open' };
  if (checkout.organizerId !== null && checkout.organizerId !== organizerId) return { refusal: 'not_organizer' };
  const keptPositions = new Map<string, number>();
  const names = new Map<string, string>();
  const added: NewShare[] = [];
  party.forEach((member, position) => {
    const same = checkout.shares.find(
      ({ memberId, amount, status }) =>
        memberId === member.memberId && amount === member.amount && status !== 'released',
    );
    if (same !== undefined) {
      keptPositions.set(same.id, position);
      const { displayName } = member;
      if (displayName !== null && displayName !== same.displayName) names.set(same.id, displayName);
    } else added.push({ ...member, id: newId(), position, isOrganizer: position === 0 });
  });
  const others = checkout.shares.filter(({ id }) => !keptPositions.has(id));
  const renamed: Step[] = names.size > 0 ? [{ step: 'rename shares', names }] : [];
  const steps = [...dropShares(checkout, others, now), ...renamed, ...arrangeShares(checkout, keptPositions, added)];
  const collecting: Step[] =
    checkout.status === 'open' ? [{ step: 'transition checkout', from: 'open', to: 'collecting', organizerId }] : [];
  const chosen: readonly Step[] = [...collecting, ...steps, { step: 'record event', type: 'checkout.collecting' }];
  return { steps: [...chosen, ...holdFreeShares(applySteps(checkout, chosen), now)] };
}

/** The shares are no part of the party any more, and every hold of theirs is released. */
export function dropShares(
  checkout: LockedCheckout,
  dropped: readonly ShareState[],
  now: number,
  reason?: DropReason,
): readonly Step[] {
  const held = dropped.filter(({ status }) => status === 'held').map(({ id }) => id);
  const steps: Step[] = [];
  if (held.length > 0) steps.push({ step: 'transition shares', ids: held, from: 'held', to: 'released' });
  for (const share of dropped) {
    for (const hold of checkout.holds) {
      if (hold.shareId !== share.id || hold.status === 'releasing') continue;
      steps.push({ step: 'transition hold', id: hold.id, from: hold.status, to: 'releasing', dueAt: now });
    }
  }
  if (dropped.length > 0) {
    const ids = dropped.map(({ id }) => id);
    steps.push({ step: 'drop shares', ids, ...(reason === undefined ? {} : { reason }) });
  }
  return steps;
}

function arrangeShares(
  checkout: LockedCheckout,
  keptPositions: ReadonlyMap<string, number>,
  added: readonly NewShare[],
): readonly Step[] {
  const moved = checkout.shares.filter(
    ({ id, position }) => keptPositions.has(id) && keptPositions.get(id) !== position,
  );
  const steps: Step[] = [];
  if (moved.length > 0) {
    steps.push({ step: 'reorder shares', positions: new Map(moved.map(({ id }) => [id, keptPositions.get(id) ?? 0])) });
  }
  if (added.length > 0) steps.push({ step: 'add shares', shares: added });
  return steps;
}

/** Holds shares of 0 one by one. The last of them may fund the checkout, and so may a party of held shares alone. */
export function holdFreeShares(checkout: LockedCheckout, now: number): readonly Step[] {
  let steps: readonly Step[] = [];
  for (const share of checkout.shares) {
    if (share.amount !== 0 || share.status !== 'invited') continue;
    steps = [...steps, ...markShareHeld(applySteps(checkout, steps), share, now)];
  }
  return steps.length > 0 ? steps : fundWhenAllHeld(checkout);
}
