// A decision about what waits can be taken back for ten seconds: it is sent to the server only then, or with the next decision,
// or when the page is left, or before the session ends. Until then no venue, no member and no event has heard of it. The
// version that was shown goes with it, so the server still refuses what changed meanwhile. A decision that did not arrive is
// kept with its note until it is sent again or taken back.

import { effect, signal } from '@preact/signals';
import { codeOf } from '../client/api.ts';
import { beforeSignOut, session } from '../session.ts';
import { showToast } from '../shell/announce.tsx';

const UNDO_MS = 10_000;

export interface PendingDecision {
  readonly id: string;
  /** What was decided about what, in words. */
  readonly text: string;
  readonly send: () => Promise<void>;
  /** Called when the server has answered, also when it refused because the object was changed or decided meanwhile. */
  readonly onSent: (error: unknown) => void;
}

export interface UnsentDecision extends PendingDecision {
  readonly error: unknown;
}

/** The decision that can be taken back; null: there is none. */
export const pendingDecision = signal<PendingDecision | null>(null);
/** Those that did not arrive. */
export const unsentDecisions = signal<readonly UnsentDecision[]>([]);
/** Requests without an answer yet. */
const underWay = new Set<Promise<void>>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** A later decision about the same object replaces one that did not arrive. */
export function holdDecision(decision: PendingDecision): void {
  void sendDecision();
  forgetUnsent(decision.id);
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
  if (decision !== null) await send(decision);
}

export async function sendAgain(decision: UnsentDecision): Promise<void> {
  forgetUnsent(decision.id);
  await send(decision);
}

export function forgetUnsent(id: string): void {
  unsentDecisions.value = unsentDecisions.value.filter((one) => one.id !== id);
}

async function send(decision: PendingDecision): Promise<void> {
  const sent = sendOrKeep(decision);
  underWay.add(sent);
  await sent;
  underWay.delete(sent);
}

/** Does not fail. */
async function sendOrKeep(decision: PendingDecision): Promise<void> {
  try {
    await decision.send();
    decision.onSent(undefined);
  } catch (error) {
    // A conflict ends the decision: the object is another now, or is decided.
    if (codeOf(error) === 'conflict') return decision.onSent(error);
    unsentDecisions.value = [...unsentDecisions.value, { ...decision, error }];
    showToast(`Not sent. ${decision.text} The review queue keeps it.`, true);
  }
}

// The requests outlive the page (keepalive in client/api.ts).
addEventListener('pagehide', () => {
  void sendDecision();
  for (const decision of unsentDecisions.value) void sendAgain(decision);
});
// The browser asks before a page with an unsent decision is left.
addEventListener('beforeunload', (event) => {
  if (unsentDecisions.value.length > 0) event.preventDefault();
});

beforeSignOut.add(async () => {
  await Promise.all([sendDecision(), ...underWay]);
  if (unsentDecisions.value.length === 0) return true;
  showToast(
    'You are still signed in: a decision was not sent. Send it again or take it back in the review queue.',
    true,
  );
  return false;
});

// Another person who signs in in this window must not send them.
let accountId: string | undefined;
effect(() => {
  const id = session.value?.account.id;
  if (id === undefined || id === accountId) return;
  if (accountId !== undefined) {
    undoDecision();
    unsentDecisions.value = [];
  }
  accountId = id;
});
