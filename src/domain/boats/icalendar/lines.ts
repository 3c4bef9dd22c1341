// Reads the content lines of a calendar (RFC 5545, 3.1). Lines are unfolded before they are decoded, so that a line folded
// inside a UTF-8 sequence stays whole, then parsed into name, parameters and value. Bytes, lines and parameters are
// limited. It does not interpret the lines.

import { CalendarError } from './calendar-error.ts';

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_LINES = 100_000;
/** Of one line. Real feeds use fewer than 10; 150,000 on one line took 0.3 seconds without a pause. */
const MAX_PARAMETERS = 100;

export interface ContentLine {
  /** Upper case. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
}

/** The first line that is not blank must be BEGIN:VCALENDAR. */
export function* unfoldedLines(input: string | Uint8Array): Generator<string, undefined, undefined> {
  if (input.length > MAX_BYTES) throw new CalendarError('The calendar is larger than 2 MB.');
  const isText = typeof input === 'string';
  let isOpen = false;
  for (const raw of unfolded(isText ? input : Buffer.from(input).toString('latin1'))) {
    const line = isText ? raw : decoded(raw);
    if (isOpen) yield line;
    else if (line.trim() !== '') {
      yield checkedOpening(line);
      isOpen = true;
    }
  }
  if (!isOpen) checkedOpening('');
}

function checkedOpening(line: string): string {
  const text = line.replace(/^\uFEFF/, '').trim();
  if (/^BEGIN:VCALENDAR$/i.test(text)) return text;
  throw new CalendarError(
    /^<(!doctype|html|head|body|\?xml)/i.test(text)
      ? 'This is a web page, not a calendar: the address must lead to an iCalendar file.'
      : 'This is not a calendar: it does not begin with BEGIN:VCALENDAR.',
  );
}

/** A line ends with CRLF, LF or CR. A line that begins with a space or tab continues the line before it. */
function* unfolded(text: string): Generator<string, undefined, undefined> {
  let whole: string | null = null;
  let count = 0;
  let [feed, carriage] = [-1, -1];
  for (let at = 0; at <= text.length; ) {
    if (feed < at) feed = nextOf(text, '\n', at);
    if (carriage < at) carriage = nextOf(text, '\r', at);
    const end = Math.min(feed, carriage);
    count += 1;
    if (count > MAX_LINES) throw new CalendarError(`The calendar has more than ${MAX_LINES} lines.`);
    const character = text[at];
    if (whole !== null && end > at && (character === ' ' || character === '\t')) whole += text.slice(at + 1, end);
    else {
      if (whole !== null) yield whole;
      whole = text.slice(at, end);
    }
    at = end + (carriage === end && feed === end + 1 ? 2 : 1);
  }
  if (whole !== null) yield whole;
}

function nextOf(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
}

const decoded = (latin1: string): string =>
  /[^\0-\x7f]/.test(latin1) ? Buffer.from(latin1, 'latin1').toString('utf8') : latin1;

export const nameOf = (line: string): string => /^[A-Za-z0-9-]+(?=[;:])/.exec(line)?.[0].toUpperCase() ?? '';

/** null: the line has no colon outside quotes, or too many parameters. */
export function parseLine(line: string): ContentLine | null {
  const name = nameOf(line);
  if (name === '') return null;
  const parameters = new Map<string, string>();
  let from = name.length;
  let isQuoted = false;
  let count = 0;
  for (let at = from; at < line.length; at++) {
    const character = line[at];
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted || (character !== ';' && character !== ':')) continue;
    if (at > from) {
      count += 1;
      if (count > MAX_PARAMETERS) return null;
      addParameter(parameters, line.slice(from + 1, at));
    }
    if (character === ':') return { name, parameters, value: line.slice(at + 1).trim() };
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
