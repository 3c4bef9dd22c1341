// Cuts a stream of bytes into the texts of its objects, of a JSON list, of {"boats": [...]} or of JSON lines. Guarantees:
// it never holds more than one unfinished object and the chunk at hand, and for a list the texts together are JSON exactly
// when the whole is. It builds no value and judges no object: whoever parses a text finds what is wrong inside it.

export interface Piece {
  /** Without space around it; valid until the next one is asked for. */
  readonly bytes: Buffer;
  /** Where it begins in the stream, from 0. */
  readonly byte: number;
}

/** The stream is not what it should be, at this byte; `index` objects before it are whole. */
export class BrokenStream extends Error {
  readonly index: number;
  readonly byte: number;

  constructor(words: string, index: number, byte: number) {
    super(words);
    this.name = 'BrokenStream';
    this.index = index;
    this.byte = byte;
  }
}

/** As much as the API takes in one body. */
export const LONGEST_OBJECT = 1_048_576;
/** The form is seen in this much of the beginning. */
const HEAD = 4096;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB;
}

type Phase =
  | 'head' // the form is not known yet
  | 'lines'
  | 'first' // an object, or the end of the list
  | 'next' // an object: a comma stood before
  | 'inside' // an object
  | 'behind'; // the list has ended

export class JsonSplitter {
  /** Bytes taken in so far. */
  taken = 0;
  /** Objects given out so far. */
  index = 0;
  /** The most bytes that were ever held: those kept of an unfinished object, and the chunk at hand. */
  mostHeld = 0;
  readonly #list: string;
  readonly #longest: number;
  #phase: Phase = 'head';
  /** Beginning of an object whose end has not come yet. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #startedAt = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The list stands in an object, which has to be closed behind it. */
  #wrapped = false;

  /** `list` is the name of the list that may stand in an object, such as "boats". */
  constructor(list: string, longest: number = LONGEST_OBJECT) {
    this.#list = list;
    this.#longest = longest;
  }

