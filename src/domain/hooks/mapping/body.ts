// Reads a delivery's body for the mappings. Numbers keep their text, so that no price goes through a binary float, and
// values are addressed by paths such as `booking.rates[].total`. Pure; a missing value is undefined, never an error.

/** Matches strings, to skip them, and numbers that a double may not reproduce exactly. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?[eE][+-]?\d+|-?\d+\.\d+|-?\d{16,}/g;
const NUMBER_KEY = '$number';

/** `text` is valid JSON. Each inexact number becomes an object that holds its text, which textOf() reads. */
export function readBody(text: string): unknown {
  const wrapped = text.replaceAll(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') ? token : `{"${NUMBER_KEY}":"${token}"}`,
  );
  return JSON.parse(wrapped);
}

function numberText(value: unknown): string | null {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, NUMBER_KEY)) return null;
  const text = (value as Record<string, unknown>)[NUMBER_KEY];
  return typeof text === 'string' ? text : null;
}

/** The current item of a list: paths that begin with the list's path refer to this item. */
export interface BoundItem {
  readonly path: string;
  readonly value: unknown;
}

/** Where paths are resolved: the body, and the current item of each list that is being read. */
export interface BodyScope {
  readonly root: unknown;
  /** The innermost list last. */
  readonly bound: readonly BoundItem[];
}

/**
 * The value at a path. If the path crosses a list without a bound item, the first item is used. Of alternatives such as
 * `product.title|product.internalName` the first that is present counts.
 */
export function valueAt(scope: BodyScope, path: string): unknown {
  const values = path.split('|').map((alternative) => valueAtOne(scope, alternative));
  return values.find(isPresent) ?? values[0];
}

function valueAtOne({ root, bound }: BodyScope, path: string): unknown {
  const inside = bound.findLast((item) => path === item.path || path.startsWith(`${item.path}.`));
  const rest = inside === undefined ? path : path.slice(inside.path.length + 1);
  let value = inside === undefined ? root : inside.value;
  for (const segment of rest === '' ? [] : rest.split('.')) {
    const isList = segment.endsWith('[]');
    value = member(value, isList ? segment.slice(0, -2) : segment);
    if (isList) value = items(value)[0];
  }
  return value;
}

/** One scope for each item of the list at a path that ends with []: there, paths into the list refer to the item. */
export function itemScopes(scope: BodyScope, path: string): BodyScope[] {
  return items(valueAt(scope, path.slice(0, -2))).map((value) => ({
    root: scope.root,
    bound: [...scope.bound, { path, value }],
  }));
}

/** The items at a path with several [], such as `menus[].groups[].items[]`: those of every list, in their order. */
export function allItemValues(scope: BodyScope, path: string): unknown[] {
  const end = path.indexOf('[]');
  if (end < 0) return [valueAt(scope, path)];
  const values = items(valueAt(scope, path.slice(0, end)));
  const rest = path.slice(end + 3);
  return rest === '' ? [...values] : values.flatMap((value) => allItemValues({ root: value, bound: [] }, rest));
}

/** Some providers send a list of one item as the item itself. */
function items(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null || isEmptyObject(value) ? [] : [value];
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** Bodies converted from XML have `{}` for an empty element. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** A string, a number or a boolean as text; null for anything else, and for an empty string. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : numberText(value);
}

export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !isEmptyObject(value);
}
