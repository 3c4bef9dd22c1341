// JSON pointers (RFC 6901): building them, splitting them and looking a value up by one.
// Guarantees: escaping both ways is exact, and only own properties and real array elements are ever found.
// It does not read URI fragments ("#/a") and does not support "-", the position after an array's end.

import type { JsonValue } from './json-value.ts';

const ARRAY_INDEX = /^(?:0|[1-9][0-9]{0,9})$/;
const UNPRINTABLE = /\p{Surrogate}/gu;
const NUL = '\u0000';
const REPLACEMENT = '\ufffd';

/** The pointer of the member or element `token` inside the value that `base` points to. */
export function pointerTo(base: string, token: string | number): string {
  return typeof token === 'number' ? `${base}/${token}` : `${base}/${escapeToken(token)}`;
}

/**
 * A longer pointer is not answered: names come from the caller, and a hundred problems below a name of a megabyte would
 * be an answer of a hundred.
 */
const MAX_PRINTED_LENGTH = 500;

/** A printable pointer; cut: it is that of a container, because the pointer of the value itself is too long. */
export interface PrintedPointer {
  readonly pointer: string;
  readonly isCut: boolean;
}

/** Like pointerTo, but printable: NUL and lone surrogates in the token become U+FFFD, and the length is bounded. */
export function printedMember(container: PrintedPointer, token: string | number): PrintedPointer {
  const { pointer, isCut } = container;
  if (isCut || pointer.length + String(token).length >= MAX_PRINTED_LENGTH) return { pointer, isCut: true };
  return { pointer: pointerTo(pointer, typeof token === 'number' ? token : printable(token)), isCut: false };
}

/** The printable pointer of a member, given that of its container. */
export function printablePointerTo(base: string, token: string | number): string {
  const pointer = printablePointer(base);
  return printedMember({ pointer, isCut: pointer.length < base.length }, token).pointer;
}

/** The pointer, printable, or that of its nearest container whose pointer is not too long. */
export function printablePointer(pointer: string): string {
  if (pointer.length <= MAX_PRINTED_LENGTH) return printable(pointer);
  return printable(pointer.slice(0, Math.max(0, pointer.lastIndexOf('/', MAX_PRINTED_LENGTH))));
}

/** The text with every NUL and every lone surrogate replaced by U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll(NUL, REPLACEMENT).replace(UNPRINTABLE, REPLACEMENT);
}

/** The unescaped tokens of a pointer; the root '' has none. Throws a RangeError for text that is no pointer. */
export function splitPointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw new RangeError('A JSON pointer is empty or starts with "/".');
  return pointer.slice(1).split('/').map(unescapeToken);
}

/** The value a pointer leads to, or undefined where there is none (also for text that is no pointer). */
export function valueAt(root: JsonValue, pointer: string): JsonValue | undefined {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let value: JsonValue | undefined = root;
  for (const token of splitPointer(pointer)) {
    if (value === null || typeof value !== 'object') return undefined;
    if (Array.isArray(value)) value = ARRAY_INDEX.test(token) ? value[Number(token)] : undefined;
    else value = Object.hasOwn(value, token) ? value[token] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

function escapeToken(token: string): string {
  if (!token.includes('~') && !token.includes('/')) return token;
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeToken(token: string): string {
  if (!token.includes('~')) return token;
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
