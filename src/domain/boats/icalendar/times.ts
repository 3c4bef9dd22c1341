// Parses the time values of RFC 5545: DATE, DATE-TIME, DURATION and UTC-OFFSET. Spellings that real feeds use (dashes and
// colons, missing seconds) are accepted; anything that needs a guess is refused, because a guess could move a booking.
// Times are local (wall) times in milliseconds; a zone converts them to instants.

export const DAY_MS = 86_400_000;

export interface WallTime {
  readonly wallMs: number;
  readonly isDate: boolean;
  readonly isUtc: boolean;
}

/** `days` are nominal (a day may have 23 or 25 hours), `ms` are exact. */
export interface Duration {
  readonly days: number;
  readonly ms: number;
}

export function parseWallTime(text: string): WallTime | null {
  const match = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?$/i.exec(text.replace(/[-:]/g, '').trim());
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (year < 1000 || year > 9998 || hour > 23 || minute > 59 || second > 60) return null;
  const wallMs = Date.UTC(year, month - 1, day, hour, minute, Math.min(second, 59));
  const made = new Date(wallMs);
  if (made.getUTCMonth() !== month - 1 || made.getUTCDate() !== day) return null;
  return { wallMs, isDate: match[4] === undefined, isUtc: match[7] !== undefined };
}

export function parseDuration(text: string): Duration | null {
  const match = /^\+?P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?$/i.exec(
    text.trim(),
  );
  if (match === null || match.slice(1).every((part) => part === undefined)) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((part) => Number(part ?? 0));
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** `+0200`, `-043000` */
export function parseOffset(text: string): number | null {
  const match = /^([+-])(\d{2}):?(\d{2}):?(\d{2})?$/.exec(text.trim());
  if (match === null) return null;
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((part) => Number(part ?? 0));
  if (hours > 18 || minutes > 59 || seconds > 59) return null;
  return (match[1] === '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
