// Records what became of a refund to a guest: pending, done, failed. The processor may report days after a refund was done
// that it failed: the money is back on our balance, and the guest has nothing. Then the ledger takes the refund back,
// the checkout shows the amount as failed, and an operator pays it again.

import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Entry } from '../ledger/accounts.ts';
import { postEntries } from '../ledger/queries.ts';
import type { MovementRow } from './movement-queries.ts';
import type { RefundFacts } from './processor.ts';
import { addFailedRefund, freezeRefund, recordRefundFailed, transitionRefund } from './refund-queries.ts';

export interface RefundServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A done refund is asked for again after these times, because the event of a later failure may be lost. */
const CHECK_AFTER_MS = [5 * DAY, 20 * DAY];

export const isRefund = ({ kind }: MovementRow): boolean => kind === 'refund' || kind === 'return';

/** The refund id is null if the processor has refused to make the refund. */
type RefundOutcome = Omit<RefundFacts, 'refundId'> & { readonly refundId: string | null };

export async function recordRefund(
  services: RefundServices,
  movement: MovementRow,
  outcome: RefundOutcome,
): Promise<void> {
  const now = services.clock.now();
  // A done refund cannot become pending again.
  const status = movement.status === 'done' && outcome.status === 'pending' ? 'done' : outcome.status;
  const change = {
    status,
    processorId: outcome.refundId,
    error: outcome.reason,
    dueAt: nextCheckAt(movement, status, now),
    now,
  };
  await services.db.transaction(async (tx) => {
    const isChanged = (await transitionRefund(tx, movement, change)) && movement.status !== status;
    if (!isChanged || status === 'pending') return;
    const scope = { ...movement, now };
    if (status === 'done') return postEntries(tx, scope, refundEntries(movement));
    if (movement.status === 'done') await postEntries(tx, scope, failureEntries(movement));
    await addFailedRefund(tx, movement, movement.amount);
    const event = { id: services.ids.prefixed('evt'), reason: outcome.reason, now };
    await recordRefundFailed(tx, movement, event);
    const fields = { movement: movement.id, checkout: movement.checkoutId, reason: outcome.reason };
    services.log.error(fields, 'a refund did not reach the guest; an operator must act');
  });
}

/** The processor's code for a refund of a charge whose dispute is open or lost. */
export const CHARGE_DISPUTED = 'charge_disputed';

/**
 * The processor refuses to refund a disputed charge. While the dispute is open the refund waits for its end. After a lost
 * one the refund fails permanently: the processor pays no more out of that charge. Returns false if the dispute is not known:
 * its event has not arrived yet, or it was just won.
 */
export async function recordDisputed(services: RefundServices, movement: MovementRow): Promise<boolean> {
  const dispute = await freezeRefund(services.db, movement, CHARGE_DISPUTED);
  if (dispute === 'unknown') return false;
  if (dispute === 'lost') {
    await recordRefund(services, movement, { refundId: null, status: 'failed', reason: CHARGE_DISPUTED });
    return true;
  }
  const fields = { movement: movement.id, checkout: movement.checkoutId };
  services.log.info(fields, 'the charge is disputed; its refund waits for the end of the dispute');
  return true;
}

function nextCheckAt({ leaseToken, doneAt }: MovementRow, status: RefundFacts['status'], now: number): number | null {
  if (status === 'failed') return null;
  if (status === 'pending') return now + Math.min(MINUTE * 2 ** Math.min(leaseToken, 10), 6 * HOUR);
  return CHECK_AFTER_MS.map((after) => (doneAt ?? now) + after).find((at) => at > now) ?? null;
}

/** A refund that failed after it was done has entries, so the next ones of the movement have another subject. */
function subjectOf({ id, failuresAfterDone }: MovementRow): string {
  return failuresAfterDone === 0 ? id : `${id} ${failuresAfterDone}`;
}

function refundEntries(movement: MovementRow): readonly Entry[] {
  const { kind, amount, feePart } = movement;
  const subject = subjectOf(movement);
  if (kind === 'return') return [{ kind: 'return', subject, amount }];
  return [
    { kind: 'refund', subject, amount: amount - feePart },
    { kind: 'fee_return', subject, amount: feePart },
  ];
}

function failureEntries(movement: MovementRow): readonly Entry[] {
  const { kind, amount, feePart } = movement;
  const subject = subjectOf(movement);
  if (kind === 'return') return [{ kind: 'return_failed', subject, amount }];
  return [
    { kind: 'refund_failed', subject, amount: amount - feePart },
    { kind: 'fee_return_failed', subject, amount: feePart },
  ];
}
