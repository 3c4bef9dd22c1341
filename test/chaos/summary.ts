// The verdict of a run: figures, violations, and in words how to look at the first of them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../src/base/db.ts';
import type { Violation } from '../support/violation.ts';
import type { Booking } from './booking.ts';
import type { OurBooks, TheirBooks } from './books.ts';
import type { Recorder } from './client.ts';
import { KIND_NAMES, WHOLE_MINUTES } from './plan.ts';
import type { RunSetup } from './run-setup.ts';
import type { SettleResult } from './settle.ts';
import type { Happening } from './timeline.ts';

export interface RunSummary {
  readonly seed: number;
  readonly minutes: number;
  readonly ok: boolean;
  readonly figures: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  readonly settled: SettleResult;
  readonly violations: readonly Violation[];
  readonly lines: readonly string[];
}

export interface Facts {
  readonly seed: number;
  readonly minutes: number;
  readonly happenings: readonly Happening[];
  /** What the partners' servers were sent, repeats included. */
  readonly posts: number;
  /** How long an event waited with nothing in the way, at the most, in milliseconds; and in quiet, beside a dead endpoint. */
  readonly waits: { readonly longest: number; readonly inQuiet: number | null };
  readonly logLines: number;
  readonly bookings: readonly Booking[];
  readonly recorder: Recorder;
  readonly ours: OurBooks;
  readonly theirs: TheirBooks;
  readonly settled: SettleResult;
  readonly violations: readonly Violation[];
  /** PostgreSQL has a standby: killed, it must have been promoted. */
  readonly standby: boolean;
}

