// POST /v1/checkouts/{id}/cancel: cancels an open or collecting checkout and releases every hold. Canceling a canceled
// checkout returns it unchanged, so that a retry is safe.

import type { Queryable } from '../../base/db.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { audit } from '../venues/audit.ts';
import { decideCancel } from './decide-cancel.ts';
import { isOverdue } from './locked-checkout.ts';
import { lockCheckout, viewWrittenCheckout } from './queries.ts';
import { writeSteps } from './write-steps.ts';

export async function cancelCheckout(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { venue, mode, now } = caller;
  const checkout = await lockCheckout(tx, venue.id, input.params.id ?? '');
  if (checkout === null || checkout.mode !== mode) throw notFound();
  const decided = decideCancel(checkout, now);
  if ('refusal' in decided) {
    const status = isOverdue(checkout, now) ? 'expired' : checkout.status;
    const remedy = status === 'completed' ? ' Refund it instead.' : '';
    const message = `This checkout is ${status}: only an open or collecting one can be canceled.${remedy}`;
    throw conflict(decided.refusal, message);
  }
  await writeSteps(tx, caller, checkout, decided.steps);
  if (decided.steps.length > 0)
    await audit(tx, caller, { venueId: venue.id, action: 'checkout.cancel', subject: checkout.id });
  return { status: 200, json: await viewWrittenCheckout(tx, venue.id, checkout.id) };
}
