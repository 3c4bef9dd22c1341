// An operator retries a failed movement, at the desk or by `everyshare reconcile --retry-failed`. One that an operator pays
// by hand is not retried: it would be paid twice.

import type { CommandContext } from '../../../base/command-context.ts';
import type { Queryable } from '../../../base/db.ts';
import { retryFailedMovement } from '../../payments/money-health-queries.ts';
import { findMovementOutcome } from '../../payments/movement-queries.ts';
import { addFailedRefund } from '../../payments/refund-queries.ts';
import { isRefund } from '../../payments/settle-refund.ts';
import { audit } from '../../venues/audit.ts';
import { lockCheckout } from '../queries.ts';
import { recordPaidAgain } from './close-refund.ts';

/** False: it is not failed, or an operator pays it by hand. */
export async function retryFailed(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  id: string,
): Promise<boolean> {
  const found = await findMovementOutcome(tx, venueId, id);
  if (found?.status !== 'failed') return false;
  // A lost dispute and a payment by hand lock the checkout before its movements: the same order cannot deadlock.
  await lockCheckout(tx, venueId, found.checkoutId);
  const retried = await retryFailedMovement(tx, venueId, id, command.now);
  if (retried === null) return false;
  if (isRefund(retried)) {
    await addFailedRefund(tx, retried, -retried.amount);
    await recordPaidAgain(tx, command, retried, 'retried');
  }
  await audit(tx, command, { venueId, action: 'movement.retry', subject: id });
  return true;
}
