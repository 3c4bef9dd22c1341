// The one home of time. Everything that needs the hour is handed a Clock, so that a test or the simulation can set it.

export interface Clock {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
