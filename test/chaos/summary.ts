// The summary of a run: figures, violations, and the files that show the first violation.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../src/base/db.ts';
import type { Violation } from '../support/violation.ts';
import type { Booking } from './booking.ts';
import type { Recorder } from './client.ts';
import { FULL_PLAN_MINUTES, kindNames } from './plan.ts';
import type { MovementRow, OurRecords, ProcessorRecords } from './records.ts';
import type { RunSetup } from './run-setup.ts';
import type { SettleResult } from './settle.ts';
import type { TimelineEvent } from './timeline.ts';

export interface RunSummary {
  readonly seed: number;
  readonly minutes: number;
  readonly ok: boolean;
  readonly figures: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  readonly settled: SettleResult;
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
}

export interface RunFacts {
  readonly seed: number;
  readonly minutes: number;
  readonly timeline: readonly TimelineEvent[];
  /** Posts to the partners' servers, retries included. */
  readonly posts: number;
  /**
   * The longest wait of an event without a disturbance, and the wait after the nemesis, beside a dead endpoint; in
   * milliseconds.
   */
  readonly waits: { readonly longest: number; readonly inQuiet: number | null };
  readonly logLines: number;
  readonly bookings: readonly Booking[];
  readonly recorder: Recorder;
  readonly ours: OurRecords;
  readonly processor: ProcessorRecords;
  readonly settled: SettleResult;
  readonly violations: readonly Violation[];
  /** PostgreSQL has a standby, so at least one must have been promoted. */
  readonly hasStandby: boolean;
  readonly hasPatroni: boolean;
}

