// Movements of all venues that an operator looks at: failed ones, those that are tried again, overdue ones, and debts.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { requireTransition } from '../../base/transitions.ts';
import { ENDED_DISPUTE_STATUSES } from './dispute-queries.ts';
import { LEASE_MS, MOVEMENT_COLUMNS, type MovementRow } from './movement-queries.ts';
import { MOVEMENT_TRANSITIONS, type MovementStatus } from './transitions.ts';

export interface StuckMovement {
  readonly id: string;
  readonly venueId: string;
  readonly kind: MovementRow['kind'];
  readonly status: MovementStatus;
  readonly checkoutId: string;
  readonly amount: number;
  readonly currency: string;
  readonly error: string | null;
  readonly tries: number;
  readonly since: string;
  /** When the worker tries it next; null: it does not. */
  readonly dueAt: string | null;
  /** The operator who pays it by hand, and since when; null: none does. */
  readonly byHandBy: string | null;
  readonly byHandAt: string | null;
}

/** SQL: what is left to pay. A part of a transfer may settle debts of the venue instead. */
const TO_PAY = "case kind when 'transfer' then coalesce(sent_amount, amount) else amount end";

const COLUMNS = `movement_id as "id", venue_id as "venueId", kind, status, checkout_id as "checkoutId", ${TO_PAY} as "amount", currency,
  last_error as "error", lease_token as "tries", utc_micros(first_due_at) as "since", utc_micros(due_at) as "dueAt",
  by_hand_by as "byHandBy", utc_micros(by_hand_at) as "byHandAt"`;

