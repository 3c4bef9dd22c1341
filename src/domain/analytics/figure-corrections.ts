// Compares the stored figures of a day and its hours with a recount, and returns what must be added (or subtracted) to
// correct them: counts, and people at each gap. Corrections are added, not set, because events recorded since the
// recount must not be lost. Pure.

import type { Counts, FigureKey, PeopleAtGap } from './queries.ts';

export interface DayFigures {
  readonly counts: readonly Counts[];
  readonly people: readonly PeopleAtGap[];
}

const COUNT_NAMES = ['views', 'saves', 'bookings', 'guests', 'cents', 'check_ins'] as const;

const ZERO_COUNTS = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0 };

/** Includes the counts of every key that is wrong, also if only its people are. */
export function figureCorrections(stored: DayFigures, recounted: DayFigures): DayFigures {
  const people = peopleCorrections(stored.people, recounted.people);
  const counts = new Map<string, Counts>();
  const add = (one: Counts, sign: 1 | -1): void => {
    const sum = { subject: one.subject, hour_of_day: one.hour_of_day, ...ZERO_COUNTS };
    const before = counts.get(keyOf(one)) ?? sum;
    for (const name of COUNT_NAMES) sum[name] = before[name] + sign * one[name];
    counts.set(keyOf(one), sum);
  };
  for (const one of recounted.counts) add(one, 1);
  for (const one of stored.counts) add(one, -1);
  const wrong = new Map(
    people.map((one) => [keyOf(one), { subject: one.subject, hour_of_day: one.hour_of_day, ...ZERO_COUNTS }]),
  );
  for (const [key, sum] of counts)
    if (wrong.has(key) || COUNT_NAMES.some((name) => sum[name] !== 0)) wrong.set(key, sum);
  return { counts: [...wrong.values()], people };
}

function keyOf({ subject, hour_of_day }: FigureKey): string {
  return `${subject} ${hour_of_day}`;
}

function peopleCorrections(stored: readonly PeopleAtGap[], recounted: readonly PeopleAtGap[]): PeopleAtGap[] {
  const sums = new Map<string, PeopleAtGap>();
  const add = (one: PeopleAtGap, sign: 1 | -1): void => {
    const key = `${keyOf(one)} ${one.action} ${one.gap}`;
    sums.set(key, { ...one, people: (sums.get(key)?.people ?? 0) + sign * one.people });
  };
  for (const one of recounted) add(one, 1);
  for (const one of stored) add(one, -1);
  return [...sums.values()].filter(({ people }) => people !== 0);
}
