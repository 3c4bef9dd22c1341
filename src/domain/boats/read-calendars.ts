// Reads the calendars of boats that are due: claim, fetch through the guarded client, record. Nothing is fetched inside
// a transaction. A worker whose claim is stale (its lease ran out, or the boat was sent again) writes nothing. When a
// read fails, the earlier blocks stay and the reason is stored beside them. Reads run in parallel, at most two of one
// venue, so that an address that hangs does not delay other venues.

import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from '../../base/db.ts';
import type { Outbound } from '../../base/outbound/outbound.ts';
import { OutboundError } from '../../base/outbound/outbound-error.ts';
import { CalendarError } from './icalendar/calendar-error.ts';
import { readCalendar } from './icalendar/read-calendar.ts';
import { type CalendarOutcome, claimDueCalendars, type DueCalendar, recordCalendar } from './queries.ts';

const LEASE_SECONDS = 60;
const FETCH_TIMEOUT_MS = 20_000;
const MAX_BYTES = 2 * 1_048_576;
const MAX_BLOCKS = 1_000;
const MAX_READS_PER_VENUE = 2;
/** A run ends after this many claims, so that the worker can report it. */
const MAX_CLAIMS_PER_RUN = 500;
/** A run claims no more after this time, so that many slow calendars do not look like a worker that hangs. */
const MAX_RUN_MS = 120_000;
/** How long a run waits for its reads before it looks for calendars that became due meanwhile. */
const POLL_MS = 1_000;
/** After this many unexpected errors the fault is ours and not a calendar's, so the run claims no more. */
const MAX_FAILURES = 10;
const MAX_ERROR_LENGTH = 500;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const READ_INTERVAL_MS = 30 * MINUTE_MS;
const MAX_PAUSE_MS = DAY_MS;

/**
 * Ends when no calendar is due and no read is active; once `stop` is aborted, when no read is active. Returns how many
 * calendars it claimed. An unexpected error is recorded with its calendar first, and thrown at the end.
 */
export async function readDueCalendars(
  db: Db,
  outbound: Outbound,
  now: () => number,
  maxActive: number,
  stop?: AbortSignal,
): Promise<number> {
  const active = new ActiveReads();
  let claimed = 0;
  const endsAt = performance.now() + MAX_RUN_MS;
  for (;;) {
    const isOver = stop?.aborted === true || claimed >= MAX_CLAIMS_PER_RUN || performance.now() > endsAt;
    const canClaim = !isOver && active.size < maxActive;
    const due = canClaim ? await claimNext(db, now(), active) : null;
    if (due !== null) {
      claimed += 1;
      active.add(due.venue_id, readAndRecord(db, outbound, due, now));
    } else if (active.size > 0) await active.waitForOne(canClaim ? POLL_MS : null);
    else break;
  }
  active.throwFailures();
  return claimed;
}

async function claimNext(db: Db, now: number, active: ActiveReads): Promise<DueCalendar | null> {
  if (active.hasTooManyFailures) return null;
  try {
    const [due] = await claimDueCalendars(db, now, LEASE_SECONDS, 1, active.fullVenues());
    return due ?? null;
  } catch (error) {
    active.addFailure(error);
    return null;
  }
}

/** The reads in progress, by venue, and the unexpected errors so far. */
class ActiveReads {
  readonly #venues = new Map<Promise<void>, string>();
  readonly #failures: unknown[] = [];

  get size(): number {
    return this.#venues.size;
  }

  get hasTooManyFailures(): boolean {
    return this.#failures.length >= MAX_FAILURES;
  }

  addFailure(error: unknown): void {
    this.#failures.push(error);
  }

  add(venueId: string, read: Promise<void>): void {
    const finished: Promise<void> = read
      .catch((error: unknown) => this.addFailure(error))
      .finally(() => this.#venues.delete(finished));
    this.#venues.set(finished, venueId);
  }

  /** The venues that have as many active reads as one venue may have. */
  fullVenues(): string[] {
    const venueIds = [...this.#venues.values()];
    return [...new Set(venueIds)].filter(
      (id) => venueIds.filter((other) => other === id).length >= MAX_READS_PER_VENUE,
    );
  }

  /** Resolves when one read has finished or, if `timeoutMs` is given, when that time is over. */
  async waitForOne(timeoutMs: number | null): Promise<void> {
    const timer = new AbortController();
    const timeout =
      timeoutMs === null ? [] : [wait(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined)];
    await Promise.race([...this.#venues.keys(), ...timeout]);
    timer.abort();
  }

  throwFailures(): void {
    if (this.#failures.length > 1) throw new AggregateError(this.#failures, 'Several calendars could not be read.');
    if (this.#failures.length === 1) throw this.#failures[0];
  }
}

async function readAndRecord(db: Db, outbound: Outbound, due: DueCalendar, now: () => number): Promise<void> {
  try {
    await recordCalendar(db, due, await readOne(outbound, due, now));
  } catch (error) {
    await recordCalendar(db, due, failed(due, now(), 'It could not be read.'));
    throw error;
  }
}

async function readOne(outbound: Outbound, due: DueCalendar, now: () => number): Promise<CalendarOutcome> {
  try {
    const response = await outbound.request({
      url: due.calendar_url,
      method: 'GET',
      headers: { accept: 'text/calendar' },
      timeoutMs: FETCH_TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if (response.status !== 200) return failed(due, now(), `The address answered ${response.status}.`);
    const checkedAt = now();
    const { blocks, problems, missing } = await readCalendar(response.body, {
      from: checkedAt - DAY_MS,
      to: checkedAt + 400 * DAY_MS,
      defaultZone: due.timezone ?? 'UTC',
      maxBlocks: MAX_BLOCKS,
    });
    const error = missing.length === 0 ? null : missing.join(' ').slice(0, MAX_ERROR_LENGTH);
    return { checkedAt, dueAt: checkedAt + READ_INTERVAL_MS, error, read: { blocks, problems } };
  } catch (error) {
    if (error instanceof OutboundError) return failed(due, now(), error.publicMessage);
    if (error instanceof CalendarError) return failed(due, now(), error.message);
    throw error;
  }
}

/** Each failure doubles the pause, up to a day. */
function failed(due: DueCalendar, checkedAt: number, reason: string): CalendarOutcome {
  const pause = Math.min(READ_INTERVAL_MS * 2 ** Math.min(due.calendar_failures, 10), MAX_PAUSE_MS);
  return { checkedAt, dueAt: checkedAt + pause, error: reason.slice(0, MAX_ERROR_LENGTH), read: null };
}