export function summarize(facts: RunFacts): RunSummary {
  const { seed, minutes, timeline, bookings, recorder, ours, processor, settled } = facts;
  const violations = [...facts.violations, ...checkInternalErrors(recorder), ...checkCoverage(facts)];
  const countEvents = (what: TimelineEvent['what']): number => timeline.filter((event) => event.what === what).length;
  const countNames = (names: readonly string[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  const statuses = countNames(ours.checkouts.map(({ status }) => status));
  const killed = countNames(timeline.filter(({ what }) => what === 'kill').map(({ who }) => who));
  const acknowledged = bookings.filter((booking) => booking.acknowledged.length > 0).length;
  const captured = processor.holds.reduce((sum, hold) => sum + hold.captured, 0);
  const refunds = ours.movements.filter(({ kind }) => kind === 'refund' || kind === 'return').length;
  const reversals = refusedReversals(ours);
  const debtPaid = [...ours.entries.values()].reduce((sum, entries) => sum + (entries.get('debt_paid') ?? 0), 0);
  const figures = {
    kills: countEvents('kill') + countEvents('kill backend'),
    killed,
    terminated: countEvents('term'),
    stops: countEvents('stop'),
    restarts: countEvents('restart'),
    promotions: countPromotions(timeline),
    skipped: countNames(timeline.filter(({ what }) => what === 'skipped').map(({ detail = '' }) => detail)),
    cuts: countEvents('cut'),
    faults: timeline.filter(({ who, what }) => who === 'processor' && what === 'faults').length,
    receiver_faults: countNames(
      timeline.filter(({ who, what }) => who === 'receivers' && what === 'faults').map(({ detail = '' }) => detail),
    ),
    checkouts: ours.checkouts.length,
    acknowledged,
    ends: statuses,
    cards_held: processor.holds.length,
    captured,
    movements: ours.movements.length,
    reversals_refused: reversals.length,
    debt_paid: debtPaid,
    refunds_failed: failedRefunds(ours).length,
    refunds_closed: ours.movements.filter(({ status }) => status === 'closed').length,
    pay_outs: countEvents('pay out'),
    events: ours.events.length,
    answered: recorder.total('answered'),
    failed_calls: recorder.total('error'),
    events_received: facts.posts,
    longest_wait_ms: Math.round(facts.waits.longest),
    wait_in_quiet_ms: facts.waits.inQuiet ?? -1,
    log_lines: facts.logLines,
  };
  const settling =
    settled.secondsByWorkers === null
      ? `reconcile finished ${settled.leftForReconcile} pieces of work that the workers had left`
      : `the workers finished all work after ${settled.secondsByWorkers.toFixed(1)} s`;
  const lines = [
    `seed ${seed}, ${minutes} minutes: ${figures.kills} kills (${formatCounts(killed)}), ${figures.terminated} SIGTERM, ${figures.stops} stops, ${figures.restarts} restarts and ${figures.promotions} promotions of PostgreSQL, ${figures.cuts} cuts, ${figures.faults} times processor faults, receivers: ${formatCounts(figures.receiver_faults)}`,
    `skipped, because the target was not running: ${formatCounts(figures.skipped)}`,
    `${figures.checkouts} checkouts (${formatCounts(statuses)}), ${acknowledged} acknowledged, ${processor.holds.length} payment intents, ${captured} captured, ${refunds} refunds, ${ours.events.length} events, ${facts.posts} posts to the partners' servers`,
    `${reversals.length} reversals refused, because the venue had been paid out (later transfers settled ${debtPaid}), ${figures.refunds_failed} refunds failed later (${figures.refunds_closed} were closed)`,
    `${figures.answered} calls answered, ${figures.failed_calls} failed (${formatCounts(Object.fromEntries(recorder.failures))}); ${settling}`,
    `events waited at most ${(facts.waits.longest / 1000).toFixed(1)} s without a disturbance, and ${facts.waits.inQuiet ?? 'too many'} ms after the nemesis, beside a dead endpoint; ${facts.logLines} log lines were checked`,
  ];
  return {
    seed,
    minutes,
    ok: violations.length === 0,
    figures,
    settled,
    violations,
    lines,
  };
}

/** The processor's own answer while an injected fault is active. */
const INJECTED_FAULT = /a fault that was switched on/;

/**
 * A server must answer 503, not 500, for any failure around it. The recorder has the text of the first few internal
 * errors.
 */
export function checkInternalErrors(recorder: Pick<Recorder, 'internalErrors' | 'failures'>): Violation[] {
  const rule = 'no request ends with internal_error';
  const errors = recorder.internalErrors.filter((text) => !INJECTED_FAULT.test(text));
  const violations = errors.map((what) => ({ rule, subject: 'clients', what }));
  const times = recorder.failures.get('500 internal_error') ?? 0;
  if (times > violations.length)
    violations.push({ rule, subject: 'clients', what: `500 internal_error ${times} times in all` });
  return violations;
}

/** A long run must have done every kind of action and reached every outcome; otherwise it proves too little. */
export function checkCoverage(
  facts: Pick<RunFacts, 'minutes' | 'timeline' | 'hasStandby' | 'hasPatroni' | 'ours'>,
): Violation[] {
  if (facts.minutes < FULL_PLAN_MINUTES) return [];
  const { timeline, ours } = facts;
  const missing: string[] = [];
  const done = new Set(timeline.filter(({ what }) => what === 'done').map(({ detail }) => detail));
  const kinds = kindNames(facts.hasPatroni);
  missing.push(...kinds.filter((kind) => !done.has(kind)).map((kind) => `nemesis: ${kind}`));
  if (facts.hasStandby && countPromotions(timeline) === 0) missing.push('nemesis: promote the standby');
  for (const end of ['completed', 'expired', 'canceled']) {
    if (!ours.checkouts.some(({ status }) => status === end)) missing.push(`a checkout that is ${end}`);
  }
  if (!ours.checkouts.some(({ refundedAmount }) => refundedAmount > 0)) missing.push('a checkout that was refunded');
  if (refusedReversals(ours).length === 0) missing.push('a reversal that was refused');
  if (failedRefunds(ours).length === 0) missing.push('a refund that failed later');
  return missing.map((what) => ({ rule: 'the run covers every action and outcome', subject: 'the run', what }));
}

/** The venue's account had no funds; without an error nothing of the transfer was sent, and no call was made. */
function refusedReversals({ movements }: OurRecords): readonly MovementRow[] {
  return movements.filter(
    ({ kind, status, lastError }) => kind === 'reversal' && status === 'owed' && lastError !== null,
  );
}

function failedRefunds({ movements }: OurRecords): readonly MovementRow[] {
  const isRefund = ({ kind }: MovementRow): boolean => kind === 'refund' || kind === 'return';
  return movements.filter((movement) => isRefund(movement) && ['failed', 'closed'].includes(movement.status));
}

function countPromotions(timeline: readonly TimelineEvent[]): number {
  return timeline.filter(({ who, what }) => who === 'postgres' && what === 'standby').length;
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  const pairs = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return pairs.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

export function renderSummary(summary: RunSummary, folder: string): string {
  const lines = [...summary.lines];
  const [first] = summary.violations;
  if (first === undefined) lines.push(`result: no violation. The plot is ${join(folder, 'timeline.html')}`);
  else {
    lines.push(
      `result: ${summary.violations.length} VIOLATIONS. The first: ${first.rule}: ${first.subject}: ${first.what}`,
      `see ${join(folder, 'violations.json')} (its rows, events and intents), ${join(folder, 'logs')} and ${join(folder, 'timeline.html')};`,
      `to repeat the plan: npm run chaos -- --seed ${summary.seed} --minutes ${summary.minutes} (--keep keeps the database)`,
    );
  }
  return lines.join('\n');
}

const TABLES = ['checkouts', 'shares', 'holds', 'movements', 'ledger_entries'] as const;

/** Writes all rows, events and intents of the first 20 checkouts that broke a rule. */
export async function writeEvidence(
  db: Db,
  setup: RunSetup,
  facts: Pick<RunFacts, 'violations' | 'bookings' | 'processor'>,
): Promise<void> {
  const subjects = [...new Set(facts.violations.map(({ subject }) => subject))].slice(0, 20);
  const evidence: unknown[] = [];
  for (const subject of subjects) {
    const rows: Record<string, unknown> = {};
    for (const table of TABLES) {
      rows[table] = (
        await db.query<{ row: unknown }>(`select to_json(t) as row from ${table} t where checkout_id = $1`, [subject])
      ).map(({ row }) => row);
    }
    const events = await db.query(
      'select sequence, type, data, created_at from events where subject = $1 order by sequence',
      [subject],
    );
    const booking = facts.bookings.find(({ id, name }) => id === subject || name === subject);
    evidence.push({
      subject,
      violations: facts.violations.filter((violation) => violation.subject === subject),
      booking,
      rows,
      events,
      intents: facts.processor.holds.filter(({ checkoutId }) => checkoutId === subject),
    });
  }
  writeFileSync(
    join(setup.folder, 'violations.json'),
    JSON.stringify({ violations: facts.violations, evidence }, null, 2),
  );
}
