// The card processor's API without any transport: authenticates a request, applies faults and idempotency keys, runs
// the operation, and returns its outcome. Operations run one at a time; a response is returned only after everything it
// shows is in the journal. The API has no timers, and uses only the clock and the random source it is handed.

import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { type Random, randomText } from '../../src/base/random.ts';
import { ApiError, invalidRequest, unauthorized } from './api-error.ts';
import { DueChanges } from './due-changes.ts';
import { expand } from './expand.ts';
import { type FaultRule, type Faults, makeFaults } from './faults.ts';
import { Params, parseForm, parseJsonBody } from './form-params.ts';
import { type Journal, JournalFailure } from './journal.ts';
import type { ApiOutcome, ApiRequest, ApiResponse } from './messages.ts';
import { findOperation, type Operation, readPath } from './operations.ts';
import { servePage } from './page-routes.ts';
import { cardDelayOf } from './payment-intents.ts';
import {
  errorResponse,
  internalError,
  refusalForNow,
  replayedResponse,
  responseHeaders,
  UNKNOWN_ERROR,
  unknownUrl,
} from './responses.ts';
import type { Mode, StoredResponseRow } from './row-types.ts';
import { serveSandboxRoute } from './sandbox-routes.ts';
import { Store } from './store.ts';
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
  /** The start of links to the processor's pages, without a slash at the end. */
  readonly publicBase?: string | (() => string);
  /** Waits, for slow cards and slow faults; without it nothing is slow. */
  readonly sleep?: (ms: number) => Promise<void>;
  /**
   * `pulled` (the default): the caller takes events with `webhooks.takeEvents`. `posted`: a webhook sender posts them.
   */
  readonly events?: 'pulled' | 'posted';
  /** Called with a bug's error; the request got a 500, and nothing of it was committed. */
  readonly onInternalError?: (error: unknown) => void;
}

export interface ProcessorApi {
  /** Rejects only when the journal can no longer be written: the caller must then close the API. */
  handle(request: ApiRequest): Promise<ApiOutcome>;
  /** Does what is due by the clock: expires holds, changes refunds, deletes old stored responses and events. */
  tick(): void;
  readonly webhooks: WebhookQueue;
  readonly faults: Faults;
  /** Resolves when every committed change is on disk. */
  flush(): Promise<void>;
}

interface Caller {
  readonly mode: Mode;
  readonly isPublishable: boolean;
}

