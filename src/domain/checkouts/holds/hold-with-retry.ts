// Concurrent requests for the hold of one share: two taps, or a guest and the organizer who covers the share. In one
// process the requests of a share run one after another, and each waits at most MAX_WAIT_MS for the one before it. A
// request that lost the race against another process or a worker waits briefly and tries again. An unavailable
// processor is called only once.

import { setTimeout as delay } from 'node:timers/promises';
import { type HoldClientSecret, HoldPending, holdShare } from './hold-share.ts';

const MAX_WAIT_MS = 3_000;
const PAUSES_MS = [40, 80, 160, 320, 640, 1_280];

/** By share id: settles when every request so far has ended. Never rejects and holds no result. */
const queueByShare = new Map<string, Promise<void>>();

export function holdWithRetry(...request: Parameters<typeof holdShare>): Promise<HoldClientSecret> {
  const [, , , shareId] = request;
  const previous = queueByShare.get(shareId);
  const result = (async () => {
    if (previous !== undefined) await waitForPrevious(previous);
    return retryHold(request);
  })();
  const queueEnd = Promise.allSettled([previous, result]).then(() => {
    if (queueByShare.get(shareId) === queueEnd) queueByShare.delete(shareId);
  });
  queueByShare.set(shareId, queueEnd);
  return result;
}

/** Waits at most MAX_WAIT_MS: a call that hangs must not block the others. The lease token decides which one writes. */
async function waitForPrevious(previous: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const timeout = delay(MAX_WAIT_MS, undefined, { signal: timer.signal }).catch(() => undefined);
  await Promise.race([previous, timeout]);
  timer.abort();
}

async function retryHold(request: Parameters<typeof holdShare>): Promise<HoldClientSecret> {
  for (const pause of PAUSES_MS) {
    try {
      return await holdShare(...request);
    } catch (error) {
      if (!(error instanceof HoldPending) || !error.hasLostRace) throw error;
    }
    await delay(pause);
  }
  return holdShare(...request);
}
