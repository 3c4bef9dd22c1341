// The one home of time. Everything that needs the hour is handed a Clock, so that a test or the simulation can set it; what
// measures how long something takes, or waits, may be handed a Stopwatch of a simulation.

export interface Clock {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Time that only passes: nobody sets it. */
export interface Stopwatch {
  /** In milliseconds, from no hour in particular. */
  now(): number;
  /** Does it once, after so long, unless it is called off by what this gives back. */
  after(ms: number, work: () => void): () => void;
}

export const systemStopwatch: Stopwatch = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
