// How long to wait before a program that ended is started again: at once the first time, then twice as long each time, up to
// half a minute. A program that has run for a minute counts as well: its next end is a first one.

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
const STABLE_MS = 60_000;

export class RestartBackoff {
  #attempts = 0;
  #lastAttemptAt = Number.NEGATIVE_INFINITY;

  /** `now` is monotonic, in milliseconds. Counts as an attempt. */
  nextDelayMs(now: number): number {
    if (now - this.#lastAttemptAt > STABLE_MS) this.#attempts = 0;
    const delay = this.#attempts === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#attempts);
    this.#attempts++;
    this.#lastAttemptAt = now + delay;
    return delay;
  }
}
