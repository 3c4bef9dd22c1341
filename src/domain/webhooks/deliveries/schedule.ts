// When a failed delivery is retried: after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, then every 4 h, for 72 hours.
// Pure. Each planned time is counted from the start of the 72 hours and has its own jitter, so that jitter does not
// accumulate and the last attempt is always made. A delivery that has fallen behind the plan waits one whole gap from
// now.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const RETRY_WINDOW_MS = 72 * HOUR;
const LATE_GAP_MS = 4 * HOUR;
const EARLY_GAPS_MS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/** The share of a gap that jitter adds or subtracts at most. */
const JITTER = 0.1;
/** The last attempt starts at least this long before the end of the 72 hours, so that it ends within them. */
const END_MARGIN_MS = MINUTE;
/** The server honours a receiver's Retry-After up to its own longest gap. */
const MAX_RETRY_AFTER_MS = LATE_GAP_MS;

export interface FailedAttempt {
  /** Attempts in the current 72 hours, including the one that has just failed. */
  readonly tries: number;
  readonly now: number;
  readonly endsAt: number;
  /** The receiver's Retry-After in milliseconds; null: it sent none. */
  readonly retryAfter: number | null;
  /** A random number from 0 to 1, which decides the jitter. */
  readonly random: number;
}

/** When the next attempt is due. Null: none fits into the 72 hours. */
export function nextAttemptAt({ tries, now, endsAt, retryAfter, random }: FailedAttempt): number | null {
  const gap = EARLY_GAPS_MS[tries - 1] ?? LATE_GAP_MS;
  const planned = endsAt - RETRY_WINDOW_MS + offsetOf(tries);
  const isBehind = planned < now + (1 - 2 * JITTER) * gap;
  const jittered = (isBehind ? now + gap : planned) + (2 * random - 1) * JITTER * gap;
  const latest = endsAt - END_MARGIN_MS;
  // Jitter alone must not push the last attempt past the end.
  const scheduled = planned <= latest && !isBehind ? Math.min(jittered, latest) : jittered;
  const due = Math.max(scheduled, now + Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS));
  return due <= latest ? Math.round(due) : null;
}

/** Milliseconds from the start of the 72 hours to the planned attempt after this many attempts. */
function offsetOf(tries: number): number {
  const early = EARLY_GAPS_MS.slice(0, tries).reduce((sum, gap) => sum + gap, 0);
  return early + Math.max(0, tries - EARLY_GAPS_MS.length) * LATE_GAP_MS;
}

/**
 * An endpoint is dead if no delivery succeeded during the 72 hours of a delivery that has ended. The SQL functions that
 * record attempts apply the same rule under the endpoint's lock.
 */
export function isDead(lastSuccessAt: number | null, endsAt: number): boolean {
  return lastSuccessAt === null || lastSuccessAt < endsAt - RETRY_WINDOW_MS;
}

/** `Retry-After` as milliseconds from now; it holds seconds or a date. Null: the header is missing or not valid. */
export function readRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/**
 * After this many attempts in a row without an answer the worker probes the endpoint with one attempt at a time. An
 * error is an answer: an endpoint that refuses some events gets the others without delay.
 */
const DEAD_AFTER_UNANSWERED = 20;
/** A receiver that takes longer than this to respond is slow. */
export const SLOW_MS = 2_000;

/**
 * How the last run of an endpoint's queue went: `failing` and `dead` endpoints did not answer. Each pace has its own
 * worker slots, so that slow, failing and dead endpoints delay only endpoints of the same pace.
 */
export type Pace = 'quick' | 'slow' | 'failing' | 'dead';
export const PACES = ['quick', 'slow', 'failing', 'dead'] as const satisfies readonly Pace[];

export function paceOf(unanswered: number, isSlow: boolean): Pace {
  if (unanswered === 0) return isSlow ? 'slow' : 'quick';
  return isProbed(unanswered) ? 'dead' : 'failing';
}

/** Whether the worker sends a single attempt, then pauses, until the endpoint answers again. */
export function isProbed(unanswered: number): boolean {
  return unanswered >= DEAD_AFTER_UNANSWERED;
}

const MAX_BACKOFF_MS = MINUTE;

/** How long the worker pauses an endpoint after this many attempts in a row without an answer. */
export function backoffAfter(unanswered: number): number {
  if (!isProbed(unanswered)) return 0;
  return Math.min(MAX_BACKOFF_MS, 5 * SECOND * 2 ** Math.min(10, unanswered - DEAD_AFTER_UNANSWERED));
}
