// The worker reads calendars of boats from a real HTTPS server; the API shows when, and the last error.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeOutbound, type Outbound } from '../../src/base/outbound/outbound.ts';
import { claimDueCalendars, recordCalendar } from '../../src/domain/boats/queries.ts';
import { readDueCalendars } from '../../src/domain/boats/read-calendars.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let receiver: Listening;
let outbound: Outbound;
let response: { status: number; body: string };
let requestCount = 0;
const hangingResponses = new Set<ServerResponse>();
let shouldHang = true;

beforeAll(async () => {
  world = await openTestWorld();
  outbound = makeOutbound({ allowInsecureTargets: true });
  receiver = await startHttpsReceiver((request, reply) => {
    requestCount++;
    if (shouldHang && request.url?.startsWith('/hang')) {
      hangingResponses.add(reply);
      return;
    }
    reply.statusCode = response.status;
    reply.end(response.body);
  });
});
afterAll(async () => {
  await outbound.close();
  await receiver.close();
  await world.close();
});

const day = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
const feed = (...days: number[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    ...days.flatMap((at) => [
      'BEGIN:VEVENT',
      `UID:${at}`,
      `DTSTART;VALUE=DATE:${day(at)}`,
      `DTEND;VALUE=DATE:${day(at + 1)}`,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const BOAT = {
  external_id: 'boat-1',
  name: 'Second Wind',
  type: 'catamaran',
  length_ft: 42,
  capacity: 12,
  captain: 'included',
  location: { city: 'Miami' },
  pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
  photo_urls: ['https://cdn.fleet.example/1.jpg'],
};

async function boatWithCalendar(): Promise<{
  key: string;
  venueId: string;
  shown: () => Promise<Record<string, never>>;
  send: (change?: object) => Promise<void>;
}> {
  const { venue, secretTest: key } = await world.venue();
  const send = async (change: object = {}): Promise<void> => {
    const availability = { ical_url: `https://localhost:${receiver.port}/boat.ics`, timezone: 'America/New_York' };
    await world.call('POST', '/v1/boats', { key, body: { ...BOAT, availability, ...change } });
  };
  await send();
  return {
    key,
    venueId: venue.id,
    send,
    shown: async () => (await world.call('GET', '/v1/boats/boat-1', { key })).json.data,
  };
}

const read = (now = Date.now() + 1000): Promise<number> => readDueCalendars(world.db, outbound, () => now, 10);

describe('a boat’s calendar', () => {
  it('is read soon after the boat was sent, and the boat shows when', async () => {
    response = { status: 200, body: feed(2, 9) };
    const { shown } = await boatWithCalendar();
    const unread = { checked_at: null, read_at: null, last_error: null, problems: [], blocks: [] };
    expect((await shown()).calendar).toEqual(unread);
    expect(await read()).toBe(1);
    const data = await shown();
    const calendar = data.calendar as unknown as { blocks: { status: string }[]; read_at: string; last_error: null };
    expect(calendar.blocks).toHaveLength(2);
    expect(calendar.blocks[0]).toMatchObject({ status: 'busy' });
    expect([calendar.read_at === null, calendar.last_error]).toEqual([false, null]);
    expect(
      world.context.validator.problems('stored_boat', { value: data, text: JSON.stringify(data), badTexts: [] }),
    ).toEqual([]);
  });

  it('is read again after half an hour and not earlier', async () => {
    response = { status: 200, body: feed(2) };
    await boatWithCalendar();
    await read();
    const before = requestCount;
    expect(await read(Date.now() + 29 * 60_000)).toBe(0);
    expect(await read(Date.now() + 31 * 60_000)).toBeGreaterThan(0);
    expect(requestCount).toBeGreaterThan(before);
  });

  it('keeps its blocks when a later read fails, shows the error, and is retried with longer pauses', async () => {
    response = { status: 200, body: feed(3) };
    const { shown, venueId } = await boatWithCalendar();
    await read();
    response = { status: 404, body: 'gone' };
    let now = Date.now() + 31 * 60_000;
    await read(now);
    const calendar = (await shown()).calendar as unknown as { blocks: unknown[]; last_error: string };
    expect([calendar.blocks.length, calendar.last_error]).toEqual([1, 'The address answered 404.']);
    response = { status: 200, body: '<html>sorry</html>' };
    now += 31 * 60_000;
    await read(now);
    expect(((await shown()).calendar as unknown as { last_error: string }).last_error).toMatch(/calendar/i);
    const pause = async (): Promise<number> => {
      const rows = await world.db.query<{ minutes: number }>(
        'select round(extract(epoch from calendar_due_at - calendar_checked_at) / 60)::int as minutes from boats where venue_id = $1',
        [venueId],
      );
      return rows[0]?.minutes ?? 0;
    };
    expect(await pause()).toBe(60);
    await read(now + 61 * 60_000);
    expect(await pause()).toBe(120);
  });

  it('is never read from a private address, and the error does not reveal the address', async () => {
    const guarded = makeOutbound({ allowInsecureTargets: false });
    const { shown } = await boatWithCalendar();
    const before = requestCount;
    await readDueCalendars(world.db, guarded, () => Date.now(), 10);
    await guarded.close();
    expect(requestCount).toBe(before);
    const { last_error } = (await shown()).calendar as unknown as { last_error: string };
    expect(last_error).not.toMatch(/127|::1|loopback/);
  });

  it('is claimed by one worker at a time, and a worker with a stale lease writes nothing', async () => {
    response = { status: 200, body: feed(4) };
    await read();
    const { send, shown } = await boatWithCalendar();
    const now = Date.now();
    const [first, second] = await Promise.all([
      claimDueCalendars(world.db, now, 60, 10),
      claimDueCalendars(world.db, now, 60, 10),
    ]);
    expect(first.length + second.length).toBe(1);
    const [due] = [...first, ...second];
    await send({ capacity: 10 });
    const outcome = { checkedAt: now, dueAt: now + 1000, error: 'late', read: null };
    expect(await recordCalendar(world.db, due as never, outcome)).toBe(false);
    expect(((await shown()).calendar as unknown as { last_error: null }).last_error).toBeNull();
  });

  it('is deleted when the boat is deactivated', async () => {
    const { key, shown } = await boatWithCalendar();
    await read();
    await world.call('POST', '/v1/boats/boat-1/deactivate', { key });
    expect((await shown()).calendar).toBeUndefined();
    expect(
      await world.db.query(
        'select calendar_url from boats where external_id = $1 and calendar_url is not null and status = $2',
        ['boat-1', 'inactive'],
      ),
    ).toEqual([]);
  });

  it('lists the problems of the feed; a problem that hides busy times is its last error', async () => {
    const exceptions = `BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:${day(5)}\r\nEXRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCAL`;
    response = { status: 200, body: feed(2).replace('END:VCAL', exceptions) };
    const { shown } = await boatWithCalendar();
    await read();
    const ignored = 'An EXRULE was passed over: occurrences it takes out are still there.';
    expect((await shown()).calendar).toMatchObject({ last_error: null, problems: [ignored] });
    const hourly = `BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:${day(7)}\r\nRRULE:FREQ=HOURLY\r\nEND:VEVENT\r\nEND:VCAL`;
    const many = Array.from({ length: 1100 }, (_, at) => {
      const start = new Date(Date.now() + at * 7_200_000).toISOString().replace(/[-:]|\.\d{3}/g, '');
      return `BEGIN:VEVENT\r\nDTSTART:${start}\r\nDURATION:PT1H\r\nEND:VEVENT\r\n`;
    });
    response = { status: 200, body: feed().replace('END:VCAL', many.join('') + hourly) };
    await read(Date.now() + 31 * 60_000);
    const data = await shown();
    const calendar = data.calendar as unknown as { blocks: unknown[]; problems: string[]; last_error: string };
    const first = 'The rule "FREQ=HOURLY" would repeat too often: only the first occurrence was taken.';
    expect(calendar.problems).toEqual([first, expect.stringMatching(/^The calendar was cut after 1000 blocks/)]);
    expect([calendar.blocks.length, calendar.last_error]).toEqual([1000, calendar.problems.join(' ')]);
    expect(
      world.context.validator.problems('stored_boat', { value: data, text: JSON.stringify(data), badTexts: [] }),
    ).toEqual([]);
    response = { status: 404, body: 'gone' };
    await read(Date.now() + 62 * 60_000);
    expect((await shown()).calendar).toMatchObject({
      last_error: 'The address answered 404.',
      problems: calendar.problems,
    });
  });

  it('is read although others hang; a venue has at most two reads in flight', { tags: ['slow'] }, async () => {
    response = { status: 200, body: feed(2) };
    await read(Date.now() + 25 * 3_600_000);
    const hangingVenue = await boatWithCalendar();
    for (let at = 1; at <= 12; at++) {
      const availability = { ical_url: `https://localhost:${receiver.port}/hang/${at}.ics` };
      await hangingVenue.send({ external_id: `boat-${at}`, availability });
    }
    const healthy = await boatWithCalendar();
    const stop = new AbortController();
    const reading = readDueCalendars(world.db, outbound, () => Date.now() + 1000, 10, stop.signal);
    const readAt = async (): Promise<unknown> =>
      ((await healthy.shown()).calendar as unknown as { read_at: unknown }).read_at;
    await expect.poll(readAt, { timeout: 60_000 }).not.toBeNull();
    await expect.poll(() => hangingResponses.size, { timeout: 60_000 }).toBe(2);
    expect([...hangingResponses].every((reply) => !reply.destroyed)).toBe(true);
    const late = await boatWithCalendar();
    await expect
      .poll(async () => ((await late.shown()).calendar as unknown as { read_at: unknown }).read_at, { timeout: 60_000 })
      .not.toBeNull();
    expect(hangingResponses.size).toBe(2);
    stop.abort();
    shouldHang = false;
    for (const reply of hangingResponses) reply.destroy();
    expect(await reading).toBe(4);
  });

  it('records an unexpected failure, and the worker throws it', async () => {
    // Calendars of earlier tests are read first. One run may not be enough.
    const tomorrow = Date.now() + 25 * 3_600_000;
    for (let claimed = 1; claimed > 0; ) claimed = await read(tomorrow);
    const { shown } = await boatWithCalendar();
    const broken: Outbound = { ...outbound, request: () => Promise.reject(new TypeError('unexpected')) };
    await expect(readDueCalendars(world.db, broken, () => Date.now() + 1000, 10)).rejects.toThrow('unexpected');
    expect((await shown()).calendar).toMatchObject({ last_error: 'It could not be read.', read_at: null });
  });
});
