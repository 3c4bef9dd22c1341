// A venue's activity drawn from a seed, for tests: few people, hours that meet, and the slow recount of everything that was counted.
// It knows what must be true, and asks nobody.

import { createHash } from 'node:crypto';
import { type ActivityEvent, everythingOf, type FigureRow, type Figures } from '../../src/domain/analytics/queries.ts';
import { SeededRandom } from '../support/seeded-random.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/** Seeds lie so far apart that what one drops is old for those before it alone. */
const APART = 1200 * DAY;
const FIRST = Date.UTC(1990, 0, 1);

const TYPES: readonly (readonly [number, ActivityEvent['type']])[] = [
  [3, 'view'],
  [2, 'booking_start'],
  [1, 'save'],
  [1, 'booking'],
  [1, 'check_in'],
  [1, 'venue_page_view'],
];
const NONE = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0, viewers: 0, starters: 0 };

export interface Question {
  readonly from: number;
  readonly to: number;
  readonly things: readonly string[];
  readonly byDay: boolean;
}

/** Two of live mode, one of test mode. */
const MODES = ['live', 'live', 'test'] as const;

export class Story {
  readonly random: SeededRandom;
  readonly start: number;
  /** Nothing before this is counted any more. */
  kept = Number.NEGATIVE_INFINITY;
  readonly #seed: number;
  readonly #venueId: string;
  readonly #days: number;
  readonly #people: number;
  readonly #counted = new Map<string, ActivityEvent>();

  constructor(seed: number, venueId: string) {
    this.#seed = seed;
    this.#venueId = venueId;
    this.random = new SeededRandom(seed, 'activity');
    this.start = FIRST + seed * APART + this.random.below(60) * DAY;
    this.#days = this.random.pick([4, 12]);
    this.#people = this.random.between(2, 7);
  }

