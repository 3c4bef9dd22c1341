// Strict JSON for request bodies: what JSON.parse accepts silently (duplicate names, any depth, infinities, text that
// no column can hold) is refused or reported. Guarantees: never throws, linear time, a message for the client on refusal,
// the same value as JSON.parse except that -0 is 0 and an overflow is ±Number.MAX_VALUE. It checks no size and no shape.

import { isAscii, isUtf8 } from 'node:buffer';
import { runSync, type Steps } from '../yielding.ts';
import { type BadText, findBadTexts, findDuplicateName } from './escaped-text.ts';
import type { JsonValue } from './json-value.ts';
import { outlineOf } from './outline.ts';
import type { PathTree } from './path-tree.ts';
import { findPointedIntegers } from './pointed-integers.ts';
import { duplicateMessage, type Patches, Scanner } from './scan.ts';
import { firstBadUtf8 } from './utf8.ts';

export type { BadText } from './escaped-text.ts';
export type { JsonValue } from './json-value.ts';

export interface Refusal {
  readonly ok: false;
  /** A sentence for the client. */
  readonly message: string;
  /** In bytes, from 0. */
  readonly offset: number;
  /** The bound that the text exceeds, in words. Null: it exceeds none, or is not JSON. */
  readonly exceeded: string | null;
}

export type ParseResult =
  | { readonly ok: true; readonly value: JsonValue; readonly text: string; readonly badTexts: readonly BadText[] }
  | Refusal;

const NO_BAD_TEXTS: readonly BadText[] = Object.freeze([]);

export function parseStrictJson(bytes: Buffer): ParseResult {
  return runSync(strictJsonSteps(bytes));
}

/** The same in steps, none of which takes long for a megabyte: see base/yielding.ts. */
export function* strictJsonSteps(bytes: Buffer): Steps<ParseResult> {
  const read = yield* strictReadSteps(bytes, null);
  if (!read.ok) return read;
  const { scanner } = read;
  const text = read.text ?? bytes.toString(read.isPlain ? 'latin1' : 'utf8');
  if (scanner.hasBadText) yield;
  const unstorable = scanner.hasBadText ? findBadTexts(text) : NO_BAD_TEXTS;
  if (scanner.hasPointedInteger) yield;
  const badTexts = scanner.hasPointedInteger ? [...unstorable, ...findPointedIntegers(text)] : unstorable;
  yield;
  const value = parseText(scanner.patches === undefined ? text : patched(bytes, scanner.patches));
  // The scanner is at least as strict as JSON.parse, so this cannot happen. If it did, a refusal would be safe.
  if (value === undefined) return refuse('The body is not JSON', 0);
  return { ok: true, value, text, badTexts };
}

interface StrictlyRead {
  readonly ok: true;
  readonly scanner: Scanner;
  readonly isPlain: boolean;
  /** The decoded text, if it was needed already. */
  readonly text: string | null;
}

/** Finds everything that is refused, before a value is built. */
export function* strictReadSteps(bytes: Buffer, paths: PathTree | null): Steps<StrictlyRead | Refusal> {
  if (bytes.length === 0)
    return { ok: false, message: 'The body is empty: send a JSON object.', offset: 0, exceeded: null };
  const isPlain = isAscii(bytes);
  if (!isPlain) {
    if (!isUtf8(bytes)) return refuse('The body is not valid UTF-8', firstBadUtf8(bytes));
    if (hasByteOrderMark(bytes)) return refuse('The body starts with a byte order mark, which JSON does not allow', 0);
  }
  const scanner = new Scanner(bytes, paths);
  if (!scanner.scan()) {
    const { message, offset, exceeded } = scanner;
    return { ok: false, message, offset, exceeded };
  }
  if (!scanner.hasEscapedName) return { ok: true, scanner, isPlain, text: null };
  yield;
  const text = bytes.toString(isPlain ? 'latin1' : 'utf8');
  const nodes = outlineOf(text);
  yield;
  const duplicate = findDuplicateName(text, nodes);
  if (duplicate === undefined) return { ok: true, scanner, isPlain, text };
  return refuse(duplicateMessage(duplicate.name), Buffer.byteLength(text.slice(0, duplicate.offset)));
}

function refuse(message: string, offset: number): Refusal {
  return { ok: false, message: `${message} (byte ${offset}).`, offset, exceeded: null };
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function parseText(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The text with the patched number literals; byte by byte, since a hostile body can need a patch every third byte. */
function patched(bytes: Buffer, patches: Patches): string {
  const longest = String(-Number.MAX_VALUE).length;
  const out = Buffer.allocUnsafe(bytes.length + patches.literals.length * longest);
  let from = 0;
  let to = 0;
  for (let patch = 0; patch < patches.literals.length; patch += 1) {
    const start = patches.starts[patch] as number;
    const literal = patches.literals[patch] as string;
    while (from < start) out[to++] = bytes[from++] as number;
    for (let i = 0; i < literal.length; i += 1) out[to++] = literal.charCodeAt(i);
    from = patches.ends[patch] as number;
  }
  while (from < bytes.length) out[to++] = bytes[from++] as number;
  return out.toString('utf8', 0, to);
}
