// Splits a stream of bytes into the texts of its objects: a JSON list, {"boats": [...]} or JSON lines. It never holds more
// than one unfinished object and the current chunk. The texts of a list are all JSON exactly when the whole list is. It
// parses no object: the caller does, from the original bytes, so spelling, repeated names and error positions survive.

export interface JsonText {
  /** Without surrounding white space; valid until the next text is requested. */
  readonly bytes: Buffer;
  /** Where the text starts in the stream, from 0. */
  readonly offset: number;
}

/** The stream is not valid at `offset`. The `index` objects before it are complete. */
export class JsonStreamError extends Error {
  readonly index: number;
  readonly offset: number;

  constructor(message: string, index: number, offset: number) {
    super(message);
    this.name = 'JsonStreamError';
    this.index = index;
    this.offset = offset;
  }
}

/** The API's limit for one body. */
const MAX_OBJECT_BYTES = 1_048_576;
/** The format must be recognizable within this many bytes. */
const HEAD_BYTES = 4096;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === LINE_FEED || byte === CARRIAGE_RETURN || byte === TAB;
}

type State =
  | 'detect format'
  | 'lines'
  | 'first object' // an object or the end of the list must follow
  | 'next object' // an object must follow: there was a comma
  | 'inside object'
  | 'after list';

export class JsonSplitter {
  bytesRead = 0;
  /** Objects returned so far. */
  objectCount = 0;
  /** The most bytes ever held: the unfinished object and the current chunk. */
  maxBytesHeld = 0;
  readonly #listName: string;
  readonly #maxObjectBytes: number;
  #state: State = 'detect format';
  /** The start of an object whose end has not arrived. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #objectOffset = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The list is inside an object that must be closed after it. */
  #isWrapped = false;

  /** `listName` is the name of a list inside an object, such as "boats". */
  constructor(listName: string, maxObjectBytes: number = MAX_OBJECT_BYTES) {
    this.#listName = listName;
    this.#maxObjectBytes = maxObjectBytes;
  }

