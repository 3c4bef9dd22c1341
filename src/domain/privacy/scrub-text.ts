// Takes a person's phone, mail address and names out of text and JSON. A phone is found in any way of writing it; names
// are found as whole words, and only those of three letters or more.

export interface Identifiers {
  /** E.164. */
  readonly phone: string | null;
  readonly mail: string | null;
  readonly names: readonly string[];
}

export const ERASED = '[erased]';
const MIN_NAME_LENGTH = 3;
/** Digits of a number without its country code, which are what people write. */
const NATIONAL_DIGITS = 10;
const BETWEEN_DIGITS = '[\\s().\\-/]*';

/** Gives the text without the identifiers; the same text if it has none. */
export type Scrub = (text: string) => string;

export function makeScrub(identifiers: Identifiers): Scrub {
  const patterns = [phonePattern(identifiers.phone), mailPattern(identifiers.mail), ...namePatterns(identifiers.names)];
  const found = patterns.filter((pattern) => pattern !== null);
  return (text) => found.reduce((rest, pattern) => rest.replaceAll(pattern, ERASED), text);
}

/** Every string of a JSON document, keys aside. Text that is no JSON is scrubbed as it is. */
export function scrubJson(json: string, scrub: Scrub): string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return scrub(json);
  }
  const scrubbed = scrubValue(value, scrub);
  return scrubbed === value ? json : JSON.stringify(scrubbed);
}

/** The same value if nothing in it changed. */
export function scrubValue(value: unknown, scrub: Scrub): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value === 'number') return scrub(String(value)) === String(value) ? value : ERASED;
  if (Array.isArray(value)) {
    const items = value.map((item) => scrubValue(item, scrub));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, scrubValue(item, scrub)] as const);
  const isChanged = entries.some(([key, item]) => item !== (value as Record<string, unknown>)[key]);
  return isChanged ? Object.fromEntries(entries) : value;
}

function phonePattern(phone: string | null): RegExp | null {
  if (phone === null) return null;
  const digits = phone.replaceAll(/\D/g, '');
  const national = digits.slice(-NATIONAL_DIGITS);
  const country = digits.slice(0, -NATIONAL_DIGITS);
  const spaced = (text: string): string => [...text].join(BETWEEN_DIGITS);
  const prefix = country === '' ? '' : `(?:(?:\\+|00)?${spaced(country)}${BETWEEN_DIGITS})?`;
  return new RegExp(`(?<!\\d)\\+?${prefix}\\(?${spaced(national)}(?!\\d)`, 'g');
}

function mailPattern(mail: string | null): RegExp | null {
  return mail === null ? null : new RegExp(`(?<![\\w.+-])${escaped(mail)}(?![\\w-]|\\.\\w)`, 'gi');
}

function namePatterns(names: readonly string[]): RegExp[] {
  const long = names.map((name) => name.trim()).filter((name) => [...name].length >= MIN_NAME_LENGTH);
  // Longest first: "Ada Lovelace" before "Ada".
  const sorted = [...new Set(long)].sort((one, other) => other.length - one.length);
  return sorted.map((name) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(name)}(?![\\p{L}\\p{N}])`, 'giu'));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
