// POST /v1/checkouts: one statement either finds an earlier equal request or creates the checkout with its event. Equal
// requests get the same response, byte for byte. A body that failed validation does not use up the idempotency key.

import type { CheckoutCreate } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { conflict, invalid, Problem } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import type { IdempotentInput, OperationResult } from '../../base/operation.ts';
import { DAY_MS } from '../../base/retention.ts';
import { inDocumentOrder } from '../../base/schema/document-order.ts';
import type { Caller } from '../keys/caller.ts';
import { unknownOffering } from '../offerings/unknown-offering.ts';
import { whyNotPayable } from '../payments/payout-account.ts';
import { findPayoutAccount } from '../payments/payout-account-queries.ts';
import { expireOne } from './expire.ts';
import { type CreateOutcome, type CreateRequest, insertCheckout } from './queries.ts';

const MAX_EXPIRE_ATTEMPTS = 3;

export async function createCheckout(
  db: Db,
  caller: Caller,
  input: IdempotentInput<CheckoutCreate>,
): Promise<OperationResult> {
  const checkoutId = caller.ids.prefixed('chk');
  const request: CreateRequest = {
    venueId: caller.venue.id,
    mode: caller.mode,
    checkoutId,
    eventId: caller.ids.prefixed('evt'),
    key: input.idempotency.key,
    fingerprint: input.idempotency.fingerprint,
    content: JSON.stringify({ ...input.body, created_by: caller.actor.name }),
    url: caller.checkoutUrl(checkoutId),
    now: caller.now,
    mayCreate: input.whenNew.length === 0,
  };
  const retentionMs = caller.retention.idempotencyKeyDays * DAY_MS;
  let found = await insertCheckout(db, request, retentionMs);
  for (
    let attempts = 0;
    attempts < MAX_EXPIRE_ATTEMPTS && found.outcome === 'overdue' && found.found_id !== null;
    attempts++
  ) {
    // The booking's earlier checkout is overdue but not expired yet. Expiring it frees the booking.
    await expireOne(db, caller, caller.venue.id, found.found_id);
    found = await insertCheckout(db, request, retentionMs);
  }
  if (found.outcome === 'suspended') throw new Problem('venue_suspended');
  if (found.outcome === 'not_payable') throw await notPayable(db, caller);
  if (found.outcome === 'unknown_offering') {
    const name = input.body.offering_external_id ?? '';
    const problems = [...input.whenNew, await unknownOffering(db, caller, name)];
    throw invalid(inDocumentOrder(problems, input.body as unknown as JsonValue, null));
  }
  return resultOf({ ...found, outcome: found.outcome }, input);
}

/** A venue that cannot be paid charges no guest. */
async function notPayable(db: Db, { venue, mode }: Caller): Promise<Problem> {
  const why = whyNotPayable(await findPayoutAccount(db, venue.id, mode));
  const reason = why ?? 'It could not be paid a moment ago: send the request again.';
  return new Problem('venue_not_linked', { message: `This venue cannot be paid yet. ${reason}` });
}

function resultOf(
  {
    outcome,
    response,
    found_id,
  }: CreateOutcome & {
    readonly outcome: Exclude<CreateOutcome['outcome'], 'suspended' | 'not_payable' | 'unknown_offering'>;
  },
  input: IdempotentInput<CheckoutCreate>,
): OperationResult {
  switch (outcome) {
    case 'created':
      return { status: 201, json: requireResponse(response) };
    case 'replayed':
      return { status: 201, json: requireResponse(response), replayed: true };
    case 'refused':
      throw invalid(input.whenNew);
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

function requireResponse(response: string | null): string {
  if (response === null) throw new Error('create_checkout() returned no response for a created or replayed checkout');
  return response;
}

function reusedMessage(input: IdempotentInput<CheckoutCreate>, checkoutId: string | null): string {
  return input.idempotency.key === null
    ? `Booking "${input.body.external_booking_id}" has the checkout ${checkoutId}, made with another body. Send the same body to get it again; cancel it while it is open or collecting, or use another booking id, to make another.`
    : 'This Idempotency-Key was used for another request. Use a new key for a new request.';
}
