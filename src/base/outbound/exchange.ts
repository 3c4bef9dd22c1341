// One request and its response on a pool that is pinned already. Bounded by a deadline for the headers, a deadline for the
// whole, and a size; a host that exceeds a bound loses the connection. Redirects are not followed, bodies are not decoded,
// nothing is retried, and nothing is sent after the deadline.

import type { Dispatcher, Pool } from 'undici';
import { OutboundError, outboundErrorFrom } from './outbound-error.ts';

export interface OutboundResponse {
  readonly status: number;
  /** Lower case; a header that came more than once is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly truncated: boolean;
  readonly durationMs: number;
}

export interface Exchange {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  /** Created for this exchange: undici gets them as they are. */
  readonly headers: Record<string, string>;
  readonly body: Buffer | string | null;
  /** Both count from `startedAt`, on the clock of performance.now(). */
  readonly startedAt: number;
  readonly headersMs: number;
  readonly totalMs: number;
  readonly maxBytes: number;
  readonly truncate: boolean;
}

/** Created once: the stack of an error costs more than the rest of an exchange, and no code reads it. */
const SIZE_LIMIT_REACHED = new Error('the size limit was reached');
const COMPLETE = new Error('the response is complete');

type IncomingHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export function exchange(pool: Pool, request: Exchange): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const reader = new ResponseReader(request, resolve, reject);
    const { path, method, headers, body } = request;
    try {
      pool.dispatch({ path, method, headers, body }, reader);
    } catch (error) {
      reader.fail(error);
    }
  });
}

class ResponseReader implements Dispatcher.DispatchHandler {
  readonly #request: Exchange;
  readonly #resolve: (response: OutboundResponse) => void;
  readonly #reject: (error: unknown) => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: IncomingHeaders = {};
  #controller: Dispatcher.DispatchController | null = null;
  #settled: Error | null = null;
  #timer: NodeJS.Timeout;

  constructor(request: Exchange, resolve: (response: OutboundResponse) => void, reject: (error: unknown) => void) {
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = this.#deadline(Math.min(request.headersMs, request.totalMs));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled !== null) controller.abort(this.#settled);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHeaders): void {
    if (status < 200 || this.#settled !== null) return;
    this.#status = status;
    this.#headers = headers;
    if (this.#request.headersMs < this.#request.totalMs) {
      clearTimeout(this.#timer);
      this.#timer = this.#deadline(this.#request.totalMs);
    }
    const announced = Number(this.#headers['content-length'] ?? 0);
    if (announced > this.#request.maxBytes && !this.#request.truncate) this.fail(new OutboundError('too_large'));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled !== null) return;
    const room = this.#request.maxBytes - this.#size;
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#size += Math.min(chunk.length, room);
    if (chunk.length <= room) return;
    if (this.#request.truncate) this.#finish(true);
    else this.fail(new OutboundError('too_large'));
  }

  onResponseEnd(): void {
    this.#finish(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    if (this.#settled !== null) return;
    // A caller that accepts a truncated body gets what arrived.
    if (this.#status !== 0 && this.#request.truncate) {
      this.#finish(true);
      return;
    }
    const reason = outboundErrorFrom(error, this.#controller !== null);
    this.#settle(reason);
    this.#reject(reason);
  }

  #finish(truncated: boolean): void {
    if (this.#settled !== null) return;
    this.#settle(truncated ? SIZE_LIMIT_REACHED : COMPLETE, truncated);
    const [first] = this.#chunks;
    const body = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks, this.#size);
    const durationMs = performance.now() - this.#request.startedAt;
    this.#resolve(new Response(this.#status, this.#headers, body, truncated, durationMs));
  }

  /** Nothing is read from here on. The connection is cut unless the response was complete. */
  #settle(reason: Error, cut = true): void {
    this.#settled = reason;
    clearTimeout(this.#timer);
    if (cut) this.#controller?.abort(reason);
  }

  /** In steps of 10 ms: Node keeps a list of timers for each length, and few lists are cheap. */
  #deadline(afterMs: number): NodeJS.Timeout {
    const left = Math.ceil((this.#request.startedAt + afterMs - performance.now()) / 10) * 10;
    return setTimeout(() => this.fail(new OutboundError('timeout')), left);
  }
}

/** Few callers read the headers, so they are normalized on each access. */
class Response implements OutboundResponse {
  readonly status: number;
  readonly body: Buffer;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly #headers: IncomingHeaders;

  constructor(status: number, headers: IncomingHeaders, body: Buffer, truncated: boolean, durationMs: number) {
    this.status = status;
    this.#headers = headers;
    this.body = body;
    this.truncated = truncated;
    this.durationMs = durationMs;
  }

  get headers(): Readonly<Record<string, string>> {
    return normalized(this.#headers);
  }
}

function normalized(headers: IncomingHeaders): Readonly<Record<string, string>> {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : String(value ?? ''),
  ]);
  return Object.fromEntries(pairs);
}
