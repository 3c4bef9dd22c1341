// A decision about what waits can be taken back for ten seconds: it is sent to the server only then, or with the next decision,
// or when the page is left. Until then no venue, no member and no event has heard of it. The version that was shown goes
// with it, so the server still refuses what changed meanwhile.

import { signal } from '@preact/signals';

const UNDO_MS = 10_000;

export interface PendingDecision {
  readonly id: string;
  /** What was decided about what, in words. */
  readonly text: string;
  readonly send: () => Promise<void>;
  /** Called when the server has answered, also when it refused. */
  readonly onSent: (error: unknown) => void;
}

/** The decision that can be taken back; null: there is none. */
export const pendingDecision = signal<PendingDecision | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

export function holdDecision(decision: PendingDecision): void {
  void sendDecision();
  pendingDecision.value = decision;
  timer = setTimeout(() => void sendDecision(), UNDO_MS);
}

/** Returns what was taken back; null: it is too late. */
export function undoDecision(): PendingDecision | null {
  clearTimeout(timer);
  const taken = pendingDecision.value;
  pendingDecision.value = null;
  return taken;
}

/** Sends the decision now, if there is one. */
export async function sendDecision(): Promise<void> {
  const decision = undoDecision();
  if (decision === null) return;
  try {
    await decision.send();
    decision.onSent(undefined);
  } catch (error) {
    decision.onSent(error);
  }
}

// The request outlives the page (keepalive in client/api.ts).
addEventListener('pagehide', () => void sendDecision());
