// Choosing the party, and choosing it again. Pure. People whose share is unchanged keep it and its hold; changed or dropped
// ones are let go and invited anew. A share of 0 is held at once, with no card.

import { after } from './after.ts';
import { shareHeld, whenAllAreHeld } from './decide-hold.ts';
import { endUnfunded } from './end-unfunded.ts';
import { isOverdue, type Standing } from './standing.ts';
import type { NewShare, Step } from './steps.ts';

/** A person of the party with their amount; the organizer first. */
export interface Seat {
  readonly memberId: string;
  readonly displayName: string | null;
  readonly amount: number;
}

export type PartyRefusal = 'checkout_past_pay_by' | 'checkout_not_open' | 'not_organizer';

export function decideParty(
  standing: Standing,
  seats: readonly Seat[],
  now: number,
  newId: () => string,
): { readonly refusal: PartyRefusal } | { readonly steps: readonly Step[] } {
  const organizerId = seats[0]?.memberId ?? '';
  if (isOverdue(standing, now) || standing.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (standing.status !== 'open' && standing.status !== 'collecting') return { refusal: 'checkout_not_open' };
  if (standing.organizerId !== null && standing.organizerId !== organizerId) return { refusal: 'not_organizer' };
  const kept = new Map<string, number>();
  const added: NewShare[] = [];
  seats.forEach((seat, place) => {
    const same = standing.shares.find(
      ({ memberId, amount, status }) => memberId === seat.memberId && amount === seat.amount && status !== 'released',
    );
    if (same !== undefined) kept.set(same.id, place);
    else added.push({ ...seat, id: newId(), place, isOrganizer: place === 0 });
  });
  const steps = [...letGo(standing, kept, now), ...seated(standing, kept, added)];
  const first: Step[] =
    standing.status === 'open' ? [{ step: 'move checkout', from: 'open', to: 'collecting', organizerId }] : [];
  const chosen: readonly Step[] = [...first, ...steps, { step: 'tell', type: 'checkout.collecting' }];
  return { steps: [...chosen, ...holdTheFree(after(standing, chosen), now)] };
}

function letGo(standing: Standing, kept: ReadonlyMap<string, number>, now: number): readonly Step[] {
  const left = standing.shares.filter(({ id }) => !kept.has(id));
  const held = left.filter(({ status }) => status === 'held').map(({ id }) => id);
  const steps: Step[] = [];
  if (held.length > 0) steps.push({ step: 'move shares', ids: held, from: 'held', to: 'released' });
  for (const share of left) {
    for (const hold of standing.holds) {
      if (hold.shareId !== share.id || hold.status === 'releasing') continue;
      steps.push({ step: 'move hold', id: hold.id, from: hold.status, to: 'releasing', dueAt: now });
    }
  }
  if (left.length > 0) steps.push({ step: 'drop shares', ids: left.map(({ id }) => id) });
  return steps;
}

function seated(standing: Standing, kept: ReadonlyMap<string, number>, added: readonly NewShare[]): readonly Step[] {
  const moved = standing.shares.filter(({ id, place }) => kept.has(id) && kept.get(id) !== place);
  const steps: Step[] = [];
  if (moved.length > 0) {
    steps.push({ step: 'seat shares', places: new Map(moved.map(({ id }) => [id, kept.get(id) ?? 0])) });
  }
  if (added.length > 0) steps.push({ step: 'add shares', shares: added });
  return steps;
}

/** Shares of 0, one after the other; the last of them may fund the checkout, and so may a choice that left only held ones. */
function holdTheFree(standing: Standing, now: number): readonly Step[] {
  let steps: readonly Step[] = [];
  for (const share of standing.shares) {
    if (share.amount !== 0 || share.status !== 'invited') continue;
    steps = [...steps, ...shareHeld(after(standing, steps), share, now)];
  }
  return steps.length > 0 ? steps : whenAllAreHeld(standing);
}

/** Cancels while nothing is funded: every hold is let go. */
export function decideCancel(
  standing: Standing,
  now: number,
): { readonly refusal: 'checkout_not_cancelable' } | { readonly steps: readonly Step[] } {
  if (standing.status === 'canceled') return { steps: [] };
  if ((standing.status !== 'open' && standing.status !== 'collecting') || isOverdue(standing, now)) {
    return { refusal: 'checkout_not_cancelable' };
  }
  return { steps: endUnfunded(standing, 'canceled', now) };
}
