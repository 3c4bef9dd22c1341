// The embedded card processor without any transport: takes requests as Stripe's API does and answers them from its own
// books. Work is done at once and in order; an answer is given when all it rests on is in the journal, and not before.
// It looks at no clock and draws no chance but those it is handed, and it has no timers.

import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { type Random, randomText } from '../../src/base/random.ts';
import { ApiError, invalidRequest, unauthorized } from './api-error.ts';
import { type FaultRule, type Faults, makeFaults, readFaultSettings } from './faults.ts';
import { Params, parseForm } from './form-params.ts';
import { releaseHold } from './holds.ts';
import { type Journal, JournalFailure } from './journal.ts';
import { expand } from './lists.ts';
import type { ApiOutcome, ApiRequest, ApiResponse } from './messages.ts';
import { findOperation, type Operation, operationNames, readPath } from './operations.ts';
import { API_VERSION } from './other-objects.ts';
import { servePage } from './page-routes.ts';
import { cardDelayOf } from './payment-intents.ts';
import type { ChargeRow, Mode, StoredResponseRow } from './row-types.ts';
import { Store } from './store.ts';
import { TimerQueue } from './timer-queue.ts';
import { Transaction } from './transaction.ts';
import { makeWebhookQueue, type WebhookQueue } from './webhook-queue.ts';

export interface ProcessorKeys {
  readonly secret: string;
  readonly publishable: string;
  readonly webhookSecret: string;
}

export interface ProcessorApiOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly keys: Readonly<Record<Mode, ProcessorKeys>>;
  readonly faults?: Faults;
  /** What the links to our pages begin with; no slash at the end. */
  readonly publicBase?: string | (() => string);
  /** How to let time pass for slow calls; left out: nothing is slow. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** `pulled` (the default): `outbox.takeEvents` hands events over. `posted`: a deliverer does. */
  readonly events?: 'pulled' | 'posted';
  /** Told of a mistake of ours; the call that met it was answered with 500 and left nothing behind. */
  readonly onInternalError?: (error: unknown) => void;
}

export interface ProcessorApi {
  /** Rejects only when the journal can no longer be written: the bank is then to be closed. */
  handle(request: ApiRequest): Promise<ApiOutcome>;
  /** Does what is due by the clock: holds lapse, old answers and events go. */
  tick(): void;
  readonly webhooks: WebhookQueue;
  readonly faults: Faults;
  /** Resolves when everything done so far is on disk. */
  flush(): Promise<void>;
}

interface Caller {
  readonly mode: Mode;
  readonly isPublishable: boolean;
}

const DEFAULT_TIMEOUT_FAULT_MS = 60_000;
const KEY_RETENTION_SECONDS = 25 * 3600;
/** A client library's own key is for its own retries, minutes apart at most. */
const SDK_KEY_RETENTION_SECONDS = 3600;
const EVENT_RETENTION_SECONDS = 30 * 86_400;
const MAX_PRUNED_PER_TICK = 2000;
const MODES = ['test', 'live'] as const;

export function makeProcessorApi(options: ProcessorApiOptions): ProcessorApi {
  return new EmbeddedProcessorApi(options);
}

class EmbeddedProcessorApi implements ProcessorApi {
  readonly webhooks: WebhookQueue;
  readonly faults: Faults;
  readonly #options: ProcessorApiOptions;
  readonly #books: Store;
  readonly #callers = new Map<string, Caller>();
  readonly #lapses = new TimerQueue<{ readonly mode: Mode; readonly charge: string }>();
  readonly #underway = new Set<string>();

