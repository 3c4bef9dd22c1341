// A model of a venue's activity for tests: it draws events and queries from a seed, remembers which events must be
// counted, and computes the expected figures of a query by a slow recount. It does not read the database.

import { createHash } from 'node:crypto';
import {
  type ActivityEvent,
  allExperiencesId,
  type FigureRow,
  type Figures,
} from '../../src/domain/analytics/queries.ts';
import { SeededRandom } from '../support/seeded-random.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The times of two seeds are so far apart that dropping the events of one affects only earlier seeds. */
const SEED_DISTANCE_MS = 1200 * DAY_MS;
const FIRST_START = Date.UTC(1990, 0, 1);

const TYPES: readonly (readonly [number, ActivityEvent['type']])[] = [
  [3, 'view'],
  [2, 'booking_start'],
  [1, 'save'],
  [1, 'booking'],
  [1, 'check_in'],
  [1, 'venue_page_view'],
];
const ZERO_FIGURES = { views: 0, saves: 0, bookings: 0, guests: 0, cents: 0, check_ins: 0, viewers: 0, starters: 0 };

export interface FigureQuery {
  readonly from: number;
  readonly to: number;
  readonly subjects: readonly string[];
  readonly byDay: boolean;
}

/** The modes of the three experiences. */
const MODES = ['live', 'live', 'test'] as const;

export class ActivityModel {
  readonly random: SeededRandom;
  readonly start: number;
  /** Events before this time are no longer counted. */
  retainedSince = Number.NEGATIVE_INFINITY;
  readonly #seed: number;
  readonly #venueId: string;
  readonly #days: number;
  readonly #people: number;
  readonly #counted = new Map<string, ActivityEvent>();

  constructor(seed: number, venueId: string) {
    this.#seed = seed;
    this.#venueId = venueId;
    this.random = new SeededRandom(seed, 'activity');
    this.start = FIRST_START + seed * SEED_DISTANCE_MS + this.random.below(60) * DAY_MS;
    this.#days = this.random.pick([4, 12]);
    this.#people = this.random.between(2, 7);
  }

