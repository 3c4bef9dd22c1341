// A client that follows our rules for partners: without a response, or on a 5xx, a 429 or "request in progress", it
// repeats the request at any server until it gets another response. A recorder counts responses and failures.

import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';

// biome-ignore lint/suspicious/noExplicitAny: a response of the API, of any shape.
export type Json = any;

export interface ClientResponse {
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly status: number;
  readonly text: string;
  readonly json: Json;
  /** How often the request was sent until this response; absent for once. */
  readonly tries?: number;
}

/** A request; the client returns null for it if it gave up, with the outcome unknown. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** The guest's address, which the load balancer passes on. */
  readonly address?: string;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The index of the only server to use; absent for any. */
  readonly server?: number;
}

/** A response, and whether its Retry-After is longer than the client waits. */
interface ClientAttempt extends ClientResponse {
  readonly mustWaitLong: boolean;
}

export type Counter = 'created' | 'completed' | 'answered' | 'error';

export class Recorder {
  /** By second since the start. */
  readonly countsBySecond: Record<Counter, number>[] = [];
  readonly failures = new Map<string, number>();
  /** The first few responses with 500, which no client should get. */
  readonly internalErrors: string[] = [];
  readonly startedAt = Date.now();

  count(mark: Counter): void {
    const second = Math.floor((Date.now() - this.startedAt) / 1000);
    while (this.countsBySecond.length <= second)
      this.countsBySecond.push({ created: 0, completed: 0, answered: 0, error: 0 });
    const row = this.countsBySecond[second];
    if (row !== undefined) row[mark]++;
  }

  recordFailure(what: string): void {
    this.count('error');
    this.failures.set(what, (this.failures.get(what) ?? 0) + 1);
  }

  total(mark: Counter): number {
    return this.countsBySecond.reduce((sum, row) => sum + row[mark], 0);
  }
}

const AVOID_SERVER_MS = 3_000;
/** A 429 with a longer Retry-After counts as the final response. */
const MAX_RETRY_AFTER_S = 30;

export class Client {
  readonly #urls: readonly string[];
  readonly #recorder: Recorder;
  readonly #random: SeededRandom;
  /** Servers that gave no response, and until when they are mostly avoided, as a load balancer does. */
  readonly #avoidedUntil = new Map<string, number>();
  /** No request is repeated after this time. */
  giveUpAt = Infinity;

  constructor(urls: readonly string[], recorder: Recorder, random: SeededRandom) {
    this.#urls = urls;
    this.#recorder = recorder;
    this.#random = random;
  }

  /** Sends the request once; null if there was no response. */
  async sendOnce(request: ClientRequest): Promise<ClientAttempt | null> {
    const { method, path, body, server } = request;
    const sentAt = Date.now();
    const url = (server === undefined ? undefined : this.#urls[server]) ?? this.#server(sentAt);
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: headersOf(request),
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(this.#random.between(3_000, 9_000)),
      });
      const text = await response.text();
      const isJson = (response.headers.get('content-type') ?? '').includes('json');
      const json: Json = isJson ? JSON.parse(text) : undefined;
      const wait = Number(response.headers.get('retry-after') ?? 0);
      return {
        sentAt,
        receivedAt: Date.now(),
        status: response.status,
        text,
        json,
        mustWaitLong: wait > MAX_RETRY_AFTER_S,
      };
    } catch (error) {
      this.#avoidedUntil.set(url, Date.now() + AVOID_SERVER_MS);
      this.#recorder.recordFailure(`no response (${nameOf(error)})`);
      return null;
    }
  }

  #server(now: number): string {
    const responding = this.#urls.filter((url) => (this.#avoidedUntil.get(url) ?? 0) < now);
    return this.#random.pick(responding.length > 0 && this.#random.often(0.9) ? responding : this.#urls);
  }

  /** Repeats the request until it gets a final response; null if it gave up. */
  async send(request: ClientRequest): Promise<ClientResponse | null> {
    for (let tries = 0; Date.now() < this.giveUpAt; tries++) {
      const response = await this.sendOnce(request);
      if (response !== null && !this.#isRetryable(response, request)) {
        this.#recorder.count('answered');
        return { ...response, tries: tries + 1 };
      }
      await delay(this.#random.between(50, Math.min(150 * 2 ** tries, 1_500)));
    }
    return null;
  }

  #isRetryable(response: ClientAttempt, request: ClientRequest): boolean {
    const { status, json, mustWaitLong } = response;
    const isBusy =
      (status === 429 && !mustWaitLong) || (status === 409 && json?.error?.reason === 'request_in_progress');
    const isRetryable = status >= 500 || isBusy;
    if (isRetryable) this.#recorder.recordFailure(`${status} ${json?.error?.code ?? ''}`.trim());
    if (status === 500 && this.#recorder.internalErrors.length < 20) {
      this.#recorder.internalErrors.push(`${request.method} ${request.path}: ${response.text.slice(0, 300)}`);
    }
    return isRetryable;
  }
}

function headersOf(request: ClientRequest): Record<string, string> {
  const { key, idempotencyKey, body, accept, address, contentType, headers } = request;
  return {
    ...headers,
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    ...(accept === undefined ? {} : { accept }),
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
  };
}

function nameOf(error: unknown): string {
  const { name = 'Error', cause } = error as { name?: string; cause?: { code?: string } };
  return cause?.code ?? name;
}
