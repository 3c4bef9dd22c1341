// Sends requests: the key, the Idempotency-Key, time-outs, retries with jitter, and errors. A retry repeats the same
// request with the same Idempotency-Key. A write is repeated only where that is safe: it has a key, or its operation has
// the same effect when it is sent twice, or the server has said that it did nothing.

import { ApiPromise, type RateLimit, type WithResponse } from './api-promise.ts';
import { bytesOf } from './bytes.ts';
import { DEFAULT_BASE_URL, VERSION } from './defaults.gen.ts';
import { type ApiError, ConnectionError, EveryshareError, errorOf, TimeoutError } from './errors.ts';
import { EventStream, type StreamMessage, type StreamOptions } from './event-stream.ts';
import type { WebhookEvent } from './events.ts';
import { PagePromise, pageOf } from './page.ts';
import { backoff, MAX_TIMER_MS, sleep } from './timing.ts';
import { randomHex } from './web-crypto.ts';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /**
   * A secret key; for the operations of guests a publishable key or a member's token. Null: no Authorization header, for a
   * page whose cookie says who calls.
   */
  readonly apiKey: string | null;
  /** The address of the server, without `/v1`. */
  readonly baseUrl?: string;
  /** Milliseconds for one attempt, its answer included; 60,000 when absent, at most 24 days. */
  readonly timeout?: number;
  /** How often a failed attempt is repeated; 2 when absent. */
  readonly maxRetries?: number;
  /** Used instead of the global fetch. */
  readonly fetch?: Fetch;
  /** Sent with every call beside the SDK's own headers, which they do not replace. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RequestOptions {
  /** Instead of the client's, for this call. */
  readonly apiKey?: string;
  /** Your own key for this call; the SDK makes one when absent. Only for operations that take one. */
  readonly idempotencyKey?: string;
  readonly timeout?: number;
  readonly maxRetries?: number;
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Sent beside the SDK's own headers, which they do not replace. An Idempotency-Key is given as `idempotencyKey`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body that is sent as it is, or an object that is sent as JSON. */
export type RawBody = string | ArrayBuffer | ArrayBufferView | object;

/** One operation, called. */
export interface ApiRequest {
  readonly method: string;
  /** With parameters in braces; `params` has their values in this order. */
  readonly path: string;
  readonly params?: readonly string[];
  readonly query?: object | undefined;
  readonly body?: RawBody | undefined;
  /** Takes an Idempotency-Key. */
  readonly takesKey?: boolean;
  /** Has the same effect when it is sent twice. */
  readonly isRepeatable?: boolean;
  /** Takes no key of the caller. */
  readonly isOpen?: boolean;
  /** The answer is `{data}` alone, and the caller gets what is in it. */
  readonly isWrapped?: boolean;
  /** The query parameter that gets the list's `next_<cursor>`. */
  readonly cursor?: string;
  readonly accept?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 2;
/** A longer wait is the caller's to plan: the error says how long. */
const MAX_RETRY_AFTER_SECONDS = 60;
/** Failures after which it is not known whether the call was done. */
const UNKNOWN_OUTCOMES = [500, 502, 503, 504];
/** A success with another status has a body. */
const STATUSES_WITHOUT_BODY = [202, 204];
/** The server's clock gives an event its time before it is committed: it may appear in the log so much later. */
const MAX_COMMIT_DELAY_MS = 60_000;

export class Api {
  readonly #options: ClientOptions;
  readonly #apiKey: string | null;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    this.#apiKey = options?.apiKey === null ? null : checkedKey(options?.apiKey);
    this.#baseUrl = (options.baseUrl ?? DEFAULT_BASE_URL).replace(/\/+$/, '');
    if (!/^https?:\/\//.test(this.#baseUrl))
      throw new EveryshareError(`baseUrl is "${this.#baseUrl}": give an address such as https://api.example.com.`);
    this.#options = options;
  }

