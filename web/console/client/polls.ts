// How often screens read again. A person has 3,600 reads an hour for everything, in all windows together
// (src/run/authorize-session.ts), so one screen may use at most a third of them: test/console/polls.test.ts adds them up.

/** Only the numbers of this file: the type keeps others out of `useLoad`. */
export type Poll = number & { readonly isPoll: true };

const every = (ms: number): Poll => ms as Poll;

/** No further read. */
export const NEVER = every(0);

/** By screen. What one screen shows at the same time stands together. */
export const POLLS = {
  // The steps are few, and change seldom: only the pace after a change is short.
  firstSteps: { steps: every(2_000), inbox: every(5_000) },
  // A refused request that is new takes a second call.
  firstRequest: { steps: every(2_000), refused: every(10_000) },
  home: { overview: every(15_000) },
  goLive: { checklist: every(15_000) },
  checkouts: { list: every(15_000) },
  checkout: { living: every(4_000), timeline: every(20_000) },
  endedCheckout: { ended: every(20_000), timeline: every(20_000) },
  requests: { list: every(5_000), summary: every(15_000) },
  events: { list: every(5_000) },
  event: { deliveries: every(5_000) },
  webhooks: { list: every(10_000) },
  endpoint: { endpoint: every(30_000), health: every(30_000), deliveries: every(5_000) },
  integrations: { list: every(10_000) },
  integration: { integration: every(15_000), deliveries: every(10_000), run: every(10_000) },
  codeMail: { mail: every(5_000) },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Poll>>>>;

/** The desk: its operators have reads of their own. */
export const DESK_POLLS = {
  money: every(10_000),
  disputes: every(60_000),
  health: every(15_000),
  review: every(15_000),
} as const;

/** A read that makes several calls comes so much less often. */
export const forCalls = (poll: Poll, calls: number): Poll => every(poll * Math.max(1, calls));

const SLOWER_AFTER_MS = 2 * 60_000;
const SLOWER_MS = 5_000;
const SLOWEST_AFTER_MS = 10 * 60_000;
const SLOWEST_MS = 15_000;

/** The wait before the next read, by the time since what was read changed last: a window that is left open asks seldom. */
export function paceOf(poll: Poll, unchangedMs: number): number {
  if (unchangedMs >= SLOWEST_AFTER_MS) return Math.max(poll, SLOWEST_MS);
  if (unchangedMs >= SLOWER_AFTER_MS) return Math.max(poll, SLOWER_MS);
  return poll;
}
