// POST /v1/test_helpers/checkouts/{id}/…: drive a test checkout through the same code as real guests would, with the
// processor's own test card. Test keys alone come here.

import type { TestAdvance, TestHold } from '../../../schemas/types.gen.ts';
import { conflict, type FieldProblem, invalid, notFound } from '../../base/errors.ts';
import type { Answer, Input } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { callKeys } from '../payments/hold.ts';
import { type Processor, ProcessorRefusal } from '../payments/processor.ts';
import { findHold, hurryHolds } from '../payments/queries.ts';
import { captureFunded } from './capture/capture.ts';
import { expireOne } from './expire.ts';
import { holdInTime } from './holds/hold-with-retry.ts';
import { settleHoldNow } from './holds/settle-hold.ts';
import { isOverdue, type Standing } from './locked-checkout.ts';
import { decideParty, type Seat } from './party/decide-party.ts';
import { equalSplit, LEAST_CHARGE } from './party/split.ts';
import { decideUnderLock, type MoneyParts, processorFor } from './payment-services.ts';
import { lockCheckout, moveClock, readCheckout } from './queries.ts';
import { checkoutJson } from './read.ts';

const AT_ONCE = 8;
const WORKING_CARD = 'pm_card_visa';
const TRIES = 5;
const FARTHEST = 2 * 365 * 24 * 3_600_000;

async function standingOf(parts: MoneyParts, caller: Caller, id: string): Promise<Standing> {
  const standing = await readCheckout(parts.db, caller.venue.id, id);
  if (standing === null || standing.mode !== caller.mode) throw notFound();
  if (!isOverdue(standing, caller.now)) return standing;
  await expireOne(parts.db, caller, caller.venue.id, id);
  return standingOf(parts, caller, id);
}

async function shown(parts: MoneyParts, caller: Caller, id: string): Promise<Answer> {
  return { status: 200, json: await checkoutJson(parts.db, { ...caller, now: parts.clock.now() }, id) };
}

export async function testCollect(parts: MoneyParts, caller: Caller, input: Input): Promise<Answer> {
  const id = input.params.id ?? '';
  await collect(parts, caller, await standingOf(parts, caller, id));
  return shown(parts, caller, id);
}

async function collect(parts: MoneyParts, caller: Caller, standing: Standing): Promise<void> {
  if (standing.status !== 'open')
    throw conflict(
      'checkout_not_open',
      `This checkout is ${standing.status}: a party can be collected for an open one.`,
    );
  // As many of the party as can each pay the least that a card takes.
  const people = Math.min(standing.partySize, Math.floor(standing.amount / LEAST_CHARGE));
  const seats = equalSplit(standing.amount, people).map(
    (amount, place): Seat => ({
      memberId: parts.ids.uuid(),
      displayName: place === 0 ? 'Test organizer' : `Test guest ${place}`,
      amount,
    }),
  );
  const refusal = await decideUnderLock(parts, caller.venue.id, standing.id, (present, now) => {
    const decided = decideParty(present, seats, now, () => parts.ids.prefixed('shr'));
    return 'refusal' in decided ? { steps: [], answer: decided.refusal } : { steps: decided.steps, answer: null };
  });
  if (refusal !== null) throw conflict(refusal, 'This checkout was changed by somebody else meanwhile.');
}

export async function testHold(parts: MoneyParts, caller: Caller, input: Input<TestHold>): Promise<Answer> {
  const id = input.params.id ?? '';
  const standing = await standingOf(parts, caller, id);
  const wanted = input.body.share_id;
  if (standing.status !== 'collecting') {
    throw conflict(
      'checkout_not_collecting',
      `This checkout is ${standing.status}: shares of a collecting one can be held. Collect the party first.`,
    );
  }
  if (wanted !== undefined && !standing.shares.some((share) => share.id === wanted)) throw invalid([noShare()]);
  await hold(parts, standing, wanted, input.body.card);
  return shown(parts, caller, id);
}

/** One share, or all that are not held yet, a few at a time. */
async function hold(
  parts: MoneyParts,
  standing: Standing,
  only: string | undefined,
  card: string | undefined,
): Promise<void> {
  const unpaid = standing.shares.filter(({ status }) => status === 'invited' || status === 'failed');
  const wanted = only === undefined ? unpaid.map(({ id }) => id) : [only];
  for (let first = 0; first < wanted.length; first += AT_ONCE) {
    await Promise.all(wanted.slice(first, first + AT_ONCE).map((shareId) => payShare(parts, standing, shareId, card)));
  }
}

