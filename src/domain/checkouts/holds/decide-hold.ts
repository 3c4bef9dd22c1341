// What follows from what the processor says about a hold. Pure. A share is held only from the processor's own state, after
// amount, currency, mode and marks were compared, and only when the hold was made before the checkout's time was up.
// "Was it the last?" is asked in one place, whenAllAreHeld, under the checkout's row lock.

import { type HoldState, renewalTime } from '../../payments/hold.ts';
import type { HoldFacts } from '../../payments/processor.ts';
import { applySteps } from '../apply-steps.ts';
import { holdOf, isOverdue, type LockedCheckout, type ShareState, shareOf } from '../locked-checkout.ts';
import type { HoldNews, Step } from '../steps.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** A hold lives about seven days, on some cards less: when there is more time than the shortest, the card is kept. */
const HOLD_LIFE = 4 * DAY;

export type HoldRefusal =
  | 'not_found'
  | 'checkout_past_pay_by'
  | 'checkout_not_collecting'
  | 'share_already_held'
  | 'nothing_to_pay';

/** Who asks; null: a test helper, who takes whatever there is. */
export interface HoldRequester {
  readonly payerId: string | null;
  /** A hold that they have just looked at with the processor, and the turn in which they did. */
  readonly retrieved: { readonly holdId: string; readonly leaseToken: number } | null;
}

export type HoldDecision =
  | { readonly refusal: HoldRefusal }
  /** Somebody else's hold waits for a card: whether it still does is to be asked of the processor first. */
  | { readonly lookAt: string }
  | {
      readonly holdId: string;
      readonly steps: readonly Step[];
      /** Earlier holds of this share that never had a card: over before anybody is given the secret of this one. */
      readonly lettingGo: readonly string[];
    };

const ANY_REQUESTER: HoldRequester = { payerId: null, retrieved: null };

/**
 * A guest wants to pay a share: a hold is asked for, or the one of theirs that waits for a card is given again. A hold belongs
 * to who asked for it: somebody else's that was never confirmed is let go, and never becomes another person's.
 */
export function decideHold(
  checkout: LockedCheckout,
  shareId: string,
  now: number,
  newId: () => string,
  asker: HoldRequester = ANY_REQUESTER,
): HoldDecision {
  const share = shareOf(checkout, shareId);
  if (share === undefined) return { refusal: 'not_found' };
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };
  if (share.status === 'held' || share.status === 'captured') return { refusal: 'share_already_held' };
  if (share.amount === 0) return { refusal: 'nothing_to_pay' };
  const live = holdOf(checkout, shareId);
  // One that was held has had its card: it goes when the bank lets it, and is in nobody's way.
  const lettingGo = checkout.holds.filter(
    (hold) => hold.shareId === shareId && hold.status === 'releasing' && hold.heldAt === null,
  );
  const before = lettingGo.map(({ id }) => id);
  if (live === undefined) return addHold(checkout, share, now, newId, asker.payerId, before);
  if (asker.payerId === null || asker.payerId === (live.payerId ?? share.memberId)) {
    return { holdId: live.id, steps: [], lettingGo: before };
  }
  // Nobody was given the secret of one that is only asked for; one that is open may be confirmed by now.
  const isKnown = asker.retrieved?.holdId === live.id && asker.retrieved.leaseToken === live.leaseToken;
  if (live.status === 'open' && !isKnown) return { lookAt: live.id };
  const letGo: Step = { step: 'move hold', id: live.id, from: live.status, to: 'releasing', dueAt: now };
  const added = addHold(checkout, share, now, newId, asker.payerId, [...before, live.id]);
  return { ...added, steps: [letGo, ...added.steps] };
}

function addHold(
  checkout: LockedCheckout,
  share: ShareState,
  now: number,
  newId: () => string,
  payerId: string | null,
  lettingGo: readonly string[],
): Extract<HoldDecision, { holdId: string }> {
  const id = newId();
  const keepsCard = checkout.expiresAt - now > HOLD_LIFE;
  const hold = { id, shareId: share.id, amount: share.amount, renews: null, keepsCard, customerId: null, payerId };
  return { holdId: id, steps: [{ step: 'add hold', hold, dueAt: now + MINUTE }], lettingGo };
}

