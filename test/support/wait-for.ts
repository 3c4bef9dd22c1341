// Waits, with a bound, for what another process or connection does. A test that only polls a value uses `expect.poll`.

import { setTimeout as delay } from 'node:timers/promises';
import { isDistributed } from './distributed.ts';

/** The machine may be slow, and a cluster on it is several times as slow: no promise depends on it. */
const DEFAULT_TIMEOUT_MS = isDistributed ? 60_000 : 15_000;

export interface WaitOptions {
  /** After this the wait fails. */
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
}

/** Gives the first result that is neither false nor null nor undefined. `what` completes "this did not happen: …". */
export async function waitFor<T>(
  what: string,
  check: () => T | false | null | undefined | Promise<T | false | null | undefined>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, intervalMs = 10 }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await check();
    if (result !== false && result !== null && result !== undefined) return result;
    if (Date.now() > deadline) throw new Error(`this did not happen within ${timeoutMs} ms: ${what}`);
    await delay(intervalMs);
  }
}

/** Repeats a step that reports how much it did until it has nothing left to do. Gives the sum. */
export async function runUntilIdle(what: string, step: () => Promise<number>, maxSteps = 1_000): Promise<number> {
  let total = 0;
  for (let steps = 0; steps < maxSteps; steps++) {
    const done = await step();
    if (done === 0) return total;
    total += done;
  }
  throw new Error(`${what} still finds work after ${maxSteps} steps`);
}

/** The result of the work. After `timeoutMs` it fails, and `giveUp` ends what the work waits for. */
export async function withDeadline<T>(
  what: string,
  work: Promise<T>,
  timeoutMs: number,
  giveUp: () => void = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      giveUp();
      reject(new Error(`this did not happen within ${timeoutMs} ms: ${what}`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
