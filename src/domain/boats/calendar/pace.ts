// How much work the reading of one calendar may do, and when it pauses. The reader is a generator that yields about every
// few milliseconds of work; whoever drives it lets others have their turn then. What costs is counted, never timed, so
// that the same calendar always meets the same bounds.

import { CalendarError } from './calendar-error.ts';

/** Yields where it may pause. */
export type Paced<T> = Generator<undefined, T, undefined>;

/** A few milliseconds. */
const UNITS_A_TURN = 3_000;

/** The costs, in units of about half a microsecond: one step of a recurrence, or ... */
export const COST = { line: 2, date: 4, event: 20, occurrence: 2, zoneYear: 1_500, zoneName: 800 } as const;

/** In all of one calendar. */
const MOST = {
  /** Days looked at and times found, by all its rules. */
  steps: 200_000,
  /** Single dates: starts, ends, exceptions, additions, periods. */
  dates: 24_000,
  /** Years of zones whose clock changes were looked up. */
  zoneYears: 150,
} as const;

export class Pace {
  #stepsLeft: number = MOST.steps;
  #dates = 0;
  #zoneYears = 0;
  #spent = 0;
  #all = 0;

  /** All that was spent so far. */
  get all(): number {
    return this.#all;
  }

  spend(units: number): void {
    this.#spent += units;
    this.#all += units;
  }

  /** At most 0: no rule is followed any more. */
  get stepsLeft(): number {
    return this.#stepsLeft;
  }

  steps(taken: number): void {
    this.spend(taken);
    this.#stepsLeft -= taken;
  }

  date(): void {
    this.spend(COST.date);
    this.#dates += 1;
    if (this.#dates > MOST.dates) throw new CalendarError(`The calendar has more than ${MOST.dates} dates.`);
  }

  zoneYear(): void {
    this.spend(COST.zoneYear);
    this.#zoneYears += 1;
    if (this.#zoneYears > MOST.zoneYears)
      throw new CalendarError('The calendar has times in too many years of too many time zones.');
  }

  /** Whether it is time to pause; asking begins the next turn. */
  isTurnOver(): boolean {
    if (this.#spent < UNITS_A_TURN) return false;
    this.#spent = 0;
    return true;
  }
}
