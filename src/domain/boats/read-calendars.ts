// Reads the calendars of boats that are due: claim, fetch through the guarded client, record. Nothing is fetched inside a
// transaction; whoever comes late (its lease ran out, the boat was sent again) writes nothing. What was read before stays
// when a read fails, with the reason beside it.

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
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const EVERY = 30 * MINUTE;
const LONGEST_PAUSE = DAY;

/** Says how many were due. */
export async function readDueCalendars(db: Db, outbound: Outbound, now: () => number, most: number): Promise<number> {
  const due = await claimDueCalendars(db, now(), LEASE_SECONDS, most);
  await Promise.all(due.map(async (one) => recordCalendar(db, one, await readOne(outbound, one, now))));
  return due.length;
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
    const { blocks } = readCalendar(answer.body, {
      from: checkedAt - DAY,
      to: checkedAt + 400 * DAY,
      defaultZone: due.timezone ?? 'UTC',
      maxBlocks: MOST_BLOCKS,
    });
    return { checkedAt, dueAt: checkedAt + EVERY, error: null, blocks };
  } catch (error) {
    if (error instanceof OutboundError) return failed(due, now(), error.forCaller);
    if (error instanceof CalendarError) return failed(due, now(), error.message);
    throw error;
  }
}

/** Each failure doubles the pause, up to a day. */
function failed(due: DueCalendar, checkedAt: number, reason: string): CalendarOutcome {
  const pause = Math.min(EVERY * 2 ** Math.min(due.calendar_failures, 10), LONGEST_PAUSE);
  return { checkedAt, dueAt: checkedAt + pause, error: reason.slice(0, 500), blocks: null };
}
