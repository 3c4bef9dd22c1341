// Waiting between attempts.

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 8_000;
/** 24 days. A timer with a longer time fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Doubles with each retry; random between half of it and all of it, so that clients do not come back together. */
export function backoff(retries: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** retries, MAX_BACKOFF_MS) * (0.5 + Math.random() / 2);
}

/** Rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
