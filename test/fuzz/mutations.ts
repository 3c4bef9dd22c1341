// Breaks a valid body: replaces or removes the value at one path, adds a member, or damages the text. The result is
// text, because some hostile input cannot be a JavaScript value.

import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Values that have broken servers before: types, bounds, Unicode, numbers, dates, depth. Written as JSON text. */
export const HOSTILE_VALUES: readonly string[] = [
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

/** A path in a JSON value: names of members and indexes of items. */
export type JsonPath = readonly (string | number)[];

export function pathsOf(value: Json, at: JsonPath = []): JsonPath[] {
  const here = [at];
  if (Array.isArray(value)) return here.concat(value.flatMap((item, i) => pathsOf(item, [...at, i])));
  if (typeof value !== 'object' || value === null) return here;
  return here.concat(Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...at, name])));
}

export function valueAt(value: Json | undefined, at: JsonPath): Json | undefined {
  return at.reduce<Json | undefined>(
    (node, step) => (node as { [name: string]: Json } | null | undefined)?.[step],
    value,
  );
}

/** A copy with another value at one path. */
export function withValueAt(value: Json, at: JsonPath, replacement: Json): Json {
  const [step, ...rest] = at;
  if (step === undefined) return replacement;
  if (Array.isArray(value)) return value.map((item, i) => (i === step ? withValueAt(item, rest, replacement) : item));
  const copy = { ...(value as { [name: string]: Json }) };
  copy[step] = withValueAt(copy[step] ?? null, rest, replacement);
  return copy;
}

/** The text of `value` with the text `replacement` at the path; null leaves the path out. */
export function textWith(value: Json, at: JsonPath, replacement: string | null): string {
  const [step, ...rest] = at;
  if (step === undefined) return replacement ?? '';
  if (Array.isArray(value)) {
    const items = value.map((item, i) => (i === step ? textWith(item, rest, replacement) : JSON.stringify(item)));
    return `[${items.filter((item) => item !== '').join(',')}]`;
  }
  const members = Object.entries(value as { [name: string]: Json }).map(([name, item]) => {
    const text = name === step ? textWith(item, rest, replacement) : JSON.stringify(item);
    return text === '' ? '' : `${JSON.stringify(name)}:${text}`;
  });
  return `{${members.filter((member) => member !== '').join(',')}}`;
}

export function mutatedText(examples: readonly Json[]): fc.Arbitrary<string> {
  return fc.constantFrom(...examples).chain((example) =>
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.constantFrom(...pathsOf(example)), fc.constantFrom(...HOSTILE_VALUES))
          .map(([at, hostile]) => textWith(example, at, hostile)),
      },
      { weight: 2, arbitrary: fc.constantFrom(...pathsOf(example)).map((at) => textWith(example, at, null)) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom(...pathsOf(example)), fc.jsonValue())
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
          .map(([at, byte]) => withByte(JSON.stringify(example), at, byte)),
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

function withByte(text: string, at: number, byte: number): string {
  const index = at % Math.max(1, text.length);
  return text.slice(0, index) + String.fromCharCode(byte) + text.slice(index + 1);
}
