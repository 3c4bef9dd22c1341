// Fills the texts of a reader: `{path}` is replaced by the value at the path in what is known so far (variables of the
// delivery, credentials, answers of earlier requests). Pure. A text whose value is missing is an error, because a request
// without an id would read something else.

import { type BodyScope, textOf, valueAt } from '../mapping/body.ts';
import { MappingError } from '../mapping/convert.ts';

const PLACEHOLDER = /\{([A-Za-z0-9_.@[\]|]+)\}/g;

export type Values = Readonly<Record<string, unknown>>;

export function fillText(template: string, values: Values, encode: (text: string) => string = (text) => text): string {
  const scope: BodyScope = { root: values, bound: [] };
  return template.replaceAll(PLACEHOLDER, (_, path: string) => {
    const text = textOf(valueAt(scope, path));
    if (text === null) throw new MappingError(`The answer of the venue system has no value at ${path}.`);
    return encode(text);
  });
}

export function fillTexts(templates: Readonly<Record<string, string>> | undefined, values: Values) {
  return Object.fromEntries(
    Object.entries(templates ?? {}).map(([name, template]): [string, string] => [name, fillText(template, values)]),
  );
}

/** A JSON value in which every text is filled. */
export function fillJson(value: unknown, values: Values): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillJson(member, values)]));
}

/** Leaves out the members that consist of {cursor}: the first page has none. */
export function withoutCursor<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutCursor) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === '{cursor}' ? [] : [[name, withoutCursor(member)]])),
  ) as Value;
}
