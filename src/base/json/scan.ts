// One strict pass over the bytes of a JSON text (RFC 8259) that finds everything JSON.parse hides: duplicate names, depth,
// numbers a double cannot hold, escapes that make no text. Guarantees: never throws, recursion bounded by MAX_DEPTH,
// a message for the client and a byte offset on failure. It builds no value and expects valid UTF-8.

import { MemberNames } from './member-names.ts';
import type { FoundPath, PathTree } from './path-tree.ts';

/** The root counts as 1; values other than arrays and objects add nothing. */
const MAX_DEPTH = 32;

/**
 * A megabyte has room for three times as many; the largest fleet of the contract has 30,000. Each distinct name costs
 * JSON.parse up to a microsecond, during which no other request is served.
 */
export const MAX_MEMBERS = 40_000;
/** A megabyte has room for 350,000 empty ones, which JSON.parse builds for as long as 50 milliseconds. */
const MAX_CONTAINERS = 50_000;
/** Numbers beyond the range of a double, each of which is replaced before JSON.parse sees it. */
const MAX_OVERFLOWS = 1_000;

/** Number literals to be replaced before JSON.parse sees them, in document order. Offsets are bytes. */
export interface Patches {
  readonly starts: number[];
  readonly ends: number[];
  readonly literals: string[];
}

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const SMALL_E = 0x65;
const SMALL_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Bytes that represent themselves in a string. */
const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);
const SIMPLE_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const LITERALS = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')];
const INVISIBLE = /(?! )[\p{C}\p{Z}]/gu;
const FAILED = -1;
const LARGEST = String(Number.MAX_VALUE);
const SMALLEST = String(-Number.MAX_VALUE);

/** Below these lengths neither overflow nor underflow is possible. */
const SAFE_LITERAL = 100;
const SAFE_EXPONENT = 2;
/** A literal with at most 15 digits and a point is never rounded to a whole number. */
const EXACT_LENGTH = 16;

// Parsing is synchronous and never re-enters, so all scans share one table.
const openNames = new MemberNames(MAX_DEPTH);

export class Scanner {
  /** Set when scan() answered false. */
  message = '';
  offset = 0;
  /** The bound that the text exceeds, in words. Null: it exceeds none, or is not JSON. */
  exceeded: string | null = null;
  /** A \u escape gave NUL or half of a surrogate pair. */
  hasBadText = false;
  /** A member name holds an escape, so that its bytes do not tell whether it is a duplicate. */
  hasEscapedName = false;
  /** A number that may be whole is written with a point or an exponent: 24000.0 or 2.4e4. */
  hasPointedInteger = false;
  patches: Patches | undefined = undefined;
  /** The found paths, each after those inside it. */
  readonly foundPaths: FoundPath[] = [];
  private escapes = 0;
  private members = 0;
  private containers = 0;
  private overflows = 0;
  private readonly bytes: Buffer;
  private readonly end: number;
  private readonly paths: PathTree | null;

  constructor(bytes: Buffer, paths: PathTree | null = null) {
    this.bytes = bytes;
    this.end = bytes.length;
    this.paths = paths;
  }

  scan(): boolean {
    const start = this.space(0);
    if (start === this.end) {
      this.fail('The body holds no JSON value', start);
      return false;
    }
    const after = this.value(start, 0, this.paths);
    if (after === FAILED) {
      openNames.releaseAll();
      return false;
    }
    const rest = this.space(after);
    if (rest === this.end) return true;
    this.fail(`After the JSON value ${this.nameOf(rest)} follows`, rest);
    return false;
  }

  // Each method below takes the offset where its part starts and returns the offset after it, or FAILED.

  private value(at: number, depth: number, paths: PathTree | null): number {
    if (paths !== null) return this.extractedValue(at, depth, paths);
    const byte = this.byteAt(at);
    if (byte === QUOTE) return this.string(at);
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return this.number(at);
    if (byte === OPEN_OBJECT) return this.object(at, depth + 1, null);
    if (byte === OPEN_ARRAY) return this.array(at, depth + 1);
    for (const word of LITERALS) if (byte === word[0]) return this.word(at, word);
    return this.expected('a value', at);
  }

  private extractedValue(start: number, depth: number, paths: PathTree): number {
    const isObject = this.byteAt(start) === OPEN_OBJECT;
    const end = isObject ? this.object(start, depth + 1, paths) : this.value(start, depth, null);
    if (end !== FAILED) this.foundPaths.push({ node: paths, start, end });
    return end;
  }

