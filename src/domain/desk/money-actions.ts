// What an operator does about money that is stuck. Each action is a compare-and-set on the row that it is about, so that a
// second click, another operator and the worker cannot do it twice. Each is in the audit log.

import type { DebtWriteOff, MoneyAction, ReconcileRequest } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { conflict, notFound, Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { operatorName } from '../accounts/operators.ts';
import { captureFunded } from '../checkouts/capture/capture.ts';
import { captureError } from '../checkouts/capture/stuck-queries.ts';
import type { PaymentServices } from '../checkouts/payment-services.ts';
import { readCheckout } from '../checkouts/queries.ts';
import { retryFailed } from '../checkouts/refunds/retry-failed.ts';
import { postEntries } from '../ledger/queries.ts';
import { makeCheckDue } from '../monitoring/check-queries.ts';
import { type FoundMovement, makeRetryDue, recordWriteOff } from '../payments/money-health-queries.ts';
import { audit, auditInstallation } from '../venues/audit.ts';
import { type Detail, idsIn, type Params, requireMovement, wasDone } from './money-subject.ts';

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
  const error = await captureError(services.db, venueId, id);
  const body: MoneyAction = { id, status, ...(error === null ? {} : { error }) };
  return { status: 200, body };
}

/** A worker compares the mode with the processor within seconds. */
export async function requestReconcile(
  { db, processors }: Pick<PaymentServices, 'db' | 'processors'>,
  caller: DeskCaller,
  { body: { mode } }: Pick<Input<ReconcileRequest>, 'body'>,
): Promise<OperationResult> {
  if (processors[mode] === undefined) throw notFound();
  await db.transaction(async (tx) => {
    await makeCheckDue(tx, { name: 'reconcile', mode }, caller.now);
    await auditInstallation(tx, caller, { action: 'reconcile.request', subject: mode });
  });
  return { status: 200, body: { id: mode, status: 'due' } };
}

/** A failed movement is sent again by the worker under another key; one that waits for its next try is due now. */
export async function retryMovement(
  { db }: { readonly db: Db },
  caller: DeskCaller,
  { params }: Params,
): Promise<OperationResult> {
  const [venueId, id] = idsIn(params);
  await requireMovement(db, venueId, id);
  const isRetried = await db.transaction((tx) => retryInTransaction(tx, caller, venueId, id));
  const movement = await requireMovement(db, venueId, id);
  if (!isRetried) throw notRetryable(await named(db, caller, movement));
  return { status: 200, body: { id, status: movement.status } };
}

async function retryInTransaction(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  id: string,
): Promise<boolean> {
  if (await retryFailed(tx, command, venueId, id)) return true;
  if (!(await makeRetryDue(tx, venueId, id, command.now))) return false;
  await audit(tx, command, { venueId, action: 'movement.retry', subject: id });
  return true;
}

/** Operators read who has reserved it by name or mail address. */
async function named(db: Db, { seal }: DeskCaller, movement: FoundMovement): Promise<FoundMovement> {
  const { byHandBy } = movement;
  return byHandBy === null ? movement : { ...movement, byHandBy: await operatorName(db, seal, byHandBy) };
}

function notRetryable({ kind, status, dueAt, byHandBy }: FoundMovement): Problem {
  if (status === 'failed' && byHandBy !== null)
    return conflict(
      'already_reserved',
      `${byHandBy} pays it by hand. If they have not paid it, give it back with a note, then try again.`,
    );
  if (status === 'waiting' && dueAt !== null)
    return conflict('not_retryable', `This ${kind} is due at ${dueAt}, and is sent by itself then.`);
  return conflict('not_retryable', `This ${kind} is ${status}: nothing is left to try.`);
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
  const subject = `${id} ${command.ids.uuid()}`;
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
