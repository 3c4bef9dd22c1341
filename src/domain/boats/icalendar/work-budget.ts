// How much work reading one calendar may cost, and when the reader pauses. The reader is a generator that yields after a
// few milliseconds of work, so that its driver can let the event loop run. Work is counted, never timed: the same
// calendar always reaches the same limits.

import { CalendarError } from './calendar-error.ts';

/** A generator that yields wherever it may pause. */
export type Interruptible<T> = Generator<undefined, T, undefined>;

/** About 1.5 milliseconds. */
const UNITS_PER_PAUSE = 3_000;

/** In units of about half a microsecond. One step of a recurrence rule costs one unit. */
export const COST = { line: 2, date: 4, event: 20, occurrence: 2, zoneYear: 1_500, zoneName: 800 } as const;

/** For one calendar. */
const MAX = {
  /** Days examined and times found by all rules. */
  steps: 200_000,
  /** Single dates: starts, ends, exceptions, additions, periods. */
  dates: 24_000,
  /** Years of time zones whose clock changes were computed. */
  zoneYears: 150,
} as const;

export class WorkBudget {
  #stepsLeft: number = MAX.steps;
  #dates = 0;
  #zoneYears = 0;
  #sincePause = 0;
  #spent = 0;

  /** All units so far. */
  get spent(): number {
    return this.#spent;
  }

  spend(units: number): void {
    this.#sincePause += units;
    this.#spent += units;
  }

  /** At most 0: no further rule is expanded. */
  get stepsLeft(): number {
    return this.#stepsLeft;
  }

  spendSteps(steps: number): void {
    this.spend(steps);
    this.#stepsLeft -= steps;
  }

  countDate(): void {
    this.spend(COST.date);
    this.#dates += 1;
    if (this.#dates > MAX.dates) throw new CalendarError(`The calendar has more than ${MAX.dates} dates.`);
  }

  countZoneYear(): void {
    this.spend(COST.zoneYear);
    this.#zoneYears += 1;
    if (this.#zoneYears > MAX.zoneYears)
      throw new CalendarError('The calendar has times in too many years of too many time zones.');
  }

  /** Whether to pause now. If so, counting towards the next pause starts again. */
  shouldPause(): boolean {
    if (this.#sincePause < UNITS_PER_PAUSE) return false;
    this.#sincePause = 0;
    return true;
  }
}
