// How messages quote a caller's text and list valid values. The result is always short, also when the caller sent long text.

const MAX_QUOTED_LENGTH = 40;
const MAX_LISTED_VALUES = 8;

/** A caller's text in quotation marks, cut at 40 characters and with control characters escaped. */
export function quoted(text: string): string {
  const start = Array.from(text.slice(0, 2 * MAX_QUOTED_LENGTH + 2));
  return JSON.stringify(start.length > MAX_QUOTED_LENGTH ? `${start.slice(0, MAX_QUOTED_LENGTH).join('')}…` : text);
}

/** The first values of a list, and their total number when some are left out. */
export function listed(values: readonly string[]): string {
  const first = values.slice(0, MAX_LISTED_VALUES).join(', ');
  return values.length > MAX_LISTED_VALUES ? `${first}, … (${values.length} in all)` : first;
}
