// An operator reserves a failed refund or transfer before paying it by hand, so that it is not sent again meanwhile, or gives
// it back unpaid.

import type { CommandContext } from '../../../base/command-context.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict } from '../../../base/errors.ts';
import { giveBackReserved, lockReservation, reserveFailed } from '../../payments/by-hand-queries.ts';
import { hasUndecidedDispute } from '../../payments/dispute-queries.ts';
import { audit } from '../../venues/audit.ts';
import { lockCheckout } from '../queries.ts';

interface FailedMovement {
  readonly id: string;
  readonly checkoutId: string;
}

/** How a message names an actor of the audit log. */
export type NameOf = (actor: string) => Promise<string>;

/** False: it is not failed any more. */
export async function reserveMovement(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  { id, checkoutId }: FailedMovement,
  nameOf: NameOf = async (by) => by,
): Promise<boolean> {
  const by = command.actor.name;
  await lockCheckout(tx, venueId, checkoutId);
  const found = await lockReservation(tx, venueId, id);
  if (found === null) return false;
  if (found.by === by) return true;
  if (found.by !== null)
    throw conflict(
      'already_reserved',
      `${await nameOf(found.by)} pays it by hand: do not pay it. If they do not, give it back first.`,
    );
  if (await hasUndecidedDispute(tx, venueId, id))
    throw conflict(
      'charge_disputed',
      'The charge is disputed: do not pay it. If the dispute is lost, it has paid the guest. When it is won, reserve this again.',
    );
  if (!(await reserveFailed(tx, venueId, id, { by, now: command.now }))) return false;
  await audit(tx, command, { venueId, action: 'movement.reserve', subject: id, detail: { checkout_id: checkoutId } });
  return true;
}

/** False: it is not failed any more, or not reserved. */
export async function giveBackReservation(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  { id, checkoutId }: FailedMovement,
): Promise<boolean> {
  await lockCheckout(tx, venueId, checkoutId);
  const found = await lockReservation(tx, venueId, id);
  if (found === null || !(await giveBackReserved(tx, venueId, id))) return false;
  const detail = { checkout_id: checkoutId, reserved_by: found.by };
  await audit(tx, command, { venueId, action: 'movement.give_back', subject: id, detail });
  return true;
}
