// Reads the calendars of boats that are due: claim, fetch through the guarded client, record. Nothing is fetched inside a
// transaction; whoever comes late (its lease ran out, the boat was sent again) writes nothing. What was read before stays
// when a read fails, with the reason beside it. A steady number are in flight, few of one venue: one that hangs holds up
// nobody else.

import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from '../../base/db.ts';
import type { Outbound } from '../../base/outbound/outbound.ts';
import { OutboundError } from '../../base/outbound/outbound-error.ts';
import { CalendarError } from './calendar/calendar-error.ts';
import { readCalendar } from './calendar/read-calendar.ts';
import { type CalendarOutcome, claimDueCalendars, type DueCalendar, recordCalendar } from './queries.ts';

const LEASE_SECONDS = 60;
const FETCH_MS = 20_000;
const MOST_BYTES = 2 * 1_048_576;
const MOST_BLOCKS = 1_000;
const MOST_OF_ONE_VENUE = 2;
/** After so many the step ends, so that its caller hears of it now and then. */
const MOST_OF_ONE_STEP = 500;
/** While some are in flight, others may become due. */
const LOOK_AGAIN_MS = 1_000;
/** Then something is wrong with us, not with a calendar. */
const MOST_FAILURES = 10;
const LONGEST_ERROR = 500;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EVERY = 30 * MINUTE;
const LONGEST_PAUSE = DAY;

/**
 * Ends when nothing is due and nothing in flight, or, once `stop` says so, when nothing is in flight. Says how many were
 * due. What nobody expected is thrown at the end, after it was recorded.
 */
export async function readDueCalendars(
  db: Db,
  outbound: Outbound,
  now: () => number,
  most: number,
  stop?: AbortSignal,
): Promise<number> {
  const flight = new Flight();
  let claimed = 0;
  for (;;) {
    const mayClaim = stop?.aborted !== true && claimed < MOST_OF_ONE_STEP && flight.size < most;
    const due = mayClaim ? await claimNext(db, now(), flight) : null;
    if (due !== null) {
      claimed += 1;
      flight.add(due.venue_id, readAndRecord(db, outbound, due, now));
    } else if (flight.size > 0) await flight.landing(mayClaim);
    else break;
  }
  flight.throwFailures();
  return claimed;
}

async function claimNext(db: Db, now: number, flight: Flight): Promise<DueCalendar | null> {
  if (flight.hasFailed) return null;
  try {
    const [due] = await claimDueCalendars(db, now, LEASE_SECONDS, 1, flight.fullVenues());
    return due ?? null;
  } catch (error) {
    flight.fail(error);
    return null;
  }
}

/** The reads under way. */
class Flight {
  readonly #venues = new Map<Promise<void>, string>();
  readonly #failures: unknown[] = [];

  get size(): number {
    return this.#venues.size;
  }

  get hasFailed(): boolean {
    return this.#failures.length >= MOST_FAILURES;
  }

  fail(error: unknown): void {
    this.#failures.push(error);
  }

  add(venueId: string, reading: Promise<void>): void {
    const landed: Promise<void> = reading
      .catch((error: unknown) => this.fail(error))
      .finally(() => this.#venues.delete(landed));
    this.#venues.set(landed, venueId);
  }

  fullVenues(): string[] {
    const flying = [...this.#venues.values()];
    return [...new Set(flying)].filter((id) => flying.filter((one) => one === id).length >= MOST_OF_ONE_VENUE);
  }

  /** Until one has landed or, to look for others that became due, for a while. */
  async landing(forAWhile: boolean): Promise<void> {
    const timer = new AbortController();
    const waits = forAWhile ? [wait(LOOK_AGAIN_MS, undefined, { signal: timer.signal }).catch(() => undefined)] : [];
    await Promise.race([...this.#venues.keys(), ...waits]);
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
    const answer = await outbound.request({
      url: due.calendar_url,
      method: 'GET',
      headers: { accept: 'text/calendar' },
      timeoutMs: FETCH_MS,
      maxBytes: MOST_BYTES,
    });
    if (answer.status !== 200) return failed(due, now(), `The address answered ${answer.status}.`);
    const checkedAt = now();
    const { blocks, problems, missing } = await readCalendar(answer.body, {
      from: checkedAt - DAY,
      to: checkedAt + 400 * DAY,
      defaultZone: due.timezone ?? 'UTC',
      maxBlocks: MOST_BLOCKS,
    });
    const error = missing.length === 0 ? null : missing.join(' ').slice(0, LONGEST_ERROR);
    return { checkedAt, dueAt: checkedAt + EVERY, error, read: { blocks, problems } };
  } catch (error) {
    if (error instanceof OutboundError) return failed(due, now(), error.forCaller);
    if (error instanceof CalendarError) return failed(due, now(), error.message);
    throw error;
  }
}

/** Each failure doubles the pause, up to a day. */
function failed(due: DueCalendar, checkedAt: number, reason: string): CalendarOutcome {
  const pause = Math.min(EVERY * 2 ** Math.min(due.calendar_failures, 10), LONGEST_PAUSE);
  return { checkedAt, dueAt: checkedAt + pause, error: reason.slice(0, LONGEST_ERROR), read: null };
}