  /** Mostly of a few days, at and around whole hours; some so far apart that no gap tells it from never. */
  time(): number {
    const { random } = this;
    const day = random.often(0.8)
      ? random.below(this.#days)
      : random.pick([random.between(395, 406), random.below(40)]);
    const hour = random.often(0.6) ? random.pick([0, 5, 6, 7, 22, 23]) : random.below(24);
    const into = random.pick([0, 0, 1, HOUR / 4, HOUR / 2, HOUR - 1, random.below(HOUR)]);
    return this.start + day * DAY + hour * HOUR + into;
  }

  aDay(): number {
    return this.start + this.random.below(this.#days) * DAY;
  }

  events(count: number): ActivityEvent[] {
    return Array.from({ length: count }, () => this.#event());
  }

  /** Each id once, and none that was counted. */
  newEvents(count: number): ActivityEvent[] {
    const once = new Map(this.events(count).map((event) => [event.key, event]));
    return [...once.values()].filter(({ key }) => !this.#counted.has(key));
  }

  #event(): ActivityEvent {
    const { random } = this;
    const type = random.weighed(TYPES);
    const place = random.below(MODES.length);
    const isPage = type === 'venue_page_view';
    return {
      key: this.#id(`event ${random.below(3000)}`),
      type,
      subject: isPage ? this.#venueId : this.thing(place),
      subjectMode: isPage ? null : (MODES[place] ?? null),
      person: this.#id(`person ${random.below(this.#people)}`),
      at: new Date(this.time()).toISOString(),
      guests: random.between(1, 4),
      cents: random.below(5000),
      mode: random.often(0.9) ? 'live' : 'test',
    };
  }

  thing(place: number): string {
    return this.#id(`thing ${place}`);
  }

  #id(name: string): string {
    const hex = createHash('md5').update(`${this.#seed} ${name}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** What is sent: how many of these must be counted now. */
  sent(events: readonly ActivityEvent[]): number {
    const before = this.#counted.size;
    for (const event of events) {
      if (Date.parse(event.at) >= this.kept && !this.#counted.has(event.key)) this.#counted.set(event.key, event);
    }
    return this.#counted.size - before;
  }

  /** Their ids are forgotten, and may come again with a later time; what they counted stays. */
  dropped(before: number): void {
    this.kept = Math.max(this.kept, before);
    for (const [key, event] of [...this.#counted]) {
      if (Date.parse(event.at) >= this.kept || key.startsWith('old')) continue;
      this.#counted.delete(key);
      this.#counted.set(`old ${key} ${event.at}`, event);
    }
  }

  /** Any window: inside an hour, on hours, on days, a millisecond or a year long. */
  question(): Question {
    const { random } = this;
    let [from, to] = [this.time(), this.time()];
    if (random.often(0.3)) to = from + random.pick([1, HOUR / 2, HOUR, 2 * HOUR, 23 * HOUR, DAY, DAY + 1]);
    if (random.often(0.15)) from -= from % DAY;
    if (random.often(0.15)) to -= to % DAY;
    if (from > to) [from, to] = [to, from];
    const things = random.pick([
      [this.thing(0), this.thing(1), everythingOf('live'), this.#venueId],
      [this.thing(2), everythingOf('test'), this.#venueId],
      [this.thing(0), this.#venueId],
      [this.thing(1), this.#venueId],
    ]);
    return { from, to: Math.min(Math.max(to, from + 1), from + 366 * DAY), things, byDay: random.often(0.3) };
  }

  /** The window as it must be answered. */
  window({ from, to }: Question): { from: number; to: number } {
    const [head, tail] = [from - (from % DAY), to - (to % DAY)];
    return {
      from: from > head && head < this.kept ? head : from,
      to: to > tail && tail < this.kept ? tail + DAY : to,
    };
  }

  /** Every row that is not all zero, by its name. */
  truth(question: Question): Map<string, Figures> {
    const { from, to } = this.window(question);
    const inside = [...this.#counted.values()].filter(
      ({ mode, at }) => mode === 'live' && Date.parse(at) >= from && Date.parse(at) < to,
    );
    const rows = new Map<string, ActivityEvent[]>();
    const add = (name: string, event: ActivityEvent): void => void rows.set(name, [...(rows.get(name) ?? []), event]);
    for (const event of inside) {
      const day = event.at.slice(0, 10);
      const everything = event.subjectMode === null ? [] : [everythingOf(event.subjectMode)];
      for (const thing of [event.subject, ...everything]) {
        if (question.things.includes(thing))
          add(question.byDay ? `both ${thing} ${day}` : `subject ${thing} null`, event);
      }
      const isCounted = question.things.includes(event.subject) && event.subject !== this.#venueId;
      if (isCounted && !question.byDay) add(`day null ${day}`, event);
    }
    return new Map([...rows].map(([name, events]) => [name, shownOf(name, figuresOf(events))]));
  }
}

function figuresOf(events: readonly ActivityEvent[]): Figures {
  const of = (...types: ActivityEvent['type'][]): readonly ActivityEvent[] =>
    events.filter(({ type }) => types.includes(type));
  const people = (type: ActivityEvent['type']): number => new Set(of(type).map(({ person }) => person)).size;
  const bookings = of('booking');
  return {
    views: of('view', 'venue_page_view').length,
    saves: of('save').length,
    bookings: bookings.length,
    guests: bookings.reduce((sum, { guests }) => sum + guests, 0),
    cents: bookings.reduce((sum, { cents }) => sum + cents, 0),
    check_ins: of('check_in').length,
    viewers: people('view'),
    starters: people('booking_start'),
  };
}

const EVERYTHING = [everythingOf('live'), everythingOf('test')];

/** What a row is asked for: everything together has people alone, a day has everything but people. */
function shownOf(name: string, { viewers, starters, ...counts }: Figures): Figures {
  if (name.startsWith('day')) return { ...NONE, ...counts };
  return EVERYTHING.some((thing) => name.includes(thing))
    ? { ...NONE, viewers, starters }
    : { ...counts, viewers, starters };
}

/** What was answered, in the form of the truth. */
export function answered(rows: readonly FigureRow[]): Map<string, Figures> {
  return new Map(
    rows.map(({ what, subject, day, views, saves, bookings, guests, cents, check_ins, viewers, starters }) => {
      const name = `${what} ${subject} ${day}`;
      return [name, shownOf(name, { views, saves, bookings, guests, cents, check_ins, viewers, starters })];
    }),
  );
}

/** Without rows in which nothing happened: they may be there or not. */
export function withoutNothing(rows: ReadonlyMap<string, Figures>): Record<string, Figures> {
  return Object.fromEntries([...rows].filter(([, figures]) => Object.values(figures).some((value) => value !== 0)));
}
