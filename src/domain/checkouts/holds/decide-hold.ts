// Decisions about the hold of a share: to request it, and what follows from the processor's facts or
// refusal. Pure: each takes the locked checkout and returns steps. A share becomes held only by the processor's own
// facts, after amount, currency, mode and metadata were compared, and only if the card was held before the checkout
// expired. Only fundWhenAllHeld decides that every share is held, under the checkout's row lock. decide-renewal.ts has
// the decisions about renewals.

import { type HoldState, usesSavedCard } from '../../payments/hold.ts';
import type { HoldFacts, Unavailability } from '../../payments/processor.ts';
import { isCharged } from '../../payments/transitions.ts';
import { applySteps } from '../apply-steps.ts';
import {
  holdOf,
  holdToReplace,
  isOverdue,
  isUnpaid,
  type LockedCheckout,
  type ShareState,
  shareOf,
} from '../locked-checkout.ts';
import { loseHold, matchesRequest } from '../lose-hold.ts';
import type { Step } from '../steps.ts';
import {
  decideRenewalFromFacts,
  decideReplacement,
  nextRenewalAt,
  renewalOf,
  renewalRefused,
} from './decide-renewal.ts';
import { acceptHold, nextCheckOfHeld, nextPollAt, postponePoll, release } from './hold-steps.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A hold lives about seven days, on some cards less. A checkout that may last longer than this needs a saved card. */
const MIN_HOLD_LIFE_MS = 4 * DAY;

export type HoldRefusal =
  | 'not_found'
  | 'checkout_past_pay_by'
  | 'checkout_not_collecting'
  | 'share_already_held'
  | 'nothing_to_pay'
  | 'card_not_saved'
  | 'venue_not_payable';

/** Which card the guest wants to pay with. */
export interface RequestedCard {
  /** Save the card of the card form, so that it can pay other shares. */
  readonly isSaved: boolean;
  /** Pay with the saved card that holds this share; null: with the card form. */
  readonly ofShare: string | null;
}

export const CARD_OF_FORM: RequestedCard = { isSaved: false, ofShare: null };

/** Who requests a hold. */
export interface HoldRequester {
  /** The member who will pay; null: a test helper, which accepts any hold of the share. */
  readonly payerId: string | null;
  /** Absent: the card of the card form. */
  readonly card?: RequestedCard;
  /** The hold that this request has just settled with the processor, and the lease token of that settlement. */
  readonly retrieved: { readonly holdId: string; readonly leaseToken: number } | null;
}

export type HoldDecision =
  | { readonly refusal: HoldRefusal }
  /** Another payer's hold waits for a card. The caller must first ask the processor whether it still does. */
  | { readonly retrieveFirst: string }
  | {
      readonly holdId: string;
      readonly steps: readonly Step[];
      /** Earlier holds of the share without a card: they must be released before a guest gets the new secret. */
      readonly releaseFirst: readonly string[];
      /** The saved card that the server confirms the hold with; null: the guest's card form confirms it. */
      readonly savedMethodId: string | null;
    };

/** Whether a hold that begins now may have to be renewed, which needs the guest's consent to save the card. */
export function needsSavedCard(expiresAt: number, now: number): boolean {
  return expiresAt - now > MIN_HOLD_LIFE_MS;
}

const ANY_REQUESTER: HoldRequester = { payerId: null, retrieved: null };

/**
 * A guest wants to pay a share: adds a hold, or returns the guest's own hold that still waits for a card. A hold
 * belongs to the member who requested it. Another payer's unconfirmed hold is released; it never passes to a second
 * payer. A held share takes a second hold only while the renewal of its hold is refused; the first one counts until the
 * second is held.
 */
