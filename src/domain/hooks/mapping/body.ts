// A delivery's body as the mappings read it: numbers stay the text that came, so that no price goes through a binary float,
// and places are named by paths such as `booking.rates[].total`. Pure; a place that is not there is undefined, never an error.

/** Strings, to step over them, and numbers that a double may not give back as they were written. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?[eE][+-]?\d+|-?\d+\.\d+|-?\d{16,}/g;
const NUMBER_KEY = '$number';

/** `text` is JSON that was accepted before. Such a number becomes an object that names its text, which textOf reads. */
export function readBody(text: string): unknown {
  const marked = text.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : `{"${NUMBER_KEY}":"${token}"}`,
  );
  return JSON.parse(marked);
}

function numberText(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, NUMBER_KEY)) return null;
  const text = (value as Record<string, unknown>)[NUMBER_KEY];
  return typeof text === 'string' ? text : null;
}

/** An item of a list that is being read: paths that begin with the list's mean this one. */
export interface BoundItem {
  readonly path: string;
  readonly value: unknown;
}

export interface Place {
  readonly root: unknown;
  /** The innermost list last. */
  readonly bound: readonly BoundItem[];
}

/** Where a list is meant and no item of it is bound, the first one is. */
export function valueAt({ root, bound }: Place, path: string): unknown {
  const inside = bound.findLast((one) => path === one.path || path.startsWith(`${one.path}.`));
  const rest = inside === undefined ? path : path.slice(inside.path.length + 1);
  let value = inside === undefined ? root : inside.value;
  for (const segment of rest === '' ? [] : rest.split('.')) {
    const isList = segment.endsWith('[]');
    value = member(value, isList ? segment.slice(0, -2) : segment);
    if (isList) value = items(value)[0];
  }
  return value;
}

/** The items of the list that a path with [] at its end names. */
export function itemsAt(place: Place, path: string): readonly unknown[] {
  return items(valueAt(place, path.slice(0, -2)));
}

/** A list of one is sometimes sent as the one. */
function items(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null || isEmpty(value) ? [] : [value];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** What was XML once says `{}` for nothing. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A text, a number or a boolean as text; null for nothing, and for whatever is none of these. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : numberText(value);
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !isEmpty(value);
}