  send<T>(request: ApiRequest, options: RequestOptions = {}): ApiPromise<T> {
    return new ApiPromise(this.#answer<T>(request, options));
  }

  list<Item, Answer>(request: ApiRequest, options: RequestOptions = {}): PagePromise<Item, Answer> {
    const name = request.cursor ?? '';
    const sentCursor = (request.query as Readonly<Record<string, unknown>> | undefined)?.[name];
    const fetchAfter = (cursor: string): PagePromise<Item, Answer> => {
      // Otherwise `for await` would ask for the same page for ever.
      if (cursor === sentCursor) throw new EveryshareError(`The list cannot go on after ${name}=${cursor}.`);
      return this.list({ ...request, query: { ...request.query, [name]: cursor } }, options);
    };
    return new PagePromise(
      this.#answer(request, options, true).then((sent) => pageOf<Item, Answer>(sent, request.cursor, fetchAfter)),
    );
  }

  /** `isLast`: the stream is one of states, and ends with this one. Absent: it is one of events, without an end. */
  stream<Data = WebhookEvent>(
    address: Pick<ApiRequest, 'path' | 'params'>,
    options: StreamOptions = {},
    isLast: ((data: Data) => boolean) | null = null,
  ): EventStream<Data> {
    const open = async (lastEventId: string | undefined, signal: AbortSignal, maxRetries: number) => {
      // A stream of states begins with the present one, and a browser may not send this header to it.
      const headers = lastEventId === undefined || isLast !== null ? {} : { 'last-event-id': lastEventId };
      const request: ApiRequest = { method: 'GET', ...address, accept: 'text/event-stream' };
      return this.#repeat(request, { ...options, headers, signal, maxRetries }, async (response) => {
        if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) return response;
        throw errorOf(response, await response.text(), null);
      });
    };
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    const readSince = async (since: number, signal: AbortSignal) =>
      isLast === null ? this.#readLog(address.path.replace(/\/stream$/, ''), since, { ...options, signal }) : [];
    return new EventStream(open, readSince, options, maxRetries, isLast);
  }

  /** The events of the log since a time, the oldest first, with those that may have been committed after it. */
  async #readLog(path: string, since: number, { signal, apiKey }: StreamOptions): Promise<StreamMessage[]> {
    const messages: StreamMessage[] = [];
    const options: RequestOptions = { maxRetries: 0, ...(signal && { signal }), ...(apiKey && { apiKey }) };
    const query = { limit: 100 };
    for await (const event of this.list<WebhookEvent, unknown>(
      { method: 'GET', path, query, cursor: 'before' },
      options,
    )) {
      if (Date.parse(event.created_at) < since - MAX_COMMIT_DELAY_MS) break;
      messages.push({ id: event.id, type: event.type, data: JSON.stringify(event) });
    }
    return messages.reverse();
  }

  /** `isEnveloped`: an answer without `data` is not from the API. */
  async #answer<T>(
    request: ApiRequest,
    options: RequestOptions,
    isEnveloped = request.isWrapped === true,
  ): Promise<WithResponse<T>> {
    return this.#repeat(request, options, async (response) => {
      const { headers } = response;
      const text = await response.text();
      const isJson = headers.get('content-type')?.includes('json') === true;
      const answer = isJson ? JSON.parse(text) : text || undefined;
      const mayBeEmpty = STATUSES_WITHOUT_BODY.includes(response.status);
      const isBody = isJson || (text === '' ? mayBeEmpty : request.accept === 'text/csv');
      if (isEnveloped ? answer?.data === undefined : !isBody) throw errorOf(response, '', rateLimitOf(headers));
      return {
        data: request.isWrapped === true ? answer.data : answer,
        response,
        requestId: headers.get('x-request-id'),
        rateLimit: rateLimitOf(headers),
        isReplay: headers.get('idempotent-replayed') === 'true',
      };
    });
  }

  /**
   * Sends the request until there is a success, a failure that stays, or no retry left. The address, the body and the
   * caller's headers are read before the first await: what the caller changes later is not sent under the same key.
   */
  async #repeat<T>(request: ApiRequest, options: RequestOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    const url = this.#urlOf(request);
    const body = request.body === undefined ? undefined : serialized(request.body);
    const headers = await this.#headersOf(request, options);
    let retries = 0;
    while (retries <= maxRetries) {
      const failure = await this.#attempt(url, { ...request, body }, headers, options, read);
      if (!(failure instanceof EveryshareError)) return failure;
      if (isKnownBooking(failure) && options.idempotencyKey === undefined && 'idempotency-key' in headers) {
        // The booking has a checkout. Without a key of its own the call gets that one, if its body is the same.
        delete headers['idempotency-key'];
        continue;
      }
      const wait = retries < maxRetries ? waitBeforeRetry(failure, request, retries) : null;
      if (wait === null) throw failure;
      await sleep(wait, options.signal);
      retries += 1;
    }
    throw new EveryshareError('maxRetries must be 0 or more.');
  }

  /** Returns the error of a failed attempt. It throws only when the caller's signal ends the call. */
  async #attempt<T>(
    url: string,
    { method, path, body }: ApiRequest,
    headers: Record<string, string>,
    { signal, timeout = this.#options.timeout ?? DEFAULT_TIMEOUT_MS }: RequestOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T | EveryshareError> {
    signal?.throwIfAborted();
    const limit = Math.min(timeout, MAX_TIMER_MS);
    const attempt = new AbortController();
    const onAbort = (): void => attempt.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      attempt.abort();
    }, limit);
    try {
      // A redirect is an error: it would lead the key elsewhere.
      const init: RequestInit = { method, headers, redirect: 'manual', signal: attempt.signal };
      if (body !== undefined) init.body = body as NonNullable<RequestInit['body']>;
      const response = await (this.#options.fetch ?? fetch)(url, init);
      if (!response.ok) return errorOf(response, await response.text(), rateLimitOf(response.headers));
      return await read(response);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      if (error instanceof EveryshareError) return error;
      // Without the parameters: one of them may be a credential.
      const name = `${method} ${this.#baseUrl}${path}`;
      if (isLate) return new TimeoutError(`${name}: no answer within ${limit} ms.`, { cause: error });
      return new ConnectionError(`${name}: there was no complete answer.`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #urlOf({ path, params = [], query = {} }: ApiRequest): string {
    let used = 0;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segmentOf(name, params[used++]));
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const search = String(new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])));
    return `${this.#baseUrl}${filled}${search && `?${search}`}`;
  }

  async #headersOf(request: ApiRequest, options: RequestOptions): Promise<Record<string, string>> {
    if (options.idempotencyKey !== undefined && request.takesKey !== true)
      throw new EveryshareError(`${request.method} ${request.path} takes no idempotencyKey: leave it out.`);
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries({ ...this.#options.headers, ...options.headers }))
      headers[name.toLowerCase()] = value;
    if ('idempotency-key' in headers)
      throw new EveryshareError('Idempotency-Key is in headers: use idempotencyKey, an option of the call.');
    headers.accept = request.accept ?? 'application/json';
    // A browser's request with this header would need a preflight.
    if (!('location' in globalThis)) headers['user-agent'] = `everyshare-sdk/${VERSION}`;
    const apiKey = options.apiKey === undefined ? this.#apiKey : checkedKey(options.apiKey);
    if (request.isOpen !== true && apiKey !== null) headers.authorization = `Bearer ${apiKey}`;
    if (request.body !== undefined) headers['content-type'] = 'application/json';
    if (request.takesKey === true) headers['idempotency-key'] = options.idempotencyKey ?? `sdk-${await randomHex()}`;
    // fetch would throw an error that quotes the value, and each retry would fail as well.
    for (const [name, value] of Object.entries(headers))
      if (!/^[ -~\x80-\xff]*$/.test(value))
        throw new EveryshareError(`The header ${name} has a line break or another character that no header can have.`);
    return headers;
  }
}

