// POST /v1/test_helpers/checkouts/{id}/…: take a test checkout through the same code as real guests do, with the
// processor's test cards. Only test keys may call these operations.

import type { TestAdvance, TestHold } from '../../../../schemas/types.gen.ts';
import { conflict, type FieldProblem, invalid, notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { callKeys } from '../../payments/hold.ts';
import { type Processor, ProcessorRefusal } from '../../payments/processor.ts';
import { findHold, shiftHeldTimes } from '../../payments/queries.ts';
import { captureFunded } from '../capture/capture.ts';
import { expireOne } from '../expire.ts';
import { holdWithRetry } from '../holds/hold-with-retry.ts';
import { settleHoldNow } from '../holds/settle-hold.ts';
import { isOverdue, isUnpaid, type LockedCheckout } from '../locked-checkout.ts';
import { decideParty, type PartyShare } from '../party/decide-party.ts';
import { equalSplit, MIN_CHARGE } from '../party/split.ts';
import { decideUnderLock, type PaymentServices, processorFor } from '../payment-services.ts';
import { advanceClock, lockCheckout, readCheckout } from '../queries.ts';
import { checkoutJson } from '../read.ts';

const MAX_CONCURRENT = 8;
const WORKING_CARD = 'pm_card_visa';
const MAX_TRIES = 5;
const MAX_CLOCK_PAST_PAY_BY_MS = 2 * 365 * 24 * 3_600_000;

async function readCurrentCheckout(services: PaymentServices, caller: Caller, id: string): Promise<LockedCheckout> {
  const checkout = await readCheckout(services.db, caller.venue.id, id);
  if (checkout === null || checkout.mode !== caller.mode) throw notFound();
  if (!isOverdue(checkout, caller.now)) return checkout;
  await expireOne(services.db, caller, caller.venue.id, id);
  return readCurrentCheckout(services, caller, id);
}

async function currentView(services: PaymentServices, caller: Caller, id: string): Promise<OperationResult> {
  return { status: 200, json: await checkoutJson(services.db, { ...caller, now: services.clock.now() }, id) };
}

export async function testCollect(services: PaymentServices, caller: Caller, input: Input): Promise<OperationResult> {
  const id = input.params.id ?? '';
  await collect(services, caller, await readCurrentCheckout(services, caller, id));
  return currentView(services, caller, id);
}

async function collect(services: PaymentServices, caller: Caller, checkout: LockedCheckout): Promise<void> {
  if (checkout.status !== 'open')
    throw conflict(
      'checkout_not_open',
      `This checkout is ${checkout.status}: a party can be collected for an open one.`,
    );
  // As many members as can each pay the minimum charge.
  const partySize = Math.min(checkout.partySize, Math.floor(checkout.amount / MIN_CHARGE));
  const shares = equalSplit(checkout.amount, partySize).map(
    (amount, position): PartyShare => ({
      memberId: services.ids.uuid(),
      displayName: position === 0 ? 'Test organizer' : `Test guest ${position}`,
      amount,
    }),
  );
  const refusal = await decideUnderLock(services, caller.venue.id, checkout.id, (locked, now) => {
    const decided = decideParty(locked, shares, now, () => services.ids.prefixed('shr'));
    return 'refusal' in decided ? { steps: [], result: decided.refusal } : { steps: decided.steps, result: null };
  });
  if (refusal !== null) throw conflict(refusal, 'Another request changed this checkout at the same time.');
}

export async function testHold(
  services: PaymentServices,
  caller: Caller,
  input: Input<TestHold>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const checkout = await readCurrentCheckout(services, caller, id);
  const shareId = input.body.share_id;
  if (checkout.status !== 'collecting') {
    throw conflict(
      'checkout_not_collecting',
      `This checkout is ${checkout.status}: shares of a collecting one can be held. Collect the party first.`,
    );
  }
  if (shareId !== undefined && !checkout.shares.some((share) => share.id === shareId))
    throw invalid([noShare(checkout)]);
  await holdShares(services, checkout, shareId, input.body.card);
  return currentView(services, caller, id);
}

/** Holds one share, or all unpaid ones, MAX_CONCURRENT at a time. */
async function holdShares(
  services: PaymentServices,
  checkout: LockedCheckout,
  only: string | undefined,
  card: string | undefined,
): Promise<void> {
  const unpaid = checkout.shares.filter(isUnpaid);
  const shareIds = only === undefined ? unpaid.map(({ id }) => id) : [only];
  for (let first = 0; first < shareIds.length; first += MAX_CONCURRENT) {
    await Promise.all(
      shareIds.slice(first, first + MAX_CONCURRENT).map((shareId) => payShare(services, checkout, shareId, card)),
    );
  }
}

async function payShare(
  services: PaymentServices,
  checkout: LockedCheckout,
  shareId: string,
  card: string = WORKING_CARD,
): Promise<void> {
  const { venueId, id, mode } = checkout;
  const { holdId } = await holdWithRetry(services, venueId, id, shareId);
  const open = await findHold(services.db, venueId, holdId);
  if (open?.intentId == null) throw new Error(`hold ${holdId} is open but has no intent`);
  const key = callKeys.testCard(holdId, card, open.leaseToken);
  await payWithTestCard(processorFor(services, mode), open.intentId, card, key);
  // A worker may have claimed the hold at the same time, which made our lease token stale. Then we settle it again.
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await settleHoldNow(services, venueId, holdId);
    const settled = await findHold(services.db, venueId, holdId);
    if (settled?.status !== 'open' || card !== WORKING_CARD) return;
  }
}

