// Reading for a screen: what it shows while it waits, after a failure, and with data. Data stays while newer data is read.

import { useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** For a moment longer than most answers take, a screen shows nothing instead of grey lines. */
  readonly isSlow: boolean;
  readonly reload: () => Promise<void>;
}

const SLOW_MS = 150;

/**
 * `deps`: it is read again when one of them changes. `everyMs`: and while the page is visible, so often; 0 or absent: once.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => PromiseLike<T>,
  deps: readonly unknown[],
  everyMs = 0,
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isSlow: boolean }>({ isSlow: false });
  const running = useRef<AbortController | null>(null);
  const latest = useRef(load);
  latest.current = load;

  const run = async (): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    try {
      const data = await latest.current(controller.signal);
      if (!controller.signal.aborted) setState({ data, isSlow: false });
    } catch (error) {
      if (!controller.signal.aborted) setState((before) => ({ ...before, error, isSlow: false }));
    } finally {
      if (running.current === controller) running.current = null;
    }
  };

  useEffect(() => {
    setState({ isSlow: false });
    const slow = setTimeout(() => setState((before) => ({ ...before, isSlow: true })), SLOW_MS);
    void run();
    return () => {
      clearTimeout(slow);
      running.current?.abort();
    };
  }, [...deps]);

  // Apart from the above: another pace keeps the data. A read that is under way is not begun again: on a slow line each would
  // end the one before, and none would arrive.
  const runIfIdle = (): void => {
    if (!document.hidden && running.current === null) void run();
  };
  useEffect(() => {
    const timer = everyMs > 0 ? setInterval(runIfIdle, everyMs) : undefined;
    return () => clearInterval(timer);
  }, [...deps, everyMs]);

  return { data: state.data, error: state.error, isSlow: state.isSlow, reload: run };
}