const DEFAULT_TIMEOUT_FAULT_MS = 60_000;
const KEY_RETENTION_SECONDS = 25 * 3600;
const V2_KEY_RETENTION_SECONDS = 30 * 86_400;
/** The SDK makes a key of its own for each call, and retries within minutes. */
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
  readonly #store: Store;
  readonly #callers = new Map<string, Caller>();
  readonly #dueChanges: DueChanges;
  readonly #keysInFlight = new Set<string>();

  constructor(options: ProcessorApiOptions) {
    const { clock, random, journal, keys } = options;
    this.#options = options;
    this.#store = new Store(journal);
    this.faults = options.faults ?? makeFaults(random);
    this.webhooks = makeWebhookQueue({
      store: this.#store,
      clock,
      random,
      faults: this.faults,
      secrets: { test: keys.test.webhookSecret, live: keys.live.webhookSecret },
      isPulled: options.events !== 'posted',
    });
    for (const mode of MODES) {
      this.#callers.set(keys[mode].secret, { mode, isPublishable: false });
      this.#callers.set(keys[mode].publishable, { mode, isPublishable: true });
    }
    this.#dueChanges = new DueChanges(this.#store);
  }

  async handle(request: ApiRequest): Promise<ApiOutcome> {
    this.#applyDueChanges();
    const response = await this.#respond(request);
    await this.#store.flush();
    return response;
  }

  tick(): void {
    this.#applyDueChanges();
    const now = Math.floor(this.#options.clock.now() / 1000);
    for (const mode of MODES) {
      const changes = this.#store.begin(mode);
      const { answers, events } = this.#store.tables(mode);
      let visited = 0;
      for (const row of answers.oldestFirst()) {
        if (row.created + SDK_KEY_RETENTION_SECONDS > now || visited++ > MAX_PRUNED_PER_TICK) break;
        if (isExpired(row, now)) changes.remove('answers', row.id);
      }
      for (const row of events.oldestFirst()) {
        if (row.created + EVENT_RETENTION_SECONDS > now || visited++ > MAX_PRUNED_PER_TICK) break;
        changes.remove('events', row.id);
      }
      this.#store.commit(mode, changes);
    }
  }

  async flush(): Promise<void> {
    await this.#store.flush();
  }

  #applyDueChanges(): void {
    this.#dueChanges.applyDue(this.#options.clock.now(), (mode, task) => this.#transact(mode, null, null, task));
  }

  /** Runs `task` in a transaction, at `pastMs` or now, and commits it; when it throws, nothing is committed. */
  #transact<T>(mode: Mode, id: string | null, key: string | null, task: (tx: Transaction) => T, pastMs?: number): T {
    const tx = this.#begin(mode, id, key, pastMs);
    const result = task(tx);
    this.#store.commit(mode, tx.changes);
    return result;
  }

  #begin(mode: Mode, requestId: string | null, idempotencyKey: string | null, pastMs?: number): Transaction {
    const { clock, random, publicBase = '', keys } = this.#options;
    return new Transaction({
      mode,
      changes: this.#store.begin(mode),
      nowMs: pastMs ?? clock.now(),
      isPast: pastMs !== undefined,
      random,
      publicBase: typeof publicBase === 'string' ? publicBase : publicBase(),
      requestId,
      idempotencyKey,
      webhookSecret: keys[mode].webhookSecret,
      liveEndpoints: this.#store.tables('live').endpoints,
    });
  }

  async #respond(request: ApiRequest): Promise<ApiOutcome> {
    const requestId = `req_${randomText(this.#options.random, 14)}`;
    try {
      const cut = request.path.indexOf('?');
      const path = cut < 0 ? request.path : request.path.slice(0, cut);
      const query = cut < 0 ? '' : request.path.slice(cut + 1);
      if (path.startsWith('/sandbox/')) return this.#serveSandbox(request, path, requestId);
      const parsed = readPath(path);
      if (parsed === null) {
        const transact = <T>(mode: Mode, task: (tx: Transaction) => T): T =>
          this.#transact(mode, requestId, null, task);
        const page = servePage({ method: request.method, path, query, body: request.body, transact });
        return page ?? errorResponse(unknownUrl(request.method, path), requestId);
      }
      const isJson = request.method === 'POST' && path.startsWith('/v2/');
      const fields = isJson ? parseJsonBody(request.body) : parseForm(request.method === 'POST' ? request.body : query);
      const caller = this.#authenticate(request, typeof fields.key === 'string' ? fields.key : undefined);
      const operation = findOperation(request.method, parsed.pattern);
      if (operation === undefined) throw unknownUrl(request.method, path);
      const params = new Params(fields);
      const account = request.headers['stripe-account'] ?? null;
      return await this.#perform({ request, path, requestId, caller, operation, params, account, ...parsed });
    } catch (error) {
      if (error instanceof ApiError) return errorResponse(error, requestId);
      if (error instanceof JournalFailure) throw error;
      this.#options.onInternalError?.(error);
      return internalError(responseHeaders(requestId), UNKNOWN_ERROR);
    }
  }

  #authenticate({ headers }: ApiRequest, keyField: string | undefined): Caller {
    const key = apiKeyOf(headers.authorization) ?? keyField;
    if (key === undefined) {
      throw unauthorized('You did not provide an API key. Send it as `Authorization: Bearer sk_…`.');
    }
    const caller = this.#callers.get(key);
    if (caller !== undefined) return caller;
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}`);
  }

  async #perform(call: PreparedCall): Promise<ApiOutcome> {
    const { operation, params, caller } = call;
    if (caller.isPublishable && !operation.isPublic) {
      const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.';
      throw new ApiError(403, { type: 'invalid_request_error', code: 'secret_key_required', message }, false);
    }
    params.rejectUnknown(operation.params);
    this.#requireAccess(call);
    const fault = this.faults.pick(operation.name, caller.mode);
    const faultOutcome = fault === null ? null : faultInsteadOfOperation(fault, call);
    if (faultOutcome !== null) return faultOutcome;
    const key = call.request.method === 'POST' ? (call.request.headers['idempotency-key'] ?? null) : null;
    const response = key === null ? await this.#execute(call, null, fault) : await this.#runOnce(call, key, fault);
    return fault?.kind === 'timeout_after' ? timeoutFault(fault) : response;
  }

  /** The header `Stripe-Account` names an account of the caller's mode, for an operation that serves accounts. */
  #requireAccess({ account, caller, operation, requestId }: PreparedCall): void {
    if (account === null) return;
    if (!operation.isForAccounts) {
      throw invalidRequest(`${operation.name} is for the platform itself here: leave Stripe-Account out.`);
    }
    if (this.#begin(caller.mode, requestId, null).find('accounts', account) !== undefined) return;
    const message = `The provided key does not have access to account '${account}' (or that account does not exist).`;
    throw new ApiError(403, { type: 'invalid_request_error', code: 'account_invalid', message }, false);
  }

  /**
   * An idempotency key runs its operation once: later requests get the stored response, or an error. API v2 stores what
   * succeeded only: a repeat takes up what failed.
   */
  async #runOnce(call: PreparedCall, key: string, fault: FaultRule | null): Promise<ApiResponse> {
    if (key.length > 255) throw invalidRequest('Idempotency keys are at most 255 characters long.');
    const { mode } = call.caller;
    const id = `${call.caller.isPublishable ? 'pk' : isV2(call) ? 'v2' : 'sk'} ${key}`;
    const fingerprint = fingerprintOf(call);
    const stored = this.#store.tables(mode).answers.get(id);
    if (stored !== undefined && !isExpired(stored, Math.floor(this.#options.clock.now() / 1000))) {
      if (stored.fingerprint === fingerprint) return replayedResponse(stored, call.requestId, key);
      const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`;
      throw new ApiError(400, { type: 'idempotency_error', message }, false);
    }
    const keyInFlight = `${mode} ${id}`;
    if (this.#keysInFlight.has(keyInFlight)) {
      const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
      throw new ApiError(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message }, false);
    }
    this.#keysInFlight.add(keyInFlight);
    try {
      return await this.#execute(call, { id, fingerprint, key }, fault);
    } finally {
      this.#keysInFlight.delete(keyInFlight);
    }
  }

  async #execute(call: PreparedCall, idempotent: IdempotentCall | null, fault: FaultRule | null): Promise<ApiResponse> {
    const { sleep } = this.#options;
    const delayMs = (fault?.kind === 'slow' ? (fault.ms ?? 1000) : 0) + cardDelayMs(call);
    if (delayMs > 0 && sleep !== undefined) {
      await sleep(delayMs);
      this.#applyDueChanges();
    }
    const { mode } = call.caller;
    const tx = this.#begin(mode, call.requestId, idempotent?.key ?? null);
    const response = this.#run(tx, call, idempotent?.key, fault);
    // A failed operation changes nothing, but its answer is stored as well.
    const stored = response.isRolledBack ? this.#begin(mode, call.requestId, idempotent?.key ?? null) : tx;
    const { status, body } = response.done ?? response;
    if (idempotent !== null && (status < 400 || !isV2(call))) {
      const { id, fingerprint } = idempotent;
      stored.put('answers', { id, created: tx.now, fingerprint, status, body, request: call.requestId });
    }
    this.#store.commit(mode, stored.changes);
    return { status: response.status, headers: response.headers, body: response.body };
  }

  /** Runs the operation in the transaction. Once it has begun, every end is an answer, a bug's 500 included. */
  #run(
    tx: Transaction,
    { operation, caller, params, requestId, id, innerId, account, request }: PreparedCall,
    key: string | undefined,
    fault: FaultRule | null,
  ): ApiResponse & { readonly isRolledBack: boolean; readonly done?: StoredAnswer } {
    const headers = responseHeaders(requestId, key);
    if (fault?.kind === 'error_500_rolled_back') return { ...internalError(headers), isRolledBack: true };
    if (fault?.kind === 'refused_for_now') return { ...refusalForNow(headers), isRolledBack: true };
    try {
      const result = operation.run({ tx, id, innerId, params, account, isPublishable: caller.isPublishable });
      if (fault?.kind === 'error_500_after') {
        const done = { status: 200, body: JSON.stringify(result) };
        return {
          ...internalError(headers),
          isRolledBack: false,
          ...(operation.name.startsWith('v2.') ? { done } : {}),
        };
      }
      const paths = caller.isPublishable ? [] : params.list('expand');
      // A stored event may hold this very object, which must stay unexpanded there.
      const isShared = request.method === 'POST' || operation.name.startsWith('events.');
      const object = paths.length > 0 && isShared ? structuredClone(result) : result;
      expand(tx, object, paths);
      return { status: 200, headers, body: JSON.stringify(object), isRolledBack: false };
    } catch (error) {
      if (error instanceof ApiError && !error.isExecuted) throw error;
      if (error instanceof ApiError) return { status: error.status, headers, body: error.body(), isRolledBack: false };
      this.#options.onInternalError?.(error);
      return { ...internalError(headers, UNKNOWN_ERROR), isRolledBack: true };
    }
  }

  #serveSandbox(request: ApiRequest, path: string, requestId: string): ApiResponse {
    const { mode, isPublishable } = this.#authenticate(request, undefined);
    if (isPublishable) throw unauthorized('The sandbox is controlled with a secret key.');
    const transact = <T>(task: (tx: Transaction) => T, pastMs?: number): T =>
      this.#transact(mode, requestId, null, task, pastMs);
    return serveSandboxRoute({ request, path, faults: this.faults, now: this.#options.clock.now(), transact });
  }
}