  constructor(options: ProcessorApiOptions) {
    const { clock, random, journal, keys } = options;
    this.#options = options;
    this.#books = new Store(journal);
    this.faults = options.faults ?? makeFaults(random);
    this.webhooks = makeWebhookQueue({
      store: this.#books,
      clock,
      random,
      faults: this.faults,
      secrets: { test: keys.test.webhookSecret, live: keys.live.webhookSecret },
      isPulled: options.events !== 'posted',
    });
    for (const mode of MODES) {
      this.#callers.set(keys[mode].secret, { mode, isPublishable: false });
      this.#callers.set(keys[mode].publishable, { mode, isPublishable: true });
      for (const charge of this.#books.tables(mode).charges.oldestFirst()) this.#expectLapse(mode, charge);
    }
    this.#books.subscribe((mode, table, row) => {
      if (table === 'charges') this.#expectLapse(mode, row as ChargeRow);
    });
  }

  async handle(request: ApiRequest): Promise<ApiOutcome> {
    this.#lapse();
    const response = await this.#respond(request);
    await this.#books.flush();
    return response;
  }

  tick(): void {
    this.#lapse();
    const now = Math.floor(this.#options.clock.now() / 1000);
    for (const mode of MODES) {
      const changes = this.#books.begin(mode);
      const { answers, events } = this.#books.tables(mode);
      let looked = 0;
      for (const row of answers.oldestFirst()) {
        if (row.created + SDK_KEY_RETENTION_SECONDS > now || looked++ > MAX_PRUNED_PER_TICK) break;
        if (isExpired(row, now)) changes.remove('answers', row.id);
      }
      for (const row of events.oldestFirst()) {
        if (row.created + EVENT_RETENTION_SECONDS > now || looked++ > MAX_PRUNED_PER_TICK) break;
        changes.remove('events', row.id);
      }
      this.#books.commit(mode, changes);
    }
  }

  async flush(): Promise<void> {
    await this.#books.flush();
  }

  #expectLapse(mode: Mode, charge: ChargeRow): void {
    if (charge.captureBefore === null || charge.captured || charge.released || charge.captureTries > 0) return;
    this.#lapses.add(charge.captureBefore * 1000, { mode, charge: charge.id });
  }

  #lapse(): void {
    const now = this.#options.clock.now();
    for (let due = this.#lapses.takeDue(now); due !== undefined; due = this.#lapses.takeDue(now)) {
      const { mode, charge: chargeId } = due;
      this.#work(mode, null, null, (tx) => {
        const intent = tx.find('intents', tx.require('charges', chargeId).intent);
        if (intent?.status === 'requires_capture' && intent.charge === chargeId) releaseHold(tx, intent, 'automatic');
      });
    }
  }

  /** Does a piece of work and keeps what it did; of one that throws nothing is kept. */
  #work<T>(mode: Mode, requestId: string | null, key: string | null, task: (tx: Transaction) => T): T {
    const work = this.#newWork(mode, requestId, key);
    const outcome = task(work);
    this.#books.commit(mode, work.changes);
    return outcome;
  }

  #newWork(mode: Mode, requestId: string | null, idempotencyKey: string | null): Transaction {
    const { clock, random, publicBase = '', keys } = this.#options;
    return new Transaction({
      mode,
      changes: this.#books.begin(mode),
      nowMs: clock.now(),
      random,
      publicBase: typeof publicBase === 'string' ? publicBase : publicBase(),
      requestId,
      idempotencyKey,
      webhookSecret: keys[mode].webhookSecret,
    });
  }

  async #respond(request: ApiRequest): Promise<ApiOutcome> {
    const requestId = `req_${randomText(this.#options.random, 14)}`;
    try {
      const cut = request.path.indexOf('?');
      const path = cut < 0 ? request.path : request.path.slice(0, cut);
      const query = cut < 0 ? '' : request.path.slice(cut + 1);
      if (path === '/sandbox/faults') return this.#serveFaults(request);
      const named = readPath(path);
      if (named === null) {
        const tx = <T>(mode: Mode, task: (tx: Transaction) => T): T => this.#work(mode, requestId, null, task);
        const page = servePage({ method: request.method, path, query, body: request.body, transact: tx });
        return page ?? errorResponse(unknownUrl(request.method, path), requestId);
      }
      const fields = parseForm(request.method === 'POST' ? request.body : query);
      const caller = this.#recognize(request, typeof fields.key === 'string' ? fields.key : undefined);
      const operation = findOperation(request.method, named.shape);
      if (operation === undefined) throw unknownUrl(request.method, path);
      const params = new Params(fields);
      return await this.#perform({ request, path, requestId, caller, operation, params, ...named });
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error, requestId);
      if (error instanceof JournalFailure) throw error;
      this.#options.onInternalError?.(error);
      return internalErrorResponse(requestId, 'An unknown error occurred.');
    }
  }

  #recognize({ headers }: ApiRequest, keyField: string | undefined): Caller {
    const key = apiKeyOf(headers.authorization) ?? keyField;
    if (key === undefined) {
      throw unauthorized('You did not provide an API key. Send it as `Authorization: Bearer sk_…`.');
    }
    const caller = this.#callers.get(key);
    if (caller !== undefined) return caller;
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}`);
  }

  async #perform(call: PreparedCall): Promise<ApiOutcome> {
    const { operation, params, caller, requestId } = call;
    if (caller.isPublishable && !operation.isPublic) {
      const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.';
      throw new ApiError(403, { type: 'invalid_request_error', code: 'secret_key_required', message }, false);
    }
    params.rejectUnknown(operation.params);
    const fault = this.faults.pick(operation.name, caller.mode);
    const early = fault === null ? null : faultBeforeWork(fault, requestId);
    if (early !== null) return early;
    const key = call.request.method === 'POST' ? (call.request.headers['idempotency-key'] ?? null) : null;
    const answer = key === null ? await this.#execute(call, null, fault) : await this.#once(call, key, fault);
    if (fault?.kind === 'timeout_after') return timeoutFault(fault);
    if (fault?.kind === 'error_500_after') return internalErrorResponse(requestId);
    return answer;
  }

  /** The same key does the work once: later calls get the first answer, or are told why not. */
  async #once(call: PreparedCall, key: string, fault: FaultRule | null): Promise<ApiResponse> {
    if (key.length > 255) throw invalidRequest('Idempotency keys are at most 255 characters long.');
    const { mode } = call.caller;
    const id = `${call.caller.isPublishable ? 'pk' : 'sk'} ${key}`;
    const fingerprint = fingerprintOf(call);
    const before = this.#books.tables(mode).answers.get(id);
    if (before !== undefined && !isExpired(before, Math.floor(this.#options.clock.now() / 1000))) {
      if (before.fingerprint === fingerprint) return replayedResponse(before, call.requestId, key);
      const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`;
      throw new ApiError(400, { type: 'idempotency_error', message }, false);
    }
    const mark = `${mode} ${id}`;
    if (this.#underway.has(mark)) {
      const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
      throw new ApiError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message }, false);
    }
    this.#underway.add(mark);
    try {
      return await this.#execute(call, { id, fingerprint, key }, fault);
    } finally {
      this.#underway.delete(mark);
    }
  }

  async #execute(call: PreparedCall, once: IdempotentCall | null, fault: FaultRule | null): Promise<ApiResponse> {
    const { sleep: wait } = this.#options;
    const slow = (fault?.kind === 'slow' ? (fault.ms ?? 1000) : 0) + cardDelayMs(call);
    if (slow > 0 && wait !== undefined) {
      await wait(slow);
      this.#lapse();
    }
    const { operation, caller, params, requestId, id, innerId } = call;
    const tx = this.#newWork(caller.mode, requestId, once?.key ?? null);
    let answer: ApiResponse;
    try {
      const done = operation.run({ tx, id, innerId, params, isPublishable: caller.isPublishable });
      const paths = caller.isPublishable ? [] : params.list('expand');
      // An event in the books may hold the very object that is answered: it must not be expanded too.
      const isShared = call.request.method === 'POST' || operation.name.startsWith('events.');
      const object = paths.length > 0 && isShared ? structuredClone(done) : done;
      expand(tx, object, paths);
      answer = { status: 200, headers: responseHeaders(requestId, once?.key), body: JSON.stringify(object) };
    } catch (error) {
      if (!(error instanceof ApiError) || !error.isExecuted) throw error;
      answer = { status: error.status, headers: responseHeaders(requestId, once?.key), body: error.body() };
    }
    if (once !== null) {
      const { status, body } = answer;
      const { id: answerId, fingerprint } = once;
      tx.put('answers', { id: answerId, created: tx.now, fingerprint, status, body, request: requestId });
    }
    this.#books.commit(caller.mode, tx.changes);
    return answer;
  }

  #serveFaults(request: ApiRequest): ApiResponse {
    const caller = this.#recognize(request, undefined);
    if (caller.isPublishable) throw unauthorized('Faults are set with a secret key.');
    if (request.method === 'DELETE') this.faults.clear();
    else if (request.method === 'PUT') {
      let value: unknown;
      try {
        value = JSON.parse(request.body);
      } catch {
        throw invalidRequest('The body is not JSON.');
      }
      const settings = readFaultSettings(value);
      if (typeof settings === 'string') throw invalidRequest(settings);
      this.faults.set(settings);
    } else if (request.method !== 'GET') throw unknownUrl(request.method, '/sandbox/faults');
    const body = JSON.stringify({ ...this.faults.read(), operations: operationNames() });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
}

