// Translated text: one file of locales/ is one language, read once. A key leads to a sentence with {placeholders}, or to its
// plural forms by the number in {count}; Intl formats amounts and times. English is the reference: a test proves that every
// other language has exactly its keys and placeholders. Nothing is escaped here; the code that writes HTML escapes.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BoundedCache } from './bounded-cache.ts';
import { packageRoot } from './package-root.ts';

/** A file of locales/, by its name: `en`, `es`, `de`. */
export type Language = string;

export const DEFAULT_LANGUAGE: Language = 'en';

export type Placeholders = Readonly<Record<string, string | number>>;

export interface Translator {
  readonly language: Language;
  readonly direction: 'ltr' | 'rtl';
  /** Throws for an unknown key and for a placeholder without a value. */
  translate(key: string, values?: Placeholders): string;
}

/** One sentence, or one for each plural form that the language has (`other` is always there). */
type Sentence = string | (Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string });
type Catalog = ReadonlyMap<string, Sentence>;

const RIGHT_TO_LEFT: readonly Language[] = ['ar', 'fa', 'he', 'ur'];

const FOLDER = join(packageRoot, 'locales');
let loaded: Map<Language, Catalog> | null = null;
const unlisted = new Set<Language>();
const translators = new Map<Language, Translator>();

function catalogs(): Map<Language, Catalog> {
  if (loaded !== null) return loaded;
  const found = new Map<Language, Catalog>();
  for (const file of readdirSync(FOLDER).sort()) {
    const language = /^([a-z]{2,3})\.json$/.exec(file)?.[1];
    if (language === undefined) continue;
    const catalog = new Map<string, Sentence>();
    gather(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')), '', catalog);
    found.set(language, catalog);
  }
  loaded = found;
  return found;
}

/** Nested groups become keys with dots. */
function gather(group: Readonly<Record<string, unknown>>, prefix: string, catalog: Map<string, Sentence>): void {
  for (const [name, value] of Object.entries(group)) {
    const key = `${prefix}${name}`;
    if (typeof value === 'string') catalog.set(key, value);
    else if (typeof value !== 'object' || value === null)
      throw new Error(`translations: "${key}" is neither text nor a group`);
    else if ('other' in value) catalog.set(key, value as Sentence);
    else gather(value as Readonly<Record<string, unknown>>, `${key}.`, catalog);
  }
}

/** The languages that are offered. */
export function languages(): readonly Language[] {
  return [...catalogs().keys()].filter((language) => !unlisted.has(language));
}

/**
 * Adds a language that is not offered, for a test of pages in its script. Sentences that it lacks are English. Returns a
 * function that removes it.
 */
export function addUnlistedLanguage(language: Language, texts: Readonly<Record<string, unknown>>): () => void {
  const catalog = new Map(catalogs().get(DEFAULT_LANGUAGE));
  gather(texts, '', catalog);
  catalogs().set(language, catalog);
  unlisted.add(language);
  return () => {
    catalogs().delete(language);
    unlisted.delete(language);
    translators.delete(language);
  };
}

/** The translator of a language; English where the language is unknown. */
export function translatorFor(language: Language | null): Translator {
  const known = language !== null && catalogs().has(language) ? language : DEFAULT_LANGUAGE;
  const existing = translators.get(known);
  if (existing !== undefined) return existing;
  const catalog = catalogs().get(known) ?? new Map<string, Sentence>();
  const plural = new Intl.PluralRules(known);
  const numbers = new Intl.NumberFormat(known);
  const direction = RIGHT_TO_LEFT.includes(known) ? 'rtl' : 'ltr';
  const translator: Translator = {
    language: known,
    direction,
    translate(key, values = {}) {
      const sentence = catalog.get(key);
      if (sentence === undefined) throw new Error(`translations: ${known} has no "${key}"`);
      const form = typeof sentence === 'string' ? sentence : formOf(sentence, plural, values.count);
      return form.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined) throw new Error(`translations: {${name}} of "${key}" has no value`);
        const text = typeof value === 'number' ? numbers.format(value) : value;
        // In a sentence from right to left, a name, an amount or a number keeps its own order. Text messages have links
        // in their place, which an invisible character would break.
        return direction === 'rtl' && key.startsWith('page.') ? `\u2068${text}\u2069` : text;
      });
    },
  };
  translators.set(known, translator);
  return translator;
}

function formOf(
  sentence: Exclude<Sentence, string>,
  plural: Intl.PluralRules,
  count: string | number | undefined,
): string {
  return (typeof count === 'number' ? sentence[plural.select(count)] : undefined) ?? sentence.other;
}

/** Every key with the placeholders of its sentence, each once and sorted, for a test to compare. */
export function placeholdersOf(language: Language): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const [key, sentence] of catalogs().get(language) ?? []) {
    const forms = typeof sentence === 'string' ? [sentence] : Object.values(sentence);
    const places = forms.flatMap((form) => [...form.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name));
    found.set(key, [...new Set(places)].sort());
  }
  return found;
}

const MAX_HEADER_LENGTH = 1_000;

/** The explicit choice, else the best language that the browser accepts, else English. */
export function languageOf(acceptLanguage: string | null | undefined, wanted?: string | null): Language {
  const asked = known(wanted ?? '');
  if (asked !== null) return asked;
  const accepted = (acceptLanguage ?? '').slice(0, MAX_HEADER_LENGTH).split(',').map(parseRange);
  // Sorting is stable: of two with one weight the first stays the first.
  for (const { tag } of accepted.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)) {
    const language = known(tag);
    if (language !== null) return language;
  }
  return DEFAULT_LANGUAGE;
}