export function summarize(facts: Facts): RunSummary {
  const { seed, minutes, happenings, bookings, recorder, ours, theirs, settled } = facts;
  const violations = [...facts.violations, ...checkMistakes(recorder), ...checkWork(facts)];
  const did = (what: Happening['what']): number => happenings.filter((one) => one.what === what).length;
  const counted = (names: readonly string[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  const ends = counted(ours.checkouts.map(({ status }) => status));
  const killed = counted(happenings.filter(({ what }) => what === 'kill').map(({ who }) => who));
  const acknowledged = bookings.filter(({ acknowledged: answers }) => answers.length > 0).length;
  const captured = theirs.holds.reduce((sum, one) => sum + one.captured, 0);
  const refunds = ours.movements.filter(({ kind }) => kind === 'refund' || kind === 'return').length;
  const figures = {
    kills: did('kill') + did('kill backend'),
    killed,
    terminated: did('term'),
    stops: did('stop'),
    restarts: did('restart'),
    promotions: promotionsIn(happenings),
    skipped: counted(happenings.filter(({ what }) => what === 'skipped').map(({ detail = '' }) => detail)),
    cuts: did('cut'),
    faults: happenings.filter(({ who, what }) => who === 'processor' && what === 'faults').length,
    moods: counted(
      happenings.filter(({ who, what }) => who === 'receivers' && what === 'faults').map(({ detail = '' }) => detail),
    ),
    checkouts: ours.checkouts.length,
    acknowledged,
    ends,
    cards_held: theirs.holds.length,
    captured,
    movements: ours.movements.length,
    events: ours.events.length,
    answered: recorder.total('answered'),
    failed_calls: recorder.total('error'),
    events_received: facts.posts,
    longest_wait_ms: Math.round(facts.waits.longest),
    wait_in_quiet_ms: facts.waits.inQuiet ?? -1,
    log_lines: facts.logLines,
  };
  const calm =
    settled.secondsByWorkers === null
      ? `reconcile settled ${settled.leftForReconcile} that were still under way`
      : `calm by itself after ${settled.secondsByWorkers.toFixed(1)} s`;
  const lines = [
    `seed ${seed}, ${minutes} minutes: ${figures.kills} kills (${words(killed)}), ${figures.terminated} SIGTERM, ${figures.stops} stops, ${figures.restarts} restarts and ${figures.promotions} promotions of PostgreSQL, ${figures.cuts} cuts, ${figures.faults} times processor faults, receivers: ${words(figures.moods)}`,
    `skipped, since there was nobody to do it to: ${words(figures.skipped)}`,
    `${figures.checkouts} checkouts (${words(ends)}), ${acknowledged} acknowledged, ${theirs.holds.length} payment intents, ${captured} captured, ${refunds} refunds, ${ours.events.length} events, ${facts.posts} posts to the partners' servers`,
    `${figures.answered} calls answered, ${figures.failed_calls} failed (${words(Object.fromEntries(recorder.troubles))}); ${calm}`,
    `events waited ${(facts.waits.longest / 1000).toFixed(1)} s at the most with nothing in the way, and ${facts.waits.inQuiet ?? 'too many'} ms in quiet beside a dead endpoint; ${facts.logLines} lines of logs were read`,
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

/** What the processor answers while its faults are on is the test's own doing. */
const SWITCHED_ON = /a fault that was switched on/;

/** Nobody is told that it was our own fault, whatever is done to us: 503 and come back, yes. The clients write down the first few. */
export function checkMistakes(recorder: Pick<Recorder, 'mistakes' | 'troubles'>): Violation[] {
  const rule = 'nobody is told internal_error';
  const mistakes = recorder.mistakes.filter((text) => !SWITCHED_ON.test(text));
  const shown = mistakes.map((what) => ({ rule, subject: 'clients', what }));
  const times = recorder.troubles.get('500 internal_error') ?? 0;
  if (times > shown.length) shown.push({ rule, subject: 'clients', what: `500 internal_error ${times} times in all` });
  return shown;
}

/** A run of some minutes in which little was done, or got done, shows nothing. */
export function checkWork(facts: Pick<Facts, 'minutes' | 'happenings' | 'standby' | 'ours'>): Violation[] {
  if (facts.minutes < WHOLE_MINUTES) return [];
  const { happenings, ours } = facts;
  const missing: string[] = [];
  const done = new Set(happenings.filter(({ what }) => what === 'done').map(({ detail }) => detail));
  missing.push(...KIND_NAMES.filter((kind) => !done.has(kind)).map((kind) => `nemesis: ${kind}`));
  if (facts.standby && promotionsIn(happenings) === 0) missing.push('nemesis: promote the standby');
  for (const end of ['completed', 'expired', 'canceled']) {
    if (!ours.checkouts.some(({ status }) => status === end)) missing.push(`a checkout that is ${end}`);
  }
  if (!ours.checkouts.some(({ refundedAmount }) => refundedAmount > 0)) missing.push('a checkout that was refunded');
  return missing.map((what) => ({ rule: 'enough happened to show anything', subject: 'the run', what }));
}

function promotionsIn(happenings: readonly Happening[]): number {
  return happenings.filter(({ who, what }) => who === 'postgres' && what === 'standby').length;
}

function words(counts: Readonly<Record<string, number>>): string {
  const pairs = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return pairs.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

export function renderSummary(verdict: RunSummary, folder: string): string {
  const lines = [...verdict.lines];
  const [first] = verdict.violations;
  if (first === undefined) lines.push(`verdict: no violation. The plot is ${join(folder, 'timeline.html')}`);
  else {
    lines.push(
      `verdict: ${verdict.violations.length} VIOLATIONS. The first: ${first.rule}: ${first.subject}: ${first.what}`,
      `look at ${join(folder, 'violations.json')} (its rows, events and intents), ${join(folder, 'logs')} and ${join(folder, 'timeline.html')};`,
      `the same plan again: npm run chaos -- --seed ${verdict.seed} --minutes ${verdict.minutes} (--keep leaves the database)`,
    );
  }
  return lines.join('\n');
}

const TABLES = ['checkouts', 'shares', 'holds', 'movements', 'ledger_entries'] as const;

/** Everything about the first few checkouts that broke a rule. */
export async function writeEvidence(
  db: Db,
  setup: RunSetup,
  facts: Pick<Facts, 'violations' | 'bookings' | 'theirs'>,
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
      violations: facts.violations.filter((one) => one.subject === subject),
      booking,
      rows,
      events,
      intents: facts.theirs.holds.filter(({ checkoutId }) => checkoutId === subject),
    });
  }
  writeFileSync(
    join(setup.folder, 'violations.json'),
    JSON.stringify({ violations: facts.violations, evidence }, null, 2),
  );
}
