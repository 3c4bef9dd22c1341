// What the figures of a day and its hours lack to be the truth, or have too much of: for each thing and part that is wrong, what
// must be added to its counts, and to its people at each gap. Adding is right also when more was recorded since, which only
// setting the truth would lose.

import type { Counts, FigureKey, PeopleAtGap } from './queries.ts';

export interface DayFigures {
  readonly counts: readonly Counts[];
  readonly people: readonly PeopleAtGap[];
}

const COUNT_NAMES = ['views', 'saves', 'bookings', 'guests', 'cents', 'check_ins'] as const;

const ZERO_COUNTS = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0 };

/** Counts of everything that is wrong, also where only its people are. */
export function figureCorrections(kept: DayFigures, truth: DayFigures): DayFigures {
  const people = peopleCorrections(kept.people, truth.people);
  const counts = new Map<string, Counts>();
  const add = (one: Counts, sign: 1 | -1): void => {
    const sum = { thing: one.thing, part: one.part, ...ZERO_COUNTS };
    const before = counts.get(keyOf(one)) ?? sum;
    for (const name of COUNT_NAMES) sum[name] = before[name] + sign * one[name];
    counts.set(keyOf(one), sum);
  };
  for (const one of truth.counts) add(one, 1);
  for (const one of kept.counts) add(one, -1);
  const wrong = new Map(people.map((one) => [keyOf(one), { thing: one.thing, part: one.part, ...ZERO_COUNTS }]));
  for (const [name, sum] of counts)
    if (wrong.has(name) || COUNT_NAMES.some((count) => sum[count] !== 0)) wrong.set(name, sum);
  return { counts: [...wrong.values()], people };
}

function keyOf({ thing, part }: FigureKey): string {
  return `${thing} ${part}`;
}

function peopleCorrections(kept: readonly PeopleAtGap[], truth: readonly PeopleAtGap[]): PeopleAtGap[] {
  const sums = new Map<string, PeopleAtGap>();
  const add = (one: PeopleAtGap, sign: 1 | -1): void => {
    const name = `${keyOf(one)} ${one.did} ${one.gap}`;
    sums.set(name, { ...one, people: (sums.get(name)?.people ?? 0) + sign * one.people });
  };
  for (const one of truth) add(one, 1);
  for (const one of kept) add(one, -1);
  return [...sums.values()].filter(({ people }) => people !== 0);
}
