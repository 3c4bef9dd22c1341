// Reading for a screen: what it shows while it waits, after a failure, and with data. Data stays while newer data is read.

import { useEffect, useRef, useState } from 'preact/hooks';
import { NEVER, type Poll, paceOf } from './polls.ts';

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  /** For a moment longer than most answers take, a screen shows nothing instead of grey lines. */
  readonly isSlow: boolean;
  readonly reload: () => Promise<void>;
}

const SLOW_MS = 150;

/**
 * `deps`: it is read again when one of them changes. `poll`: and while the page is visible, so often, and less often while
 * nothing changes.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => PromiseLike<T>,
  deps: readonly unknown[],
  poll: Poll = NEVER,
): Loaded<T> {
  const [state, setState] = useState<{ data?: T; error?: unknown; isSlow: boolean }>({ isSlow: false });
  const running = useRef<AbortController | null>(null);
  const latest = useRef(load);
  latest.current = load;
  const last = useRef({ text: '', changedAt: 0 });

  const run = async (): Promise<void> => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    try {
      const data = await latest.current(controller.signal);
      if (controller.signal.aborted) return;
      const text = JSON.stringify(data);
      if (text !== last.current.text) last.current = { text, changedAt: Date.now() };
      setState({ data, isSlow: false });
    } catch (error) {
      if (!controller.signal.aborted) setState((before) => ({ ...before, error, isSlow: false }));
    } finally {
      if (running.current === controller) running.current = null;
    }
  };

  useEffect(() => {
    setState({ isSlow: false });
    last.current = { text: '', changedAt: Date.now() };
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
    if (poll === NEVER) return;
    let timer: ReturnType<typeof setTimeout>;
    const wait = (): void => {
      timer = setTimeout(
        () => {
          runIfIdle();
          wait();
        },
        paceOf(poll, Date.now() - last.current.changedAt),
      );
    };
    /** A person who comes back to the window sees what is true now. */
    const onShown = (): void => {
      if (document.hidden) return;
      clearTimeout(timer);
      last.current = { ...last.current, changedAt: Date.now() };
      runIfIdle();
      wait();
    };
    wait();
    document.addEventListener('visibilitychange', onShown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onShown);
    };
  }, [...deps, poll]);

  return { data: state.data, error: state.error, isSlow: state.isSlow, reload: run };
}