interface PreparedCall {
  readonly request: ApiRequest;
  readonly path: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly operation: Operation;
  readonly params: Params;
  readonly id: string;
  readonly innerId: string;
}

interface IdempotentCall {
  readonly id: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Only where a card is asked. */
function cardDelayMs({ operation, params }: PreparedCall): number {
  return /^payment_intents\.(create|confirm)$/.test(operation.name) ? cardDelayOf(params) : 0;
}

function apiKeyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (/^bearer /i.test(header)) return header.slice(7).trim();
  if (!/^basic /i.test(header)) return undefined;
  return Buffer.from(header.slice(6), 'base64').toString('utf8').split(':')[0];
}

/** The order of parameters does not matter; everything else does. */
function fingerprintOf({ request, path }: PreparedCall): string {
  const params = request.body.split('&').sort().join('&');
  return createHash('sha256').update(`${request.method} ${path}\n${params}`).digest('base64url');
}

function isExpired({ id, created }: StoredResponseRow, now: number): boolean {
  return created + (id.startsWith('sk stripe-node-retry-') ? SDK_KEY_RETENTION_SECONDS : KEY_RETENTION_SECONDS) <= now;
}

function responseHeaders(requestId: string, key?: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': API_VERSION,
  };
  if (key !== undefined) headers['idempotency-key'] = key;
  return headers;
}

