// The failovers of a run by its timeline: which faults the leader had, how often another server was promoted, and for
// how long the database could not be written to. Pure.

import type { Violation } from '../../support/violation.ts';
import type { RunSummary } from '../summary.ts';
import type { TimelineEvent } from '../timeline.ts';
import { LEADER_FAULTS, LEADER_FAULTS_MINUTES } from './leader-faults.ts';
import type { RollingHour } from './rolling-hour.ts';

export interface Failovers {
  readonly faults: Readonly<Record<string, number>>;
  /** PostgreSQL counts a new timeline for each promotion. */
  readonly promotions: number;
  /** How often the counts of the rolling hour were emptied, at most. */
  readonly resets: number;
  readonly outages: readonly number[];
}

/** What a `leader` event says: `node-2 on timeline 5`. */
export const leaderDetail = (name: string, timeline: number): string => `${name} on timeline ${timeline}`;
const LEADER_DETAIL = /^(\S+) on timeline (\d+)$/;

export function readFailovers(timeline: readonly TimelineEvent[]): Failovers {
  const own = timeline.filter(({ who }) => who === 'postgres');
  const faults: Record<string, number> = {};
  for (const kind of LEADER_FAULTS) {
    const count = own.filter(({ what, detail }) => what === 'done' && detail === kind).length;
    if (count > 0) faults[kind] = count;
  }
  const numbers = own
    .filter(({ what }) => what === 'leader')
    .map(({ detail = '' }) => Number(LEADER_DETAIL.exec(detail)?.[2] ?? 0));
  const promotions = numbers.length === 0 ? 0 : Math.max(...numbers) - Math.min(...numbers);
  // A fault after which the same server leads on the same timeline may have restarted it in place.
  const inPlace = numbers.filter((number, index) => index > 0 && number === numbers[index - 1]).length;
  const crashes = own.filter(({ what }) => what === 'kill backend').length;
  const outages = own.filter(({ what }) => what === 'outage').map(({ detail }) => Number(detail));
  return { faults, promotions, resets: promotions + inPlace + crashes, outages };
}

/** A long run must have done every fault of the leader, and each must have led to a promotion at least once. */
export function checkLeaderFaults(timeline: readonly TimelineEvent[], minutes: number): Violation[] {
  const { faults, promotions } = readFailovers(timeline);
  const missing = LEADER_FAULTS.filter((kind) => (faults[kind] ?? 0) === 0).map((kind) => `nemesis: ${kind}`);
  if (promotions < LEADER_FAULTS.length) missing.push(`${LEADER_FAULTS.length} promotions (${promotions} were made)`);
  if (minutes < LEADER_FAULTS_MINUTES) return [];
  return missing.map((what) => ({ rule: 'the run covers every action and outcome', subject: 'the run', what }));
}

export function withFailovers(
  summary: RunSummary,
  timeline: readonly TimelineEvent[],
  { limit, admitted, refused }: RollingHour,
): RunSummary {
  const { faults, promotions, resets, outages } = readFailovers(timeline);
  const total = outages.reduce((sum, ms) => sum + ms, 0);
  const figures = {
    promotions,
    outages: outages.length,
    longest_outage_ms: Math.max(0, ...outages),
    outages_ms: total,
    rolling_hour_limit: limit,
    rolling_hour_admitted: admitted,
    rolling_hour_refused: refused,
    rolling_hour_resets: resets,
  };
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  const counts = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`);
  const line =
    `Patroni: ${promotions} promotions (${counts.join(', ') || 'no fault'}); ${outages.length} times no writable leader, ` +
    `${seconds(total)} s in all, at most ${seconds(figures.longest_outage_ms)} s; a caller with a limit of ${limit} an hour was ` +
    `admitted ${admitted} times, with ${resets} times emptied counts`;
  return {
    ...summary,
    figures: { ...summary.figures, failovers: figures, leader_faults: faults },
    lines: [...summary.lines, line],
  };
}
