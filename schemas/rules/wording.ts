// How messages quote what a caller sent and list what would be right: always short, whatever was sent.

const QUOTED_LENGTH = 40;
const LISTED_VALUES = 8;

/** A caller's text in quotation marks, cut at 40 characters and with control characters escaped. */
export function quoted(text: string): string {
  const start = Array.from(text.slice(0, 2 * QUOTED_LENGTH + 2));
  return JSON.stringify(start.length > QUOTED_LENGTH ? `${start.slice(0, QUOTED_LENGTH).join('')}…` : text);
}

/** The first few of a list, and how many there are when some are left out. */
export function listed(values: readonly string[]): string {
  const first = values.slice(0, LISTED_VALUES).join(', ');
  return values.length > LISTED_VALUES ? `${first}, … (${values.length} in all)` : first;
}