  /** Mostly within a few days, at and around full hours; some times are more than the longest gap of 400 days apart. */
  randomTime(): number {
    const { random } = this;
    const day = random.often(0.8)
      ? random.below(this.#days)
      : random.pick([random.between(395, 406), random.below(40)]);
    const hour = random.often(0.6) ? random.pick([0, 5, 6, 7, 22, 23]) : random.below(24);
    const timeOfHour = random.pick([0, 0, 1, HOUR_MS / 4, HOUR_MS / 2, HOUR_MS - 1, random.below(HOUR_MS)]);
    return this.start + day * DAY_MS + hour * HOUR_MS + timeOfHour;
  }

  randomDay(): number {
    return this.start + this.random.below(this.#days) * DAY_MS;
  }

  randomEvents(count: number): ActivityEvent[] {
    return Array.from({ length: count }, () => this.#event());
  }

  /** Events with distinct ids, none of which was counted before. */
  newEvents(count: number): ActivityEvent[] {
    const byKey = new Map(this.randomEvents(count).map((event) => [event.key, event]));
    return [...byKey.values()].filter(({ key }) => !this.#counted.has(key));
  }

  #event(): ActivityEvent {
    const { random } = this;
    const type = random.weighed(TYPES);
    const index = random.below(MODES.length);
    const isPage = type === 'venue_page_view';
    return {
      key: this.#id(`event ${random.below(3000)}`),
      type,
      subject: isPage ? this.#venueId : this.experienceId(index),
      subjectMode: isPage ? null : (MODES[index] ?? null),
      person: this.#id(`person ${random.below(this.#people)}`),
      at: new Date(this.randomTime()).toISOString(),
      guests: random.between(1, 4),
      cents: random.below(5000),
      mode: random.often(0.9) ? 'live' : 'test',
    };
  }

  /** The fixed seeds depend on these ids: do not change how they are derived. */
  experienceId(index: number): string {
    return this.#id(`thing ${index}`);
  }

  #id(name: string): string {
    const hex = createHash('md5').update(`${this.#seed} ${name}`).digest('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** Remembers events that a test sends. Returns how many of them must be counted. */
  recordSent(events: readonly ActivityEvent[]): number {
    const before = this.#counted.size;
    for (const event of events) {
      if (Date.parse(event.at) >= this.retainedSince && !this.#counted.has(event.key))
        this.#counted.set(event.key, event);
    }
    return this.#counted.size - before;
  }

  /** The ids of dropped events may be used again with a later time; the figures of dropped events stay. */
  recordDropped(before: number): void {
    this.retainedSince = Math.max(this.retainedSince, before);
    for (const [key, event] of [...this.#counted]) {
      if (Date.parse(event.at) >= this.retainedSince || key.startsWith('old')) continue;
      this.#counted.delete(key);
      this.#counted.set(`old ${key} ${event.at}`, event);
    }
  }

  /** A query for any window: within an hour, on full hours or days, from a millisecond to a year long. */
  randomQuery(): FigureQuery {
    const { random } = this;
    let [from, to] = [this.randomTime(), this.randomTime()];
    if (random.often(0.3))
      to = from + random.pick([1, HOUR_MS / 2, HOUR_MS, 2 * HOUR_MS, 23 * HOUR_MS, DAY_MS, DAY_MS + 1]);
    if (random.often(0.15)) from -= from % DAY_MS;
    if (random.often(0.15)) to -= to % DAY_MS;
    if (from > to) [from, to] = [to, from];
    const subjects = random.pick([
      [this.experienceId(0), this.experienceId(1), allExperiencesId('live'), this.#venueId],
      [this.experienceId(2), allExperiencesId('test'), this.#venueId],
      [this.experienceId(0), this.#venueId],
      [this.experienceId(1), this.#venueId],
    ]);
    return {
      from,
      to: Math.min(Math.max(to, from + 1), from + 366 * DAY_MS),
      subjects,
      byDay: random.often(0.3),
    };
  }

  /** The window that the report must cover: widened to whole days where events were dropped. */
  countedWindow({ from, to }: FigureQuery): { from: number; to: number } {
    const [head, tail] = [from - (from % DAY_MS), to - (to % DAY_MS)];
    return {
      from: from > head && head < this.retainedSince ? head : from,
      to: to > tail && tail < this.retainedSince ? tail + DAY_MS : to,
    };
  }

  /** The expected rows by name, as figuresByName() names them. */
  expectedFigures(query: FigureQuery): Map<string, Figures> {
    const { from, to } = this.countedWindow(query);
    const inside = [...this.#counted.values()].filter(
      ({ mode, at }) => mode === 'live' && Date.parse(at) >= from && Date.parse(at) < to,
    );
    const rows = new Map<string, ActivityEvent[]>();
    const add = (name: string, event: ActivityEvent): void => void rows.set(name, [...(rows.get(name) ?? []), event]);
    for (const event of inside) {
      const day = event.at.slice(0, 10);
      const allExperiences = event.subjectMode === null ? [] : [allExperiencesId(event.subjectMode)];
      for (const subject of [event.subject, ...allExperiences]) {
        if (query.subjects.includes(subject))
          add(query.byDay ? `subject_day ${subject} ${day}` : `subject ${subject} null`, event);
      }
      const isCounted = query.subjects.includes(event.subject) && event.subject !== this.#venueId;
      if (isCounted && !query.byDay) add(`day null ${day}`, event);
    }
    return new Map([...rows].map(([name, events]) => [name, reportedFigures(name, figuresOf(events))]));
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

const ALL_EXPERIENCES_IDS = [allExperiencesId('live'), allExperiencesId('test')];

/** The figures that a row must have: all experiences together have only people, a day has everything but people. */
function reportedFigures(name: string, { viewers, starters, ...counts }: Figures): Figures {
  if (name.startsWith('day')) return { ...ZERO_FIGURES, ...counts };
  return ALL_EXPERIENCES_IDS.some((id) => name.includes(id))
    ? { ...ZERO_FIGURES, viewers, starters }
    : { ...counts, viewers, starters };
}

/** The reported rows by name, in the form of expectedFigures(). */
export function figuresByName(rows: readonly FigureRow[]): Map<string, Figures> {
  return new Map(
    rows.map(({ row_kind, subject, day, views, saves, bookings, guests, cents, check_ins, viewers, starters }) => {
      const name = `${row_kind} ${subject} ${day}`;
      return [name, reportedFigures(name, { views, saves, bookings, guests, cents, check_ins, viewers, starters })];
    }),
  );
}

/** Without rows that are all zero: a report may have them or not. */
export function withoutZeroRows(rows: ReadonlyMap<string, Figures>): Record<string, Figures> {
  return Object.fromEntries([...rows].filter(([, figures]) => Object.values(figures).some((value) => value !== 0)));
}
