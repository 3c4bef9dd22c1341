// One spelling for each JSON value, so that two bodies can be compared or hashed by meaning.
// Guarantees: members sorted by UTF-16 code units, no white space, numbers as JSON.stringify prints them, own
// properties only (`__proto__` included). It recurses, so it is for values of bounded depth (the parser allows 32).

import type { JsonValue } from './parse.ts';

export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const separator = members === '' ? '' : ',';
    members += `${separator}${JSON.stringify(name)}:${canonicalJson(value[name] as JsonValue)}`;
  }
  return `{${members}}`;
}