export function decideHold(
  checkout: LockedCheckout,
  shareId: string,
  now: number,
  newId: () => string,
  requester: HoldRequester = ANY_REQUESTER,
): HoldDecision {
  const share = shareOf(checkout, shareId);
  if (share === undefined) return { refusal: 'not_found' };
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };
  const replaced = holdToReplace(checkout, shareId);
  const isHeld = share.status === 'held' || share.status === 'captured';
  if (isHeld && replaced === undefined) return { refusal: 'share_already_held' };
  if (share.amount === 0) return { refusal: 'nothing_to_pay' };
  // No card is held for a venue that could not be paid with it. A card that is held already stays so until the deadline.
  if (!checkout.isVenuePayable) return { refusal: 'venue_not_payable' };
  const { payerId, card = CARD_OF_FORM } = requester;
  const source = card.ofShare === null ? null : findSavedCard(checkout, card.ofShare, payerId);
  // A hold that replaces another waits for another card: of the card form.
  if (source === undefined || (source !== null && replaced !== undefined)) return { refusal: 'card_not_saved' };
  // Beside a hold that the guest replaces, the new one waits for a card.
  const current = replaced === undefined ? holdOf(checkout, shareId) : renewalOf(checkout, replaced);
  const newHold: NewHold = { share, payerId, renews: replaced?.id ?? null, card, source };
  // A hold that was held once is not in the way: its card is known, and its secret cannot hold another one.
  const releasing = checkout.holds.filter(
    (hold) => hold.shareId === shareId && hold.status === 'releasing' && hold.heldAt === null,
  );
  const releaseFirst = releasing.map(({ id }) => id);
  if (current === undefined) return addHold(checkout, newHold, now, newId, releaseFirst);
  const isOwn = payerId === null || payerId === payerOf(checkout, current);
  if (isOwn && canTakeCard(current, newHold)) {
    return { holdId: current.id, steps: [], releaseFirst, savedMethodId: source?.paymentMethodId ?? null };
  }
  // No guest has the secret of a requested hold. An open hold may be confirmed by now, unless this request has just asked.
  const isUpToDate =
    requester.retrieved?.holdId === current.id && requester.retrieved.leaseToken === current.leaseToken;
  if (current.status === 'open' && !isUpToDate) return { retrieveFirst: current.id };
  const added = addHold(checkout, newHold, now, newId, [...releaseFirst, current.id]);
  return { ...added, steps: [release(current, now), ...added.steps] };
}

interface NewHold {
  readonly share: ShareState;
  readonly payerId: string | null;
  /** The hold that the guest replaces; null: the share is not held. */
  readonly renews: string | null;
  readonly card: RequestedCard;
  /** The hold whose saved card pays; null: the card form's card does. */
  readonly source: SavedCardHold | null;
}

interface SavedCardHold extends HoldState {
  readonly customerId: string;
  readonly paymentMethodId: string;
}

function payerOf(checkout: LockedCheckout, hold: HoldState): string | null {
  return hold.payerId ?? shareOf(checkout, hold.shareId)?.memberId ?? null;
}

/** The hold of a share, if this member holds it with a card that is saved; undefined otherwise. */
function findSavedCard(checkout: LockedCheckout, shareId: string, payerId: string | null): SavedCardHold | undefined {
  const hold = holdOf(checkout, shareId);
  if (hold?.status !== 'held' || payerId === null) return undefined;
  if (payerOf(checkout, hold) !== payerId) return undefined;
  const { customerId, paymentMethodId } = hold;
  // Without a customer the processor has not saved the card: it can never be used again.
  return customerId === null || paymentMethodId === null ? undefined : { ...hold, customerId, paymentMethodId };
}

/** A share that the member holds with a saved card, which can pay others of the checkout; null: there is none. */
export function shareWithSavedCard(checkout: LockedCheckout, memberId: string): string | null {
  const found = checkout.shares.findLast(({ id }) => findSavedCard(checkout, id, memberId) !== undefined);
  return found?.id ?? null;
}

/** The processor saves a card, and takes a saved one, only for the customer with whom the intent was created. */
function canTakeCard(hold: HoldState, { card, source }: NewHold): boolean {
  if (card.isSaved && !hold.savesCard) return false;
  return source === null || hold.customerId === source.customerId;
}

