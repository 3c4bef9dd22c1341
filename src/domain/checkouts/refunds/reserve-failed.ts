// An operator reserves a failed refund or transfer before paying it by hand, so that it is not sent again meanwhile, or gives
// it back unpaid. The reservation of another operator is taken over or given back only with a note that says whether it was
// paid: they may have made the bank transfer and not recorded it yet.

import type { CommandContext } from '../../../base/command-context.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, invalid, type Problem } from '../../../base/errors.ts';
import {
  giveBackReserved,
  lockReservation,
  type Reservation,
  reserveFailed,
  takeOverReserved,
} from '../../payments/by-hand-queries.ts';
import { hasUndecidedDispute } from '../../payments/dispute-queries.ts';
import { audit } from '../../venues/audit.ts';
import { lockCheckout } from '../queries.ts';

interface FailedMovement {
  readonly id: string;
  readonly checkoutId: string;
}

/** How a message names an actor of the audit log. */
export type NameOf = (actor: string) => Promise<string>;

export interface ReservationChange {
  /** What the operator knows of the payment; null: nothing was said. */
  readonly note: string | null;
  /** When it was reserved, as the operator has read it; null: it is not compared. */
  readonly seenAt?: string | null;
  /** Reserve what another operator has reserved. */
  readonly isTakenOver?: boolean;
  readonly nameOf?: NameOf;
}

/** False: it is not failed any more. */
export async function reserveMovement(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  { id, checkoutId }: FailedMovement,
  change: ReservationChange,
): Promise<boolean> {
  const by = command.actor.name;
  await lockCheckout(tx, venueId, checkoutId);
  const found = await lockReservation(tx, venueId, id);
  if (found === null) return false;
  if (found.by === by) return true;
  if (found.by !== null) return takeOver(tx, command, { venueId, id, checkoutId, found, from: found.by }, change);
  if (await hasUndecidedDispute(tx, venueId, id))
    throw conflict(
      'charge_disputed',
      'The charge is disputed: do not pay it. If the dispute is lost, it has paid the guest. When it is won, reserve this again.',
    );
  if (!(await reserveFailed(tx, venueId, id, { by, now: command.now }))) return false;
  const detail = { checkout_id: checkoutId, ...noted(change) };
  await audit(tx, command, { venueId, action: 'movement.reserve', subject: id, detail });
  return true;
}

interface OthersReservation extends FailedMovement {
  readonly venueId: string;
  readonly found: Reservation;
  readonly from: string;
}

/**
 * In one statement, so that at no moment it can be sent. Also while its charge is disputed: a lost dispute waits until the
 * payment is recorded or given back, and the operator who reserved it may be away.
 */
async function takeOver(
  tx: Queryable,
  command: CommandContext,
  { venueId, id, checkoutId, found, from }: OthersReservation,
  change: ReservationChange,
): Promise<boolean> {
  if (change.isTakenOver !== true)
    throw conflict(
      'already_reserved',
      `${await nameIn(change, from)} pays it by hand: do not pay it. If they do not, take it over with a note.`,
    );
  await requireNote(found, change, 'Taking over');
  const { name: by } = command.actor;
  if (!(await takeOverReserved(tx, venueId, id, { from, by, now: command.now }))) return false;
  const detail = { checkout_id: checkoutId, reserved_by: from, ...noted(change) };
  await audit(tx, command, { venueId, action: 'movement.take_over', subject: id, detail });
  return true;
}

/** False: it is not failed any more, or not reserved. */
export async function giveBackReservation(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  { id, checkoutId }: FailedMovement,
  change: ReservationChange,
): Promise<boolean> {
  await lockCheckout(tx, venueId, checkoutId);
  const found = await lockReservation(tx, venueId, id);
  if (found === null || found.by === null) return false;
  if (found.by !== command.actor.name) await requireNote(found, change, 'Giving back');
  if (!(await giveBackReserved(tx, venueId, id, found.by))) return false;
  const detail = { checkout_id: checkoutId, reserved_by: found.by, ...noted(change) };
  await audit(tx, command, { venueId, action: 'movement.give_back', subject: id, detail });
  return true;
}

/** The note is about the reservation that the operator has read, not about a later one of a third operator. */
async function requireNote({ by, at }: Reservation, change: ReservationChange, doing: string): Promise<void> {
  const { note, seenAt = null } = change;
  if (note === null || note.trim() === '') throw missingNote(doing);
  if (seenAt === null || by === null || (at !== null && Date.parse(seenAt) === Date.parse(at))) return;
  throw conflict(
    'already_reserved',
    `${await nameIn(change, by)} has reserved it since you looked: do not pay it or give it back before you have asked them.`,
  );
}

const missingNote = (doing: string): Problem =>
  invalid([
    {
      code: 'missing_field',
      field: '/note',
      message: `${doing} what another operator has reserved needs a note: ask them whether they have paid it.`,
      expected: 'a string of 1 to 500 characters',
      example_fix: 'Not paid: asked Ines.',
    },
  ]);

const nameIn = ({ nameOf = async (by) => by }: ReservationChange, actor: string): Promise<string> => nameOf(actor);

const noted = ({ note }: ReservationChange): { readonly note?: string } => (note === null ? {} : { note: note.trim() });