/** A decline is no error here, nor is a share that a guest has paid meanwhile: the next poll shows the state. */
async function payWithTestCard(processor: Processor, intentId: string, card: string, key: string): Promise<void> {
  try {
    await processor.payWithTestCard(intentId, card, key);
  } catch (error) {
    if (!(error instanceof ProcessorRefusal) || error.code === 'resource_missing') throw unknownCard(error);
  }
}

function unknownCard(error: unknown): unknown {
  if (!(error instanceof ProcessorRefusal)) return error;
  return invalid([
    {
      code: 'invalid_value',
      field: '/card',
      message: 'The card processor does not know this test card: /sandbox/cards lists those that there are.',
      expected: 'the token of a test card',
      example_fix: WORKING_CARD,
    },
  ]);
}

export async function testComplete(services: PaymentServices, caller: Caller, input: Input): Promise<OperationResult> {
  const id = input.params.id ?? '';
  let checkout = await readCurrentCheckout(services, caller, id);
  if (checkout.status === 'open') {
    await collect(services, caller, checkout);
    checkout = await readCurrentCheckout(services, caller, id);
  }
  if (checkout.status === 'collecting') await holdShares(services, checkout, undefined, undefined);
  checkout = await readCurrentCheckout(services, caller, id);
  for (let tries = 0; tries < MAX_TRIES && checkout.status === 'funded'; tries++) {
    await captureFunded(services, checkout.venueId, id);
    checkout = await readCurrentCheckout(services, caller, id);
  }
  if (checkout.status === 'expired' || checkout.status === 'canceled') {
    throw conflict('checkout_not_open', `This checkout is ${checkout.status}: it cannot be completed any more.`);
  }
  return currentView(services, caller, id);
}

export async function testExpire(services: PaymentServices, caller: Caller, input: Input): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const checkout = await readCurrentCheckout(services, caller, id);
  if (checkout.status !== 'open' && checkout.status !== 'collecting') {
    throw conflict('checkout_not_open', `This checkout is ${checkout.status}: its pay_by cannot pass any more.`);
  }
  await setClock(services, caller, id, checkout.payBy);
  await expireOne(services.db, { ids: caller.ids, now: services.clock.now() + 1 }, caller.venue.id, id);
  return currentView(services, caller, id);
}

export async function testAdvance(
  services: PaymentServices,
  caller: Caller,
  input: Input<TestAdvance>,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const checkout = await readCurrentCheckout(services, caller, id);
  const to = Date.parse(input.body.to);
  const current = services.clock.now() + checkout.clockAhead;
  if (to < current) throw invalid([clockBackwards(current)]);
  if (to > checkout.payBy + MAX_CLOCK_PAST_PAY_BY_MS)
    throw invalid([tooFar(checkout.payBy + MAX_CLOCK_PAST_PAY_BY_MS)]);
  await setClock(services, caller, id, to);
  return currentView(services, caller, id);
}

/** Advances the checkout's own clock to `to`. Held holds move with it, so that renewals and lapses become due. */
async function setClock(services: PaymentServices, caller: Caller, id: string, to: number): Promise<void> {
  await services.db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, caller.venue.id, id);
    if (checkout === null) throw notFound();
    const ahead = Math.max(checkout.clockAhead, to - services.clock.now());
    if (ahead <= 0) return;
    await advanceClock(tx, caller.venue.id, id, ahead);
    await shiftHeldTimes(tx, caller.venue.id, id, ahead - checkout.clockAhead);
  });
}

function noShare({ shares }: LockedCheckout): FieldProblem {
  const { id } = shares.find(isUnpaid) ?? shares[0] ?? { id: 'shr_01jz3k8q7v5m2n9t4w6x8y0abc' };
  return {
    code: 'invalid_value',
    field: '/share_id',
    message: 'This checkout has no such share: its `shares` name those that there are.',
    expected: 'the id of a share of this checkout',
    example_fix: id,
  };
}

function tooFar(latest: number): FieldProblem {
  const last = new Date(latest).toISOString();
  return {
    code: 'out_of_range',
    field: '/to',
    message: `A checkout's clock goes at most two years past its pay_by. Send a time up to ${last}.`,
    expected: `a time up to ${last}`,
    example_fix: last,
  };
}

function clockBackwards(current: number): FieldProblem {
  const earliest = new Date(current).toISOString();
  return {
    code: 'out_of_range',
    field: '/to',
    message: `A checkout's clock goes forward only, and it is ${earliest} for this one. Send a later time.`,
    expected: `a time after ${earliest}`,
    example_fix: new Date(current + 3_600_000).toISOString(),
  };
}