  private extractedMember(paths: PathTree, start: number, end: number, isEscaped: boolean): PathTree | null {
    const name = this.bytes.toString('utf8', start, end);
    return paths.member(isEscaped ? (JSON.parse(name) as string) : name.slice(1, -1));
  }

  private object(start: number, depth: number, paths: PathTree | null): number {
    if (depth > MAX_DEPTH) return this.tooDeep(start);
    if (++this.containers > MAX_CONTAINERS) return this.tooManyContainers(start);
    let at = this.space(start + 1);
    if (this.byteAt(at) === CLOSE_OBJECT) return at + 1;
    for (let count = 0; ; ) {
      if (this.byteAt(at) !== QUOTE) return this.expected('a member name in double quotes', at);
      if (++this.members > MAX_MEMBERS) return this.tooManyMembers(at);
      const name = at;
      const escapesBefore = this.escapes;
      const nameEnd = this.string(at);
      if (nameEnd === FAILED) return FAILED;
      const isEscaped = this.escapes !== escapesBefore;
      if (isEscaped) this.hasEscapedName = true;
      else if (!openNames.add(this.bytes, depth, count++, at, nameEnd)) return this.duplicate(at, nameEnd);
      at = this.space(nameEnd);
      if (this.byteAt(at) !== COLON) return this.expected('a colon', at);
      const inside = paths === null ? null : this.extractedMember(paths, name, nameEnd, isEscaped);
      at = this.value(this.space(at + 1), depth, inside);
      if (at === FAILED) return FAILED;
      at = this.space(at);
      const byte = this.byteAt(at);
      if (byte === CLOSE_OBJECT) {
        openNames.release(depth);
        return at + 1;
      }
      if (byte !== COMMA) return this.expected('a comma or the end of the object', at);
      at = this.space(at + 1);
    }
  }

  private array(start: number, depth: number): number {
    if (depth > MAX_DEPTH) return this.tooDeep(start);
    if (++this.containers > MAX_CONTAINERS) return this.tooManyContainers(start);
    let at = this.space(start + 1);
    if (this.byteAt(at) === CLOSE_ARRAY) return at + 1;
    for (;;) {
      at = this.value(at, depth, null);
      if (at === FAILED) return FAILED;
      at = this.space(at);
      const byte = this.byteAt(at);
      if (byte === CLOSE_ARRAY) return at + 1;
      if (byte !== COMMA) return this.expected('a comma or the end of the array', at);
      at = this.space(at + 1);
    }
  }

  private string(start: number): number {
    const { bytes, end } = this;
    let at = start + 1;
    for (;;) {
      while (at < end && PLAIN[bytes[at] as number] === 1) at += 1;
      if (at >= end) return this.fail('A string is not closed', start);
      const byte = bytes[at] as number;
      if (byte === QUOTE) return at + 1;
      if (byte !== BACKSLASH) return this.fail('A string has an unescaped control character', at);
      at = this.escape(at);
      if (at === FAILED) return FAILED;
    }
  }

