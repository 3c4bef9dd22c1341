// What a refund of a completed checkout does: how much it refunds, by which rule, and the steps that it takes. The refund
// and its preview run this same code, so a preview is what the refund then does. It writes nothing.

import type { Refund } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, type FieldProblem, invalid, type Problem } from '../../../base/errors.ts';
import { percentOf } from '../../../base/money.ts';
import type { Caller } from '../../keys/caller.ts';
import { findByExternalIds } from '../../offerings/queries.ts';
import { sharesInDispute } from '../../payments/dispute-queries.ts';
import type { LockedCheckout, ShareState } from '../locked-checkout.ts';
import type { Step } from '../steps.ts';
import { amountLeft, decideRefund, refundableAmount, ruleByPolicy, type TransferState } from './decide-refund.ts';

const HOUR = 3_600_000;

export interface RefundPlan {
  readonly amount: number;
  readonly decidedBy: 'amount' | 'policy' | 'rest';
  /** What could be refunded before. */
  readonly left: number;
  readonly transfers: readonly TransferState[];
  readonly inDispute: ReadonlySet<string>;
  readonly steps: readonly Step[];
}

/** What the offering's cancellation policy refunds. */
export interface PolicyRefund {
  /** Zero or below: the policy gives nothing more back. */
  readonly amount: number;
  /** Of each share, where one has lost a part to a dispute; null: it is divided as any refund. */
  readonly amounts: ReadonlyMap<string, number> | null;
  readonly percent: number;
  /** The rule that counts; null: none is met. */
  readonly hoursBefore: number | null;
  readonly startsAt: number;
}

/** Reads the transfers of a checkout, or locks them too. */
type ReadTransfers = (db: Queryable, venueId: string, checkoutId: string) => Promise<TransferState[]>;

/** Throws the problem that the caller of an impossible refund gets. */
export async function planRefund(
  db: Queryable,
  caller: Caller,
  checkout: LockedCheckout,
  request: Refund,
  readTransfers: ReadTransfers,
): Promise<RefundPlan> {
  const { venueId, id } = checkout;
  if (request.starts_at !== undefined && checkout.offeringExternalId === null) throw invalid([noPolicy(checkout)]);
  if (checkout.status !== 'completed') {
    throw conflict(
      'checkout_not_completed',
      `This checkout is ${checkout.status}: only a completed one can be refunded. Cancel it instead while it is open or collecting.`,
    );
  }
  const left = refundableAmount(checkout);
  if (left === 0)
    throw conflict('nothing_to_refund', 'Everything that was paid has been refunded or lost to disputes already.');
  const inDispute = await sharesInDispute(db, venueId, id);
  if (checkout.shares.every((share) => amountLeft(share) === 0 || inDispute.has(share.id))) throw onlyDisputedLeft();
  const byPolicy = request.amount === undefined ? await policyRefund(db, caller, checkout, request.starts_at) : null;
  if (byPolicy !== null && byPolicy.amount <= 0) throw policyGivesNothing();
  // A part that was lost to a dispute is not refunded a second time.
  const amount = request.amount ?? Math.min(left, byPolicy?.amount ?? left);
  if (amount > left) throw invalid([tooMuch(left)]);
  const transfers = await readTransfers(db, venueId, id);
  const reason = request.reason ?? null;
  const amounts = byPolicy?.amounts ?? null;
  const decision = { amount, amounts, reason, now: caller.now, newId: () => caller.ids.uuid() };
  const steps = decideRefund(checkout, transfers, decision);
  const decidedBy = request.amount !== undefined ? 'amount' : byPolicy === null ? 'rest' : 'policy';
  return { amount, decidedBy, left, transfers, inDispute, steps };
}

/**
 * What the offering's cancellation policy refunds now; null: no policy decides. Without a start in the request the
 * checkout's own counts, but only for an offering that has a cancellation policy.
 */
export async function policyRefund(
  db: Queryable,
  caller: Caller,
  checkout: LockedCheckout,
  requestedStart: string | undefined,
): Promise<PolicyRefund | null> {
  const name = checkout.offeringExternalId;
  const startsAt = requestedStart === undefined ? checkout.startsAt : Date.parse(requestedStart);
  if (startsAt === null || name === null) return null;
  const offering = (await findByExternalIds(db, caller.venue.id, caller.mode, [name])).get(name);
  const rules = (offering?.approved ?? offering?.content)?.policy?.cancellation ?? [];
  if (requestedStart === undefined && rules.length === 0) return null;
  const rule = ruleByPolicy(rules, (startsAt - (caller.now + checkout.clockAhead)) / HOUR);
  const percent = rule?.refund_pct ?? 0;
  return { ...amountByPolicy(checkout, percent), percent, hoursBefore: rule?.hours_before ?? null, startsAt };
}

/**
 * The policy's percentage is of the whole amount, so earlier refunds are deducted. Where a part was lost to a dispute each
 * share counts by itself: else the others would get what its guest has by the dispute, or less for what its guest had before.
 */
function amountByPolicy(
  { amount, refundedAmount, shares }: LockedCheckout,
  percent: number,
): Pick<PolicyRefund, 'amount' | 'amounts'> {
  if (shares.every(({ lostAmount }) => lostAmount === 0)) {
    return { amount: percentOf(amount, percent) - refundedAmount, amounts: null };
  }
  const owedTo = (share: ShareState): number =>
    Math.max(0, percentOf(share.amount - share.lostAmount, percent) - share.refundedAmount);
  const amounts = new Map(shares.flatMap((share) => (owedTo(share) > 0 ? [[share.id, owedTo(share)]] : [])));
  return { amount: [...amounts.values()].reduce((sum, part) => sum + part, 0), amounts };
}

/** A refund that concerns other charges too is accepted: the part of a disputed charge waits for the end of its dispute. */
function onlyDisputedLeft(): Problem {
  return conflict(
    'charge_disputed',
    'Every charge that is left is disputed by its guest, and the card processor refunds no disputed charge. Ask again ' +
      'when a dispute was won; a lost one gives the guest the money.',
  );
}

function policyGivesNothing(): Problem {
  return conflict(
    'nothing_to_refund',
    'The cancellation policy of the offering gives nothing more back at this time. Send `amount` to refund all the same.',
  );
}

function noPolicy(checkout: LockedCheckout): FieldProblem {
  return {
    code: 'not_allowed',
    field: '/starts_at',
    message: 'This checkout names no offering, so no cancellation policy can decide: send `amount`, or leave both out.',
    expected: 'no starts_at: the checkout names no offering',
    example_fix: { amount: refundableAmount(checkout) || checkout.amount },
    example_fix_field: '',
  };
}

function tooMuch(left: number): FieldProblem {
  return {
    code: 'out_of_range',
    field: '/amount',
    message: `Only ${left} is left to refund: send that or less, or leave amount out to refund all of it.`,
    expected: `a whole number from 1 to ${left}`,
    example_fix: left,
  };
}
