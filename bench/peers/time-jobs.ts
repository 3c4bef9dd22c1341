// The clock of a peer's round: from the start of its first job to the moment at which the last one is recorded. Opening
// connections, starting workers and stopping them is not measured.

import { setTimeout as delay } from 'node:timers/promises';

export interface JobTimer {
  /** Runs the job with this payload. */
  readonly run: (payload: string) => Promise<void>;
  /** Resolves when the last job has run; rejects when a job failed or the time is over. */
  readonly allRan: Promise<void>;
  /** Some or all jobs are recorded as done now. */
  markRecorded(): void;
  /** Waits before one more look at what is recorded; throws when the time is over. */
  pause(): Promise<void>;
  /** Throws unless each job ran once and was recorded after it ran. */
  seconds(): number;
}

const PAUSE_MS = 5;

export function timeJobs(count: number, work: (payload: string) => Promise<void>, maxMs: number): JobTimer {
  let [started, ended] = [0, 0];
  let [startedAt, endedAt, recordedAt] = [0, 0, 0];
  let finish = (): void => undefined;
  let fail = (_error: unknown): void => undefined;
  const allRan = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  allRan.catch(() => undefined); // A peer that ended for another reason reports that one.
  const isOver = (): Error => new Error(`${ended} of ${count} jobs ran and were recorded in ${maxMs} ms`);
  const deadline = performance.now() + maxMs;
  let isExpired = false;
  const timeout = setTimeout(() => {
    isExpired = true;
    fail(isOver());
  }, maxMs);
  return {
    async run(payload) {
      started += 1;
      if (started === 1) startedAt = performance.now();
      try {
        await work(payload);
      } catch (error) {
        clearTimeout(timeout);
        fail(error);
        throw error;
      }
      ended += 1;
      if (ended < count) return;
      endedAt = performance.now();
      clearTimeout(timeout);
      finish();
    },
    allRan,
    markRecorded() {
      recordedAt = performance.now();
    },
    async pause() {
      if (isExpired || performance.now() > deadline) throw isOver();
      await delay(PAUSE_MS);
    },
    seconds() {
      if (started !== count || ended !== count)
        throw new Error(`${started} jobs began and ${ended} ended, not ${count}`);
      if (recordedAt < endedAt) throw new Error('the last job was not recorded');
      return (recordedAt - startedAt) / 1000;
    },
  };
}