interface PreparedCall {
  readonly request: ApiRequest;
  readonly path: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly operation: Operation;
  readonly params: Params;
  readonly account: string | null;
  readonly id: string;
  readonly innerId: string;
}

const isV2 = ({ operation }: PreparedCall): boolean => operation.name.startsWith('v2.');

/** What API v2 answers to the repeat of a call that did its work and failed then. */
type StoredAnswer = Pick<ApiResponse, 'status' | 'body'>;

interface IdempotentCall {
  readonly id: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Only operations that authorize a card are slow. */
function cardDelayMs({ operation, params }: PreparedCall): number {
  return /^payment_intents\.(create|confirm)$/.test(operation.name) ? cardDelayOf(params) : 0;
}

function apiKeyOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (/^bearer /i.test(header)) return header.slice(7).trim();
  if (!/^basic /i.test(header)) return undefined;
  return Buffer.from(header.slice(6), 'base64').toString('utf8').split(':')[0];
}

/** The same for the same method, path and parameters, in any order of the parameters. */
function fingerprintOf({ request, path, account }: PreparedCall): string {
  const params = request.body.split('&').sort().join('&');
  return createHash('sha256')
    .update(`${request.method} ${path}${account === null ? '' : ` for ${account}`}\n${params}`)
    .digest('base64url');
}

