// A checkout as a model, for the tests of the pure decisions: applies steps as the database would, and refuses what the
// database would refuse (a transition that is not in the table, a row in another state, a second live hold).

import { feeOf } from '../../src/base/money.ts';
import type { Transitions } from '../../src/base/transitions.ts';
import type { LockedCheckout, ShareState } from '../../src/domain/checkouts/locked-checkout.ts';
import type { TransferState } from '../../src/domain/checkouts/refunds/decide-refund.ts';
import type { Step } from '../../src/domain/checkouts/steps.ts';
import { CHECKOUT_TRANSITIONS, SHARE_TRANSITIONS } from '../../src/domain/checkouts/transitions.ts';
import type { HoldState } from '../../src/domain/payments/hold.ts';
import type { NewMovement } from '../../src/domain/payments/movement-queries.ts';
import type { HoldFacts } from '../../src/domain/payments/processor.ts';
import { ENDED_HOLD_STATUSES, HOLD_TRANSITIONS, type MovementStatus } from '../../src/domain/payments/transitions.ts';

export const NOW = Date.UTC(2027, 5, 1);
const HOUR = 3_600_000;

export interface Model {
  readonly checkout: LockedCheckout;
  /** All holds, ended ones included. */
  readonly holds: readonly HoldState[];
  readonly movements: readonly (NewMovement & { readonly status: MovementStatus })[];
  readonly entries: ReadonlyMap<string, number>;
  readonly events: readonly string[];
}

export function newModel(amount: number, fee: number, partySize: number): Model {
  const checkout: LockedCheckout = {
    venueId: 'venue',
    id: 'chk_1',
    mode: 'test',
    status: 'open',
    amount,
    currency: 'usd',
    feeAmount: feeOf(amount, { bps: 0, fixed: fee }),
    refundedAmount: 0,
    partySize,
    expiresAt: NOW + 240 * HOUR,
    payBy: NOW + 240 * HOUR,
    clockAhead: 0,
    description: 'A table',
    startsAt: null,
    offeringExternalId: null,
    organizerId: null,
    leaseToken: 0,
    isVenuePayable: true,
    shares: [],
    holds: [],
  };
  return { checkout, holds: [], movements: [], entries: new Map(), events: [] };
}

let ids = 0;
export const newId = (): string => `id-${++ids}`;

function mustHold(is: boolean, what: string): void {
  if (!is) throw new Error(`the database would refuse: ${what}`);
}

export function isLegal<S extends string>(transitions: Transitions<S>, from: S, to: S): boolean {
  return transitions[from].includes(to);
}

export function applyAll(model: Model, steps: readonly Step[]): Model {
  const next = steps.reduce(apply, model);
  checkAtCommit(next);
  return next;
}

function withHolds(model: Model, holds: readonly HoldState[]): Model {
  const live = holds.filter(({ status }) => !ENDED_HOLD_STATUSES.includes(status));
  return { ...model, holds, checkout: { ...model.checkout, holds: live } };
}

function onHolds(model: Model, of: readonly string[], change: (hold: HoldState) => HoldState): Model {
  for (const id of of)
    mustHold(
      model.holds.some((hold) => hold.id === id),
      `there is no hold ${id}`,
    );
  return withHolds(
    model,
    model.holds.map((hold) => (of.includes(hold.id) ? change(hold) : hold)),
  );
}

function onShares(model: Model, of: readonly string[], change: (share: ShareState) => ShareState): Model {
  const { checkout } = model;
  for (const id of of)
    mustHold(
      checkout.shares.some((share) => share.id === id),
      `there is no share ${id}`,
    );
  const shares = checkout.shares.map((share) => (of.includes(share.id) ? change(share) : share));
  return { ...model, checkout: { ...checkout, shares } };
}

function moveHold(hold: HoldState, from: string, to: HoldState['status']): HoldState {
  mustHold(hold.status === from, `hold is ${hold.status}, not ${from}`);
  mustHold(isLegal(HOLD_TRANSITIONS, hold.status, to), `a hold cannot go from ${from} to ${to}`);
  return { ...hold, status: to };
}