/** How long to wait before asking about a hold that nobody told us of: more patiently the older it is. */
export function nextPollAt(hold: HoldState, now: number): number {
  const age = Math.max(0, now - hold.createdAt);
  return now + Math.min(Math.max(20 * SECOND, age / 2), 30 * MINUTE);
}

/** The processor was asked about a hold that we believed to be open or held. */
export function decideFromFacts(
  checkout: LockedCheckout,
  holdId: string,
  facts: HoldFacts,
  now: number,
  isClosed = false,
): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold === undefined) return [];
  if (hold.status === 'asked' && hold.renews !== null) return decideRenewalFromFacts(checkout, hold, facts, now);
  if (hold.status === 'held') return decideForHeld(checkout, hold, facts, now);
  if (hold.status !== 'open') return [];
  switch (facts.status) {
    case 'held':
      return acceptOrRelease(checkout, hold, facts, now);
    case 'captured':
      return [{ step: 'move hold', id: hold.id, from: 'open', to: 'releasing', dueAt: now }];
    case 'gone':
      return [{ step: 'move hold', id: hold.id, from: 'open', to: 'gone', dueAt: null }];
    default:
      return [
        ...failDeclinedShare(checkout, hold, facts, now),
        isClosed && facts.status === 'waiting'
          ? releaseAfterDeclines(hold, facts, now)
          : updateRefusal(hold, facts, now),
      ];
  }
}

function updateRefusal(hold: HoldState, facts: HoldFacts, now: number): Step {
  return { step: 'update hold', id: hold.id, news: { refusal: facts.refusal }, dueAt: nextPollAt(hold, now) };
}

/** Too many cards were tried: the secret that the form was given is made worthless, and the share can be paid later. */
function releaseAfterDeclines(hold: HoldState, facts: HoldFacts, now: number): Step {
  const news = { refusal: facts.refusal };
  return { step: 'move hold', id: hold.id, from: 'open', to: 'releasing', news, dueAt: now };
}

function failDeclinedShare(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): readonly Step[] {
  const share = shareOf(checkout, hold.shareId);
  if (facts.refusal === null || facts.status !== 'waiting' || share?.status !== 'invited') return [];
  if (checkout.status !== 'collecting' || isOverdue(checkout, now)) return [];
  return [{ step: 'move shares', ids: [share.id], from: 'invited', to: 'failed' }];
}

/** Amount, currency, mode, and whose it is: all as we asked for it. A partial authorization is not. */
export function matchesRequest(hold: HoldState, facts: HoldFacts): boolean {
  const { marks } = facts;
  return (
    facts.amount === hold.amount &&
    facts.capturable === hold.amount &&
    facts.currency === hold.currency &&
    facts.mode === hold.mode &&
    facts.intentId === (hold.intentId ?? facts.intentId) &&
    marks.holdId === hold.id &&
    marks.shareId === hold.shareId &&
    marks.checkoutId === hold.checkoutId &&
    marks.venueId === hold.venueId
  );
}

function acceptOrRelease(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): readonly Step[] {
  const share = shareOf(checkout, hold.shareId);
  const letGo: Step = { step: 'move hold', id: hold.id, from: hold.status, to: 'releasing', dueAt: now };
  const wanted = checkout.status === 'collecting' && (share?.status === 'invited' || share?.status === 'failed');
  const inTime = facts.heldAt !== null && facts.heldAt <= checkout.expiresAt;
  if (share === undefined || !wanted || !inTime) return [letGo];
  if (!matchesRequest(hold, facts)) {
    return share.status === 'invited'
      ? [letGo, { step: 'move shares', ids: [share.id], from: 'invited', to: 'failed' }]
      : [letGo];
  }
  // The processor counts whole seconds: the end of its second, so that nothing seems held before it was asked for.
  const heldAt = Math.min(now, (facts.heldAt ?? now) + 999);
  return [acceptHold(checkout, hold, facts, now), ...markShareHeld(checkout, share, heldAt)];
}

function acceptHold(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): Step {
  return {
    step: 'move hold',
    id: hold.id,
    from: hold.status,
    to: 'held',
    news: updateFrom(facts),
    dueAt: nextCheckOfHeld(checkout, hold, facts, now),
  };
}

