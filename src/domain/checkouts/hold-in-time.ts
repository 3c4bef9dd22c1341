// Several ask for one share at the same moment: two taps, or a guest and the organizer who covers for them. In this process they
// take turns; beside another process, or a worker that looks at the same hold, whoever lost the race waits for a moment and asks
// again. Only when the processor does not answer in that time is anybody told to come back.

import { setTimeout as delay } from 'node:timers/promises';
import { type HoldSecret, holdShare, NotYet } from './hold-share.ts';
import type { MoneyParts } from './money-parts.ts';

const PATIENCE_MS = 3_000;
const FIRST_PAUSE_MS = 40;

/** By share: whoever asked last, and everybody before them. Never rejects. */
const turns = new Map<string, Promise<unknown>>();

export function holdInTime(
  parts: MoneyParts,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null = null,
): Promise<HoldSecret> {
  const before = turns.get(shareId);
  const asked = (async () => {
    if (before !== undefined) await inTime(before);
    return askedAgain(() => holdShare(parts, venueId, checkoutId, shareId, payerId));
  })();
  const turn = Promise.allSettled([before, asked]);
  turns.set(shareId, turn);
  void turn.then(() => turns.get(shareId) === turn && turns.delete(shareId));
  return asked;
}

async function inTime(before: Promise<unknown>): Promise<void> {
  const ended = new AbortController();
  const late = delay(PATIENCE_MS, true, { signal: ended.signal }).catch(() => false);
  const isLate = await Promise.race([before.then(() => false), late]);
  ended.abort();
  if (isLate) throw new NotYet();
}

async function askedAgain(ask: () => Promise<HoldSecret>): Promise<HoldSecret> {
  const until = performance.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof NotYet) || performance.now() + pause > until) throw error;
    }
    await delay(pause);
  }
}