/** As the index disputes_open says it. */
const IS_OPEN = `status not in (${ENDED_DISPUTE_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** A movement that was due this long ago, and was not tried, waits for a worker. */
const OVERDUE = "to_timestamp($2 / 1000.0) - interval '5 minutes'";

/** The clocks of two machines differ by less. */
const CLOCK_MARGIN_MS = 30_000;

export interface Sum {
  readonly count: number;
  readonly amount: number;
}

const SUM = 'count(*)::integer as "count", coalesce(sum(amount), 0)::bigint as "amount"';
const NONE: Sum = { count: 0, amount: 0 };

/** What the processor has refused permanently, the oldest first. */
export async function failedMovements(db: Queryable, mode: Mode, limit: number): Promise<StuckMovement[]> {
  return db.query<StuckMovement>(
    `select ${COLUMNS} from movements where mode = $1 and status = 'failed' order by first_due_at, movement_id limit $2`,
    [mode, limit],
  );
}

/** All of them, however many: the index movements_failed holds them alone. */
export async function sumFailedMovements(
  db: Queryable,
  mode: Mode,
): Promise<{ readonly refunds: Sum; readonly transfers: Sum; readonly reversals: Sum }> {
  const rows = await db.query<Sum & { readonly kind: MovementRow['kind'] }>(
    `select case kind when 'return' then 'refund' else kind end as "kind", count(*)::integer as "count",
       sum(${TO_PAY})::bigint as "amount" from movements where mode = $1 and status = 'failed' group by 1`,
    [mode],
  );
  const sumOf = (kind: MovementRow['kind']): Sum => {
    const { count, amount } = rows.find((row) => row.kind === kind) ?? NONE;
    return { count, amount };
  };
  return { refunds: sumOf('refund'), transfers: sumOf('transfer'), reversals: sumOf('reversal') };
}

/** Of the mode $1: those that the processor has not finished after a try or in time, and those that no worker has sent. */
function waitingSql(columns: string): string {
  return `select ${columns} from movements
       where mode = $1 and status in ('sending', 'pending') and (last_error is not null or first_due_at < ${OVERDUE})
       union all
       select ${columns} from movements where mode = $1 and status = 'waiting' and due_at < ${OVERDUE}`;
}

/** What is tried again by itself, the oldest first. */
export async function waitingMovements(
  db: Queryable,
  mode: Mode,
  now: number,
  limit: number,
): Promise<StuckMovement[]> {
  return db.query<StuckMovement>(`select * from (${waitingSql(COLUMNS)}) m order by since, id limit $3`, [
    mode,
    now,
    limit,
  ]);
}

/** All of them, however many. */
export async function sumWaitingMovements(db: Queryable, mode: Mode, now: number): Promise<Sum> {
  const [row] = await db.query<Sum>(`select ${SUM} from (${waitingSql('amount')}) m`, [mode, now]);
  return row ?? NONE;
}

export interface OpenDebt {
  readonly id: string;
  readonly venueId: string;
  readonly checkoutId: string;
  readonly amount: number;
  readonly currency: string;
  readonly error: string | null;
  readonly since: string;
}

/** Reversals that venues owe, the oldest first. */
export async function openDebts(db: Queryable, mode: Mode, limit: number): Promise<OpenDebt[]> {
  return db.query<OpenDebt>(
    `select movement_id as "id", venue_id as "venueId", checkout_id as "checkoutId",
       owed_amount - settled_amount as "amount", currency, last_error as "error", utc_micros(first_due_at) as "since"
     from movements where owed_amount > settled_amount and mode = $1 order by first_due_at, movement_id limit $2`,
    [mode, limit],
  );
}

/** All of them, however many: the index movements_with_debts holds them alone. */
export async function sumOpenDebts(db: Queryable, mode: Mode): Promise<Sum> {
  const [row] = await db.query<Sum>(
    `select ${SUM} from (select owed_amount - settled_amount as amount from movements
     where owed_amount > settled_amount and mode = $1) debts`,
    [mode],
  );
  return row ?? NONE;
}

export interface OpenDispute {
  readonly id: string;
  readonly venueId: string;
  readonly checkoutId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly reason: string;
  readonly since: string;
  /** Until when the processor takes an answer; null: it takes none, or has not said. */
  readonly answerBy: string | null;
  /** The processor's id of the payment. */
  readonly intentId: string | null;
}

/** Those that must be answered first come first. Few charges are disputed. */
export async function openDisputes(db: Queryable, mode: Mode, limit: number): Promise<OpenDispute[]> {
  return db.query<OpenDispute>(
    `select dispute_id as "id", d.venue_id as "venueId", d.checkout_id as "checkoutId", d.amount, d.currency, d.status, reason,
       utc_micros(opened_at) as "since", utc_micros(evidence_due_at) as "answerBy", h.intent_id as "intentId"
     from (select * from disputes where mode = $1 and ${IS_OPEN}
       order by evidence_due_at nulls last, opened_at, dispute_id limit $2) d
     join holds h on h.venue_id = d.venue_id and h.hold_id = d.hold_id
     order by evidence_due_at nulls last, opened_at, dispute_id`,
    [mode, limit],
  );
}

/** All of them, however many, and until when the first must be answered; null: none must. */
export async function sumOpenDisputes(
  db: Queryable,
  mode: Mode,
): Promise<Sum & { readonly firstAnswerBy: string | null }> {
  const [row] = await db.query<Sum & { readonly firstAnswerBy: string | null }>(
    `select ${SUM}, utc_micros(min(evidence_due_at)) as "firstAnswerBy" from disputes where mode = $1 and ${IS_OPEN}`,
    [mode],
  );
  return row ?? { ...NONE, firstAnswerBy: null };
}

export interface FoundMovement extends Pick<MovementRow, 'kind' | 'status' | 'checkoutId'> {
  readonly dueAt: string | null;
  readonly byHandBy: string | null;
}

export async function findMovement(db: Queryable, venueId: string, id: string): Promise<FoundMovement | null> {
  const rows = await db.query<FoundMovement>(
    `select kind, status, checkout_id as "checkoutId", utc_text(due_at) as "dueAt", by_hand_by as "byHandBy" from movements where venue_id = $1 and movement_id = $2`,
    [venueId, id],
  );
  return rows[0] ?? null;
}

/**
 * The next call uses another key: the processor replays its refusal for the old one. Null: it is not failed, or an operator
 * pays it by hand.
 */
export async function retryFailedMovement(
  tx: Queryable,
  venueId: string,
  id: string,
  now: number,
): Promise<MovementRow | null> {
  requireTransition('movement', MOVEMENT_TRANSITIONS, 'failed', 'waiting');
  const rows = await tx.query<MovementRow>(
    `update movements set status = 'waiting', due_at = to_timestamp($3 / 1000.0), first_due_at = to_timestamp($3 / 1000.0),
       key_number = key_number + 1
     where venue_id = $1 and movement_id = $2 and status = 'failed' and by_hand_by is null returning ${MOVEMENT_COLUMNS}`,
    [venueId, id, now],
  );
  return rows[0] ?? null;
}

/**
 * What waits for its next try is due now. What is due within a lease and a margin stays as it is: a worker may hold its
 * lease, and its clock may be ahead of the caller's. A transfer before its payout time stays. False: it is not tried again.
 */
export async function makeRetryDue(tx: Queryable, venueId: string, id: string, now: number): Promise<boolean> {
  const rows = await tx.query(
    `update movements
     set due_at = case when due_at > to_timestamp($4 / 1000.0) then to_timestamp($3 / 1000.0) else due_at end
     where venue_id = $1 and movement_id = $2
       and (status in ('sending', 'pending') or (status = 'waiting' and due_at <= to_timestamp($3 / 1000.0))) returning 1`,
    [venueId, id, now, now + LEASE_MS + CLOCK_MARGIN_MS],
  );
  return rows.length === 1;
}

export interface WrittenOffDebt {
  readonly mode: Mode;
  readonly checkoutId: string;
  readonly currency: string;
}

/** The venue no longer owes it. Null: it does not owe exactly this amount, and nothing is written. */
export async function recordWriteOff(
  tx: Queryable,
  venueId: string,
  id: string,
  amount: number,
): Promise<WrittenOffDebt | null> {
  const rows = await tx.query<WrittenOffDebt>(
    `update movements set settled_amount = settled_amount + $3, written_off_amount = written_off_amount + $3
     where venue_id = $1 and movement_id = $2 and owed_amount - settled_amount = $3 and $3 > 0
     returning mode, checkout_id as "checkoutId", currency`,
    [venueId, id, amount],
  );
  return rows[0] ?? null;
}
