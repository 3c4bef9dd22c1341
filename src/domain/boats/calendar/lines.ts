// From the bytes of a calendar to its content lines (RFC 5545, 3.1): unfolded before they are decoded, so that a line
// folded inside a UTF-8 sequence comes out whole; split into name, parameters and value. Bounded in size and in lines.
// It knows nothing of what the lines mean.

import { CalendarError } from './calendar-error.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_LINES = 100_000;

export interface ContentLine {
  /** Upper case. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

export function unfoldedLines(input: string | Uint8Array): string[] {
  if (input.length > MAX_BYTES) throw new CalendarError('The calendar is larger than 2 MB.');
  const lines = typeof input === 'string' ? unfold(input) : unfold(Buffer.from(input).toString('latin1'));
  if (lines.length > MAX_LINES) throw new CalendarError(`The calendar has more than ${MAX_LINES} lines.`);
  if (typeof input !== 'string') for (const [at, line] of lines.entries()) lines[at] = decoded(line);
  const first = lines.findIndex((line) => line.trim() !== '');
  const opening = lines[first]?.replace(/^\uFEFF/, '').trim() ?? '';
  if (/^BEGIN:VCALENDAR$/i.test(opening)) {
    lines[first] = opening;
    return lines;
  }
  throw new CalendarError(
    /^<(!doctype|html|head|body|\?xml)/i.test(opening)
      ? 'This is a web page, not a calendar: the address must lead to an iCalendar file.'
      : 'This is not a calendar: it does not begin with BEGIN:VCALENDAR.',
  );
}

function unfold(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .split('\n');
}

const decoded = (latin1: string): string =>
  /[^\0-\x7f]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;

export const nameOf = (line: string): string => /^[A-Za-z0-9-]+(?=[;:])/.exec(line)?.[0].toUpperCase() ?? '';

/** null: the line has no colon outside quotes, so it is none. */
export function parseLine(line: string): ContentLine | null {
  const name = nameOf(line);
  if (name === '') return null;
  const parameters = new Map<string, string>();
  let from = name.length;
  let isQuoted = false;
  for (let at = from; at < line.length; at++) {
    const sign = line[at];
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted || (sign !== ';' && sign !== ':')) continue;
    if (at > from) addParameter(parameters, line.slice(from + 1, at));
    if (sign === ':') return { name, parameters, value: line.slice(at + 1).trim() };
    from = at;
  }
  return null;
}

function addParameter(parameters: Map<string, string>, text: string): void {
  const equals = text.indexOf('=');
  if (equals < 1) return;
  const value = text.slice(equals + 1).trim();
  parameters.set(text.slice(0, equals).trim().toUpperCase(), value.replace(/^"(.*)"$/, '$1'));
}
