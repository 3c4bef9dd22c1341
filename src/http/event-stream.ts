// Writes server-sent events: the messages of a source, with a heartbeat every 15 seconds that keeps proxies from closing the
// connection. Guarantees: a bound on streams in all and for each subject (a key, an address, a checkout); a client that reads
// slowly slows its own source only, and one that does not read is dropped (connections.ts); at each heartbeat the caller's
// right to read is checked again; a server that stops ends its streams first. It does not know what the messages are about.

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
    let messages: AsyncIterator<readonly ServerSentEvent[]>;
    try {
      messages = (await request.open(stop.signal))[Symbol.asyncIterator]();
    } catch (error) {
      this.#release(request, stop);
      throw error;
    }
    // The first read begins at once, so that the source is always ended in the end.
    const first = messages.next();
    reply.raw.once('close', () => stop.abort());
    stop.signal.addEventListener('abort', () => this.#release(request, stop), { once: true });
    const text = textOf({
      messages,
      first,
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
    for (const stop of [...this.#open]) stop.abort();
  }

  #take({ limits }: StreamRequest): AbortController {
    const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
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

interface Writing {
  readonly messages: AsyncIterator<readonly ServerSentEvent[]>;
  readonly first: Promise<IteratorResult<readonly ServerSentEvent[]>>;
  readonly heartbeatMs: number;
  readonly heartbeat: string;
  readonly stop: AbortController;
  readonly isStillAllowed: () => Promise<boolean>;
}

async function* textOf(writing: Writing): AsyncGenerator<string> {
  const { messages, first, heartbeatMs, heartbeat, stop, isStillAllowed } = writing;
  let pending = first;
  let beatAt = performance.now() + heartbeatMs;
  try {
    yield `retry: ${RECONNECT_MS}\n\n`;
    while (!stop.signal.aborted) {
      const result = await beforeBeat(pending, beatAt - performance.now());
      if (result === 'beat') {
        if (!(await isStillAllowed())) return;
        beatAt = performance.now() + heartbeatMs;
        yield heartbeat;
        continue;
      }
      if (result.done === true) return;
      pending = messages.next();
      yield result.value.map(textOfEvent).join('');
    }
  } finally {
    stop.abort();
    await messages.return?.();
  }
}

async function beforeBeat<T>(pending: Promise<T>, ms: number): Promise<T | 'beat'> {
  let timer: NodeJS.Timeout | undefined;
  const beat = new Promise<'beat'>((resolve) => {
    timer = setTimeout(() => resolve('beat'), Math.max(0, ms));
  });
  try {
    return await Promise.race([pending, beat]);
  } finally {
    clearTimeout(timer);
  }
}

/** A line break in a field would end it: data is written as several lines, which the client joins again. */
function textOfEvent({ id, event, data }: ServerSentEvent): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${id}\nevent: ${event}\n${lines.join('')}\n`;
}