function addHold(
  checkout: LockedCheckout,
  { share, payerId, renews, card, source }: NewHold,
  now: number,
  newId: () => string,
  releaseFirst: readonly string[],
): Extract<HoldDecision, { holdId: string }> {
  const id = newId();
  const hold = {
    id,
    shareId: share.id,
    amount: share.amount,
    renews,
    savesCard: needsSavedCard(checkout.expiresAt, now) || card.isSaved || source !== null,
    customerId: source?.customerId ?? null,
    payerId,
  };
  const steps: readonly Step[] = [{ step: 'add hold', hold, dueAt: now + MINUTE }];
  return { holdId: id, steps, releaseFirst, savedMethodId: source?.paymentMethodId ?? null };
}

/** The processor has returned its facts of a hold. `isBlockedByDeclines`: too many cards were declined. */
export function decideFromFacts(
  checkout: LockedCheckout,
  holdId: string,
  facts: HoldFacts,
  now: number,
  isBlockedByDeclines = false,
): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  if (hold === undefined) return [];
  if (hold.status === 'requested' && usesSavedCard(hold)) return decideRenewalFromFacts(checkout, hold, facts, now);
  if (hold.status === 'held') return decideForHeld(checkout, hold, facts, now);
  if (hold.status !== 'open') return [];
  switch (facts.status) {
    case 'held':
      return hold.renews === null
        ? acceptOrRelease(checkout, hold, facts, now)
        : decideReplacement(checkout, hold, facts, now);
    case 'captured':
      return [release(hold, now)];
    case 'voided':
      return [{ step: 'transition hold', id: hold.id, from: 'open', to: 'voided', dueAt: null }];
    default:
      return [
        ...failDeclinedShare(checkout, hold, facts, now),
        isBlockedByDeclines && facts.status === 'waiting'
          ? releaseAfterDeclines(hold, facts, now)
          : keepPolling(checkout, hold, facts, now),
      ];
  }
}

function keepPolling({ expiresAt }: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): Step {
  return {
    step: 'update hold',
    id: hold.id,
    update: { refusal: facts.declineCode },
    dueAt: nextPollAt(hold, now, expiresAt),
  };
}

/** Too many cards were tried: releasing the hold makes the form's secret useless. The share can be paid later. */
function releaseAfterDeclines(hold: HoldState, facts: HoldFacts, now: number): Step {
  return release(hold, now, { refusal: facts.declineCode });
}

function failDeclinedShare(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): readonly Step[] {
  const share = shareOf(checkout, hold.shareId);
  if (facts.declineCode === null || facts.status !== 'waiting' || share?.status !== 'invited') return [];
  if (checkout.status !== 'collecting' || isOverdue(checkout, now)) return [];
  return [{ step: 'transition shares', ids: [share.id], from: 'invited', to: 'failed' }];
}

function acceptOrRelease(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): readonly Step[] {
  const share = shareOf(checkout, hold.shareId);
  const isWanted = checkout.status === 'collecting' && share !== undefined && isUnpaid(share);
  const isInTime = facts.heldAt !== null && facts.heldAt <= checkout.expiresAt;
  if (!isWanted || !isInTime) return [release(hold, now)];
  if (!matchesRequest(hold, facts)) {
    return share.status === 'invited'
      ? [release(hold, now), { step: 'transition shares', ids: [share.id], from: 'invited', to: 'failed' }]
      : [release(hold, now)];
  }
  // The processor rounds down to seconds. We use the end of its second, so that held_at is never before the request.
  const heldAt = Math.min(now, (facts.heldAt ?? now) + 999);
  return [acceptHold(checkout, hold, facts, now), ...markShareHeld(checkout, share, heldAt)];
}

/** The share becomes held. If it was the last one, the checkout becomes funded. */
export function markShareHeld(checkout: LockedCheckout, share: ShareState, heldAt: number): readonly Step[] {
  const steps: Step[] = [
    { step: 'transition shares', ids: [share.id], from: share.status, to: 'held', heldAt },
    { step: 'record event', type: 'share.held' },
  ];
  return [...steps, ...fundWhenAllHeld(applySteps(checkout, steps))];
}

