// What an operator does about money that is stuck. Each action is a compare-and-set on the row that it is about, so that a
// second click, another operator and the worker cannot do it twice. Each is in the audit log.

import type { DebtWriteOff, ManualPayment } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { conflict, notFound, Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { captureFunded } from '../checkouts/capture/capture.ts';
import type { PaymentServices } from '../checkouts/payment-services.ts';
import { readCheckout } from '../checkouts/queries.ts';
import { closeRefund, recordPaidAgain } from '../checkouts/refunds/close-refund.ts';
import { postEntries } from '../ledger/queries.ts';
import { findMovement, hurryMovement, recordWriteOff, retryFailedMovement } from '../payments/money-health-queries.ts';
import { addFailedRefund } from '../payments/refund-queries.ts';
import { isRefund } from '../payments/settle-refund.ts';
import { audit, auditOfSubject } from '../venues/audit.ts';

type Params = Pick<Input, 'params'>;

/** Charges the cards of a funded checkout now, and answers what it is then. A charged card is never charged again. */
export async function retryCapture(
  services: PaymentServices,
  caller: DeskCaller,
  { params: { venue_id: venueId = '', id = '' } }: Params,
): Promise<OperationResult> {
  const found = isUuid(venueId) ? await readCheckout(services.db, venueId, id) : null;
  if (found === null) throw notFound();
  if (found.status !== 'funded') {
    const message = `This checkout is ${found.status}: only a funded one has cards to charge.`;
    throw conflict('not_funded', message);
  }
  await services.db.transaction((tx) => audit(tx, caller, { venueId, action: 'capture.retry', subject: id }));
  await captureFunded(services, venueId, id);
  const status = (await readCheckout(services.db, venueId, id))?.status ?? found.status;
  return { status: 200, body: { id, status } };
}

/** A failed movement is sent again by the worker under another key; one that waits for its next try is due now. */
export async function retryMovement(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params }: Params,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  const movement = await requireMovement(db, venueId, id);
  const isRetried = await db.transaction((tx) => retryInTransaction(tx, caller, venueId, id));
  if (!isRetried)
    throw conflict('not_retryable', `This ${movement.kind} is ${movement.status}: nothing is left to try.`);
  return { status: 200, body: { id, status: (await requireMovement(db, venueId, id)).status } };
}

async function retryInTransaction(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  id: string,
): Promise<boolean> {
  const retried = await retryFailedMovement(tx, venueId, id, command.now);
  if (retried === null && !(await hurryMovement(tx, venueId, id, command.now))) return false;
  if (retried !== null && isRefund(retried)) {
    await addFailedRefund(tx, retried, -retried.amount);
    await recordPaidAgain(tx, command, retried, 'retried');
  }
  await audit(tx, command, { venueId, action: 'movement.retry', subject: id });
  return true;
}

/** The operator has paid a failed refund outside of the processor: it is never sent again. */
export async function payByHand(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params, body }: Pick<Input<ManualPayment>, 'params' | 'body'>,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  const reference = body.reference.trim();
  const movement = await requireMovement(db, venueId, id);
  const isDone = (detail: Detail): boolean => detail.note === reference;
  if (movement.status === 'closed' && (await wasDone(db, venueId, id, 'refund.close', isDone)))
    return { status: 200, body: { id, status: 'closed' } };
  if (movement.status !== 'failed' || (movement.kind !== 'refund' && movement.kind !== 'return')) {
    const message = `This ${movement.kind} is ${movement.status}: only a failed refund is paid by hand.`;
    throw conflict('not_failed', message);
  }
  await db
    .transaction((tx) => closeRefund(tx, caller, id, reference))
    .catch((error: unknown) => {
      const isGone = error instanceof Problem && error.code === 'not_found';
      throw isGone ? conflict('not_failed', 'This refund was retried or closed meanwhile: read it again.') : error;
    });
  return { status: 200, body: { id, status: 'closed' } };
}

/** The venue no longer owes it: the loss is ours. The amount is what the operator saw. */
export async function writeOffDebt(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params, body }: Pick<Input<DebtWriteOff>, 'params' | 'body'>,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  await requireMovement(db, venueId, id);
  const { amount } = body;
  const note = body.note.trim();
  const isDone = (detail: Detail): boolean => detail.amount === amount && detail.note === note;
  await db
    .transaction((tx) => writeOffInTransaction(tx, caller, { venueId, id, amount, note }))
    .catch(async (error: unknown) => {
      const isChanged = error instanceof Problem && error.code === 'conflict';
      if (!isChanged || !(await wasDone(db, venueId, id, 'debt.write_off', isDone))) throw error;
    });
  return { status: 200, body: { id, status: 'written_off' } };
}

async function writeOffInTransaction(
  tx: Queryable,
  command: CommandContext,
  {
    venueId,
    id,
    amount,
    note,
  }: { readonly venueId: string; readonly id: string; readonly amount: number; readonly note: string },
): Promise<void> {
  const debt = await recordWriteOff(tx, venueId, id, amount);
  if (debt === null) throw debtChanged();
  // A debt that is owed again after a write-off can be written off once more.
  const subject = debt.before === 0 ? id : `${id} ${debt.before}`;
  const entry = { kind: 'debt_written_off', subject, amount } as const;
  await postEntries(tx, { ...debt, venueId, now: command.now }, [entry]);
  const detail = { checkout_id: debt.checkoutId, amount, currency: debt.currency, note };
  await audit(tx, command, { venueId, action: 'debt.write_off', subject: id, detail });
}

function debtChanged(): Problem {
  return conflict(
    'debt_changed',
    'The venue does not owe exactly this amount any more: read what it owes, then decide.',
  );
}

type Detail = Readonly<Record<string, unknown>>;

/** The last entry of the audit log about it is this very action: its answer was lost, and the call is repeated. */
async function wasDone(
  db: Queryable,
  venueId: string,
  id: string,
  action: string,
  isSame: (detail: Detail) => boolean,
): Promise<boolean> {
  const [last] = await auditOfSubject(db, venueId, id, 1, action);
  return last !== undefined && isSame(last.detail as Detail);
}

/** In lower case, as they are stored in the audit log and the ledger. */
function idsIn(params: Params['params']): readonly [venueId: string, id: string] {
  return [(params.venue_id ?? '').toLowerCase(), (params.id ?? '').toLowerCase()];
}

async function requireMovement(db: Queryable, venueId: string, id: string) {
  const found = isUuid(venueId) && isUuid(id) ? await findMovement(db, venueId, id) : null;
  if (found === null) throw notFound();
  return found;
}
