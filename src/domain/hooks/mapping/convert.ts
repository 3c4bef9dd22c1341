// Converts values of a provider to ours: decimal amounts to minor units by the currency's exponent, time formats
// to ISO 8601 with an offset. Pure. A value that cannot be converted exactly throws a MappingError with a readable
// reason.

import { isZone } from '../../../../schemas/rules/iana-zone.ts';
import { minorDigits } from '../../../../schemas/rules/iso-currency.ts';
import { wallIn, zoneClock } from '../../recurrence/zone-clock.ts';

/** Why a value of a delivery cannot be converted. */
export class MappingError extends Error {}

const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,30}))?(?:[eE]([+-]?\d{1,2}))?$/;
const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
/** More digits than any safe integer has. */
const MAX_DIGITS = 16;
const MAX_PRECISION = 6;
const DAY_MS = 24 * 3_600_000;

/** Moves the decimal point `digits` places to the right; the result must be a whole number. */
function shiftDecimal(text: string, digits: number): number {
  const match = DECIMAL.exec(text.trim());
  if (match === null) throw new MappingError(`"${shorten(text)}" is not a number.`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const all = `${whole}${fraction}`;
  const shift = digits + Number(exponent) - fraction.length;
  if (!/[1-9]/.test(all)) return 0;
  if (shift > MAX_DIGITS) throw new MappingError(`${shorten(text)} is too large.`);
  const cut = shift >= 0 ? all.length : Math.max(0, all.length + shift);
  if (/[1-9]/.test(all.slice(cut))) throw new MappingError(`${text} has more decimals than there are minor units.`);
  const value = Number(BigInt(`${all.slice(0, cut)}${'0'.repeat(Math.max(0, shift))}` || '0'));
  if (!Number.isSafeInteger(value)) throw new MappingError(`${text} is too large.`);
  return sign === '-' && value !== 0 ? -value : value;
}

export function integerOf(text: string): number {
  return shiftDecimal(text, 0);
}

/** From major units, such as `299.0` or `"48.30"`. */
export function minorFromDecimal(text: string, currency: string): number {
  return shiftDecimal(text, minorDigits(currency));
}

/**
 * From hundredths. For a currency without two decimals no delivery shows whether the provider means hundredths or minor
 * units, which differ by a factor of 10 or 100.
 */
export function minorFromCents(text: string, currency: string): number {
  if (minorDigits(currency) !== 2)
    throw new MappingError(
      `The price is in cents, and ${currency.toUpperCase()} has no cents: send the prices with POST /v1/offerings.`,
    );
  return integerOf(text);
}

/** From a whole number of units; 10^`precision` of them make one major unit. */
export function minorFromPrecision(text: string, precision: string, currency: string): number {
  const digits = integerOf(precision);
  if (digits < 0 || digits > MAX_PRECISION)
    throw new MappingError(`A precision of ${shorten(precision)} is not valid for a currency.`);
  return shiftDecimal(String(integerOf(text)), minorDigits(currency) - digits);
}

/** A time with an offset, or a local time in a known zone. Null: the time is local and no zone is known. */
export function timeOf(text: string, zone: string | null): string | null {
  const match = ISO.exec(text.trim());
  if (match === null) throw new MappingError(`"${shorten(text)}" is not a date and time.`);
  const [, day = '', minute = '', second = ':00', offset] = match;
  const local = `${day}T${minute}${second}`;
  if (offset === undefined) return zone === null ? null : inZone(local, zone);
  const isWhole = offset === 'Z' || offset.includes(':');
  const time = isWhole ? `${local}${offset}` : `${local}${offset.slice(0, 3)}:${offset.slice(3)}`;
  // Matches the pattern but is not a time, such as second 60 or hour 25.
  if (Number.isNaN(Date.parse(time))) throw new MappingError(`"${shorten(text)}" is not a date and time.`);
  return time;
}

function inZone(local: string, zone: string): string {
  const wall = Date.parse(`${local}Z`);
  if (Number.isNaN(wall)) throw new MappingError(`"${local}" is not a date and time.`);
  if (!isZone(zone)) throw new MappingError(`"${shorten(zone)}" is not a time zone.`);
  return new Date(
    zoneClock(zone, wall - DAY_MS, wall + DAY_MS).instantAt(wall, Number.NEGATIVE_INFINITY),
  ).toISOString();
}

/** From a day and a time of day as a number such as 1625. Null: no zone is known. */
export function timeFromDayAndNumber(day: string, number: string, zone: string | null): string | null {
  const clock = number.padStart(4, '0');
  if (!/^\d{4}$/.test(clock)) throw new MappingError(`"${shorten(number)}" is not a time of day.`);
  return timeOf(`${day.slice(0, 10)}T${clock.slice(0, 2)}:${clock.slice(2)}`, zone);
}

/** From a day and a time of day such as 15:00 or 15:00:00; null: midnight. Null: no zone is known. */
export function timeFromDayAndTime(day: string, time: string | null, zone: string | null): string | null {
  return timeOf(`${day.slice(0, 10)}T${time ?? '00:00'}`, zone);
}

const DURATION = /^(-?)P(?:0+M)?(?:(\d{1,4})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,4})M)?(?:(\d{1,5})S)?)?$/;

/** The time that the clock of the zone shows a duration of days, hours, minutes and seconds later. */
export function timePlusDuration(text: string, duration: string, zone: string | null): string | null {
  const match = DURATION.exec(duration.trim());
  if (match === null) throw new MappingError(`"${shorten(duration)}" is not a duration in days, hours and minutes.`);
  const time = timeOf(text, zone);
  if (time === null || zone === null) return null;
  if (!isZone(zone)) throw new MappingError(`"${shorten(zone)}" is not a time zone.`);
  const [, sign, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  const ms = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000;
  const wall = wallIn(zone, Date.parse(time)) + (sign === '-' ? -ms : ms);
  return inZone(new Date(wall).toISOString().slice(0, 19), zone);
}

export function timeFromUnix(text: string, unitsPerSecond: 1 | 1000): string {
  const time = new Date((integerOf(text) * 1000) / unitsPerSecond);
  if (Number.isNaN(time.getTime())) throw new MappingError(`"${shorten(text)}" is not a time.`);
  return time.toISOString();
}

/** The beginning of a text, to be quoted in a reason. */
export function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
