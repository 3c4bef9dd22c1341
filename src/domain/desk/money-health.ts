// GET /desk/api/money: what needs a person, then what is tried again by itself, and the last checks of the books.

import type { MoneyCase, MoneyHealth } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { type StuckCapture, stuckCaptures } from '../checkouts/capture/stuck-queries.ts';
import { type Check, readLastChecks } from '../monitoring/check-queries.ts';
import {
  type OpenDebt,
  type OpenDispute,
  openDebts,
  openDisputes,
  type TroubledMovement,
  troubledMovements,
} from '../payments/money-health-queries.ts';
import { findVenues } from '../venues/queries.ts';

/** Most checkouts complete within seconds of the last hold. */
const STUCK_MINUTES = 5;
const MAX_LISTED = 200;

type Unnamed = Omit<MoneyCase, 'venue'> & { readonly venueId: string };

export async function getMoneyHealth(
  { db }: { readonly db: Db },
  { now }: DeskCaller,
  { query }: Input,
): Promise<OperationResult> {
  const mode = (query.mode ?? 'live') as Mode;
  const [captures, movements, debts, disputes, checks] = await Promise.all([
    stuckCaptures(db, mode, { now, minutes: STUCK_MINUTES, limit: MAX_LISTED }),
    troubledMovements(db, mode, now, MAX_LISTED),
    openDebts(db, mode, MAX_LISTED),
    openDisputes(db, mode, MAX_LISTED),
    readLastChecks(db),
  ]);
  const failed = movements.filter(({ status }) => status === 'failed');
  const needsPerson = [...failed.map(movementCase), ...debts.map(debtCase), ...disputes.map(disputeCase)];
  const waiting = [
    ...captures.map(captureCase),
    ...movements.filter(({ status }) => status !== 'failed').map(movementCase),
  ];
  const names = await namesOf(db, [...needsPerson, ...waiting]);
  const body: MoneyHealth = {
    object: 'money_health',
    mode,
    as_of: new Date(now).toISOString(),
    figures: {
      stuck_captures: { count: captures.length, oldest_at: captures[0]?.since ?? null },
      failed_refunds: figure(failed.filter(({ kind }) => kind === 'refund' || kind === 'return')),
      failed_payouts: figure(failed.filter(({ kind }) => kind === 'transfer' || kind === 'reversal')),
      open_disputes: figure(disputes),
      venue_debts: figure(debts),
    },
    needs_person: needsPerson.map((one) => named(one, names)),
    waiting: waiting.map((one) => named(one, names)),
    books: checkView(checks.find(({ name }) => name === 'ledger')),
    reconcile: checkView(checks.find((check) => check.name === 'reconcile' && check.mode === mode)),
  };
  return { status: 200, body };
}

/** Null: it never ran. */
function checkView(check: Check | undefined): MoneyHealth['books'] {
  return check === undefined ? null : { at: new Date(check.at).toISOString(), differences: check.differences };
}

/** Sums of one currency: the service takes payments in one. */
function figure(rows: readonly { readonly amount: number }[]): { count: number; amount: number } {
  return { count: rows.length, amount: rows.reduce((sum, { amount }) => sum + amount, 0) };
}

async function namesOf(db: Db, cases: readonly Unnamed[]): Promise<ReadonlyMap<string, string>> {
  const venues = await findVenues(db, [...new Set(cases.map(({ venueId }) => venueId))]);
  return new Map(venues.map(({ id, name }) => [id, name]));
}

function named({ venueId, ...rest }: Unnamed, names: ReadonlyMap<string, string>): MoneyCase {
  return { ...rest, venue: { id: venueId, name: names.get(venueId) ?? '' } };
}

function captureCase(row: StuckCapture): Unnamed {
  return {
    object: 'money_case',
    kind: 'capture',
    id: row.id,
    venueId: row.venueId,
    checkout_id: row.id,
    amount: row.amount,
    currency: row.currency,
    what: `${row.captured} of ${row.shares} cards are charged`,
    error: null,
    since: row.since,
    tries: row.tries,
    next_try_at: row.dueAt,
    actions: ['retry'],
  };
}

function movementCase(row: TroubledMovement): Unnamed {
  const isFailed = row.status === 'failed';
  const isRefund = row.kind === 'refund' || row.kind === 'return';
  return {
    object: 'money_case',
    kind: row.kind,
    id: row.id,
    venueId: row.venueId,
    checkout_id: row.checkoutId,
    amount: row.amount,
    currency: row.currency,
    what: isFailed ? FAILED[row.kind] : (WAITING[row.status] ?? 'it waits'),
    error: row.error,
    since: row.since,
    tries: row.tries,
    next_try_at: row.dueAt,
    actions: isFailed && isRefund ? ['retry', 'pay_by_hand'] : ['retry'],
  };
}

const FAILED: Readonly<Record<TroubledMovement['kind'], string>> = {
  refund: 'the refund did not reach the guest',
  return: 'the charge was not given back to the guest',
  transfer: 'the venue was not paid',
  reversal: 'the transfer was not taken back',
};

const WAITING: Readonly<Record<string, string>> = {
  waiting: 'no worker has sent it yet',
  sending: 'the processor has not taken it yet',
  pending: 'the processor has accepted it and not paid it yet',
};

function debtCase(row: OpenDebt): Unnamed {
  return {
    object: 'money_case',
    kind: 'debt',
    id: row.id,
    venueId: row.venueId,
    checkout_id: row.checkoutId,
    amount: row.amount,
    currency: row.currency,
    what: 'the venue owes it; its later payouts settle it',
    error: row.error,
    since: row.since,
    tries: 0,
    next_try_at: null,
    actions: ['write_off'],
  };
}

function disputeCase(row: OpenDispute): Unnamed {
  return {
    object: 'money_case',
    kind: 'dispute',
    id: row.id,
    venueId: row.venueId,
    checkout_id: row.checkoutId,
    amount: row.amount,
    currency: row.currency,
    what: `${row.reason.replaceAll('_', ' ')}; ${row.status.replaceAll('_', ' ')}`,
    error: null,
    since: row.since,
    tries: 0,
    next_try_at: null,
    actions: [],
  };
}
