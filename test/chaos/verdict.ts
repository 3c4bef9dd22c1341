// The verdict of a run: figures, violations, and in words how to look at the first of them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from '../../src/base/db.ts';
import type { Booking } from './booking.ts';
import type { OurBooks, TheirBooks } from './books.ts';
import type { Recorder } from './client.ts';
import type { Calmed } from './quiet.ts';
import type { Stage } from './stage.ts';
import type { Happening } from './timeline.ts';
import type { Violation } from './violation.ts';

export interface Verdict {
  readonly seed: number;
  readonly minutes: number;
  readonly ok: boolean;
  readonly figures: Readonly<Record<string, number | Readonly<Record<string, number>>>>;
  readonly calmed: Calmed;
  readonly violations: readonly Violation[];
  /** Answers of 500: not a broken promise, but nobody should get one. */
  readonly mistakes: readonly string[];
  readonly lines: readonly string[];
}

export interface Facts {
  readonly seed: number;
  readonly minutes: number;
  readonly happenings: readonly Happening[];
  /** What the partners' servers were sent, repeats included. */
  readonly posts: number;
  readonly bookings: readonly Booking[];
  readonly recorder: Recorder;
  readonly ours: OurBooks;
  readonly theirs: TheirBooks;
  readonly calmed: Calmed;
  readonly violations: readonly Violation[];
}

export function judge(facts: Facts): Verdict {
  const { seed, minutes, happenings, bookings, recorder, ours, theirs, calmed, violations } = facts;
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
    cuts: did('cut'),
    faults: did('faults'),
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
  };
  const calm =
    calmed.byItself === null
      ? `reconcile settled ${calmed.leftForReconcile} that were still under way`
      : `calm by itself after ${calmed.byItself.toFixed(1)} s`;
  const lines = [
    `seed ${seed}, ${minutes} minutes: ${figures.kills} kills (${words(killed)}), ${figures.terminated} SIGTERM, ${figures.stops} stops, ${figures.cuts} cuts, ${figures.faults} times processor faults`,
    `${figures.checkouts} checkouts (${words(ends)}), ${acknowledged} acknowledged, ${theirs.holds.length} payment intents, ${captured} captured, ${refunds} refunds, ${ours.events.length} events, ${facts.posts} posts to the partners' servers`,
    `${figures.answered} calls answered, ${figures.failed_calls} failed (${words(Object.fromEntries(recorder.troubles))}); ${calm}`,
  ];
  return {
    seed,
    minutes,
    ok: violations.length === 0,
    figures,
    calmed,
    violations,
    mistakes: recorder.mistakes,
    lines,
  };
}

function words(counts: Readonly<Record<string, number>>): string {
  const pairs = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return pairs.map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

export function inWords(verdict: Verdict, folder: string): string {
  const lines = [...verdict.lines];
  if (verdict.mistakes.length > 0) lines.push(`answers of 500 (look into them): ${verdict.mistakes[0]}`);
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
export async function writeEvidence(db: Db, stage: Stage, facts: Facts): Promise<void> {
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
    const told = facts.bookings.find(({ id, name }) => id === subject || name === subject);
    evidence.push({
      subject,
      violations: facts.violations.filter((one) => one.subject === subject),
      told,
      rows,
      events,
      intents: facts.theirs.holds.filter(({ checkoutId }) => checkoutId === subject),
    });
  }
  writeFileSync(
    join(stage.folder, 'violations.json'),
    JSON.stringify({ violations: facts.violations, evidence }, null, 2),
  );
}
