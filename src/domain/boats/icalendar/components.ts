// Reads the components of a calendar that blocks are made of: events, free/busy components and time zones, each with the
// few properties that matter. Properties of an inner component (an alarm in an event) never count for the outer one, and
// unknown components are skipped. Number and depth are limited. A truncated calendar is an error, because the missing
// bookings would look free.

import { CalendarError, type Problems } from './calendar-error.ts';
import { type ContentLine, nameOf, parseLine, unfoldedLines } from './lines.ts';
import { COST, type Interruptible, type WorkBudget } from './work-budget.ts';

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

export interface CalendarComponents {
  readonly events: readonly Component[];
  readonly freeBusy: readonly Component[];
  readonly zones: readonly Component[];
  /** X-WR-TIMEZONE or TIMEZONE-ID: the zone of times without a TZID. */
  readonly zoneName: string | null;
}

const EVENT =
  'UID DTSTART DTEND DURATION RRULE RDATE EXDATE EXRULE RECURRENCE-ID STATUS TRANSP X-MICROSOFT-CDO-BUSYSTATUS';
const OBSERVANCE = 'DTSTART TZOFFSETFROM TZOFFSETTO RRULE RDATE';
/** The properties that are read, by the path of their component. */
const PROPERTIES_BY_PATH = new Map(
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
  propertyCount: number;
}

export const firstProperty = (component: Component, name: string): ContentLine | undefined =>
  component.properties.get(name)?.[0];

export function* readComponents(
  input: string | Uint8Array,
  problems: Problems,
  budget: WorkBudget,
): Interruptible<CalendarComponents> {
  const reader = new ComponentReader(problems);
  for (const line of unfoldedLines(input)) {
    reader.readLine(line);
    budget.spend(COST.line + line.length / 50);
    if (budget.shouldPause()) yield;
  }
  return reader.finish();
}

class ComponentReader {
  readonly #problems: Problems;
  readonly #open: OpenComponent[] = [];
  readonly #calendars: Component[] = [];
  readonly #counts = new Map<string, number>();

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  readLine(line: string): void {
    const name = nameOf(line);
    if (name === 'BEGIN') this.#begin(componentNameIn(line));
    else if (name === 'END') this.#end(componentNameIn(line));
    else if (name !== '') this.#property(name, line);
  }

  finish(): CalendarComponents {
    if (this.#open.length > 0) throw new CalendarError('The calendar breaks off before END:VCALENDAR.');
    const inside = this.#calendars.flatMap(({ inner }) => inner);
    const named = this.#calendars
      .map((calendar) => firstProperty(calendar, 'X-WR-TIMEZONE') ?? firstProperty(calendar, 'TIMEZONE-ID'))
      .find((line) => line !== undefined && line.value !== '');
    return {
      events: inside.filter(({ kind }) => kind === 'VEVENT'),
      freeBusy: inside.filter(({ kind }) => kind === 'VFREEBUSY'),
      zones: inside.filter(({ kind }) => kind === 'VTIMEZONE'),
      zoneName: named?.value ?? null,
    };
  }

  #begin(kind: string): void {
    if (this.#open.length >= MAX_DEPTH) throw new CalendarError('The calendar is nested too deep.');
    const outer = this.#open.at(-1);
    const path = outer === undefined ? kind : `${outer.path}/${kind}`;
    this.#open.push({ kind, path, properties: new Map(), inner: [], propertyCount: 0 });
  }

  /** An END of an outer component also closes the components inside it. An END without its BEGIN is reported and skipped. */
  #end(kind: string): void {
    if (!this.#open.some((component) => component.kind === kind)) {
      this.#problems.add('The calendar ends a component that it did not begin.');
      return;
    }
    for (;;) {
      const component = this.#open.pop();
      if (component === undefined) return;
      if (component.kind !== kind) this.#problems.add('The calendar does not end a component that it began.');
      this.#close(component);
      if (component.kind === kind) return;
    }
  }

  #close(component: OpenComponent): void {
    if (!PROPERTIES_BY_PATH.has(component.path)) return;
    const [max, what] = limitOf(component.path);
    const count = (this.#counts.get(what) ?? 0) + 1;
    if (count > max) throw new CalendarError(`The calendar has more than ${max} ${what}.`);
    this.#counts.set(what, count);
    (this.#open.at(-1)?.inner ?? this.#calendars).push(component);
  }

  #property(name: string, line: string): void {
    const component = this.#open.at(-1);
    if (component === undefined || !PROPERTIES_BY_PATH.get(component.path)?.has(name)) return;
    component.propertyCount += 1;
    if (component.propertyCount > MAX_PROPERTIES) {
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

function limitOf(path: string): readonly [number, string] {
  if (path === 'VCALENDAR/VTIMEZONE') return [MAX_ZONES, 'time zones'];
  return path.startsWith('VCALENDAR/VTIMEZONE/') ? [MAX_OBSERVANCES, 'changes of time zones'] : [MAX_EVENTS, 'events'];
}

const componentNameIn = (line: string): string =>
  line
    .slice(line.indexOf(':') + 1)
    .trim()
    .toUpperCase();
