// Writes server-sent events: the messages of a source, with a heartbeat every 15 seconds that keeps proxies from closing the
// connection. Guarantees: a bound on streams in all and for each subject (a key, an address, a checkout); a client that reads
// slowly slows its own source only, and one that does not read is dropped (connections.ts); at each heartbeat the caller's
// right to read is checked again; a server that stops ends its streams first and opens no other. A source that was opened
// always ends, also when the client leaves before the first byte. It does not know what the messages are about.

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { Problem } from '../base/errors.ts';
import type { EventSource, ServerSentEvent } from '../base/operation.ts';

/** A bound on the open streams of one subject. */
export interface StreamLimit {
  readonly subject: string;
  readonly max: number;
  /** What the refused client reads. */
  readonly message: string;
}

export interface StreamRequest {
  readonly limits: readonly StreamLimit[];
  /** Opens the source; may throw a problem. The source ends when the signal aborts. */
  readonly open: (signal: AbortSignal) => Promise<EventSource>;
  /** False: the stream ends. */
  readonly isStillAllowed: () => Promise<boolean>;
}

const HEARTBEAT_MS = 15_000;
/** How long a client waits before it opens a stream that ended again. */
const RECONNECT_MS = 2_000;
const MAX_STREAMS = 1_000;
const RETRY_AFTER_SECONDS = 15;

/** A comment, which a browser's EventSource does not show to its script. */
const COMMENT = ':\n\n';

export class EventStreams {
  readonly #heartbeatMs: number;
  readonly #heartbeat: string;
  readonly #maxStreams: number;
  readonly #open = new Set<AbortController>();
  readonly #bySubject = new Map<string, number>();
  #isClosed = false;

  constructor({ heartbeatMs = HEARTBEAT_MS, heartbeat = COMMENT, maxStreams = MAX_STREAMS } = {}) {
    this.#heartbeatMs = heartbeatMs;
    this.#heartbeat = heartbeat;
    this.#maxStreams = maxStreams;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Answers with a stream, or throws a problem before the first byte. */
  async send(reply: FastifyReply, request: StreamRequest): Promise<FastifyReply> {
    const stop = this.#take(request);
    stop.signal.addEventListener('abort', () => this.#release(request, stop), { once: true });
    // The client may leave while the source opens, or have left before.
    reply.raw.once('close', () => stop.abort());
    if (reply.raw.destroyed) stop.abort();
    let source: SourceReader;
    try {
      source = new SourceReader(await request.open(stop.signal), stop.signal);
    } catch (error) {
      stop.abort();
      throw error;
    }
    const text = textOf({
      source,
      heartbeatMs: this.#heartbeatMs,
      heartbeat: this.#heartbeat,
      stop,
      isStillAllowed: request.isStillAllowed,
    });
    return reply
      .code(200)
      .header('x-accel-buffering', 'no')
      .type('text/event-stream; charset=utf-8')
      .send(Readable.from(text, { highWaterMark: 1 }));
  }

  /** Clients come back to another server, or to this one when it runs again. */
  closeAll(): void {
    this.#isClosed = true;
    for (const stop of [...this.#open]) stop.abort();
  }

  #take({ limits }: StreamRequest): AbortController {
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
    if (this.#isClosed) {
      throw new Problem('service_unavailable', { message: 'This server is stopping. Open the stream again.', headers });
    }
    for (const { subject, max, message } of limits) {
      if ((this.#bySubject.get(subject) ?? 0) >= max) throw new Problem('rate_limited', { message, headers });
    }
    if (this.#open.size >= this.#maxStreams) {
      const message = 'This server has too many streams open. Try again in a moment.';
      throw new Problem('service_unavailable', { message, headers });
    }
    const stop = new AbortController();
    this.#open.add(stop);
    for (const { subject } of limits) this.#bySubject.set(subject, (this.#bySubject.get(subject) ?? 0) + 1);
    return stop;
  }

  #release({ limits }: StreamRequest, stop: AbortController): void {
    if (!this.#open.delete(stop)) return;
    for (const { subject } of limits) {
      const left = (this.#bySubject.get(subject) ?? 1) - 1;
      if (left === 0) this.#bySubject.delete(subject);
      else this.#bySubject.set(subject, left);
    }
  }
}

type Page = IteratorResult<readonly ServerSentEvent[]>;
type ReadResult = { readonly page: Page } | { readonly error: unknown };

/**
 * Reads one page of a source ahead. The result of a read, or its failure, is kept until the writer takes it: a slow client
 * may not take it for a long time, and a rejection that no code handles would end the process.
 */
class SourceReader {
  readonly #messages: AsyncIterator<readonly ServerSentEvent[]>;
  #result: ReadResult | null = null;
  #wake: () => void = () => undefined;

  /** The first read begins at once: a generator that was never started does not run its end. */
  constructor(source: EventSource, signal: AbortSignal) {
    this.#messages = source[Symbol.asyncIterator]();
    this.#read();
    if (signal.aborted) void this.end();
    else signal.addEventListener('abort', () => void this.end(), { once: true });
  }

  /** The next page, and begins to read the one after it; null: there was none in this time. */
  async take(ms: number): Promise<Page | null> {
    if (this.#result === null) await this.#settles(ms);
    const result = this.#result;
    if (result === null) return null;
    if ('error' in result) throw result.error;
    if (result.page.done !== true) this.#read();
    return result.page;
  }

  /** Ends the source when the read under way is over. The writer gets its failure, if it still takes. */
  async end(): Promise<void> {
    try {
      await this.#messages.return?.();
    } catch (error) {
      this.#settle({ error });
    }
  }

  /** One reaction for each read: a race would add one at each heartbeat, and a quiet source would keep them all. */
  #read(): void {
    this.#result = null;
    this.#messages.next().then(
      (page) => this.#settle({ page }),
      (error: unknown) => this.#settle({ error }),
    );
  }

  #settle(result: ReadResult): void {
    this.#result = result;
    this.#wake();
  }

  async #settles(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }
}

interface Writing {
  readonly source: SourceReader;
  readonly heartbeatMs: number;
  readonly heartbeat: string;
  readonly stop: AbortController;
  readonly isStillAllowed: () => Promise<boolean>;
}

async function* textOf(writing: Writing): AsyncGenerator<string> {
  const { source, heartbeatMs, heartbeat, stop, isStillAllowed } = writing;
  let beatAt = performance.now() + heartbeatMs;
  try {
    yield `retry: ${RECONNECT_MS}\n\n`;
    while (!stop.signal.aborted) {
      const msLeft = beatAt - performance.now();
      // Also while there are messages: a client that reads slowly must not read on with a key that was revoked.
      if (msLeft <= 0) {
        if (!(await isStillAllowed())) return;
        beatAt = performance.now() + heartbeatMs;
        yield heartbeat;
        continue;
      }
      const page = await source.take(msLeft);
      if (page === null) continue;
      if (page.done === true) return;
      yield page.value.map(textOfEvent).join('');
    }
  } finally {
    stop.abort();
    await source.end();
  }
}

/** A line break in a field would end it: data is written as several lines, which the client joins again. */
function textOfEvent({ id, event, data }: ServerSentEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${id}\nevent: ${event}\n${lines.join('')}\n`;
}
