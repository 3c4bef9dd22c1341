// POST /v1/checkouts/{id}/refund: by amount, by the offering's cancellation policy, or all that is left. The refund and
// its event are committed here. The worker moves the money afterwards, so that an unavailable processor only delays it.

import type { Refund } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { lockTransfers } from '../../payments/movement-queries.ts';
import { audit } from '../../venues/audit.ts';
import { lockCheckout, viewWrittenCheckout } from '../queries.ts';
import { writeSteps } from '../write-steps.ts';
import { planRefund } from './plan-refund.ts';

export async function refundCheckout(tx: Queryable, caller: Caller, input: Input<Refund>): Promise<OperationResult> {
  const { venue, mode } = caller;
  const checkout = await lockCheckout(tx, venue.id, input.params.id ?? '');
  if (checkout === null || checkout.mode !== mode) throw notFound();
  const { amount, steps } = await planRefund(tx, caller, checkout, input.body, lockTransfers);
  await writeSteps(tx, caller, checkout, steps);
  await audit(tx, caller, {
    venueId: venue.id,
    action: 'checkout.refund',
    subject: checkout.id,
    // Without the reason: it is free text that may name a guest, and an entry is never deleted.
    detail: { amount },
  });
  return { status: 200, json: await viewWrittenCheckout(tx, venue.id, checkout.id) };
}