function isExpired({ id, created }: StoredResponseRow, now: number): boolean {
  if (id.startsWith('v2 ')) return created + V2_KEY_RETENTION_SECONDS <= now;
  return created + (id.startsWith('sk stripe-node-retry-') ? SDK_KEY_RETENTION_SECONDS : KEY_RETENTION_SECONDS) <= now;
}

function timeoutFault(fault: FaultRule): ApiOutcome {
  return { fault: 'timeout', ms: fault.ms ?? DEFAULT_TIMEOUT_FAULT_MS };
}

/** To an account without the prices that extended authorizations need, as Stripe is reported to answer. */
const CARD_FEATURES_REFUSED =
  'This account is not eligible for the requested card features. See https://stripe.com/docs/payments/flexible-payments for more details.';

/** The outcome of a fault that replaces the operation; null when the operation runs. */
function faultInsteadOfOperation(fault: FaultRule, { request, requestId }: PreparedCall): ApiOutcome | null {
  if (fault.kind === 'timeout_before') return timeoutFault(fault);
  if (fault.kind === 'drop_connection') return { fault: 'drop_connection', ms: 0 };
  if (fault.kind === 'error_500') return internalError(responseHeaders(requestId));
  if (fault.kind === 'card_features_refused' && request.body.includes('request_extended_authorization')) {
    return errorResponse(invalidRequest(CARD_FEATURES_REFUSED), requestId);
  }
  if (fault.kind !== 'rate_limited') return null;
  const error = { type: 'invalid_request_error' as const, code: 'rate_limit', message: 'Request rate limit exceeded.' };
  return errorResponse(new ApiError(429, error, false), requestId);
}
