// What the figures of a day and its hours lack to be the truth, or have too much of: for each subject and part that is wrong, what
// must be added to its counts, and to its people at each gap. Adding is right also when more was recorded since, which only
// setting the truth would lose.

import type { About, Counts, PeopleAtGap } from './queries.ts';

export interface DayFigures {
  readonly counts: readonly Counts[];
  readonly people: readonly PeopleAtGap[];
}

const NAMES = ['views', 'saves', 'bookings', 'guests', 'cents', 'check_ins'] as const;

const NONE = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0 };

/** Counts of everything that is wrong, also where only its people are. */
export function figureCorrections(kept: DayFigures, truth: DayFigures): DayFigures {
  const people = peopleCorrections(kept.people, truth.people);
  const counts = new Map<string, Counts>();
  const add = (one: Counts, sign: 1 | -1): void => {
    const sum = { subject: one.subject, part: one.part, ...NONE };
    const before = counts.get(nameOf(one)) ?? sum;
    for (const name of NAMES) sum[name] = before[name] + sign * one[name];
    counts.set(nameOf(one), sum);
  };
  for (const one of truth.counts) add(one, 1);
  for (const one of kept.counts) add(one, -1);
  const wrong = new Map(people.map((one) => [nameOf(one), { subject: one.subject, part: one.part, ...NONE }]));
  for (const [name, sum] of counts)
    if (wrong.has(name) || NAMES.some((count) => sum[count] !== 0)) wrong.set(name, sum);
  return { counts: [...wrong.values()], people };
}

function nameOf({ subject, part }: About): string {
  return `${subject} ${part}`;
}

function peopleCorrections(kept: readonly PeopleAtGap[], truth: readonly PeopleAtGap[]): PeopleAtGap[] {
  const sums = new Map<string, PeopleAtGap>();
  const add = (one: PeopleAtGap, sign: 1 | -1): void => {
    const name = `${nameOf(one)} ${one.action} ${one.gap}`;
    sums.set(name, { ...one, people: (sums.get(name)?.people ?? 0) + sign * one.people });
  };
  for (const one of truth) add(one, 1);
  for (const one of kept) add(one, -1);
  return [...sums.values()].filter(({ people }) => people !== 0);
}
