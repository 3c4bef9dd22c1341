// Finds the zone of a TZID, in this order: an IANA name (also after a vendor's prefix), a Windows name, the VTIMEZONE's
// X-LIC-LOCATION, the offsets of the VTIMEZONE itself if they are simple. For an unknown zone it reports a problem and
// uses the calendar's own zone: a booking at a doubtful hour is better than a lost one.

import { CalendarError, type Problems, quoted } from './calendar-error.ts';
import { type CalendarComponents, type Component, firstProperty } from './components.ts';
import { parseOffset, parseWallTime } from './times.ts';
import { zoneOfWindowsName } from './windows-zones.ts';
import { COST, type WorkBudget } from './work-budget.ts';
import { ianaZone, type Observance, UTC, type Zone, zoneOfObservances } from './zone.ts';

const MAX_ZONES = 60;
const MAX_OBSERVANCES = 40;
const MAX_CHANGES = 200;
const NO_END = Date.UTC(9998, 0, 1);
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

export class Zones {
  /** For times without a TZID, and for whole days. */
  readonly floating: Zone;
  readonly budget: WorkBudget;
  readonly #problems: Problems;
  readonly #found = new Map<string, Zone>();
  readonly #embedded = new Map<string, Component>();

  constructor(
    { zones: embedded, zoneName: calendarZone }: Pick<CalendarComponents, 'zones' | 'zoneName'>,
    defaultZone: string,
    problems: Problems,
    budget: WorkBudget,
  ) {
    this.#problems = problems;
    this.budget = budget;
    for (const component of embedded) {
      const name = firstProperty(component, 'TZID')?.value;
      if (name !== undefined && !this.#embedded.has(name)) this.#embedded.set(name, component);
    }
    const fallback = ianaZone(defaultZone, budget);
    if (fallback === null) problems.add(`The time zone ${quoted(defaultZone)} is not known; UTC was used.`);
    const named = calendarZone === null ? null : this.#find(calendarZone);
    if (calendarZone !== null && named === null)
      problems.add(`The calendar's time zone ${quoted(calendarZone)} is not known.`);
    this.floating = named ?? fallback ?? UTC;
  }

  of(name: string): Zone {
    const known = this.#found.get(name);
    if (known !== undefined) return known;
    if (this.#found.size >= MAX_ZONES) throw new CalendarError(`The calendar uses more than ${MAX_ZONES} time zones.`);
    const found = this.#find(name);
    if (found === null)
      this.#problems.add(`The time zone ${quoted(name)} is not known; its times were read in ${this.floating.name}.`);
    const zone = found ?? this.floating;
    this.#found.set(name, zone);
    return zone;
  }

  #find(name: string): Zone | null {
    const { budget } = this;
    budget.spend(COST.zoneName);
    const embedded = this.#embedded.get(name);
    const location = embedded === undefined ? undefined : firstProperty(embedded, 'X-LIC-LOCATION')?.value;
    return (
      namedZone(name, budget) ??
      (location === undefined ? null : namedZone(location, budget)) ??
      (embedded === undefined ? null : embeddedZone(name, embedded, budget))
    );
  }
}

function namedZone(name: string, budget: WorkBudget): Zone | null {
  const plain = ianaZone(name.trim(), budget);
  if (plain !== null) return plain;
  const windows = zoneOfWindowsName(name.trim());
  if (windows !== null) return ianaZone(windows, budget);
  if (!name.startsWith('/') || name.length > 200) return null;
  const parts = name.split('/');
  return (
    ianaZone(parts.slice(-3).join('/'), budget) ??
    ianaZone(parts.slice(-2).join('/'), budget) ??
    ianaZone(parts.at(-1) ?? '', budget)
  );
}

function embeddedZone(name: string, component: Component, budget: WorkBudget): Zone | null {
  if (component.inner.length === 0 || component.inner.length > MAX_OBSERVANCES) return null;
  const observances: Observance[] = [];
  for (const inner of component.inner) {
    const read = observancesOf(inner);
    if (read === null) return null;
    observances.push(...read);
    budget.spend(COST.event * read.length);
    if (observances.length > MAX_CHANGES) return null;
  }
  return zoneOfObservances(name, observances, budget);
}

/** null: not simple, which means other than once, on a short list of dates, or on one weekday of a month each year. */
function observancesOf(component: Component): Observance[] | null {
  const starts = parseWallTime(firstProperty(component, 'DTSTART')?.value ?? '');
  const toOffset = parseOffset(firstProperty(component, 'TZOFFSETTO')?.value ?? '');
  const fromOffset = parseOffset(firstProperty(component, 'TZOFFSETFROM')?.value ?? '') ?? toOffset;
  if (toOffset === null || fromOffset === null) return null;
  const startsAtWall = starts?.wallMs ?? Date.UTC(1970, 0, 1);
  const rule = firstProperty(component, 'RRULE')?.value;
  if (rule === undefined) {
    const dates = (component.properties.get('RDATE') ?? []).flatMap(({ value }) => value.split(',', MAX_CHANGES));
    if (dates.length > MAX_OBSERVANCES) return null;
    const wallTimes = dates.map((date) => parseWallTime(date)?.wallMs).filter((wall) => wall !== undefined);
    return [startsAtWall, ...wallTimes].map((wall) => ({ startsAtWall: wall, fromOffset, toOffset, yearly: null }));
  }
  const yearly = yearlyRule(rule);
  return yearly === null ? null : [{ startsAtWall, fromOffset, toOffset, yearly }];
}

function yearlyRule(text: string): Observance['yearly'] {
  const parts = new Map(
    text
      .toUpperCase()
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const day = /^([+-]?[1-5])(SU|MO|TU|WE|TH|FR|SA)$/.exec(parts.get('BYDAY') ?? '');
  const month = Number(parts.get('BYMONTH') ?? 0);
  const known = ['FREQ', 'BYDAY', 'BYMONTH', 'UNTIL', 'WKST', 'INTERVAL'];
  if (day === null || parts.get('FREQ') !== 'YEARLY' || [...parts.keys()].some((key) => !known.includes(key)))
    return null;
  if (!(month >= 1 && month <= 12) || (parts.get('INTERVAL') ?? '1') !== '1') return null;
  const until = parts.get('UNTIL');
  const untilMs = until === undefined ? NO_END : (parseWallTime(until)?.wallMs ?? NO_END);
  return { month, weekday: WEEKDAYS.indexOf(day[2] ?? ''), nth: Number(day[1]), untilMs };
}
