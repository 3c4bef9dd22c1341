// Follows the event log (`GET /v1/events/stream`), or the progress of a checkout. After a break it opens the stream again
// after the last event that it received, so that no event is left out, and leaves out those that it has had already.

import { ApiError, ConnectionError } from './errors.ts';
import type { WebhookEvent } from './events.ts';
import { backoff, sleep } from './timing.ts';

export interface StreamOptions {
  /** Instead of the client's. */
  readonly apiKey?: string;
  /** Goes on after this event. Absent: from now on. */
  readonly lastEventId?: string;
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** How often the first connection is tried again. Later ones are tried until the signal aborts. */
  readonly maxRetries?: number;
  /** Called each time the stream is open. */
  readonly onOpen?: () => void;
  /** Called once when an open stream ends or is cut: it is then opened again. */
  readonly onBreak?: () => void;
}

/**
 * One message of the stream; `data` is the JSON of the event as it was sent. An event that happened while the stream was
 * broken may come from the list of events: its JSON then has the same members and values, but not always the same bytes.
 */
export interface StreamMessage {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/** The messages that the log has since a time of the server, in milliseconds; the oldest first. */
type ReadSince = (since: number, signal: AbortSignal) => Promise<readonly StreamMessage[]>;
type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Open = (lastEventId: string | undefined, signal: AbortSignal, maxRetries: number) => Promise<Response>;

/** The server sends a comment every 15 seconds. Without any byte for so long, the connection is dead. */
const MAX_SILENCE_MS = 60_000;
/** Events of the last minute may come again after a break. */
const MAX_REMEMBERED_IDS = 5_000;
/** A stream of states has the id of a state, which may come back: only the last one is left out when it is repeated. */
const REMEMBERED_STATES = 1;

export class EventStream<Data = WebhookEvent> implements AsyncIterable<Data> {
  /**
   * The last event that your program has processed: it has asked for the next one. It is not set for an event whose loop
   * ended with `break` or an error.
   */
  lastEventId: string | undefined;
  readonly #open: Open;
  readonly #options: StreamOptions;
  readonly #maxRetries: number;
  readonly #isLast: ((data: Data) => boolean) | null;
  readonly #readSince: ReadSince;
  readonly #seen = new Set<string>();

  /** `isLast`: the stream is one of states, and nothing comes after this state. Null: it is one of events. */
  constructor(
    open: Open,
    readSince: ReadSince,
    options: StreamOptions,
    maxRetries: number,
    isLast: ((data: Data) => boolean) | null,
  ) {
    this.#open = open;
    this.#readSince = readSince;
    this.#options = options;
    this.#maxRetries = maxRetries;
    this.#isLast = isLast;
    this.lastEventId = options.lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Data, void, undefined> {
    for await (const { data } of this.messages()) yield JSON.parse(data) as Data;
  }

  /** The messages with the JSON of each event, for a program that passes it on. */
  async *messages(): AsyncGenerator<StreamMessage, void, undefined> {
    const { signal, onOpen, onBreak } = this.#options;
    const isStopped = (): boolean => signal?.aborted === true;
    let beganAt: number | null = null;
    let failures = 0;
    while (!isStopped()) {
      const connection = new AbortController();
      const onAbort = (): void => connection.abort(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      let reader: Reader | null = null;
      let isOpen = false;
      let retryAfter = 0;
      try {
        const after = this.lastEventId;
        const maxRetries = beganAt === null ? this.#maxRetries : 0;
        const response: Response = await this.#open(after, connection.signal, maxRetries);
        reader = (response.body as ReadableStream<Uint8Array>).getReader();
        // Without an event to go on after, the stream begins anew: the log has what happened since it first began.
        const missed = beganAt !== null && after === undefined ? await this.#readSince(beganAt, connection.signal) : [];
        beganAt ??= serverTimeOf(response);
        isOpen = true;
        onOpen?.();
        for await (const message of joined(missed, readMessages(reader, connection))) {
          if (isStopped()) return;
          if (!this.#seen.has(message.id)) {
            failures = 0;
            yield message;
            this.#remember(message.id);
          }
          if (this.#isLast?.(JSON.parse(message.data) as Data) === true) return;
        }
      } catch (error) {
        if (isStopped()) return;
        if (beganAt === null || !isPassing(error)) throw error;
        retryAfter = retryAfterOf(error);
      } finally {
        signal?.removeEventListener('abort', onAbort);
        connection.abort();
        // A response that stays open would use up one of the streams that the key may have.
        reader?.cancel().catch(() => undefined);
      }
      if (isOpen && !isStopped()) onBreak?.();
      await sleep(retryAfter + backoff(failures++), signal).catch(() => undefined);
    }
  }

  /** Called when the consumer asks for the next message: it has then processed this one. */
  #remember(id: string): void {
    this.lastEventId = id;
    this.#seen.add(id);
    const [oldest] = this.#seen;
    const max = this.#isLast === null ? MAX_REMEMBERED_IDS : REMEMBERED_STATES;
    if (this.#seen.size > max && oldest !== undefined) this.#seen.delete(oldest);
  }
}

async function* joined<T>(first: Iterable<T>, second: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* first;
  yield* second;
}

/** False: the server will answer the same again, because the key was revoked or may not read; or it is another error. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.status === 408 || error.status === 429;
  return error instanceof ConnectionError;
}

/** When the server opened the stream, by its own clock and to the second. */
function serverTimeOf({ headers }: Response): number {
  const time = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(time) ? Date.now() : time;
}

function retryAfterOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
}

async function* readMessages(
  reader: Reader,
  connection: AbortController,
): AsyncGenerator<StreamMessage, void, undefined> {
  // A listener that is added after the abort is never called.
  if (connection.signal.aborted) return;
  connection.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  const decoder = new TextDecoder();
  let text = '';
  const readChunk = async () => {
    const timer = setTimeout(() => connection.abort(), MAX_SILENCE_MS);
    try {
      return await reader.read();
    } catch (error) {
      throw new ConnectionError('The stream was cut.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  for (let chunk = await readChunk(); !chunk.done; chunk = await readChunk()) {
    text += decoder.decode(chunk.value, { stream: true });
    // The server ends each message with an empty line.
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = messageOf(block);
      if (message !== null) yield message;
    }
  }
}

/** Null for a comment and for the server's own settings. */
function messageOf(block: string): StreamMessage | null {
  const fields: Record<string, string> = {};
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    fields[name] = fields[name] === undefined ? value : `${fields[name]}\n${value}`;
  }
  const { id, event: type = '', data } = fields;
  return id === undefined || data === undefined ? null : { id, type, data };
}