function replayedResponse({ status, body, request }: StoredResponseRow, requestId: string, key: string): ApiResponse {
  const headers = { ...responseHeaders(requestId, key), 'idempotent-replayed': 'true', 'original-request': request };
  return { status, headers, body };
}

function errorResponse(refusal: ApiError, requestId: string): ApiResponse {
  return { status: refusal.status, headers: responseHeaders(requestId), body: refusal.body() };
}

function unknownUrl(method: string, path: string): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return new ApiError(404, { type: 'invalid_request_error', message }, false);
}

function timeoutFault(fault: FaultRule): ApiOutcome {
  return { fault: 'timeout', ms: fault.ms ?? DEFAULT_TIMEOUT_FAULT_MS };
}

function internalErrorResponse(
  requestId: string,
  message = 'An unknown error occurred (a fault that was switched on).',
): ApiResponse {
  return errorResponse(new ApiError(500, { type: 'api_error', message }, false), requestId);
}

/** Faults that come in the place of the work. */
function faultBeforeWork(fault: FaultRule, requestId: string): ApiOutcome | null {
  if (fault.kind === 'timeout_before') return timeoutFault(fault);
  if (fault.kind === 'drop_connection') return { fault: 'drop_connection', ms: 0 };
  if (fault.kind === 'error_500') return internalErrorResponse(requestId);
  if (fault.kind !== 'rate_limited') return null;
  const error = { type: 'invalid_request_error' as const, code: 'rate_limit', message: 'Request rate limit exceeded.' };
  return errorResponse(new ApiError(429, error, false), requestId);
}
