// POST /v1/checkouts: one statement finds an earlier, equal call or creates the checkout with its event. Twins get the same
// answer, byte for byte; a body that failed validation leaves the key unused.

import type { CheckoutCreate } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { conflict, invalid } from '../../base/errors.ts';
import type { IdempotentInput, OperationResult } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { unknownOffering } from '../offerings/offering.ts';
import { expireOne } from './expire.ts';
import { type CreateOutcome, type CreateRequest, insertCheckout } from './queries.ts';

const TRIES = 3;

export async function createCheckout(
  db: Db,
  caller: Caller,
  input: IdempotentInput<CheckoutCreate>,
): Promise<OperationResult> {
  const checkoutId = caller.ids.prefixed('chk');
  const question: CreateRequest = {
    venueId: caller.venue.id,
    mode: caller.mode,
    checkoutId,
    eventId: caller.ids.prefixed('evt'),
    key: input.idempotency.key,
    fingerprint: input.idempotency.fingerprint,
    content: JSON.stringify(input.body),
    url: caller.checkoutUrl(checkoutId),
    now: caller.now,
    mayCreate: input.whenNew.length === 0,
  };
  let found = await insertCheckout(db, question);
  for (let tries = 0; tries < TRIES && found.outcome === 'overdue' && found.found_id !== null; tries++) {
    // The booking's checkout is past its time and nobody has said so yet: the booking is free again.
    await expireOne(db, caller, caller.venue.id, found.found_id);
    found = await insertCheckout(db, question);
  }
  return answered(found, input);
}

function answered(
  { outcome, answer, found_id }: CreateOutcome,
  input: IdempotentInput<CheckoutCreate>,
): OperationResult {
  switch (outcome) {
    case 'created':
      return { status: 201, json: kept(answer) };
    case 'replayed':
      return { status: 201, json: kept(answer), replayed: true };
    case 'refused':
      throw invalid(input.whenNew);
    case 'unknown_offering':
      throw invalid([...input.whenNew, unknownOffering(input.body.offering_external_id ?? '')]);
    case 'key_reused':
      throw conflict('idempotency_key_reused', reusedMessage(input, found_id));
    case 'booking_in_progress':
    case 'overdue':
      throw conflict(
        'booking_in_progress',
        `Booking "${input.body.external_booking_id}" has the checkout ${found_id}, which is not expired or canceled. Cancel it while it is open or collecting, or use another booking id.`,
      );
  }
}

function kept(answer: string | null): string {
  if (answer === null) throw new Error('the event of a creation has its answer');
  return answer;
}

function reusedMessage(input: IdempotentInput<CheckoutCreate>, checkoutId: string | null): string {
  return input.idempotency.key === null
    ? `Booking "${input.body.external_booking_id}" has the checkout ${checkoutId}, made with another body. Send the same body to get it again; cancel it while it is open or collecting, or use another booking id, to make another.`
    : 'This Idempotency-Key was used for another request. Use a new key for a new request.';
}
