// Ways to break a valid body: at one place of it, the value is replaced, removed, doubled or buried, or the text itself is
// damaged. The result is text, since some of what breaks servers cannot be held in a JavaScript value.

import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that have broken servers before: types, bounds, Unicode, numbers, dates, depth. Written as JSON text. */
export const NASTY: readonly string[] = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e21',
  '9007199254740992',
  '99999999',
  '100000000',
  '2147483648',
  '1e-7',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\ud83d\\ude00"',
  '"\u202e\u0000"'.replace('\u0000', ''),
  '"\\uffff"',
  '"100"',
  '"NaN"',
  '"USD"',
  '"zzz"',
  '"__proto__"',
  '"\'; drop table venues; --"',
  '"%00"',
  '"../../etc/passwd"',
  '"<script>"',
  '"2027-06-12"',
  '"2027-06-12T09:30:00"',
  '"2027-06-12T23:59:60Z"',
  '"0000-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59-14:00"',
  '"2027-02-29T00:00:00Z"',
  '"2027-06-12T25:00:00Z"',
  '"2027-06-12T09:30:00+99:99"',
  '"25:00"',
  '"24:00"',
  '"America/Nowhere"',
  '"https://"',
  '"https://[::ffff:7f00:1]/"',
  '"https://user:pass@host/"',
  '"javascript:alert(1)"',
  '"https://exämple.com/\u0001"'.replace('\u0001', ''),
  '"FREQ=DAILY;COUNT=999999999"',
  '"FREQ=SECONDLY"',
  '"RRULE:FREQ=YEARLY;BYDAY=53MO"',
  '"FREQ=DAILY;UNTIL=99999999T999999Z"',
  '[]',
  '[[]]',
  '{}',
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":1}}',
  '{"a":{"b":{"c":{}}}}',
  '{"":""}',
  '{"\\u0000":1}',
  '{"\\ud800":1}',
  `"${'x'.repeat(5000)}"`,
  `"${'😀'.repeat(600)}"`,
  `[${'1,'.repeat(1500)}1]`,
  `${'['.repeat(20)}${']'.repeat(20)}`,
  `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`,
];

/** The way to a place: names of members, places in lists. */
export type At = readonly (string | number)[];

export function placesOf(value: Json, at: At = []): At[] {
  const here = [at];
  if (Array.isArray(value)) return here.concat(value.flatMap((item, i) => placesOf(item, [...at, i])));
  if (typeof value !== 'object' || value === null) return here;
  return here.concat(Object.entries(value).flatMap(([name, item]) => placesOf(item, [...at, name])));
}

export function valueAt(value: Json | undefined, at: At): Json | undefined {
  return at.reduce<Json | undefined>(
    (node, step) => (node as { [name: string]: Json } | null | undefined)?.[step],
    value,
  );
}

/** A copy with another value at one place. */
export function withValueAt(value: Json, at: At, instead: Json): Json {
  const [step, ...rest] = at;
  if (step === undefined) return instead;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? withValueAt(item, rest, instead) : item));
  const copy = { ...(value as { [name: string]: Json }) };
  copy[step] = withValueAt(copy[step] ?? null, rest, instead);
  return copy;
}

/** The text of `value` with the text `instead` at the place `at`; null: the place is left out. */
export function textWith(value: Json, at: At, instead: string | null): string {
  const [step, ...rest] = at;
  if (step === undefined) return instead ?? '';
  if (Array.isArray(value)) {
    const items = value.map((item, i) => (i === step ? textWith(item, rest, instead) : JSON.stringify(item)));
    return `[${items.filter((item) => item !== '').join(',')}]`;
  }
  const members = Object.entries(value as { [name: string]: Json }).map(([name, item]) => {
    const text = name === step ? textWith(item, rest, instead) : JSON.stringify(item);
    return text === '' ? '' : `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.filter((member) => member !== '').join(',')}}`;
}

export function mutated(examples: readonly Json[]): fc.Arbitrary<string> {
  return fc.constantFrom(...examples).chain((example) =>
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.constantFrom(...placesOf(example)), fc.constantFrom(...NASTY))
          .map(([at, nasty]) => textWith(example, at, nasty)),
      },
      { weight: 2, arbitrary: fc.constantFrom(...placesOf(example)).map((at) => textWith(example, at, null)) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...placesOf(example)), fc.jsonValue())
          .map(([at, any]) => textWith(example, at, JSON.stringify(any))),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.string({ unit: 'binary' }), fc.jsonValue())
          .map(([name, any]) => extraMember(example, name, any)),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.nat(), fc.nat({ max: 255 }))
          .map(([at, byte]) => damaged(JSON.stringify(example), at, byte)),
      },
      { weight: 1, arbitrary: fc.jsonValue().map((any) => JSON.stringify(any)) },
    ),
  );
}

function extraMember(example: Json, name: string, value: unknown): string {
  const text = JSON.stringify(example);
  return text.startsWith('{') && text !== '{}'
    ? `${text.slice(0, -1)},${JSON.stringify(name)}:${JSON.stringify(value)}}`
    : text;
}

function damaged(text: string, at: number, byte: number): string {
  const place = at % Math.max(1, text.length);
  return text.slice(0, place) + String.fromCharCode(byte) + text.slice(place + 1);
}
