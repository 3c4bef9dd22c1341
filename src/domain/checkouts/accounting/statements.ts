// GET /console/api/payouts: what the venue earned in each day or week, as lines that add up, and what is still to come. A
// checkout belongs to the day of its completion in the venue's time zone: a refund made later changes that day's line.

import type { PayoutBalance, Statement, StatementTotals } from '../../../../schemas/types.gen.ts';
import { csvOf } from '../../../base/csv.ts';
import type { Db } from '../../../base/db.ts';
import { type FieldProblem, invalid } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { findDebts } from '../../payments/debt-queries.ts';
import { onItsWay } from '../../payments/overview-queries.ts';
import {
  type MoneyFigures,
  periodsBefore,
  type StatementRow,
  type StatementScope,
  statementRows,
} from '../../payments/statement-queries.ts';
import { findVenue } from '../../venues/queries.ts';

export async function listStatements(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const { query } = input;
  const scope = await statementScope(db, caller, input);
  const period = query.period === 'day' ? 'day' : 'week';
  const limit = typeof query.limit === 'number' ? query.limit : 8;
  const before = typeof query.before === 'string' ? query.before : null;
  const to = before !== null && (scope.to === null || before < scope.to) ? before : scope.to;
  const firsts = (await periodsBefore(db, { ...scope, to }, period, limit + 1)).filter(
    (first) => scope.from === null || endOf(first, period) > scope.from,
  );
  const page = firsts.slice(0, limit);
  const oldest = page.at(-1);
  const nextBefore = firsts.length > limit && oldest !== undefined ? oldest : null;
  const from = oldest !== undefined && (scope.from === null || oldest > scope.from) ? oldest : scope.from;
  const rows = oldest === undefined ? [] : await statementRows(db, { ...scope, from, to }, period);
  const data = rows.map(statementOf);
  if (input.asCsv === true) return { status: 200, csv: toCsv(data), nextBefore };
  const body = { data, next_before: nextBefore, totals: totalsOf(rows), balance: await balanceOf(db, caller) };
  return { status: 200, body };
}

/** Days in the venue's time zone; `to` is exclusive. */
export async function statementScope(db: Db, { venue, mode }: Caller, { query }: Input): Promise<StatementScope> {
  const from = typeof query.from === 'string' ? query.from : null;
  const to = typeof query.to === 'string' ? query.to : null;
  if (from !== null && to !== null && from >= to) throw invalid([reversed(from)]);
  const timezone = (await findVenue(db, venue.id))?.timezone ?? 'UTC';
  return { venueId: venue.id, mode, timezone, from, to };
}

const DAY = 86_400_000;

function endOf(first: string, period: 'day' | 'week'): string {
  return new Date(Date.parse(first) + (period === 'week' ? 7 * DAY : DAY)).toISOString().slice(0, 10);
}

function reversed(from: string): FieldProblem {
  return {
    code: 'not_allowed',
    field: '/query/to',
    message: 'to must be after from: it is the first day that does not count any more.',
    expected: 'a day after from',
    example_fix: endOf(from, 'week'),
  };
}

/** The figures of a line, as the API names them. The fee is what the service keeps. */
export function figuresOf(money: MoneyFigures) {
  return {
    paid: money.paid,
    fee: money.fee - money.feeReturned,
    refunded: money.refunded,
    lost_to_disputes: money.lost,
    kept: money.kept,
    paid_out: money.paidOut,
    to_come: money.toCome,
    settled_debts: money.settledDebts,
    owed: money.owed,
  };
}

function statementOf(row: StatementRow): Statement {
  const { from, to, isPartial, currency, checkouts, guests, failed, toCome, paidOut } = row;
  const status = failed > 0 ? 'failed' : toCome === 0 ? 'paid' : paidOut === 0 ? 'to_come' : 'part';
  const figures = figuresOf(row);
  return { object: 'statement', from, to, is_partial: isPartial, currency, checkouts, guests, ...figures, status };
}

/** Of the lines of the page, by currency. */
function totalsOf(rows: readonly StatementRow[]): StatementTotals[] {
  const currencies = [...new Set(rows.map(({ currency }) => currency))].sort();
  return currencies.map((currency) => {
    const lines = rows.filter((row) => row.currency === currency).map(statementOf);
    const sum = (name: keyof Omit<StatementTotals, 'currency'>): number =>
      lines.reduce((total, line) => total + line[name], 0);
    return {
      currency,
      checkouts: sum('checkouts'),
      guests: sum('guests'),
      paid: sum('paid'),
      fee: sum('fee'),
      refunded: sum('refunded'),
      lost_to_disputes: sum('lost_to_disputes'),
      kept: sum('kept'),
      paid_out: sum('paid_out'),
      to_come: sum('to_come'),
      settled_debts: sum('settled_debts'),
      owed: sum('owed'),
    };
  });
}

/** What is on its way, as on the first page of the console, and what the venue owes. */
async function balanceOf(db: Db, { venue, mode }: Caller): Promise<PayoutBalance[]> {
  const [coming, debts] = await Promise.all([onItsWay(db, venue.id, mode), findDebts(db, venue.id)]);
  const owed = new Map(debts.filter((debt) => debt.mode === mode).map(({ currency, amount }) => [currency, amount]));
  const currencies = [...new Set([...coming.map(({ currency }) => currency), ...owed.keys()])].sort();
  return currencies.map((currency) => {
    const found = coming.find((one) => one.currency === currency);
    return {
      currency,
      on_its_way: found?.amount ?? 0,
      next_at: found?.nextAt ?? null,
      held_back: found?.heldBack ?? 0,
      failed: found?.failed ?? 0,
      owed: owed.get(currency) ?? 0,
    };
  });
}

const COLUMNS = [
  'from',
  'to',
  'currency',
  'checkouts',
  'guests',
  'paid',
  'fee',
  'refunded',
  'lost_to_disputes',
  'kept',
  'paid_out',
  'to_come',
  'settled_debts',
  'owed',
  'status',
  'is_partial',
] as const satisfies readonly (keyof Statement)[];

function toCsv(statements: readonly Statement[]): string {
  return csvOf(
    COLUMNS,
    statements.map((statement) =>
      COLUMNS.map((column) => (column === 'is_partial' ? String(statement[column]) : statement[column])),
    ),
  );
}
