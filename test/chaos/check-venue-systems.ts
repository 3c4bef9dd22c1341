// The rules about reading back from venue systems: what a ping named is read and applied in the end, nothing is applied out
// of order, and no version is read twice, unless the worker that read it was disturbed. Pure.

import type { Found } from '../support/violation.ts';
import type { TimelineEvent } from './timeline.ts';

/** An event of a venue system: its state there, and the offering that the API showed when all work was done. */
export interface EventRecord {
  readonly id: string;
  /** The newest version. Titles are named after it. */
  readonly version: number;
  readonly isGone: boolean;
  /** False: the last ping got no answer before the run ended. */
  readonly isAcknowledged: boolean;
  readonly offering: { readonly title: string; readonly slots: number } | null;
  /** The versions that the API showed during the run, in their order. */
  readonly shown: readonly number[];
}

export const titleOf = (version: number): string => `Concert ${version}`;
export const versionOfTitle = (title: string): number => Number(title.slice(titleOf(0).length - 1));

export function checkEvents(events: readonly EventRecord[], found: Found): void {
  for (const { id, version, isGone, isAcknowledged, offering, shown } of events) {
    const later = shown.find((next, index) => next < (shown[index - 1] ?? 0));
    if (later !== undefined)
      found(
        'nothing that was read is applied out of order',
        id,
        `version ${later} was shown after ${shown.join(', ')}`,
      );
    if (!isAcknowledged) continue;
    const rule = 'what a ping names is read';
    if (isGone) {
      if (offering !== null && offering.slots > 0) found(rule, id, 'it is gone, and can still be booked');
    } else if (offering === null) found(rule, id, 'it has no offering');
    else if (offering.title !== titleOf(version))
      found(rule, id, `the offering is "${offering.title}", the event "${titleOf(version)}"`);
    else if (offering.slots !== 1) found(rule, id, `it has ${offering.slots} slots, not one`);
  }
}

/** The version of a menu, and how often the provider was asked for it. */
export interface MenuReads {
  readonly version: string;
  readonly reads: number;
  /** After the nemesis nothing is disturbed. */
  readonly isQuiet: boolean;
}

const DISTURBANCES = new Set(['kill', 'term', 'stop', 'restart', 'kill backend', 'cut', 'failover']);

/** How often the nemesis has disturbed a worker or the database: each may have cost one read that was not recorded. */
export function countDisturbances(timeline: readonly TimelineEvent[]): number {
  return timeline.filter(({ who, what }) => DISTURBANCES.has(what) && /^(worker|postgres)/.test(who)).length;
}

/** Returns how many reads were repeated. */
export function checkMenuReads(menus: readonly MenuReads[], disturbances: number, found: Found): number {
  const rule = 'a version is read once';
  let repeated = 0;
  for (const { version, reads, isQuiet } of menus) {
    if (reads === 0) found('what a ping names is read', version, 'this version of the menus was never read');
    if (isQuiet && reads > 1) found(rule, version, `it was read ${reads} times, and nothing was disturbed`);
    repeated += Math.max(0, reads - 1);
  }
  if (repeated > disturbances)
    found(
      rule,
      'menus',
      `${repeated} reads were repeated, and workers and database were disturbed ${disturbances} times`,
    );
  return repeated;
}