  private escape(at: number): number {
    this.escapes += 1;
    const kind = this.byteAt(at + 1);
    if (SIMPLE_ESCAPES.has(kind)) return at + 2;
    const unit = this.escapedUnit(at);
    if (unit < 0) return this.fail('A backslash in a string does not start an escape that JSON knows', at);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const low = this.escapedUnit(at + 6);
      if (low >= 0xdc00 && low <= 0xdfff) return at + 12;
    }
    if (unit === 0 || (unit >= 0xd800 && unit <= 0xdfff)) this.hasBadText = true;
    return at + 6;
  }

  /** The code unit of the \uXXXX at this offset, or -1 if there is none. */
  private escapedUnit(at: number): number {
    if (this.byteAt(at) !== BACKSLASH || this.byteAt(at + 1) !== SMALL_U) return -1;
    let unit = 0;
    for (let i = at + 2; i < at + 6; i += 1) {
      const digit = hexDigit(this.byteAt(i));
      if (digit < 0) return -1;
      unit = unit * 16 + digit;
    }
    return unit;
  }

  private number(start: number): number {
    const { bytes, end } = this;
    let at = bytes[start] === MINUS ? start + 1 : start;
    const isZero = this.byteAt(at) === ZERO;
    const whole = this.digits(at);
    if (whole === at) return this.expected('a digit', at);
    if (isZero && whole > at + 1) return this.fail('A number starts with a zero it must not have', start);
    at = whole;
    if (at < end && bytes[at] === POINT) {
      const fraction = this.digits(at + 1);
      if (fraction === at + 1) return this.expected('a digit', fraction);
      if (this.zeros(at + 1) === fraction || this.mayRound(start, at + 1, fraction)) this.hasPointedInteger = true;
      at = fraction;
    }
    let exponentDigits = 0;
    if (at < end && ((bytes[at] as number) | 0x20) === SMALL_E) {
      const sign = this.byteAt(at + 1);
      const exponent = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      at = this.digits(exponent);
      if (at === exponent) return this.expected('a digit', at);
      this.hasPointedInteger = true;
      exponentDigits = at - exponent;
    }
    const isNegativeZero = isZero && bytes[start] === MINUS;
    if (isNegativeZero || exponentDigits > SAFE_EXPONENT || at - start > SAFE_LITERAL) this.patch(start, at);
    if (this.overflows > MAX_OVERFLOWS)
      return this.fail(`More than ${MAX_OVERFLOWS} numbers are beyond the range of a double`, start);
    return at;
  }

  /** The fraction may be so near a whole number that the double is one: 24000.0000000000001. */
  private mayRound(start: number, fraction: number, end: number): boolean {
    const first = this.byteAt(fraction);
    return end - start > EXACT_LENGTH && (first === ZERO || first === NINE);
  }

  /** Records a literal that JSON.parse would turn into -0 or an infinity. */
  private patch(start: number, end: number): void {
    const value = end - start === 2 ? -0 : Number(this.bytes.toString('latin1', start, end));
    if (Number.isFinite(value) && !Object.is(value, -0)) return;
    if (value !== 0) this.overflows++;
    this.patches ??= { starts: [], ends: [], literals: [] };
    this.patches.starts.push(start);
    this.patches.ends.push(end);
    this.patches.literals.push(value === 0 ? '0' : value > 0 ? LARGEST : SMALLEST);
  }

  private digits(start: number): number {
    const { bytes, end } = this;
    let at = start;
    while (at < end && (bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at += 1;
    return at;
  }

  private zeros(start: number): number {
    let at = start;
    while (this.byteAt(at) === ZERO) at += 1;
    return at;
  }

  private word(start: number, word: Buffer): number {
    for (let i = 1; i < word.length; i += 1) {
      if (this.byteAt(start + i) !== word[i]) return this.expected('a value', start);
    }
    return start + word.length;
  }

  private space(start: number): number {
    const { bytes, end } = this;
    let at = start;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) return at;
      at += 1;
    }
    return at;
  }

  private byteAt(at: number): number {
    return at < this.end ? (this.bytes[at] as number) : -1;
  }

  private duplicate(start: number, end: number): number {
    return this.fail(duplicateMessage(this.bytes.toString('utf8', start + 1, end - 1)), start);
  }

  private tooDeep(at: number): number {
    this.exceeded = `${MAX_DEPTH} levels of lists and objects`;
    return this.fail(`Arrays and objects are nested more than ${MAX_DEPTH} levels deep`, at);
  }

  private tooManyMembers(at: number): number {
    this.exceeded = `${MAX_MEMBERS.toLocaleString('en-US')} fields`;
    return this.fail(`The body has more than ${MAX_MEMBERS} members in all`, at);
  }

  private tooManyContainers(at: number): number {
    this.exceeded = `${MAX_CONTAINERS.toLocaleString('en-US')} lists and objects`;
    return this.fail(`The body has more than ${MAX_CONTAINERS} arrays and objects in all`, at);
  }

  private expected(what: string, at: number): number {
    if (at >= this.end) return this.fail(`The body ends where ${what} is expected`, this.end);
    return this.fail(`Expected ${what}, found ${this.nameOf(at)}`, at);
  }

  private nameOf(at: number): string {
    const character = String.fromCodePoint(this.bytes.toString('utf8', at, at + 4).codePointAt(0) ?? 0);
    return `the character ${quoted(character)}`;
  }

  private fail(message: string, offset: number): number {
    this.message = `${message} (byte ${offset}).`;
    this.offset = offset;
    return FAILED;
  }
}

/** The start of the message about a duplicate member name. */
export function duplicateMessage(name: string): string {
  const shown = name.length > 60 ? `${[...name.slice(0, 60)].slice(0, -1).join('')}…` : name;
  return `The member ${quoted(shown)} appears twice in one object`;
}

/** In quotes, with everything escaped that could not be seen or could disturb the line it is printed on. */
function quoted(text: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(INVISIBLE, (character) => character.split('').map(escaped).join(''));
}

function hexDigit(byte: number): number {
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