/** Whether the party waits for this hold alone: every other share is held. Of an unlocked checkout it is only a hint. */
export function isLastOpenHold(checkout: LockedCheckout, hold: HoldState): boolean {
  if (checkout.status !== 'collecting' || hold.status !== 'open' || hold.renews !== null) return false;
  return checkout.shares.every(({ id, status }) => id === hold.shareId || status === 'held');
}

/** The only place that decides that every share is held. The caller holds the checkout's row lock. */
export function fundWhenAllHeld(checkout: LockedCheckout): readonly Step[] {
  if (checkout.status !== 'collecting' || !checkout.shares.every(({ status }) => status === 'held')) return [];
  return [
    { step: 'transition checkout', from: 'collecting', to: 'funded' },
    { step: 'record event', type: 'checkout.funded' },
  ];
}

function decideForHeld(checkout: LockedCheckout, hold: HoldState, facts: HoldFacts, now: number): readonly Step[] {
  const isLapsed = checkout.clockAhead > 0 && hold.captureBefore !== null && hold.captureBefore <= now;
  if (facts.status === 'held' && !isLapsed) {
    // Our own times count, not the processor's: a test helper may have moved the checkout's clock.
    const { heldAt, captureBefore } = hold;
    return [postponePoll(hold.id, nextCheckOfHeld(checkout, hold, { heldAt, captureBefore }, now))];
  }
  return loseHold(checkout, hold, facts.status === 'voided' ? 'voided' : 'releasing', now);
}

/**
 * The outcome of a call is unknown; the worker calls again at `retryAt`. A renewal whose card network failed is given up,
 * and another one begins later.
 */
export function decideUnavailable(
  checkout: LockedCheckout,
  holdId: string,
  kind: Unavailability,
  now: number,
  retryAt: number,
): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  // Since the call began, the checkout may have been funded: then the hold belongs to the capture, and is not due here.
  if (hold === undefined || hold.status === 'capturing' || isCharged(hold.status)) return [];
  if (kind === 'network_failed' && hold.status === 'requested' && usesSavedCard(hold)) {
    const original = checkout.holds.find(({ id }) => id === hold.renews);
    return [
      { step: 'transition hold', id: hold.id, from: 'requested', to: 'voided', dueAt: null },
      ...(original?.status === 'held' ? [postponePoll(original.id, nextRenewalAt(checkout, original, now))] : []),
    ];
  }
  const isCalledWithKey = hold.status === 'requested' || hold.status === 'releasing';
  return [
    ...(kind !== 'no_answer' && isCalledWithKey ? [{ step: 'use next keys', ids: [hold.id] } as const] : []),
    postponePoll(hold.id, kind === 'network_failed' ? now + MINUTE : retryAt),
  ];
}

/** The processor has refused the call permanently. */
export function decideRefused(checkout: LockedCheckout, holdId: string, code: string, now: number): readonly Step[] {
  const hold = checkout.holds.find(({ id }) => id === holdId);
  switch (hold?.status) {
    case 'requested':
      return usesSavedCard(hold) ? renewalRefused(checkout, hold, code, now) : requestRefused(hold, code);
    case 'open':
      // The guest's card may be held: the worker asks the processor again.
      return [postponePoll(hold.id, nextPollAt(hold, now, checkout.expiresAt))];
    case 'held':
      return loseHold(checkout, hold, 'voided', now);
    case 'releasing':
      return releaseRefused(hold, code, now);
    default:
      return [];
  }
}

/** A hold without an intent was never created, so it holds no money. Any other is released later. */
function releaseRefused(hold: HoldState, code: string, now: number): readonly Step[] {
  if (hold.intentId !== null) return [postponePoll(hold.id, now + MINUTE)];
  return [
    { step: 'transition hold', id: hold.id, from: 'releasing', to: 'released', update: { refusal: code }, dueAt: null },
  ];
}

/** No card was tried, so the share has not failed: the cause is in our call or in our account at the processor. */
function requestRefused(hold: HoldState, code: string): readonly Step[] {
  return [
    { step: 'transition hold', id: hold.id, from: 'requested', to: 'voided', update: { refusal: code }, dueAt: null },
  ];
}