/** `.` and `..` would change the address, also percent-encoded. */
function segmentOf(name: string, value: unknown): string {
  if (typeof value === 'string' && !/^(|\.|\.\.)$/.test(value)) return encodeURIComponent(value);
  throw new EveryshareError(`${name} is ${JSON.stringify(value)}: give the id of the object.`);
}

/** What is sent: a text, a copy of the bytes, or JSON. */
function serialized(body: RawBody): string | Uint8Array {
  if (typeof body === 'string') return body;
  try {
    return bytesOf(body)?.slice() ?? JSON.stringify(body);
  } catch (error) {
    throw new EveryshareError('The body cannot be written as JSON: leave out each BigInt and each cycle.', {
      cause: error,
    });
  }
}

/** The key without the white space around it. No error quotes it, and fetch's own error about a header would. */
function checkedKey(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '') throw new EveryshareError('apiKey is missing: new Everyshare({ apiKey: "svc_test_…" }).');
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new EveryshareError('apiKey has a space, a line break or another character that no key has: copy it again.');
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  if (limit == null || remaining == null || reset == null) return null;
  return { limit: Number(limit), remaining: Number(remaining), reset: Number(reset) };
}

const isKnownBooking = (failure: EveryshareError): boolean => (failure as ApiError).reason === 'booking_in_progress';

/** In milliseconds; null: the failure stays, or repeating the call is not safe. */
function waitBeforeRetry(failure: EveryshareError, request: ApiRequest, retries: number): number | null {
  const { status, reason, retryAfter = null } = failure as Partial<ApiError>;
  const wasRefused = status === 408 || status === 429 || reason === 'request_in_progress';
  const isUnknown = failure instanceof ConnectionError || UNKNOWN_OUTCOMES.includes(status ?? 0);
  const isSafe = request.method === 'GET' || request.takesKey === true || request.isRepeatable === true;
  if (!wasRefused && !(isUnknown && isSafe)) return null;
  if (retryAfter !== null && retryAfter > MAX_RETRY_AFTER_SECONDS) return null;
  return backoff(retries) + (retryAfter ?? 0) * 1000;
}
