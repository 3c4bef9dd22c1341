// Ways to break a body that was right: at one of its places (type, bound, missing, unknown, doubled, buried), and as text
// (cut, not UTF-8, a byte order mark, two documents, a byte too many). Everything is drawn from the request's own chance.

import { gzipSync } from 'node:zlib';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Contract, Schema } from './contract.ts';
import { type At, type Json, NASTY, placesOf, textWith, valueAt } from './mutations.ts';
import { schemaAt } from './values.ts';

/** The text of a body with one thing wrong in it, or two. */
export function brokenText(random: SeededRandom, contract: Contract, value: Json, schema: Schema): string {
  const at = random.pick(placesOf(value));
  const way = random.below(12);
  if (way <= 4) return textWith(value, at, random.pick(NASTY));
  if (way === 5) return textWith(value, at, null);
  if (way === 6) return textWith(value, at, pastTheBound(random, contract, value, schema, at));
  if (way === 7) return withMember(value, random.pick(UNKNOWN), random.pick(NASTY));
  if (way === 8) return doubled(random, value);
  if (way === 9) return textWith(value, at, buried(random, JSON.stringify(valueAt(value, at) ?? null)));
  if (way === 10) return textWith(value, at, otherType(valueAt(value, at) ?? null));
  const once = textWith(value, at, random.pick(NASTY));
  return withMember(value, random.pick(UNKNOWN), once === '' ? 'null' : once);
}

const UNKNOWN = [
  'x',
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'amonut',
  'status',
  'venue_id',
  'mode',
  'id',
  'created_at',
  'a/b',
  'a~b',
  '\\u0000',
  '\\ud800',
  '😀',
  'x'.repeat(300),
  '$ref',
  '$where',
  'length',
];

function withMember(value: Json, name: string, text: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  const own = JSON.stringify(value).slice(1, -1);
  return `{${own}${own === '' ? '' : ','}"${name}":${text}}`;
}

/** A member that stands twice, with the same value or another. */
function doubled(random: SeededRandom, value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify([value, value]);
  const names = Object.keys(value);
  if (names.length === 0) return '{"a":1,"a":1}';
  const name = random.pick(names);
  return withMember(value, name, random.often(0.5) ? JSON.stringify(value[name]) : random.pick(NASTY));
}

function buried(random: SeededRandom, text: string): string {
  const depth = random.pick([1, 2, 15, 31, 32, 33, 64, 500, 20_000]);
  return random.often(0.5)
    ? `${'['.repeat(depth)}${text}${']'.repeat(depth)}`
    : `${'{"a":'.repeat(depth)}${text}${'}'.repeat(depth)}`;
}

function otherType(value: Json): string {
  if (typeof value === 'string') return /^-?\d+$/.test(value) ? value : '42';
  if (typeof value === 'number') return `"${value}"`;
  if (typeof value === 'boolean') return `"${value}"`;
  return Array.isArray(value) ? '{}' : '[]';
}

/** One more than the schema allows of whatever it bounds at this place. */
function pastTheBound(random: SeededRandom, contract: Contract, value: Json, schema: Schema, at: At): string {
  const of = schemaAt(contract, schema, value, at);
  const own = valueAt(value, at) ?? null;
  if (of === null) return random.pick(NASTY);
  if (typeof own === 'number' && of.maximum !== undefined && random.often(0.5)) return String(Number(of.maximum) + 1);
  if (typeof own === 'number' && of.minimum !== undefined) return String(Number(of.minimum) - 1);
  if (typeof own === 'number') return random.pick(['1e308', '-1e308', '12345678901234567890', '0.1', '1e-320']);
  if (Array.isArray(own) && of.maxItems !== undefined) {
    const item = JSON.stringify(own[0] ?? 'x');
    return `[${Array.from({ length: Math.min(Number(of.maxItems) + 1, 1_200) }, () => item).join(',')}]`;
  }
  if (typeof own === 'string' && of.maxLength !== undefined)
    return JSON.stringify('y'.repeat(Number(of.maxLength) + 1));
  if (typeof own === 'string' && Array.isArray(of.enum)) return JSON.stringify(`${own}s`);
  return random.pick(NASTY);
}

export interface Sent {
  readonly body: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is larger than anybody takes: nothing may come of it. */
  readonly isTooLarge?: true;
}

/** The bytes of a text, damaged as bytes. `limit`: how many the address takes. */
export function damagedBytes(random: SeededRandom, text: string, limit: number): Sent {
  const bytes = Buffer.from(text);
  const place = random.below(Math.max(1, bytes.length));
  const around = (middle: Buffer): Buffer => Buffer.concat([bytes.subarray(0, place), middle, bytes.subarray(place)]);
  const ways: readonly (() => Sent)[] = [
    () => ({ body: bytes.subarray(0, place) }),
    () => ({ body: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]) }),
    () => ({ body: around(Buffer.from([random.pick([0x80, 0xc0, 0xff, 0xfe, 0xed])])) }),
    () => ({ body: around(Buffer.from([0xed, 0xa0, 0x80])) }),
    () => ({ body: around(Buffer.from([0])) }),
    () => ({ body: around(random.bytes(random.between(1, 8))) }),
    () => ({ body: Buffer.concat([bytes, bytes]) }),
    () => ({ body: Buffer.concat([bytes, Buffer.from(random.pick([']', '}', ',', '//', '\u0000', 'null']))]) }),
    () => ({ body: Buffer.from(text, 'utf16le') }),
    () => ({ body: Buffer.alloc(0) }),
    () => ({
      body: Buffer.from(
        random.pick([' ', '\n\n', 'null', 'undefined', 'NaN', '{', '[', '"', "{'a':1}", '{a:1}', '[1,]']),
      ),
    }),
    () => ({ body: padded(bytes, limit) }),
    () => ({ body: padded(bytes, limit + 1), isTooLarge: true }),
    () => ({ body: Buffer.alloc(limit + 1, '['), isTooLarge: true }),
    () => ({ body: gzipSync(bytes), headers: { 'content-encoding': 'gzip' } }),
    () => ({ body: bytes, headers: { 'content-encoding': random.pick(['gzip', 'br', 'deflate', 'identity', 'x']) } }),
  ];
  return random.pick(ways)();
}

/** White space after it, so that only its size is wrong, if anything is. */
function padded(bytes: Buffer, size: number): Buffer {
  return bytes.length >= size ? bytes : Buffer.concat([bytes, Buffer.alloc(size - bytes.length, ' ')]);
}
