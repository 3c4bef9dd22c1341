// When a delivery that failed is tried next: after 5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, then every 4 h, for 72 hours.
// Pure. The times are laid out from the beginning of the 72 hours, each moved by chance on its own, so that chance does not
// add up and the last try is always made; whoever has fallen behind waits the whole gap again.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const WINDOW_MS = 72 * HOUR;
const EVERY = 4 * HOUR;
const GAPS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/** How much of a gap chance may add or take away. */
const JITTER = 0.1;
/** The last try keeps this far from the end, so that it is over before the end. */
const MARGIN = MINUTE;
/** A receiver may ask us to wait, though not for longer than we would anyway. */
const LONGEST_WISH = EVERY;

export interface Tried {
  /** In these 72 hours, the one that has just failed included. */
  readonly tries: number;
  readonly now: number;
  readonly endsAt: number;
  /** What the receiver has asked for, in milliseconds. */
  readonly retryAfter: number | null;
  /** 0 to 1. */
  readonly chance: number;
}

/** Null: there is no more time. */
export function nextTry({ tries, now, endsAt, retryAfter, chance }: Tried): number | null {
  const gap = GAPS[tries - 1] ?? EVERY;
  const planned = endsAt - WINDOW_MS + offsetOf(tries);
  const isBehind = planned < now + (1 - 2 * JITTER) * gap;
  const moved = (isBehind ? now + gap : planned) + (2 * chance - 1) * JITTER * gap;
  const last = endsAt - MARGIN;
  // What chance alone would push past the end is still tried before it.
  const own = planned <= last && !isBehind ? Math.min(moved, last) : moved;
  const due = Math.max(own, now + Math.min(retryAfter ?? 0, LONGEST_WISH));
  return due <= last ? Math.round(due) : null;
}

/** From the beginning to the nth try after the first. */
function offsetOf(tries: number): number {
  const early = GAPS.slice(0, tries).reduce((sum, gap) => sum + gap, 0);
  return early + Math.max(0, tries - GAPS.length) * EVERY;
}

/**
 * Whether an endpoint is dead once a delivery has ended: none has succeeded in all of that delivery's time. The statements that
 * record attempts repeat this in SQL, under the endpoint's lock.
 */
export function isDead(lastSuccessAt: number | null, endsAt: number): boolean {
  return lastSuccessAt === null || lastSuccessAt < endsAt - WINDOW_MS;
}

/** `Retry-After`: seconds, or a date. Null: there is none that makes sense. */
export function readRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** From so many failures in a row on, an endpoint is taken for dead, and only knocked at. */
export const DEAD_AFTER = 20;
/** From then on an answer is slow. */
export const SLOW_MS = 2_000;

/** How the last turn to an endpoint went. Whoever was slow, failed or is dead waits among its like, and for nobody else. */
export type Pace = 'quick' | 'slow' | 'failing' | 'dead';
export const PACES = ['quick', 'slow', 'failing', 'dead'] as const satisfies readonly Pace[];

export function paceOf(failures: number, slow: boolean): Pace {
  if (failures === 0) return slow ? 'slow' : 'quick';
  return failures < DEAD_AFTER ? 'failing' : 'dead';
}

const LONGEST_REST = MINUTE;

/** How long an endpoint is left alone after failures in a row. Never longer than one delivery alone would wait. */
export function restAfter(failures: number): number {
  if (failures < DEAD_AFTER) return 0;
  return Math.min(LONGEST_REST, 5 * SECOND * 2 ** Math.min(10, failures - DEAD_AFTER));
}
