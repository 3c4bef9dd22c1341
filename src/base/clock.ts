// The only file that reads the wall clock. Code that needs it is handed a Clock, so that a test or the simulation can set
// it. Code whose waits the simulation controls is handed a MonotonicClock.

export interface Clock {
  /** The wall clock, in milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Monotonic time: no caller can set it back. */
export interface MonotonicClock {
  /** Milliseconds from an arbitrary start. */
  now(): number;
  /** Runs `work` once after `ms`. Returns a function that cancels it. */
  schedule(ms: number, work: () => void): () => void;
}

export const systemMonotonicClock: MonotonicClock = {
  now: () => performance.now(),
  schedule(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