  *push(chunk: Buffer): Generator<Piece> {
    this.mostHeld = Math.max(this.mostHeld, this.#keptBytes + chunk.length);
    if (this.#phase !== 'head') {
      yield* this.#split(chunk, 0);
      return;
    }
    this.#keep(chunk);
    if (this.#keptBytes >= HEAD) yield* this.#begin();
  }

  /** To be asked for when the stream has ended. */
  *end(): Generator<Piece> {
    if (this.#phase === 'head') yield* this.#begin();
    if (this.#phase === 'lines') {
      yield* this.#finish(Buffer.alloc(0));
    } else if (this.#phase === 'inside') {
      throw new BrokenStream('it ends in the middle of this object', this.index, this.#startedAt);
    } else if (this.#phase !== 'behind' || this.#wrapped) {
      throw new BrokenStream(`it ends before its ${this.#wrapped ? '} does' : 'list does'}`, this.index, this.taken);
    }
  }

  *#begin(): Generator<Piece> {
    const head = Buffer.concat(this.#kept);
    this.#forget();
    const text = head.toString('latin1', 0, HEAD);
    const from = /^(?:\xef\xbb\xbf)?[ \t\r\n]*/.exec(text)?.[0].length ?? 0;
    const wrapper = /^\{[ \t\r\n]*"(boats|offerings)"[ \t\r\n]*:[ \t\r\n]*\[/.exec(text.slice(from));
    if (wrapper !== null && wrapper[1] !== this.#list) {
      throw new BrokenStream(`it holds ${wrapper[1]}, and not ${this.#list}`, 0, from);
    }
    if (wrapper === null && text[from] !== '[' && text[from] !== '{') {
      const words =
        text.length === from ? 'it is empty, or begins with too much space' : 'it must begin with [ or {, in UTF-8';
      throw new BrokenStream(words, 0, from);
    }
    this.#wrapped = wrapper !== null;
    this.#phase = wrapper === null && text[from] === '{' ? 'lines' : 'first';
    yield* this.#split(head, this.#phase === 'lines' ? from : from + (wrapper?.[0].length ?? 1));
  }

  *#split(chunk: Buffer, from: number): Generator<Piece> {
    if (this.#phase === 'lines') yield* this.#splitLines(chunk, from);
    else yield* this.#splitList(chunk, from);
    this.taken += chunk.length;
  }

  *#splitLines(chunk: Buffer, from: number): Generator<Piece> {
    let at = from;
    for (let end = chunk.indexOf(LINE_FEED, at); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      if (this.#keptBytes === 0) this.#startedAt = this.taken + at;
      yield* this.#finish(chunk.subarray(at, end));
      at = end + 1;
    }
    if (this.#keptBytes === 0) this.#startedAt = this.taken + at;
    // A copy: a part of the chunk would keep all of it in memory.
    if (at < chunk.length) this.#keep(Buffer.from(chunk.subarray(at)));
  }

  *#splitList(chunk: Buffer, from: number): Generator<Piece> {
    let start = from;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#phase === 'inside') {
        if (!this.#endsAt(byte, at)) continue;
        yield* this.#finish(chunk.subarray(start, at));
        this.#phase = byte === COMMA ? 'next' : 'behind';
      } else if (!isSpace(byte) && this.#beginsAt(byte, at)) {
        this.#phase = 'inside';
        this.#startedAt = this.taken + at;
        start = at;
        at -= 1;
      }
    }
    if (this.#phase === 'inside') this.#keep(Buffer.from(chunk.subarray(start)));
  }

  /** Whether the object that is being read ends before this byte. */
  #endsAt(byte: number, at: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
      return false;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if (this.#depth === 0) {
      if (byte === CLOSE_OBJECT) throw new BrokenStream('a } closes nothing', this.index, this.taken + at);
      return byte === COMMA || byte === CLOSE_LIST;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth -= 1;
    return false;
  }

  /** Whether an object begins with this byte, which is no space. */
  #beginsAt(byte: number, at: number): boolean {
    if (this.#phase === 'behind') {
      if (!this.#wrapped || byte !== CLOSE_OBJECT) {
        throw new BrokenStream('something stands behind the end of the list', this.index, this.taken + at);
      }
      this.#wrapped = false;
      return false;
    }
    if (byte === CLOSE_LIST && this.#phase === 'first') {
      this.#phase = 'behind';
      return false;
    }
    if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      const words = `where an object should stand, a ${String.fromCharCode(byte)} stands`;
      throw new BrokenStream(words, this.index, this.taken + at);
    }
    return true;
  }

  /** Gives out what was kept and this end of it, unless that is nothing but space. */
  *#finish(rest: Buffer): Generator<Piece> {
    const whole = this.#kept.length === 0 ? rest : Buffer.concat([...this.#kept, rest]);
    this.#forget();
    let from = 0;
    let to = whole.length;
    while (to > 0 && isSpace(whole[to - 1])) to -= 1;
    while (from < to && isSpace(whole[from])) from += 1;
    if (from === to) return;
    const byte = this.#startedAt + from;
    if (to - from > this.#longest) throw this.#tooLong(byte);
    yield { bytes: whole.subarray(from, to), byte };
    this.index += 1;
  }

  #keep(bytes: Buffer): void {
    this.#kept.push(bytes);
    this.#keptBytes += bytes.length;
    if (this.#phase !== 'head' && this.#keptBytes > this.#longest) throw this.#tooLong(this.#startedAt);
  }

  #forget(): void {
    this.#kept = [];
    this.#keptBytes = 0;
  }

  #tooLong(byte: number): BrokenStream {
    const words = `it is longer than ${this.#longest} bytes, or a quote or a bracket in it is not closed`;
    return new BrokenStream(words, this.index, byte);
  }
}

export async function* piecesOf(chunks: AsyncIterable<Buffer>, splitter: JsonSplitter): AsyncGenerator<Piece> {
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}