async function payShare(
  parts: MoneyParts,
  standing: Standing,
  shareId: string,
  card: string = WORKING_CARD,
): Promise<void> {
  const { venueId, id, mode } = standing;
  const { holdId } = await holdInTime(parts, venueId, id, shareId);
  const opened = await findHold(parts.db, venueId, holdId);
  if (opened?.intentId == null) throw new Error(`hold ${holdId} is open and has no intent`);
  const key = callKeys.testCard(holdId, card, opened.turn);
  await tryToPay(processorFor(parts, mode), opened.intentId, card, key);
  // A worker that looks at the same time may have taken the turn: then we take it back.
  for (let tries = 0; tries < TRIES; tries++) {
    await settleHoldNow(parts, venueId, holdId);
    const after = await findHold(parts.db, venueId, holdId);
    if (after?.status !== 'open' || card !== WORKING_CARD) return;
  }
}

/** A card that is refused is no failure of ours, and neither is a share that a guest has paid meanwhile: the bank knows. */
async function tryToPay(processor: Processor, intentId: string, card: string, key: string): Promise<void> {
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

export async function testComplete(parts: MoneyParts, caller: Caller, input: Input): Promise<Answer> {
  const id = input.params.id ?? '';
  let standing = await standingOf(parts, caller, id);
  if (standing.status === 'open') {
    await collect(parts, caller, standing);
    standing = await standingOf(parts, caller, id);
  }
  if (standing.status === 'collecting') await hold(parts, standing, undefined, undefined);
  standing = await standingOf(parts, caller, id);
  for (let tries = 0; tries < TRIES && standing.status === 'funded'; tries++) {
    await captureFunded(parts, standing.venueId, id);
    standing = await standingOf(parts, caller, id);
  }
  if (standing.status === 'expired' || standing.status === 'canceled') {
    throw conflict('checkout_not_open', `This checkout is ${standing.status}: it cannot be completed any more.`);
  }
  return shown(parts, caller, id);
}

export async function testExpire(parts: MoneyParts, caller: Caller, input: Input): Promise<Answer> {
  const id = input.params.id ?? '';
  const standing = await standingOf(parts, caller, id);
  if (standing.status !== 'open' && standing.status !== 'collecting') {
    throw conflict('checkout_not_open', `This checkout is ${standing.status}: its pay_by cannot pass any more.`);
  }
  await setClock(parts, caller, id, standing.payBy);
  await expireOne(parts.db, { ids: caller.ids, now: parts.clock.now() + 1 }, caller.venue.id, id);
  return shown(parts, caller, id);
}

export async function testAdvance(parts: MoneyParts, caller: Caller, input: Input<TestAdvance>): Promise<Answer> {
  const id = input.params.id ?? '';
  const standing = await standingOf(parts, caller, id);
  const to = Date.parse(input.body.to);
  const present = parts.clock.now() + standing.clockAhead;
  if (to < present) throw invalid([backwards(present)]);
  if (to > standing.payBy + FARTHEST) throw invalid([tooFar(standing.payBy + FARTHEST)]);
  await setClock(parts, caller, id, to);
  return shown(parts, caller, id);
}

/** From now on it is this time for the checkout; what that makes due is due at once. */
async function setClock(parts: MoneyParts, caller: Caller, id: string, to: number): Promise<void> {
  await parts.db.transaction(async (tx) => {
    const standing = await lockCheckout(tx, caller.venue.id, id);
    if (standing === null) throw notFound();
    const ahead = Math.max(standing.clockAhead, to - parts.clock.now());
    if (ahead <= 0) return;
    await moveClock(tx, caller.venue.id, id, ahead);
    await hurryHolds(tx, caller.venue.id, id, ahead - standing.clockAhead);
  });
}

function noShare(): FieldProblem {
  return {
    code: 'invalid_value',
    field: '/share_id',
    message: 'This checkout has no such share: its `shares` name those that there are.',
    expected: 'the id of a share of this checkout',
    example_fix: null,
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

function backwards(present: number): FieldProblem {
  const earliest = new Date(present).toISOString();
  return {
    code: 'out_of_range',
    field: '/to',
    message: `A checkout's clock goes forward only, and it is ${earliest} for this one. Send a later time.`,
    expected: `a time after ${earliest}`,
    example_fix: new Date(present + 3_600_000).toISOString(),
  };
}
