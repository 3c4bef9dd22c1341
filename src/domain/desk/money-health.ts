// GET /desk/api/money: what needs a person, then what is tried again by itself, and the last checks of the books.

import type { MoneyCase, MoneyHealth } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { operatorNames } from '../accounts/operators.ts';
import { countStuckCaptures, type StuckCapture, stuckCaptures } from '../checkouts/capture/stuck-queries.ts';
import { isOldCheck } from '../monitoring/check-age.ts';
import {
  type Check,
  type CheckRun,
  lastBalances,
  listReconciles,
  readLastChecks,
} from '../monitoring/check-queries.ts';
import { paymentPageOf } from '../payments/dashboard.ts';
import {
  failedMovements,
  type OpenDebt,
  type OpenDispute,
  openDebts,
  openDisputes,
  type StuckMovement,
  sumFailedMovements,
  sumOpenDebts,
  sumOpenDisputes,
  sumWaitingMovements,
  waitingMovements,
} from '../payments/money-health-queries.ts';
import type { Processor, Processors } from '../payments/processor.ts';
import { findVenues } from '../venues/queries.ts';
import { captureRemedy, disputeRemedy, movementRemedy } from './money-remedies.ts';

/** Most checkouts complete within seconds of the last hold. */
const STUCK_MINUTES = 5;

const DAY_MS = 86_400_000;

/** Of two days. */
const MAX_RECONCILES = 8;

type Unnamed = Omit<MoneyCase, 'venue'> & { readonly venueId: string };

export async function getMoneyHealth(
  { db, processors }: { readonly db: Db; readonly processors: Processors },
  caller: DeskCaller,
  { query }: Input,
): Promise<OperationResult> {
  const { now } = caller;
  const mode = (query.mode ?? 'live') as Mode;
  const limit = Number(query.limit ?? 200);
  const [figures, cases, checks, balances, runs] = await Promise.all([
    readFigures(db, mode, now),
    readCases(db, mode, { caller, processor: processors[mode] }, limit),
    readLastChecks(db),
    lastBalances(db),
    listReconciles(db, mode, MAX_RECONCILES),
  ]);
  const body: MoneyHealth = {
    object: 'money_health',
    mode,
    as_of: new Date(now).toISOString(),
    figures,
    ...cases,
    books: checkView(
      checks.find(({ name }) => name === 'ledger'),
      now,
    ),
    accounts: (balances ?? [])
      .filter((one) => one.mode === mode)
      .map(({ account, currency, debits, credits }) => ({ account, currency, balance: debits - credits })),
    reconciles: runs.map(runView),
    reconcile: checkView(
      checks.find((check) => check.name === 'reconcile' && check.mode === mode),
      now,
    ),
  };
  return { status: 200, body };
}

/** Of everything, not of what is listed. Sums of one currency: the service takes payments in one. */
async function readFigures(db: Db, mode: Mode, now: number): Promise<MoneyHealth['figures']> {
  const [captures, failed, waiting, disputes, debts] = await Promise.all([
    countStuckCaptures(db, mode, { now, minutes: STUCK_MINUTES }),
    sumFailedMovements(db, mode),
    sumWaitingMovements(db, mode, now),
    sumOpenDisputes(db, mode),
    sumOpenDebts(db, mode),
  ]);
  return {
    stuck_captures: { count: captures.count, oldest_at: captures.oldestAt },
    failed_refunds: failed.refunds,
    failed_payouts: failed.transfers,
    failed_reversals: failed.reversals,
    waiting_movements: waiting,
    open_disputes: { count: disputes.count, amount: disputes.amount, first_answer_by: disputes.firstAnswerBy },
    venue_debts: debts,
  };
}