function apply(model: Model, step: Step): Model {
  const { checkout } = model;
  switch (step.step) {
    case 'transition checkout':
      mustHold(checkout.status === step.from, `checkout is ${checkout.status}, not ${step.from}`);
      mustHold(
        isLegal(CHECKOUT_TRANSITIONS, step.from, step.to),
        `a checkout cannot go from ${step.from} to ${step.to}`,
      );
      return {
        ...model,
        checkout: { ...checkout, status: step.to, organizerId: step.organizerId ?? checkout.organizerId },
      };
    case 'transition shares':
      mustHold(isLegal(SHARE_TRANSITIONS, step.from, step.to), `a share cannot go from ${step.from} to ${step.to}`);
      return onShares(model, step.ids, (share) => {
        mustHold(share.status === step.from, `share is ${share.status}, not ${step.from}`);
        return { ...share, status: step.to };
      });
    case 'add shares': {
      const added = step.shares.map(
        (share): ShareState => ({ ...share, status: 'invited', refundedAmount: 0, lostAmount: 0 }),
      );
      const shares = [...checkout.shares, ...added].sort((a, b) => a.position - b.position);
      mustHold(new Set(shares.map(({ memberId }) => memberId)).size === shares.length, 'one member twice');
      return { ...model, checkout: { ...checkout, shares } };
    }
    case 'drop shares':
      for (const share of checkout.shares) {
        if (step.ids.includes(share.id))
          mustHold(share.status !== 'held' && share.status !== 'captured', 'dropped while held');
      }
      return {
        ...model,
        checkout: { ...checkout, shares: checkout.shares.filter(({ id }) => !step.ids.includes(id)) },
      };
    case 'reorder shares': {
      const reordered = onShares(model, [...step.positions.keys()], (share) => ({
        ...share,
        position: step.positions.get(share.id) ?? 0,
      }));
      const shares = [...reordered.checkout.shares].sort((a, b) => a.position - b.position);
      return { ...reordered, checkout: { ...reordered.checkout, shares } };
    }
    case 'refund shares':
      return onShares(model, [...step.amounts.keys()], (share) => {
        mustHold(share.status === 'captured' || share.status === 'refunded', 'refunded and not captured');
        const refundedAmount = share.refundedAmount + (step.amounts.get(share.id) ?? 0);
        mustHold(refundedAmount <= share.amount, 'refunded above its amount');
        return { ...share, refundedAmount };
      });
    case 'refund checkout':
      mustHold(['completed', 'canceled'].includes(checkout.status), 'refund before an end');
      return { ...model, checkout: { ...checkout, refundedAmount: checkout.refundedAmount + step.amount } };
    case 'record event':
      return { ...model, events: [...model.events, step.type] };
    case 'schedule retry':
      mustHold(checkout.status === 'funded', 'a retry is scheduled although the checkout is not funded');
      return model;
    case 'lease captures':
      mustHold(checkout.status === 'funded', 'captures are leased although the checkout is not funded');
      return { ...model, checkout: { ...checkout, leaseToken: checkout.leaseToken + 1 } };
    case 'open payout':
      return model;
    default:
      return applyToMoney(model, step);
  }
}

function applyToMoney(model: Model, step: Step): Model {
  const { checkout } = model;
  switch (step.step) {
    case 'add hold': {
      const { hold } = step;
      const newMovements: HoldState = {
        ...hold,
        venueId: checkout.venueId,
        checkoutId: checkout.id,
        mode: checkout.mode,
        status: 'requested',
        currency: checkout.currency,
        intentId: null,
        paymentMethodId: null,
        chargeId: null,
        heldAt: null,
        captureBefore: null,
        renewalRefusedAt: null,
        keyNumber: 0,
        leaseToken: 0,
        createdAt: NOW,
      };
      return withHolds(model, [...model.holds, newMovements]);
    }
    case 'transition hold':
      return onHolds(model, [step.id], (hold) => ({
        ...moveHold(hold, step.from, step.to),
        ...definedFields(step.update),
      }));
    case 'update hold':
      return onHolds(model, [step.id], (hold) => ({ ...hold, ...definedFields(step.update) }));
    case 'activate renewal':
      return onHolds(model, [step.id], (hold) => ({ ...hold, renews: null }));
    case 'begin captures':
      return onHolds(model, step.ids, (hold) => moveHold(hold, 'held', 'capturing'));
    case 'use next keys':
      return onHolds(model, step.ids, (hold) => ({ ...hold, keyNumber: hold.keyNumber + 1 }));
    case 'record captures':
      return step.holds.reduce(
        (next, { id, from }) => onHolds(next, [id], (hold) => moveHold(hold, from, 'captured')),
        model,
      );
    case 'add movements': {
      const added = step.movements.map((movement) => ({ ...movement, status: 'waiting' as const }));
      for (const { amount, feePart } of added)
        mustHold(amount > 0 && feePart >= 0 && feePart <= amount, 'a movement of nothing');
      return { ...model, movements: [...model.movements, ...added] };
    }
    case 'reduce transfer':
      return {
        ...model,
        movements: model.movements.map((one) => {
          if (one.id !== step.id) return one;
          mustHold(one.status === 'waiting' && one.amount > step.by, 'a transfer is reduced to nothing');
          return { ...one, amount: one.amount - step.by };
        }),
      };
    case 'drop transfer':
      return {
        ...model,
        movements: model.movements.map((one) => {
          if (one.id !== step.id) return one;
          mustHold(one.status === step.from && one.amount === step.amount, 'a transfer is dropped in part');
          return { ...one, amount: 0, status: 'dropped' };
        }),
      };
    case 'post entries': {
      const entries = new Map(model.entries);
      for (const { kind, subject, amount } of step.entries) {
        if (amount === 0) continue;
        mustHold(amount > 0 && !entries.has(`${kind} ${subject}`), `${kind} twice for ${subject}`);
        entries.set(`${kind} ${subject}`, amount);
      }
      return { ...model, entries };
    }
    default:
      throw new Error(`the model does not know the step ${step.step}`);
  }
}