/** A hold that stands is looked at again when it must be renewed, or just after it would have lapsed. */
function nextCheckOfHeld(
  checkout: LockedCheckout,
  hold: HoldState,
  facts: Pick<HoldFacts, 'heldAt' | 'captureBefore'>,
  now: number,
): number | null {
  const heldAt = facts.heldAt ?? now;
  const renewAt = renewalTime(hold, heldAt, facts.captureBefore, checkout.expiresAt);
  if (renewAt !== null && renewAt > now) return renewAt;
  const { captureBefore } = facts;
  return captureBefore !== null && captureBefore <= checkout.expiresAt
    ? Math.max(captureBefore + SECOND, now + MINUTE)
    : null;
}

export function updateFrom(facts: HoldFacts): HoldNews {
  const { intentId, heldAt, captureBefore, chargeId, customerId, paymentMethodId } = facts;
  return { intentId, heldAt, captureBefore, chargeId, customerId, paymentMethodId, refusal: null };
}

/** A share is held: told, and when it was the last, the checkout is funded. */
export function markShareHeld(checkout: LockedCheckout, share: ShareState, heldAt: number): readonly Step[] {
  const steps: Step[] = [
    { step: 'move shares', ids: [share.id], from: share.status, to: 'held', heldAt },
    { step: 'record event', type: 'share.held' },
  ];
  return [...steps, ...fundWhenAllHeld(applySteps(checkout, steps))];
}

/** Was it the last? Asked here only, and only by whoever holds the checkout's row. */
export function fundWhenAllHeld(checkout: LockedCheckout): readonly Step[] {
  if (checkout.status !== 'collecting' || !checkout.shares.every(({ status }) => status === 'held')) return [];
  return [
    { step: 'move checkout', from: 'collecting', to: 'funded' },
    { step: 'record event', type: 'checkout.funded' },
  ];
}

function decideForHeld(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): readonly Step[] {
  const isLapsed = checkout.clockAhead > 0 && hold.captureBefore !== null && hold.captureBefore <= now;
  if (facts.status === 'held' && !isLapsed) {
    // By our own times: a test helper may have moved the checkout's clock since it was held.
    const { heldAt, captureBefore } = hold;
    return [postponePoll(hold.id, nextCheckOfHeld(checkout, hold, { heldAt, captureBefore }, now))];
  }
  return loseHold(checkout, hold, facts.status === 'gone' ? 'gone' : 'releasing', now);
}

/**
 * A hold was lost: its person is asked again, and nobody is charged. Never once captures have begun. Another one that was asked
 * for in its place is let go: it could still take the card that was kept, beside the one that the person pays with now.
 */
export function loseHold(
  checkout: LockedCheckout,
  hold: HoldState,
  to: 'gone' | 'releasing',
  now: number,
): readonly Step[] {
  const steps: Step[] = [{ step: 'move hold', id: hold.id, from: 'held', to, dueAt: to === 'gone' ? null : now }];
  for (const { id, renews, status } of checkout.holds) {
    if (renews === hold.id && status === 'asked')
      steps.push({ step: 'move hold', id, from: 'asked', to: 'releasing', dueAt: now });
  }
  const share = shareOf(checkout, hold.shareId);
  if (share?.status !== 'held' || hold.renews !== null) return steps;
  steps.push({ step: 'move shares', ids: [share.id], from: 'held', to: 'failed' });
  if (checkout.status === 'funded') steps.push({ step: 'move checkout', from: 'funded', to: 'collecting' });
  if (checkout.status === 'funded' || checkout.status === 'collecting') {
    steps.push({ step: 'record event', type: 'checkout.collecting' });
  }
  return steps;
}

function decideRenewalFromFacts(
  checkout: LockedCheckout,
  fresh: HoldState,
  facts: HoldFacts,
  now: number,
): readonly Step[] {
  const old = checkout.holds.find(({ id }) => id === fresh.renews);
  const share = shareOf(checkout, fresh.shareId);
  const wanted = checkout.status === 'collecting' && share?.status === 'held' && old?.status === 'held';
  if (facts.status === 'held' && wanted && matchesRequest(fresh, facts)) {
    return [
      { step: 'move hold', id: old.id, from: 'held', to: 'releasing', dueAt: now },
      acceptHold(checkout, fresh, facts, now),
      { step: 'activate renewal', id: fresh.id },
    ];
  }
  const letGo: Step = {
    step: 'move hold',
    id: fresh.id,
    from: 'asked',
    to: 'releasing',
    news: { intentId: facts.intentId },
    dueAt: now,
  };
  return wanted ? [letGo, ...loseHold(applySteps(checkout, [letGo]), old, 'releasing', now)] : [letGo];
}

