// One spelling for each JSON value, so that two bodies can be compared or hashed by meaning.
// Guarantees: members sorted by UTF-16 code units, no white space, numbers as JSON.stringify prints them, own
// properties only (`__proto__` included). It recurses, so it is for values of bounded depth (the parser allows 32).

import type { JsonValue } from './parse.ts';

export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  // A list without lists and objects has one spelling already, and a megabyte of it takes a tenth of the time at once.
  if (Array.isArray(value)) return value.every(isScalar) ? JSON.stringify(value) : listJson(value);
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const separator = members === '' ? '' : ',';
    members += `${separator}${JSON.stringify(name)}:${canonicalJson(value[name] as JsonValue)}`;
  }
  return `{${members}}`;
}

function listJson(list: readonly JsonValue[]): string {
  return `[${list.map(canonicalJson).join(',')}]`;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null;
}