function definedFields(update: object | undefined): Partial<HoldState> {
  return Object.fromEntries(
    Object.entries(update ?? {}).filter(
      ([name, value]) => value !== null && !['clientSecret', 'refusal'].includes(name),
    ),
  );
}

/** What the database checks at commit, and what must always be true of the money. */
function checkAtCommit({ checkout, holds, movements }: Model): void {
  const { status, shares, amount } = checkout;
  const total = shares.reduce((sum, share) => sum + share.amount, 0);
  mustHold(
    total === amount || (shares.length === 0 && ['open', 'expired', 'canceled'].includes(status)),
    `shares sum to ${total}`,
  );
  if (['completed', 'expired', 'canceled'].includes(status)) {
    mustHold(!shares.some((share) => share.status === 'held'), `${status} and holds a card`);
  }
  if (status === 'completed') {
    mustHold(
      shares.every((share) => share.status === 'captured' || share.status === 'refunded'),
      'completed, not captured',
    );
  }
  if (status === 'completed') {
    const waiting = holds.find((hold) => hold.renews !== null && hold.status === 'open');
    mustHold(waiting === undefined, `completed, and hold ${waiting?.id} could still take a card`);
  }
  if (status === 'expired' || status === 'canceled') {
    const live = holds.find((hold) => ['requested', 'open', 'held', 'capturing'].includes(hold.status));
    mustHold(live === undefined, `${status}, and hold ${live?.id} is ${live?.status} and never let go`);
  }
  const liveHolds = holds.filter(
    ({ renews, status: at }) => renews === null && ['requested', 'open', 'held', 'capturing', 'captured'].includes(at),
  );
  mustHold(new Set(liveHolds.map(({ shareId }) => shareId)).size === liveHolds.length, 'two live holds for one share');
  // A renewal may hold a card only beside the hold that it renews. Of a charged share the worker releases it: the hold
  // that was captured counts (isReplaceable).
  const unheld = new Set(shares.filter(({ status: at }) => at === 'invited' || at === 'failed').map(({ id }) => id));
  const renewing = holds.find(
    ({ renews, shareId, status: at }) => renews !== null && at === 'requested' && unheld.has(shareId),
  );
  mustHold(renewing === undefined, `hold ${renewing?.id} renews one that was lost, and could still take a card`);
  for (const { id, amount, status: at } of holds) {
    if (at === 'returned')
      mustHold(amountReturned(movements, id) === amount, `hold ${id} is returned, and its money is not`);
  }
  // No guest is charged for a checkout that does not complete: a captured hold belongs to a captured share, or is
  // returned.
  if (status === 'funded') return;
  for (const hold of holds) {
    if (hold.status !== 'captured') continue;
    const staysCharged = shares.some(
      (share) => share.id === hold.shareId && share.status === 'captured' && status === 'completed',
    );
    mustHold(
      staysCharged || amountReturned(movements, hold.id) === hold.amount,
      `hold ${hold.id} is captured in a ${status} checkout and not given back`,
    );
  }
}

function amountReturned(movements: Model['movements'], of: string): number {
  const back = movements.filter(({ holdId, kind }) => holdId === of && (kind === 'return' || kind === 'refund'));
  return back.reduce((sum, { amount }) => sum + amount, 0);
}

/** The facts that the processor would return for a hold. */
export function factsFor(hold: HoldState, overrides: Partial<HoldFacts> = {}): HoldFacts {
  return {
    intentId: hold.intentId ?? `pi_${hold.id}`,
    status: 'held',
    mode: hold.mode,
    amount: hold.amount,
    capturable: hold.amount,
    captured: 0,
    currency: hold.currency,
    metadata: { venueId: hold.venueId, checkoutId: hold.checkoutId, shareId: hold.shareId, holdId: hold.id },
    heldAt: NOW,
    captureBefore: NOW + 168 * HOUR,
    chargeId: `ch_${hold.id}`,
    processorFee: null,
    customerId: hold.savesCard ? 'cus' : null,
    paymentMethodId: 'pm',
    card: { brand: 'visa', last4: '4242' },
    declineCode: null,
    decline: null,
    ...overrides,
  };
}

export function transfersOf({ movements }: Model): TransferState[] {
  return movements
    .filter(({ kind }) => kind === 'transfer')
    .map((transfer) => {
      const reversals = movements.filter(({ reversedTransferId }) => reversedTransferId === transfer.id);
      return { ...transfer, left: transfer.amount - reversals.reduce((sum, { amount }) => sum + amount, 0) };
    });
}