export function postponePoll(id: string, dueAt: number | null): Step {
  return { step: 'update hold', id, news: {}, dueAt };
}

/** "Not now", kept under the key: a renewal is given up, and another one begun a little later. */
export function retryLater(checkout: LockedCheckout, holdId: string, now: number): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold === undefined) return [];
  if (hold.status !== 'asked' || hold.renews === null) return [postponePoll(hold.id, now + MINUTE)];
  const old = checkout.holds.find(({ id }) => id === hold.renews);
  return [
    { step: 'move hold', id: hold.id, from: 'asked', to: 'gone', dueAt: null },
    ...(old?.status === 'held' ? [postponePoll(old.id, now + MINUTE)] : []),
  ];
}

/** The processor has said no, and would say no again. */
export function decideRefused(checkout: LockedCheckout, holdId: string, code: string, now: number): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  switch (hold?.status) {
    case 'asked':
      return hold.renews === null ? holdRefused(checkout, hold, code) : renewalRefused(checkout, hold.id, code, now);
    case 'open':
      return [{ step: 'move hold', id: hold.id, from: 'open', to: 'gone', news: { refusal: code }, dueAt: null }];
    case 'held':
      return loseHold(checkout, hold, 'gone', now);
    case 'releasing':
      return releaseRefused(hold, code, now);
    default:
      return [];
  }
}

/** What was never made holds nobody's money; anything else is let go later. */
function releaseRefused(hold: HoldState, code: string, now: number): readonly Step[] {
  if (hold.intentId !== null) return [postponePoll(hold.id, now + MINUTE)];
  return [{ step: 'move hold', id: hold.id, from: 'releasing', to: 'released', news: { refusal: code }, dueAt: null }];
}

function holdRefused(checkout: LockedCheckout, hold: HoldState, code: string): readonly Step[] {
  const gone: Step = {
    step: 'move hold',
    id: hold.id,
    from: 'asked',
    to: 'gone',
    news: { refusal: code },
    dueAt: null,
  };
  const isInvited = checkout.status === 'collecting' && shareOf(checkout, hold.shareId)?.status === 'invited';
  return isInvited ? [gone, { step: 'move shares', ids: [hold.shareId], from: 'invited', to: 'failed' }] : [gone];
}

/** The card could not be held again: its person is asked again. */
function renewalRefused(checkout: LockedCheckout, holdId: string, code: string, now: number): readonly Step[] {
  const fresh = checkout.holds.find(({ id }) => id === holdId);
  if (fresh?.status !== 'asked') return [];
  const steps: Step[] = [
    { step: 'move hold', id: fresh.id, from: 'asked', to: 'gone', news: { refusal: code }, dueAt: null },
  ];
  const old = checkout.holds.find(({ id }) => id === fresh.renews);
  if (checkout.status !== 'collecting' || old?.status !== 'held') return steps;
  return [...steps, ...loseHold(applySteps(checkout, steps), old, 'releasing', now)];
}

/** A hold comes close to the end of its life: another one is asked for, on the card that was kept. */
export function decideRenewal(
  checkout: LockedCheckout,
  holdId: string,
  now: number,
  newId: () => string,
): { readonly steps: readonly Step[]; readonly freshId: string } | null {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold?.status !== 'held' || hold.renews !== null || checkout.status !== 'collecting') return null;
  if (!hold.keepsCard || hold.customerId === null || hold.paymentMethodId === null || hold.captureBefore === null)
    return null;
  const renewAt = renewalTime(hold, hold.heldAt ?? now, hold.captureBefore, checkout.expiresAt);
  // Whoever looks before it is time only looks.
  if (renewAt === null || renewAt > now || isOverdue(checkout, now)) return null;
  if (checkout.holds.some(({ renews }) => renews === holdId)) return null;
  const freshId = newId();
  const fresh = {
    id: freshId,
    shareId: hold.shareId,
    amount: hold.amount,
    renews: hold.id,
    keepsCard: true,
    customerId: hold.customerId,
    payerId: hold.payerId,
  };
  const lapse = Math.max(hold.captureBefore + SECOND, now + MINUTE);
  return {
    freshId,
    steps: [
      { step: 'add hold', hold: fresh, dueAt: now + MINUTE },
      { step: 'update hold', id: hold.id, news: {}, dueAt: lapse },
    ],
  };
}
