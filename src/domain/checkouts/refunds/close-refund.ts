// Closes a failed refund that the operator has paid to the guest in another way: by bank transfer, for example, because the
// card is closed. The guest is owed nothing any more. The money of the refund, which is back at the processor, is the
// operator's own. It is audited with the operator's note. The event log has it as a new refund, as it has a retried one: by
// refund.created less refund.failed a partner knows what was refunded.

import type { CommandContext } from '../../../base/command-context.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, type Problem } from '../../../base/errors.ts';
import type { Entry } from '../../ledger/accounts.ts';
import { postEntries } from '../../ledger/queries.ts';
import type { MovementRow } from '../../payments/movement-queries.ts';
import {
  addFailedRefund,
  closeFailedRefund,
  type FailedRefund,
  findFailedRefund,
} from '../../payments/refund-queries.ts';
import { audit } from '../../venues/audit.ts';
import { recordCheckoutEvent } from '../event-queries.ts';
import { lockCheckout } from '../queries.ts';
import type { NameOf } from './reserve-failed.ts';

/** The operator has reserved it before the payment. Null: it was retried, dropped or closed meanwhile. */
export async function closeRefund(
  tx: Queryable,
  command: CommandContext,
  id: string,
  note: string,
  nameOf: NameOf = async (by) => by,
): Promise<FailedRefund | null> {
  const refund = await findFailedRefund(tx, id);
  if (refund === null) return null;
  const { venueId, checkoutId, amount } = refund;
  // A lost dispute locks the checkout before its refunds: the same order cannot deadlock.
  await lockCheckout(tx, venueId, checkoutId);
  const closed = await closeFailedRefund(tx, venueId, id, command.actor.name);
  if (closed === null) {
    const now = await findFailedRefund(tx, id);
    if (now === null) return null;
    throw notReserved(now.byHandBy === null ? null : await nameOf(now.byHandBy));
  }
  await postEntries(tx, { ...closed, now: command.now }, closingEntries(closed));
  await addFailedRefund(tx, closed, -closed.amount);
  await recordPaidAgain(tx, command, closed, 'paid_elsewhere');
  const detail = { checkout_id: checkoutId, amount, note };
  await audit(tx, command, { venueId, action: 'refund.close', subject: id, detail });
  return refund;
}

/** Only the operator who has reserved it has paid it. */
export function notReserved(by: string | null): Problem {
  const message =
    by === null
      ? 'It is not reserved, so it may be sent again while you pay: reserve it, pay it, then record the reference.'
      : `${by} has reserved it: only they record its payment. If they do not pay it, take it over.`;
  return conflict('not_reserved', message);
}

/** A failed refund is paid again, or in another way. */
export async function recordPaidAgain(
  tx: Queryable,
  { ids, now }: CommandContext,
  { venueId, checkoutId, amount }: MovementRow,
  reason: 'paid_elsewhere' | 'retried',
): Promise<void> {
  const event = { venueId, checkoutId, eventId: ids.prefixed('evt'), type: 'refund.created', now };
  await recordCheckoutEvent(tx, { ...event, refund: { amount, reason } });
}

/** The guest was owed what the ledger keeps for the venue, for us or as guests' money. */
function closingEntries({ kind, id: subject, amount, feePart }: MovementRow): readonly Entry[] {
  if (kind === 'return') return [{ kind: 'return_closed', subject, amount }];
  return [
    { kind: 'refund_closed', subject, amount: amount - feePart },
    { kind: 'fee_return_closed', subject, amount: feePart },
  ];
}
