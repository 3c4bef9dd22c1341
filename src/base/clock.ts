// The one home of time. Code that needs the wall clock is handed a Clock, so that a test or the simulation can set it. Code
// that measures a duration, or waits, is handed a Stopwatch.

export interface Clock {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Monotonic time: no caller can set it back. */
export interface Stopwatch {
  /** Milliseconds from an arbitrary start. */
  now(): number;
  /** Runs `work` once after `ms`. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
}

export const systemStopwatch: Stopwatch = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
