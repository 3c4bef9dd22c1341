// The name of a range of days: `Nov 9 – 15`, `Oct 26 – Nov 1`. Dates are days, without a zone.

const format = (ms: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' }).format(new Date(ms));

const DAY = 86_400_000;

/** `to` is exclusive. */
export function rangeName(from: string, to: string): string {
  const [first, last] = [Date.parse(from), Date.parse(to) - DAY];
  const start = format(first, { month: 'short', day: 'numeric' });
  if (first === last) return start;
  const isSameMonth = from.slice(0, 7) === new Date(last).toISOString().slice(0, 7);
  return `${start} – ${format(last, isSameMonth ? { day: 'numeric' } : { month: 'short', day: 'numeric' })}`;
}

/** `Sat, Nov 14`. */
export const dayName = (date: string): string =>
  format(Date.parse(date), { weekday: 'short', month: 'short', day: 'numeric' });

export const nextDay = (date: string): string => new Date(Date.parse(date) + DAY).toISOString().slice(0, 10);
