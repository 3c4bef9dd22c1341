// A failed refund or transfer that an operator pays outside of the processor. The operator reserves it first, so that no
// other operator and no command sends it again while the bank transfer is made; then pays; then records the reference.

import type { ManualPayment, Reservation, ReservationReturn } from '../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { conflict, type Problem } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { operatorName } from '../accounts/operators.ts';
import { lockCheckout } from '../checkouts/queries.ts';
import { closeRefund, notReserved } from '../checkouts/refunds/close-refund.ts';
import { giveBackReservation, type NameOf, reserveMovement } from '../checkouts/refunds/reserve-failed.ts';
import { postEntries } from '../ledger/queries.ts';
import { closeFailedTransfer, oweFailedReversal } from '../payments/by-hand-queries.ts';
import type { FoundMovement } from '../payments/money-health-queries.ts';
import { audit } from '../venues/audit.ts';
import { type Detail, idsIn, type Params, requireMovement, wasDone } from './money-subject.ts';

/** Operators read who has reserved it by name or mail address. */
function namesFor(tx: Queryable, { seal }: DeskCaller): NameOf {
  return (actor) => operatorName(tx, seal, actor);
}

/** A repeated call of the same operator changes nothing. */
export async function reserve(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params, body }: Pick<Input<Reservation>, 'params' | 'body'>,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  const movement = await requireMovement(db, venueId, id);
  if (movement.kind === 'reversal')
    throw conflict('not_failed', 'A reversal is not paid by hand: make it a debt of the venue, or try it again.');
  const isReserved = await db.transaction((tx) => {
    const change = { ...changeIn(body), isTakenOver: body.take_over === true, nameOf: namesFor(tx, caller) };
    return reserveMovement(tx, caller, venueId, { ...movement, id }, change);
  });
  if (!isReserved) throw notFailed(await requireMovement(db, venueId, id));
  return { status: 200, body: { id, status: 'failed' } };
}

const changeIn = ({ note, reserved_at }: ReservationReturn): { note: string | null; seenAt: string | null } => ({
  note: note ?? null,
  seenAt: reserved_at ?? null,
});

/** Any operator of finance may give it back, with a note: the one who reserved it may be away. */
export async function giveBack(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params, body }: Pick<Input<ReservationReturn>, 'params' | 'body'>,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  const movement = await requireMovement(db, venueId, id);
  const isGivenBack = await db.transaction((tx) => {
    const change = { ...changeIn(body), nameOf: namesFor(tx, caller) };
    return giveBackReservation(tx, caller, venueId, { ...movement, id }, change);
  });
  if (!isGivenBack && movement.status !== 'failed') throw notFailed(movement);
  return { status: 200, body: { id, status: 'failed' } };
}

/** The operator has paid it outside of the processor: it is never sent again. */
export async function payByHand(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params, body }: Pick<Input<ManualPayment>, 'params' | 'body'>,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  const reference = body.reference.trim();
  const movement = await requireMovement(db, venueId, id);
  const isDone = (detail: Detail): boolean => detail.note === reference;
  const action = movement.kind === 'transfer' ? 'transfer.close' : 'refund.close';
  if (movement.status === 'closed' && (await wasDone(db, venueId, id, action, isDone)))
    return { status: 200, body: { id, status: 'closed' } };
  if (movement.status !== 'failed' || movement.kind === 'reversal') throw notFailed(movement);
  const isClosed = await db.transaction(async (tx) => {
    if (movement.kind === 'transfer')
      return closeTransfer(tx, caller, { venueId, id, checkoutId: movement.checkoutId, note: reference });
    return (await closeRefund(tx, caller, id, reference, namesFor(tx, caller))) !== null;
  });
  if (!isClosed) throw notFailed(await requireMovement(db, venueId, id));
  return { status: 200, body: { id, status: 'closed' } };
}

async function closeTransfer(
  tx: Queryable,
  command: DeskCaller,
  given: { readonly venueId: string; readonly id: string; readonly checkoutId: string; readonly note: string },
): Promise<boolean> {
  const { venueId, id, checkoutId, note } = given;
  await lockCheckout(tx, venueId, checkoutId);
  const closed = await closeFailedTransfer(tx, venueId, id, command.actor.name);
  if (closed === null) {
    const { status, byHandBy } = await requireMovement(tx, venueId, id);
    if (status === 'failed') throw notReserved(byHandBy === null ? null : await namesFor(tx, command)(byHandBy));
    return false;
  }
  const { amount, sentAmount, currency } = closed;
  await postEntries(tx, { ...closed, now: command.now }, [
    { kind: 'transfer_closed', subject: id, amount: sentAmount },
    { kind: 'debt_paid', subject: id, amount: amount - sentAmount },
  ]);
  const detail = { checkout_id: checkoutId, amount: sentAmount, currency, note };
  await audit(tx, command, { venueId, action: 'transfer.close', subject: id, detail });
  return true;
}

/** A failed reversal is not tried any more: the venue owes it, its later payouts settle it, or it is written off. */
export async function oweReversal(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params }: Params,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  const movement = await requireMovement(db, venueId, id);
  const isOwed = await db.transaction(async (tx) => {
    await lockCheckout(tx, venueId, movement.checkoutId);
    const owed = await oweFailedReversal(tx, venueId, id);
    if (owed === null) return false;
    const { added, checkoutId, currency } = owed;
    // What was never sent to the venue is owed since the first try, under the subject without the word.
    await postEntries(tx, { ...owed, now: caller.now }, [{ kind: 'debt', subject: `${id} given-up`, amount: added }]);
    const detail = { checkout_id: checkoutId, amount: added, currency };
    await audit(tx, caller, { venueId, action: 'reversal.owe', subject: id, detail });
    return true;
  });
  if (!isOwed) {
    const now = await requireMovement(db, venueId, id);
    // Its answer was lost, and the call is repeated.
    if (now.status !== 'owed' || !(await wasDone(db, venueId, id, 'reversal.owe', () => true))) throw notFailed(now);
  }
  return { status: 200, body: { id, status: 'owed' } };
}

/** What has become of it says whether the operator must pay. */
function notFailed({ kind, status }: FoundMovement): Problem {
  const fate: Readonly<Record<string, string>> = {
    waiting: 'it was tried again, so do not pay it',
    sending: 'it was tried again, so do not pay it',
    pending: 'the processor has accepted it, so do not pay it',
    done: 'the processor has paid it, so do not pay it',
    closed: 'it was paid by hand before',
    dropped: 'it is owed no more, so do not pay it',
  };
  return conflict('not_failed', `This ${kind} is ${status}: ${fate[status] ?? 'only a failed one is ended by hand'}.`);
}
