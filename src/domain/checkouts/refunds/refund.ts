// POST /v1/checkouts/{id}/refund: by amount, by the offering's cancellation policy, or all that is left. The refund and
// its event are committed here. The worker moves the money afterwards, so that an unavailable processor only delays it.

import type { Refund } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, type FieldProblem, invalid, notFound, type Problem } from '../../../base/errors.ts';
import { percentOf } from '../../../base/money.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { findByExternalIds } from '../../offerings/queries.ts';
import { sharesInDispute } from '../../payments/dispute-queries.ts';
import { lockTransfers } from '../../payments/movement-queries.ts';
import { audit } from '../../venues/audit.ts';
import type { LockedCheckout } from '../locked-checkout.ts';
import { lockCheckout, viewWrittenCheckout } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { amountLeft, decideRefund, percentByPolicy, refundableAmount } from './decide-refund.ts';

const HOUR = 3_600_000;

export async function refundCheckout(tx: Queryable, caller: Caller, input: Input<Refund>): Promise<OperationResult> {
  const { venue, mode, now } = caller;
  const checkout = await lockCheckout(tx, venue.id, input.params.id ?? '');
  if (checkout === null || checkout.mode !== mode) throw notFound();
  const request = input.body;
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
  const inDispute = await sharesInDispute(tx, venue.id, checkout.id);
  if (checkout.shares.every((share) => amountLeft(share) === 0 || inDispute.has(share.id))) throw onlyDisputedLeft();
  // A part that was lost to a dispute is not refunded a second time.
  const amount = request.amount ?? Math.min(left, (await byPolicy(tx, caller, checkout, request.starts_at)) ?? left);
  if (amount > left) throw invalid([tooMuch(left)]);
  const transfers = await lockTransfers(tx, venue.id, checkout.id);
  const reason = request.reason ?? null;
  const steps = decideRefund(checkout, transfers, { amount, reason, now, newId: () => caller.ids.uuid() });
  await writeSteps(tx, caller, checkout, steps);
  await audit(tx, caller, {
    venueId: venue.id,
    action: 'checkout.refund',
    subject: checkout.id,
    detail: { amount, reason },
  });
  return { status: 200, json: await viewWrittenCheckout(tx, venue.id, checkout.id) };
}

/** A refund that concerns other charges too is accepted: the part of a disputed charge waits for the end of its dispute. */
function onlyDisputedLeft(): Problem {
  return conflict(
    'charge_disputed',
    'Every charge that is left is disputed by its guest, and the card processor refunds no disputed charge. Ask again ' +
      'when a dispute was won; a lost one gives the guest the money.',
  );
}

/**
 * The amount that the offering's cancellation policy refunds now; null: no policy decides. Without a start in the request
 * the checkout's own counts, but only for an offering that has a cancellation policy.
 */
async function byPolicy(
  tx: Queryable,
  caller: Caller,
  checkout: LockedCheckout,
  requestedStart: string | undefined,
): Promise<number | null> {
  const name = checkout.offeringExternalId;
  const startsAt = requestedStart === undefined ? checkout.startsAt : Date.parse(requestedStart);
  if (startsAt === null || name === null) return null;
  const offering = (await findByExternalIds(tx, caller.venue.id, caller.mode, [name])).get(name);
  const rules = (offering?.approved ?? offering?.content)?.policy?.cancellation ?? [];
  if (requestedStart === undefined && rules.length === 0) return null;
  const hoursAhead = (startsAt - (caller.now + checkout.clockAhead)) / HOUR;
  const percent = percentByPolicy(rules, hoursAhead);
  // The policy's percentage is of the whole amount, so earlier refunds are deducted.
  const amount = percentOf(checkout.amount, percent) - checkout.refundedAmount;
  if (amount > 0) return amount;
  throw conflict(
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
