// Calendar libraries against our own readers, in this process: the starts of a rule, and the busy times of a feed.

import { readCalendar } from '../../src/domain/boats/icalendar/read-calendar.ts';
import { recurringStarts } from '../../src/domain/offerings/recurrence.ts';
import { zoneClock } from '../../src/domain/recurrence/zone-clock.ts';
import type { Bench, PreparedBench } from '../bench.ts';
import { loadPeer } from './packages.ts';

const ZONE = 'America/New_York';
const FROM = Date.UTC(2027, 2, 1);
const TO = Date.UTC(2027, 4, 1);
const RULE = 'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYHOUR=9,12,15;BYMINUTE=0,30;BYSECOND=0';
const EVENTS = 1_000;
const HOUR_MS = 3_600_000;
/** How long a round repeats its work. */
const ROUND_MS = { full: 400, quick: 100 };

interface RruleModule {
  rrulestr(text: string): { between(from: Date, to: Date, isInclusive: boolean): Date[] };
}
interface NodeIcalModule {
  readonly default: { readonly sync: { parseICS(text: string): Record<string, { readonly type: string }> } };
}

export const rruleBench: Bench = {
  name: 'recurrence-and-rrule',
  floor: 0,
  goal: 1,
  unit: 'expansions/s',
  better: 'more',
  note: 'Three days a week, six times a day, over the 61 days in which the clocks change, in New York; both give the same instants.',
  rounds: { full: 9, quick: 1 },
  sides: { ours: 'our expansion', base: 'rrule' },
  async prepare({ isQuick }) {
    const { rrulestr } = await loadPeer<RruleModule>('rrule');
    const entry = { rrule: RULE, starts_at: '2027-03-01T14:00:00Z', duration_minutes: 60, capacity: 8 };
    const clock = zoneClock(ZONE, FROM, TO);
    const expandOurs = (): number[] => [...recurringStarts(entry, clock, { from: FROM, to: TO }).starts];
    // rrule gives local times in the fields of UTC.
    const text = `DTSTART:20270301T090000Z\nRRULE:${RULE}`;
    const expandPeer = (): number[] =>
      rrulestr(text)
        .between(new Date(FROM), new Date(TO), true)
        .map((local) => clock.instantAt(local.getTime(), FROM));
    const [mine, theirs] = [expandOurs(), expandPeer()];
    if (mine.length < 100 || mine.join() !== theirs.join())
      throw new Error(`the two sides differ: ${mine.length} starts and ${theirs.length}`);
    return sides(
      isQuick,
      async () => void expandOurs(),
      async () => void expandPeer(),
    );
  },
};

export const nodeIcalBench: Bench = {
  name: 'feed-and-node-ical',
  floor: 0,
  goal: 1,
  unit: 'feeds/s',
  better: 'more',
  note: `A feed of ${EVENTS.toLocaleString('en-US')} events in a zone. Ours also merges them into busy times, bounds its work and yields to other callers; the peer also keeps every property.`,
  rounds: { full: 9, quick: 1 },
  sides: { ours: 'our reader', base: 'node-ical' },
  async prepare({ isQuick }) {
    const { default: ical } = await loadPeer<NodeIcalModule>('node-ical');
    const feed = makeFeed();
    const options = {
      from: FROM - 400 * 24 * HOUR_MS,
      to: FROM + 400 * 24 * HOUR_MS,
      defaultZone: 'UTC',
      maxBlocks: 5_000,
    };
    const { blocks } = await readCalendar(feed, options);
    const events = Object.values(ical.sync.parseICS(feed)).filter(({ type }) => type === 'VEVENT');
    if (blocks.length !== EVENTS || events.length !== EVENTS)
      throw new Error(`the two sides differ: ${blocks.length} blocks and ${events.length} events`);
    return sides(
      isQuick,
      async () => void (await readCalendar(feed, options)),
      async () => void ical.sync.parseICS(feed),
    );
  },
};

function makeFeed(): string {
  const wall = (at: number): string => new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  const events = Array.from({ length: EVENTS }, (_, index) => {
    const start = FROM + index * 6 * HOUR_MS;
    return [
      'BEGIN:VEVENT',
      `UID:event-${index}@fleet.example`,
      'DTSTAMP:20270101T000000Z',
      `DTSTART;TZID=${ZONE}:${wall(start)}`,
      `DTEND;TZID=${ZONE}:${wall(start + 2 * HOUR_MS)}`,
      `SUMMARY:Charter ${index}`,
      'DESCRIPTION:Half a day with a captain\\, eight guests\\, lunch on board and a stop at the reef.',
      'END:VEVENT',
    ].join('\r\n');
  });
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//bench//EN', ...events, 'END:VCALENDAR', ''].join('\r\n');
}

async function sides(isQuick: boolean, ours: () => Promise<void>, peer: () => Promise<void>): Promise<PreparedBench> {
  const round = (work: () => Promise<void>) => async (): Promise<number> => {
    const startedAt = performance.now();
    const until = startedAt + ROUND_MS[isQuick ? 'quick' : 'full'];
    let count = 0;
    while (performance.now() < until) {
      await work();
      count += 1;
    }
    return count / ((performance.now() - startedAt) / 1000);
  };
  const prepared = { ours: round(ours), base: round(peer), close: async () => undefined };
  await prepared.ours();
  await prepared.base();
  return prepared;
}