function parseRange(part: string): { readonly tag: string; readonly weight: number } {
  const [tag = '', ...parameters] = part.split(';').map((text) => text.trim());
  const q = parameters.map((text) => /^q=([01](?:\.\d{0,3})?)$/i.exec(text)?.[1]).find((found) => found !== undefined);
  return { tag, weight: q === undefined ? 1 : Number(q) };
}

/** `es-MX` is `es`. */
function known(tag: string): Language | null {
  const language = (tag.split('-')[0] ?? '').toLowerCase();
  return catalogs().has(language) ? language : null;
}

/** To build a formatter takes longer than all that it formats on a page. Venues choose currencies and zones. */
const MAX_FORMATTERS = 500;
const moneyFormats = new BoundedCache<MoneyFormat>(MAX_FORMATTERS);
const dateFormats = new BoundedCache<Intl.DateTimeFormat>(MAX_FORMATTERS);
const listFormats = new BoundedCache<Intl.ListFormat>(MAX_FORMATTERS);

interface MoneyFormat {
  readonly format: Intl.NumberFormat;
  /** Of one unit: 100 cents are a dollar. */
  readonly minorUnits: number;
}

/** Minor units as a person writes them: `$40.00`. Digits and currency are read from left to right in every language. */
export function formatMoney(language: Language, amount: number, currency: string): string {
  const { format, minorUnits } = moneyFormats.get(`${language} ${currency}`, () => {
    const made = new Intl.NumberFormat(language, { style: 'currency', currency: currency.toUpperCase() });
    return { format: made, minorUnits: 10 ** (made.resolvedOptions().maximumFractionDigits ?? 2) };
  });
  const text = format.format(amount / minorUnits);
  return RIGHT_TO_LEFT.includes(language) ? `\u2066${text}\u2069` : text;
}

const HOUR = { hour: 'numeric', minute: '2-digit' } as const;
const DAY_AND_HOUR = { weekday: 'short', day: 'numeric', month: 'short', ...HOUR } as const;

const DATE_STYLES = {
  time: { ...DAY_AND_HOUR, timeZoneName: 'short' },
  date: DAY_AND_HOUR,
  weekdayAndHour: { weekday: 'long', ...HOUR },
  hour: HOUR,
  fullDay: { dateStyle: 'long' },
  fullDayAndHour: { weekday: 'long', month: 'short', day: 'numeric', ...HOUR },
  month: { month: 'short' },
  day: { day: 'numeric' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

function formatIn(language: Language, zone: string, style: keyof typeof DATE_STYLES, at: number): string {
  const make = (): Intl.DateTimeFormat => new Intl.DateTimeFormat(language, { ...DATE_STYLES[style], timeZone: zone });
  return dateFormats.get(`${language} ${zone} ${style}`, make).format(at);
}

/** A percentage as a person writes it: `50%`, `8.875%`. */
export function formatPercent(language: Language, percent: number): string {
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 3 }).format(percent / 100);
}

/** A time in a zone, with the name of that zone: `Fri, Nov 21, 6:00 PM EST`. */
export function formatTime(language: Language, at: number, zone: string): string {
  return formatIn(language, zone, 'time', at);
}

/** The day and hour of a booking, for people who are there: `Sat, Nov 21, 5:00 PM`, without the name of the zone. */
export function formatDate(language: Language, at: number, zone: string): string {
  return formatIn(language, zone, 'date', at);
}

/**
 * How long ago a time was, or how far ahead it is, in its largest unit: `3 min. ago`, `in 3 hours`. Null: less than a minute.
 * `showAges` of guest.js says the same while a page is open.
 */
export function formatAge(language: Language, at: number, now: number, style: 'short' | 'long'): string | null {
  const minutes = Math.round((at - now) / 60_000);
  if (minutes === 0) return null;
  const format = new Intl.RelativeTimeFormat(language, { style });
  if (Math.abs(minutes) < 60) return format.format(minutes, 'minute');
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 24 ? format.format(hours, 'hour') : format.format(Math.round(hours / 24), 'day');
}

/** The day of a booking: `November 21, 2026`. */
export function formatDay(language: Language, at: number, zone: string): string {
  return formatIn(language, zone, 'fullDay', at);
}

const HALF_DAY = 12 * 3_600_000;

/**
 * The hours of a booking with the weekday of its start: `Saturday, 5:00 PM – 7:30 PM`. An end on a later day has its weekday and
 * date too, unless it is the end of a night.
 */
export function formatHours(language: Language, from: number, to: number | null, zone: string): string {
  const start = formatIn(language, zone, 'weekdayAndHour', from);
  if (to === null) return start;
  const isLaterDay = to - from > HALF_DAY && formatDay(language, from, zone) !== formatDay(language, to, zone);
  return `${start} – ${formatIn(language, zone, isLaterDay ? 'fullDayAndHour' : 'hour', to)}`;
}

/** The parts of a calendar leaf: month and day. */
export function calendarLeaf(
  language: Language,
  at: number,
  zone: string,
): { readonly month: string; readonly day: string } {
  return { month: formatIn(language, zone, 'month', at), day: formatIn(language, zone, 'day', at) };
}

/** `Ada, Ben, and Cleo`; short, for a line with little room: `Ada, Ben, & Cleo`. */
export function formatList(language: Language, names: readonly string[], style: 'long' | 'short' = 'long'): string {
  return listFormats.get(`${language} ${style}`, () => new Intl.ListFormat(language, { style })).format(names);
}