  *push(chunk: Buffer): Generator<JsonText> {
    this.maxBytesHeld = Math.max(this.maxBytesHeld, this.#pendingBytes + chunk.length);
    if (this.#state !== 'detect format') {
      yield* this.#split(chunk, 0);
      return;
    }
    this.#hold(chunk);
    if (this.#pendingBytes >= HEAD_BYTES) yield* this.#detectFormat();
  }

  /** Call it once, after the last chunk. */
  *end(): Generator<JsonText> {
    if (this.#state === 'detect format') yield* this.#detectFormat();
    if (this.#state === 'lines') {
      yield* this.#finish(Buffer.alloc(0));
    } else if (this.#state === 'inside object') {
      throw new JsonStreamError('it ends in the middle of this object', this.objectCount, this.#objectOffset);
    } else if (this.#state !== 'after list' || this.#isWrapped) {
      const missing = this.#isWrapped ? '}' : 'end of the list';
      throw new JsonStreamError(`it ends before the ${missing}`, this.objectCount, this.bytesRead);
    }
  }

  *#detectFormat(): Generator<JsonText> {
    const head = Buffer.concat(this.#pending);
    this.#release();
    const text = head.toString('latin1', 0, HEAD_BYTES);
    const start = /^(?:\xef\xbb\xbf)?[ \t\r\n]*/.exec(text)?.[0].length ?? 0;
    const wrapper = /^\{[ \t\r\n]*"(boats|offerings)"[ \t\r\n]*:[ \t\r\n]*\[/.exec(text.slice(start));
    if (wrapper !== null && wrapper[1] !== this.#listName) {
      throw new JsonStreamError(`it contains ${wrapper[1]}, not ${this.#listName}`, 0, start);
    }
    if (wrapper === null && text[start] !== '[' && text[start] !== '{') {
      const isBlank = text.length === start;
      const message = isBlank ? 'it is empty, or begins with too much space' : 'it must begin with [ or {, in UTF-8';
      throw new JsonStreamError(message, 0, start);
    }
    this.#isWrapped = wrapper !== null;
    this.#state = wrapper === null && text[start] === '{' ? 'lines' : 'first object';
    yield* this.#split(head, this.#state === 'lines' ? start : start + (wrapper?.[0].length ?? 1));
  }

  *#split(chunk: Buffer, from: number): Generator<JsonText> {
    if (this.#state === 'lines') yield* this.#splitLines(chunk, from);
    else yield* this.#splitList(chunk, from);
    this.bytesRead += chunk.length;
  }

  *#splitLines(chunk: Buffer, from: number): Generator<JsonText> {
    let at = from;
    for (let end = chunk.indexOf(LINE_FEED, at); end >= 0; end = chunk.indexOf(LINE_FEED, at)) {
      if (this.#pendingBytes === 0) this.#objectOffset = this.bytesRead + at;
      yield* this.#finish(chunk.subarray(at, end));
      at = end + 1;
    }
    if (this.#pendingBytes === 0) this.#objectOffset = this.bytesRead + at;
    // A copy: a subarray would keep the whole chunk in memory.
    if (at < chunk.length) this.#hold(Buffer.from(chunk.subarray(at)));
  }

  *#splitList(chunk: Buffer, from: number): Generator<JsonText> {
    let start = from;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (this.#state === 'inside object') {
        if (!this.#isObjectEnd(byte, at)) continue;
        yield* this.#finish(chunk.subarray(start, at));
        this.#state = byte === COMMA ? 'next object' : 'after list';
      } else if (!isSpace(byte) && this.#isObjectStart(byte, at)) {
        this.#state = 'inside object';
        this.#objectOffset = this.bytesRead + at;
        start = at;
        at -= 1;
      }
    }
    if (this.#state === 'inside object') this.#hold(Buffer.from(chunk.subarray(start)));
  }

  /** Whether the current object ends before this byte. */
  #isObjectEnd(byte: number, at: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      return false;
    }
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth += 1;
    else if (this.#depth === 0) {
      if (byte === CLOSE_OBJECT) {
        throw new JsonStreamError('this } has no matching {', this.objectCount, this.bytesRead + at);
      }
      return byte === COMMA || byte === CLOSE_LIST;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth -= 1;
    return false;
  }

  /** Whether an object starts with this byte, which is not white space. */
  #isObjectStart(byte: number, at: number): boolean {
    if (this.#state === 'after list') {
      if (!this.#isWrapped || byte !== CLOSE_OBJECT) {
        throw new JsonStreamError('nothing may follow the end of the list', this.objectCount, this.bytesRead + at);
      }
      this.#isWrapped = false;
      return false;
    }
    if (byte === CLOSE_LIST && this.#state === 'first object') {
      this.#state = 'after list';
      return false;
    }
    if (byte === COMMA || byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      const message = `expected an object, found ${String.fromCharCode(byte)}`;
      throw new JsonStreamError(message, this.objectCount, this.bytesRead + at);
    }
    return true;
  }

  /** Returns the pending bytes and `rest` as one text, unless it is only white space. */
  *#finish(rest: Buffer): Generator<JsonText> {
    const whole = this.#pending.length === 0 ? rest : Buffer.concat([...this.#pending, rest]);
    this.#release();
    let from = 0;
    let to = whole.length;
    while (to > 0 && isSpace(whole[to - 1])) to -= 1;
    while (from < to && isSpace(whole[from])) from += 1;
    if (from === to) return;
    const offset = this.#objectOffset + from;
    if (to - from > this.#maxObjectBytes) throw this.#tooLong(offset);
    yield { bytes: whole.subarray(from, to), offset };
    this.objectCount += 1;
  }

  #hold(bytes: Buffer): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    if (this.#state !== 'detect format' && this.#pendingBytes > this.#maxObjectBytes) {
      throw this.#tooLong(this.#objectOffset);
    }
  }

  #release(): void {
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  #tooLong(offset: number): JsonStreamError {
    const message = `it is longer than ${this.#maxObjectBytes} bytes, or a quote or a bracket in it is not closed`;
    return new JsonStreamError(message, this.objectCount, offset);
  }
}

export async function* splitJson(chunks: AsyncIterable<Buffer>, splitter: JsonSplitter): AsyncGenerator<JsonText> {
  for await (const chunk of chunks) yield* splitter.push(chunk);
  yield* splitter.end();
}