/** At most `limit` of each kind, the oldest first; disputes by the time until which they must be answered. */
async function readCases(
  db: Db,
  mode: Mode,
  { caller, processor }: { readonly caller: DeskCaller; readonly processor: Processor | undefined },
  limit: number,
): Promise<Pick<MoneyHealth, 'needs_person' | 'waiting' | 'has_more'>> {
  const { now, seal, actor: operator } = caller;
  // One more than is listed says whether there are more.
  const [failed, debts, disputes, captures, movements] = await Promise.all([
    failedMovements(db, mode, limit + 1),
    openDebts(db, mode, limit + 1),
    openDisputes(db, mode, limit + 1),
    stuckCaptures(db, mode, { now, minutes: STUCK_MINUTES }, limit + 1),
    waitingMovements(db, mode, now, limit + 1),
  ]);
  const listed = <T>(rows: readonly T[], asCase: (row: T) => Unnamed): Unnamed[] => rows.slice(0, limit).map(asCase);
  const asDispute = (row: OpenDispute): Unnamed => disputeCase(row, processor);
  const reservedBy = failed.flatMap(({ byHandBy }) => (byHandBy === null ? [] : [{ actor: byHandBy }]));
  const operators = await operatorNames(db, seal, reservedBy);
  const movementCase = (row: StuckMovement): Unnamed =>
    caseOfMovement(row, { operator: operator.name, now }, operators);
  const needsPerson = [...listed(failed, movementCase), ...listed(debts, debtCase), ...listed(disputes, asDispute)];
  const waiting = [...listed(captures, captureCase), ...listed(movements, movementCase)];
  const names = await namesOf(db, [...needsPerson, ...waiting]);
  const isCut = (...kinds: readonly (readonly unknown[])[]): boolean => kinds.some((rows) => rows.length > limit);
  return {
    needs_person: needsPerson.map((one) => named(one, names)),
    waiting: waiting.map((one) => named(one, names)),
    has_more: { needs_person: isCut(failed, debts, disputes), waiting: isCut(captures, movements) },
  };
}

function runView({ at, compared, settled, differences, findings }: CheckRun): MoneyHealth['reconciles'][number] {
  return { at: new Date(at).toISOString(), compared: compared ?? 0, settled, differences, findings: [...findings] };
}

/** Null: it never ran. */
function checkView(check: Check | undefined, now: number): MoneyHealth['books'] {
  if (check === undefined) return null;
  return { at: new Date(check.at).toISOString(), differences: check.differences, is_old: isOldCheck(check, now) };
}

async function namesOf(db: Db, cases: readonly Unnamed[]): Promise<ReadonlyMap<string, string>> {
  const venues = await findVenues(db, [...new Set(cases.map(({ venueId }) => venueId))]);
  return new Map(venues.map(({ id, name }) => [id, name]));
}

function named({ venueId, ...rest }: Unnamed, names: ReadonlyMap<string, string>): MoneyCase {
  return { ...rest, venue: { id: venueId, name: names.get(venueId) ?? '' } };
}

const NO_DISPUTE = { answer_by: null, dashboard_url: null } as const;

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
    error: row.error,
    remedy: captureRemedy(row.error),
    since: row.since,
    tries: row.tries,
    next_try_at: row.dueAt,
    ...NO_DISPUTE,
    reserved: null,
    actions: ['retry'],
  };
}

interface Reader {
  readonly operator: string;
  readonly now: number;
}

function caseOfMovement(row: StuckMovement, reader: Reader, names: ReadonlyMap<string, string>): Unnamed {
  const isFailed = row.status === 'failed';
  const isYours = row.byHandBy === reader.operator;
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
    remedy: movementRemedy(row),
    since: row.since,
    tries: row.tries,
    next_try_at: row.dueAt,
    ...NO_DISPUTE,
    reserved: reservationOf(row, reader, names),
    actions: actionsOn(row, isYours),
  };
}

/** A bank transfer is made and recorded on the same day: an older reservation is forgotten, or its operator is away. */
function reservationOf(
  { byHandBy, byHandAt }: StuckMovement,
  { operator, now }: Reader,
  names: ReadonlyMap<string, string>,
): MoneyCase['reserved'] {
  if (byHandBy === null || byHandAt === null) return null;
  const isOld = Date.parse(byHandAt) < now - DAY_MS;
  return { by: names.get(byHandBy) ?? byHandBy, at: byHandAt, is_yours: byHandBy === operator, is_old: isOld };
}

function actionsOn({ kind, status, byHandBy }: StuckMovement, isYours: boolean): MoneyCase['actions'] {
  if (status !== 'failed') return ['retry'];
  if (kind === 'reversal') return ['retry', 'owe'];
  if (byHandBy === null) return ['retry', 'reserve'];
  return isYours ? ['pay_by_hand', 'give_back'] : ['take_over', 'give_back'];
}

const FAILED: Readonly<Record<StuckMovement['kind'], string>> = {
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
    remedy: 'Nothing to do while the venue sells: its next payouts settle it. Write it off if it will not sell again.',
    since: row.since,
    tries: 0,
    next_try_at: null,
    ...NO_DISPUTE,
    reserved: null,
    actions: ['write_off'],
  };
}

function disputeCase(row: OpenDispute, processor: Processor | undefined): Unnamed {
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
    remedy: disputeRemedy(row),
    since: row.since,
    tries: 0,
    next_try_at: null,
    answer_by: row.answerBy,
    dashboard_url: paymentPageOf(processor, row.intentId),
    reserved: null,
    actions: [],
  };
}
