// Gathers what matters of a calendar: events, free/busy answers and time zones, each with the few properties that blocks
// are made of. What stands inside another component (an alarm in an event) never leaks into the outer one, and unknown
// components are passed over whole. Bounded in number and depth; a calendar that breaks off is an error, because the
// bookings that are missing would look free.

import { CalendarError, type Problems } from './calendar-error.ts';
import { type ContentLine, nameOf, parseLine, unfoldedLines } from './lines.ts';
import { COST, type Pace, type Paced } from './pace.ts';

const MAX_EVENTS = 6_000;
const MAX_ZONES = 200;
const MAX_OBSERVANCES = 2_000;
const MAX_PROPERTIES = 2_000;
const MAX_DEPTH = 32;

export interface Component {
  readonly kind: string;
  readonly properties: ReadonlyMap<string, readonly ContentLine[]>;
  readonly inner: readonly Component[];
}

export interface GatheredCalendar {
  readonly events: readonly Component[];
  readonly freeBusy: readonly Component[];
  readonly zones: readonly Component[];
  /** X-WR-TIMEZONE or TIMEZONE-ID: the zone of times that name none. */
  readonly zoneName: string | null;
}

const EVENT =
  'UID DTSTART DTEND DURATION RRULE RDATE EXDATE EXRULE RECURRENCE-ID STATUS TRANSP X-MICROSOFT-CDO-BUSYSTATUS';
const OBSERVANCE = 'DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE';
/** Which properties are kept, by the path of components they stand in. */
const KEPT = new Map(
  Object.entries({
    VCALENDAR: 'X-WR-TIMEZONE TIMEZONE-ID',
    'VCALENDAR/VEVENT': EVENT,
    'VCALENDAR/VFREEBUSY': 'FREEBUSY',
    'VCALENDAR/VTIMEZONE': 'TZID X-LIC-LOCATION',
    'VCALENDAR/VTIMEZONE/STANDARD': OBSERVANCE,
    'VCALENDAR/VTIMEZONE/DAYLIGHT': OBSERVANCE,
  }).map(([path, names]) => [path, new Set(names.split(' '))] as const),
);

interface OpenComponent {
  readonly kind: string;
  readonly path: string;
  readonly properties: Map<string, ContentLine[]>;
  readonly inner: Component[];
  size: number;
}

export const first = (component: Component, name: string): ContentLine | undefined =>
  component.properties.get(name)?.[0];

export function* gather(input: string | Uint8Array, problems: Problems, pace: Pace): Paced<GatheredCalendar> {
  const gathering = new Gathering(problems);
  for (const line of unfoldedLines(input)) {
    gathering.take(line);
    pace.spend(COST.line + line.length / 50);
    if (pace.isTurnOver()) yield;
  }
  return gathering.finish();
}

class Gathering {
  readonly #problems: Problems;
  readonly #open: OpenComponent[] = [];
  readonly #done: Component[] = [];
  readonly #counts = new Map<string, number>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  take(line: string): void {
    const name = nameOf(line);
    if (name === 'BEGIN') this.#begin(line);
    else if (name === 'END') this.#end(kindIn(line));
    else if (name !== '') this.#property(name, line);
  }

  finish(): GatheredCalendar {
    if (this.#open.length > 0) throw new CalendarError('The calendar breaks off before END:VCALENDAR.');
    const inside = this.#done.flatMap(({ inner }) => inner);
    const named = this.#done
      .map((calendar) => first(calendar, 'X-WR-TIMEZONE') ?? first(calendar, 'TIMEZONE-ID'))
      .find((line) => line !== undefined && line.value !== '');
    return {
      events: inside.filter(({ kind }) => kind === 'VEVENT'),
      freeBusy: inside.filter(({ kind }) => kind === 'VFREEBUSY'),
      zones: inside.filter(({ kind }) => kind === 'VTIMEZONE'),
      zoneName: named?.value ?? null,
    };
  }

  #begin(line: string): void {
    if (this.#open.length >= MAX_DEPTH) throw new CalendarError('The calendar is nested too deep.');
    const kind = kindIn(line);
    const outer = this.#open.at(-1);
    const path = outer === undefined ? kind : `${outer.path}/${kind}`;
    this.#open.push({ kind, path, properties: new Map(), inner: [], size: 0 });
  }

  /** An END that closes an outer component closes what is open inside it; one that closes nothing is passed over. */
  #end(kind: string): void {
    if (!this.#open.some((component) => component.kind === kind)) {
      this.#problems.add('The calendar ends a component that it did not begin.');
      return;
    }
    for (;;) {
      const component = this.#open.pop();
      if (component === undefined) return;
      if (component.kind !== kind) this.#problems.add('The calendar does not end a component that it began.');
      this.#keep(component);
      if (component.kind === kind) return;
    }
  }

  #keep(component: OpenComponent): void {
    if (!KEPT.has(component.path)) return;
    const [most, what] = mostOf(component.path);
    const count = (this.#counts.get(what) ?? 0) + 1;
    if (count > most) throw new CalendarError(`The calendar has more than ${most} ${what}.`);
    this.#counts.set(what, count);
    (this.#open.at(-1)?.inner ?? this.#done).push(component);
  }

  #property(name: string, line: string): void {
    const component = this.#open.at(-1);
    if (component === undefined || !KEPT.get(component.path)?.has(name)) return;
    component.size += 1;
    if (component.size > MAX_PROPERTIES) {
      this.#problems.add(`Only the first ${MAX_PROPERTIES} properties of an event were read.`);
      return;
    }
    const parsed = parseLine(line);
    if (parsed === null) {
      this.#problems.add(`A line could not be read: ${name}.`);
      return;
    }
    const lines = component.properties.get(name);
    if (lines === undefined) component.properties.set(name, [parsed]);
    else lines.push(parsed);
  }
}

function mostOf(path: string): readonly [number, string] {
  if (path === 'VCALENDAR/VTIMEZONE') return [MAX_ZONES, 'time zones'];
  return path.startsWith('VCALENDAR/VTIMEZONE/') ? [MAX_OBSERVANCES, 'changes of time zones'] : [MAX_EVENTS, 'events'];
}

const kindIn = (line: string): string =>
  line
    .slice(line.indexOf(':') + 1)
    .trim()
    .toUpperCase();
