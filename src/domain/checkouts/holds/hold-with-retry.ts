// Several ask for one share at the same moment: two taps, or a guest and the organizer who covers for them. In this process they
// take turns, and nobody waits for a turn much longer than a call takes; beside another process, or a worker that looks at the
// same hold, whoever was overtaken waits for a moment and asks again. A processor that is in trouble is asked once.

import { setTimeout as delay } from 'node:timers/promises';
import { HoldPending, type HoldSecret, holdShare } from './hold-share.ts';

const MAX_WAIT_MS = 3_000;
const PAUSES_MS = [40, 80, 160, 320, 640, 1_280];

/** By share: the end of whoever asked last, and of everybody before them. Never rejects, and keeps nothing of what they got. */
const queueByShare = new Map<string, Promise<void>>();

export function holdWithRetry(...asked: Parameters<typeof holdShare>): Promise<HoldSecret> {
  const [, , , shareId] = asked;
  const before = queueByShare.get(shareId);
  const answer = (async () => {
    if (before !== undefined) await waitAtMost(before);
    return retryHold(asked);
  })();
  const leaseToken = Promise.allSettled([before, answer]).then(() => {
    if (queueByShare.get(shareId) === leaseToken) queueByShare.delete(shareId);
  });
  queueByShare.set(shareId, leaseToken);
  return answer;
}

/** Whoever has waited long enough does not wait for a call that hangs: the later turn counts. */
async function waitAtMost(before: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const late = delay(MAX_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([before, late]);
  ended.abort();
}

async function retryHold(asked: Parameters<typeof holdShare>): Promise<HoldSecret> {
  for (const pause of PAUSES_MS) {
    try {
      return await holdShare(...asked);
    } catch (error) {
      if (!(error instanceof HoldPending) || !error.lostRace) throw error;
    }
    await delay(pause);
  }
  return holdShare(...asked);
}
