// The formats time, date, UUID and URI, stricter than the usual format package: a time has an offset, names an existing
// second, and is in the UTC years 1970 to 9998, so that every later step can handle it.

const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:Z|([+-])(\d{2}):(\d{2}))$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

export function isTime(text: string): boolean {
  const parts = TIME.exec(text);
  if (parts === null) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (!isDay(year, month, day) || hour > 23 || minute > 59 || second > 59) return false;
  if (Number(parts[8] ?? 0) > 23 || Number(parts[9] ?? 0) > 59) return false;
  const utcYear = new Date(text.toUpperCase()).getUTCFullYear();
  return utcYear >= 1970 && utcYear <= 9998;
}

export function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (parts === null) return false;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  return year >= 1970 && year <= 9998 && isDay(year, month, day);
}

const CHARACTER = String.raw`[\w.~!$&'()*+,;=-]|%[0-9a-f]{2}`;
const USER = `(?:(?:${CHARACTER}|:)*@)?`;
const HOST = String.raw`(?:\[[0-9a-f:.]+\]|(?:${CHARACTER})+)(?::\d*)?`;
const TAIL = `(?:${CHARACTER}|[:@/?])*`;
/** ASCII only, everything else percent-encoded; brackets only around a numeric host, `@` before it and `#` once. */
const ADDRESS = new RegExp(String.raw`^[a-z][a-z0-9+.-]*:\/\/${USER}${HOST}(?:[/?]${TAIL})?(?:#${TAIL})?$`, 'i');

function isAddress(text: string): boolean {
  return ADDRESS.test(text) && URL.canParse(text);
}

export const formats = {
  'date-time': isTime,
  date: isDate,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  uri: isAddress,
} as const;
