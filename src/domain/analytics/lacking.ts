// What a day's figures lack to be the truth, or have too much of: for each thing that is wrong, what must be added to its counts,
// and to its people at each gap. Adding is right also when more was recorded since, which only setting the truth would lose.

import type { Counts, PeopleAtGap } from './queries.ts';

export interface DayFigures {
  readonly counts: readonly Counts[];
  readonly people: readonly PeopleAtGap[];
}

const NAMES = ['views', 'saves', 'bookings', 'guests', 'cents', 'check_ins'] as const;

/** Counts of every thing that is wrong, also where only its people are. */
export function lackingIn(kept: DayFigures, truth: DayFigures): DayFigures {
  const people = lackingPeople(kept.people, truth.people);
  const counts = new Map<string, Record<(typeof NAMES)[number], number>>();
  const add = (one: Pick<Counts, 'thing' | (typeof NAMES)[number]>, sign: 1 | -1): void => {
    const sum = counts.get(one.thing) ?? { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0 };
    for (const name of NAMES) sum[name] += sign * one[name];
    counts.set(one.thing, sum);
  };
  for (const one of truth.counts) add(one, 1);
  for (const one of kept.counts) add(one, -1);
  const things = new Set(people.map(({ thing }) => thing));
  for (const [thing, sum] of counts) if (NAMES.some((name) => sum[name] !== 0)) things.add(thing);
  const none = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0 };
  return { counts: [...things].map((thing) => ({ thing, ...(counts.get(thing) ?? none) })), people };
}

function lackingPeople(kept: readonly PeopleAtGap[], truth: readonly PeopleAtGap[]): PeopleAtGap[] {
  const sums = new Map<string, PeopleAtGap>();
  const add = (one: PeopleAtGap, sign: 1 | -1): void => {
    const name = `${one.thing} ${one.did} ${one.gap}`;
    sums.set(name, { ...one, people: (sums.get(name)?.people ?? 0) + sign * one.people });
  };
  for (const one of truth) add(one, 1);
  for (const one of kept) add(one, -1);
  return [...sums.values()].filter(({ people }) => people !== 0);
}
