// Translated text: one file of locales/ is one language, read once. A key leads to a sentence with {placeholders}, or to its
// plural forms by the number in {count}; Intl formats amounts and times. English is the reference: a test proves that every
// other language has exactly its keys and placeholders. Nothing is escaped here; the code that writes HTML escapes.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/** A file of locales/, by its name: `en`, `es`, `de`. */
export type Language = string;

export const DEFAULT_LANGUAGE: Language = 'en';

export type Placeholders = Readonly<Record<string, string | number>>;

export interface Translator {
  readonly language: Language;
  /** Throws for an unknown key and for a placeholder without a value. */
  translate(key: string, values?: Placeholders): string;
}

/** One sentence, or one for each plural form that the language has (`other` is always there). */
type Sentence = string | (Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string });
type Catalog = ReadonlyMap<string, Sentence>;

const FOLDER = join(packageRoot, 'locales');
let loaded: ReadonlyMap<Language, Catalog> | null = null;
const translators = new Map<Language, Translator>();

function catalogs(): ReadonlyMap<Language, Catalog> {
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

export function languages(): readonly Language[] {
  return [...catalogs().keys()];
}

/** The translator of a language; English where the language is unknown. */
export function translatorFor(language: Language | null): Translator {
  const known = language !== null && catalogs().has(language) ? language : DEFAULT_LANGUAGE;
  const existing = translators.get(known);
  if (existing !== undefined) return existing;
  const catalog = catalogs().get(known) ?? new Map<string, Sentence>();
  const plural = new Intl.PluralRules(known);
  const numbers = new Intl.NumberFormat(known);
  const translator: Translator = {
    language: known,
    translate(key, values = {}) {
      const sentence = catalog.get(key);
      if (sentence === undefined) throw new Error(`translations: ${known} has no "${key}"`);
      const form = typeof sentence === 'string' ? sentence : formOf(sentence, plural, values.count);
      return form.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => {
        const value = Object.hasOwn(values, name) ? values[name] : undefined;
        if (value === undefined) throw new Error(`translations: {${name}} of "${key}" has no value`);
        return typeof value === 'number' ? numbers.format(value) : value;
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

/** Minor units as a person writes them: `$40.00`. */
export function formatMoney(language: Language, amount: number, currency: string): string {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency: currency.toUpperCase() });
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

/** A percentage as a person writes it: `50%`, `8.875%`. */
export function formatPercent(language: Language, percent: number): string {
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 3 }).format(percent / 100);
}

/** A time in a zone, with the name of that zone: `Fri, Nov 21, 6:00 PM EST`. */
export function formatTime(language: Language, at: number, zone: string): string {
  const format = new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  });
  return format.format(at);
}

/** The day and hour of a booking, for people who are there: `Sat, Nov 21, 5:00 PM`, without the name of the zone. */
export function formatDate(language: Language, at: number, zone: string): string {
  const format = new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
  });
  return format.format(at);
}

/** The day of a booking: `November 21, 2026`. */
export function formatDay(language: Language, at: number, zone: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: zone }).format(at);
}

const HALF_DAY = 12 * 3_600_000;

/**
 * The hours of a booking with the weekday of its start: `Saturday, 5:00 PM – 7:30 PM`. An end on a later day has its weekday and
 * date too, unless it is the end of a night.
 */
export function formatHours(language: Language, from: number, to: number | null, zone: string): string {
  const part = (at: number, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(at);
  const weekdayAndStart = part(from, { weekday: 'long', hour: 'numeric', minute: '2-digit' });
  if (to === null) return weekdayAndStart;
  const day = (at: number): string => part(at, { year: 'numeric', month: 'numeric', day: 'numeric' });
  const isLaterDay = to - from > HALF_DAY && day(from) !== day(to);
  const dayOfEnd = isLaterDay ? ({ weekday: 'long', month: 'short', day: 'numeric' } as const) : {};
  return `${weekdayAndStart} – ${part(to, { ...dayOfEnd, hour: 'numeric', minute: '2-digit' })}`;
}

/** The parts of a calendar leaf: month and day. */
export function calendarLeaf(
  language: Language,
  at: number,
  zone: string,
): { readonly month: string; readonly day: string } {
  const part = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: zone }).format(at);
  return { month: part({ month: 'short' }), day: part({ day: 'numeric' }) };
}
