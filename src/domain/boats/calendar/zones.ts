// Finds the zone that a TZID means: an IANA name (also behind a vendor's prefix), the VTIMEZONE's X-LIC-LOCATION, a
// Windows name, and last the offsets of the VTIMEZONE itself when they are simple. What cannot be found is read in the
// calendar's own zone and reported: a booking at a doubtful hour is better than one that is lost.

import { CalendarError, type Problems, quoted } from './calendar-error.ts';
import { type Component, first, type GatheredCalendar } from './components.ts';
import { COST, type Pace } from './pace.ts';
import { parseOffset, parseWallTime } from './times.ts';
import { zoneOfWindowsName } from './windows-zones.ts';
import { ianaZone, type Observance, UTC, type Zone, zoneOfObservances } from './zone.ts';

const MAX_ZONES = 60;
const MAX_OBSERVANCES = 40;
const MAX_CHANGES = 200;
const NO_END = Date.UTC(9998, 0, 1);
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

export class Zones {
  /** For times that name no zone, and for whole days. */
  readonly floating: Zone;
  readonly pace: Pace;
  readonly #problems: Problems;
  readonly #found = new Map<string, Zone>();
  readonly #carried = new Map<string, Component>();

  constructor(
    { zones: carried, zoneName: calendarZone }: Pick<GatheredCalendar, 'zones' | 'zoneName'>,
    defaultZone: string,
    problems: Problems,
    pace: Pace,
  ) {
    this.#problems = problems;
    this.pace = pace;
    for (const component of carried) {
      const name = first(component, 'TZID')?.value;
      if (name !== undefined && !this.#carried.has(name)) this.#carried.set(name, component);
    }
    const fallback = ianaZone(defaultZone, pace);
    if (fallback === null) problems.add(`The time zone ${quoted(defaultZone)} is not known; UTC was used.`);
    const named = calendarZone === null ? null : this.#find(calendarZone);
    if (calendarZone !== null && named === null)
      problems.add(`The calendar's time zone ${quoted(calendarZone)} is not known.`);
    this.floating = named ?? fallback ?? UTC;
  }

  of(name: string): Zone {
    const kept = this.#found.get(name);
    if (kept !== undefined) return kept;
    if (this.#found.size >= MAX_ZONES) throw new CalendarError(`The calendar uses more than ${MAX_ZONES} time zones.`);
    const found = this.#find(name);
    if (found === null)
      this.#problems.add(`The time zone ${quoted(name)} is not known; its times were read in ${this.floating.name}.`);
    const zone = found ?? this.floating;
    this.#found.set(name, zone);
    return zone;
  }

  #find(name: string): Zone | null {
    const { pace } = this;
    pace.spend(COST.zoneName);
    const carried = this.#carried.get(name);
    const location = carried === undefined ? undefined : first(carried, 'X-LIC-LOCATION')?.value;
    return (
      namedZone(name, pace) ??
      (location === undefined ? null : namedZone(location, pace)) ??
      (carried === undefined ? null : carriedZone(name, carried, pace))
    );
  }
}

function namedZone(name: string, pace: Pace): Zone | null {
  const plain = ianaZone(name.trim(), pace);
  if (plain !== null) return plain;
  const windows = zoneOfWindowsName(name.trim());
  if (windows !== null) return ianaZone(windows, pace);
  if (!name.startsWith('/') || name.length > 200) return null;
  const services = name.split('/');
  return (
    ianaZone(services.slice(-3).join('/'), pace) ??
    ianaZone(services.slice(-2).join('/'), pace) ??
    ianaZone(services.at(-1) ?? '', pace)
  );
}

function carriedZone(name: string, component: Component, pace: Pace): Zone | null {
  if (component.inner.length === 0 || component.inner.length > MAX_OBSERVANCES) return null;
  const observances: Observance[] = [];
  for (const inner of component.inner) {
    const read = observancesOf(inner);
    if (read === null) return null;
    observances.push(...read);
    pace.spend(COST.event * read.length);
    if (observances.length > MAX_CHANGES) return null;
  }
  return zoneOfObservances(name, observances, pace);
}

/** null: more than one weekday of one month a year, or a list of dates; that is no longer simple. */
function observancesOf(component: Component): Observance[] | null {
  const starts = parseWallTime(first(component, 'DTSTART')?.value ?? '');
  const toOffset = parseOffset(first(component, 'TZOFFSETTO')?.value ?? '');
  const fromOffset = parseOffset(first(component, 'TZOFFSETFROM')?.value ?? '') ?? toOffset;
  if (toOffset === null || fromOffset === null) return null;
  const startsAtWall = starts?.wallMs ?? Date.UTC(1970, 0, 1);
  const rule = first(component, 'RRULE')?.value;
  if (rule === undefined) {
    const dates = (component.properties.get('RDATE') ?? []).flatMap(({ value }) => value.split(',', MAX_CHANGES));
    if (dates.length > MAX_OBSERVANCES) return null;
    const walls = dates.map((date) => parseWallTime(date)?.wallMs).filter((wall) => wall !== undefined);
    return [startsAtWall, ...walls].map((wall) => ({ startsAtWall: wall, fromOffset, toOffset, yearly: null }));
  }
  const yearly = yearlyRule(rule);
  return yearly === null ? null : [{ startsAtWall, fromOffset, toOffset, yearly }];
}

function yearlyRule(text: string): Observance['yearly'] {
  const services = new Map(
    text
      .toUpperCase()
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const day = /^([+-]?[1-5])(SU|MO|TU|WE|TH|FR|SA)$/.exec(services.get('BYDAY') ?? '');
  const month = Number(services.get('BYMONTH') ?? 0);
  const known = ['FREQ', 'BYDAY', 'BYMONTH', 'UNTIL', 'WKST', 'INTERVAL'];
  if (day === null || services.get('FREQ') !== 'YEARLY' || [...services.keys()].some((key) => !known.includes(key)))
    return null;
  if (!(month >= 1 && month <= 12) || (services.get('INTERVAL') ?? '1') !== '1') return null;
  const until = services.get('UNTIL');
  const untilMs = until === undefined ? NO_END : (parseWallTime(until)?.wallMs ?? NO_END);
  return { month, weekday: WEEKDAYS.indexOf(day[2] ?? ''), nth: Number(day[1]), untilMs };
}
