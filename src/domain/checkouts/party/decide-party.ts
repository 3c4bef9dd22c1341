// Choosing the party, and choosing it again. Pure. People whose share is unchanged keep it and its hold; changed or dropped
// ones are let go and invited anew. A share of 0 is held at once, with no card.

import { applySteps } from '../apply-steps.ts';
import { endUnfunded } from '../end-unfunded.ts';
import { fundWhenAllHeld, markShareHeld } from '../holds/decide-hold.ts';
import { isOverdue, type LockedCheckout } from '../locked-checkout.ts';
import type { NewShare, Step } from '../steps.ts';

/** A person of the party with their amount; the organizer first. */
export interface Seat {
  readonly memberId: string;
  readonly displayName: string | null;
  readonly amount: number;
}

export type PartyRefusal = 'checkout_past_pay_by' | 'checkout_not_open' | 'not_organizer';

export function decideParty(
  checkout: LockedCheckout,
  seats: readonly Seat[],
  now: number,
  newId: () => string,
): { readonly refusal: PartyRefusal } | { readonly steps: readonly Step[] } {
  const organizerId = seats[0]?.memberId ?? '';
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'open' && checkout.status !== 'collecting') return { refusal: 'checkout_not_open' };
  if (checkout.organizerId !== null && checkout.organizerId !== organizerId) return { refusal: 'not_organizer' };
  const kept = new Map<string, number>();
  const added: NewShare[] = [];
  seats.forEach((seat, place) => {
    const same = checkout.shares.find(
      ({ memberId, amount, status }) => memberId === seat.memberId && amount === seat.amount && status !== 'released',
    );
    if (same !== undefined) kept.set(same.id, place);
    else added.push({ ...seat, id: newId(), place, isOrganizer: place === 0 });
  });
  const steps = [...letGo(checkout, kept, now), ...seated(checkout, kept, added)];
  const first: Step[] =
    checkout.status === 'open' ? [{ step: 'move checkout', from: 'open', to: 'collecting', organizerId }] : [];
  const chosen: readonly Step[] = [...first, ...steps, { step: 'record event', type: 'checkout.collecting' }];
  return { steps: [...chosen, ...holdTheFree(applySteps(checkout, chosen), now)] };
}

function letGo(checkout: LockedCheckout, kept: ReadonlyMap<string, number>, now: number): readonly Step[] {
  const left = checkout.shares.filter(({ id }) => !kept.has(id));
  const held = left.filter(({ status }) => status === 'held').map(({ id }) => id);
  const steps: Step[] = [];
  if (held.length > 0) steps.push({ step: 'move shares', ids: held, from: 'held', to: 'released' });
  for (const share of left) {
    for (const hold of checkout.holds) {
      if (hold.shareId !== share.id || hold.status === 'releasing') continue;
      steps.push({ step: 'move hold', id: hold.id, from: hold.status, to: 'releasing', dueAt: now });
    }
  }
  if (left.length > 0) steps.push({ step: 'drop shares', ids: left.map(({ id }) => id) });
  return steps;
}

function seated(
  checkout: LockedCheckout,
  kept: ReadonlyMap<string, number>,
  added: readonly NewShare[],
): readonly Step[] {
  const moved = checkout.shares.filter(({ id, place }) => kept.has(id) && kept.get(id) !== place);
  const steps: Step[] = [];
  if (moved.length > 0) {
    steps.push({ step: 'reorder shares', places: new Map(moved.map(({ id }) => [id, kept.get(id) ?? 0])) });
  }
  if (added.length > 0) steps.push({ step: 'add shares', shares: added });
  return steps;
}

/** Shares of 0, one after the other; the last of them may fund the checkout, and so may a choice that left only held ones. */
function holdTheFree(checkout: LockedCheckout, now: number): readonly Step[] {
  let steps: readonly Step[] = [];
  for (const share of checkout.shares) {
    if (share.amount !== 0 || share.status !== 'invited') continue;
    steps = [...steps, ...markShareHeld(applySteps(checkout, steps), share, now)];
  }
  return steps.length > 0 ? steps : fundWhenAllHeld(checkout);
}

/** Cancels while nothing is funded: every hold is let go. */
export function decideCancel(
  checkout: LockedCheckout,
  now: number,
): { readonly refusal: 'checkout_not_cancelable' } | { readonly steps: readonly Step[] } {
  if (checkout.status === 'canceled') return { steps: [] };
  if ((checkout.status !== 'open' && checkout.status !== 'collecting') || isOverdue(checkout, now)) {
    return { refusal: 'checkout_not_cancelable' };
  }
  return { steps: endUnfunded(checkout, 'canceled', now) };
}
