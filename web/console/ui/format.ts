// How the console writes money, times and ids. Sums are exact, to the cent; times are in the venue's zone where it is known.

import { signal } from '@preact/signals';

/** The zone of the venue; undefined: that of the browser. */
export const timeZone = signal<string | undefined>(undefined);

const LOCALE = 'en-US';
const decimals = new Map<string, number>();

function decimalsOf(currency: string): number {
  const known = decimals.get(currency);
  if (known !== undefined) return known;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat(LOCALE, {
    style: 'currency',
    currency,
  }).resolvedOptions();
  decimals.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
}

/** An amount in minor units: `$640.00`, `−$17.28`. */
export function money(amount: number, currency: string): string {
  const code = currency.toUpperCase();
  const digits = decimalsOf(code);
  const text = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: code }).format(
    Math.abs(amount) / 10 ** digits,
  );
  return amount < 0 ? `−${text}` : text;
}

/** A large figure in two parts, of which the second is written quietly: `$4,493` and `.36`. */
export function moneyParts(amount: number, currency: string): readonly [string, string] {
  const text = money(amount, currency);
  const point = decimalsOf(currency.toUpperCase()) === 0 ? -1 : text.lastIndexOf('.');
  return point < 0 ? [text, ''] : [text.slice(0, point), text.slice(point)];
}

/** Minor units of what a person typed, such as `12.50`; null: it is no amount of this currency. */
export function parseMoney(text: string, currency: string): number | null {
  const digits = decimalsOf(currency.toUpperCase());
  const [, whole = '', fraction = ''] = /^\s*(\d{1,9})(?:\.(\d*))?\s*$/.exec(text.replaceAll(',', '')) ?? [];
  if (whole === '' || fraction.length > digits) return null;
  return Number(whole) * 10 ** digits + Number(fraction.padEnd(digits, '0') || '0');
}

export const number = (value: number): string => new Intl.NumberFormat(LOCALE).format(value);

function format(at: string | number | Date, options: Intl.DateTimeFormatOptions): string {
  const zone = timeZone.value;
  return new Intl.DateTimeFormat(LOCALE, { ...options, ...(zone === undefined ? {} : { timeZone: zone }) }).format(
    new Date(at),
  );
}

/** `Nov 4, 10:33 AM`; with the year where it is not this one. */
export function dateTime(at: string): string {
  const isThisYear = format(at, { year: 'numeric' }) === format(Date.now(), { year: 'numeric' });
  const year = isThisYear ? {} : ({ year: 'numeric' } as const);
  return format(at, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', ...year });
}

export const time = (at: string): string => format(at, { hour: 'numeric', minute: '2-digit' });
export const timeWithSeconds = (at: string): string =>
  format(at, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
/** `Wed, Nov 4`. */
export const day = (at: string): string => format(at, { weekday: 'short', month: 'short', day: 'numeric' });
/** `Monday, November 16`. */
export const longDay = (at: string | number): string => format(at, { weekday: 'long', month: 'long', day: 'numeric' });
/** `Nov 16, 2026`. */
export const date = (at: string): string => format(at, { year: 'numeric', month: 'short', day: 'numeric' });
/** The short name of the zone: `EST`. */
export const zoneName = (): string =>
  new Intl.DateTimeFormat(LOCALE, {
    timeZoneName: 'short',
    ...(timeZone.value === undefined ? {} : { timeZone: timeZone.value }),
  })
    .formatToParts(new Date())
    .find(({ type }) => type === 'timeZoneName')?.value ?? '';

/** When the clocks of the zone show `2026-11-16T09:30`. */
export function atWallClock(shown: string): string {
  const wanted = Date.parse(`${shown}Z`);
  let at = wanted;
  // The second step is for a time near a change of the clocks.
  for (let step = 0; step < 2; step++) at += wanted - wallClock(at);
  return new Date(at).toISOString();
}

/** What the clocks of the zone show then, to the minute: `2026-11-16T09:30`. */
export const onWallClock = (at: string): string => new Date(wallClock(Date.parse(at))).toISOString().slice(0, 16);

/** What the clocks of the zone show, as if they showed UTC. */
function wallClock(at: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    ...(timeZone.value === undefined ? {} : { timeZone: timeZone.value }),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

const MINUTE = 60_000;

/** How long until or since a time: `38 min`, `3 h 28 min`, `1 d 3 h`, `17 days`. */
export function span(ms: number): string {
  const minutes = Math.max(0, Math.round(Math.abs(ms) / MINUTE));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  if (days < 3) return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
  return `${days} days`;
}

/** `2 min ago`, `Nov 4, 10:33 AM` when it is longer than a day. */
export function ago(at: string): string {
  const ms = Date.now() - Date.parse(at);
  if (ms < MINUTE) return 'just now';
  return ms < 24 * 60 * MINUTE ? `${span(ms)} ago` : dateTime(at);
}

/** Prefix and last six characters: `chk_…98x4d1`. */
export function shortId(id: string): string {
  const prefix = /^[a-z]+_/.exec(id)?.[0] ?? '';
  return id.length - prefix.length <= 8 ? id : `${prefix}…${id.slice(-6)}`;
}

/** `1 share`, `2 shares`. */
export const count = (value: number, noun: string, plural = `${noun}s`): string =>
  `${number(value)} ${value === 1 ? noun : plural}`;

/** `checkout.completed` or `role_not_allowed` as words: `Role not allowed`. */
export function words(code: string): string {
  const text = code.replaceAll(/[_.]/g, ' ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
