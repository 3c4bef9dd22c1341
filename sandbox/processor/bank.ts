// The embedded card processor without any transport: takes requests as Stripe's API does and answers them from its own
// books. Work is done at once and in order; an answer is given when all it rests on is in the journal, and not before.
// It looks at no clock and draws no chance but those it is handed, and it has no timers.

import { createHash } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import { type Random, randomText } from '../../src/base/random.ts';
import type { BankAnswer, BankRequest, BankResponse } from './answer.ts';
import { Books } from './books.ts';
import { type FaultRule, type Faults, makeFaults, readFaultSettings } from './faults.ts';
import { Params, parseForm } from './form.ts';
import { visitFrontDesk } from './front-desk.ts';
import { endIntent } from './holds.ts';
import { slownessOf } from './intents.ts';
import { type Journal, JournalFailure } from './journal.ts';
import { expand } from './lists.ts';
import { API_VERSION } from './money-shapes.ts';
import { findOperation, type Operation, operationNames, readPath } from './operations.ts';
import { makeOutbox, type Outbox } from './outbox.ts';
import { invalid, Refusal, unauthorized } from './refusal.ts';
import type { AnswerRow, ChargeRow, Mode } from './rows.ts';
import { Soonest } from './soonest.ts';
import { Work } from './work.ts';

export interface BankKeys {
  readonly secret: string;
  readonly publishable: string;
  readonly webhookSecret: string;
}

export interface BankOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly journal: Journal;
  readonly keys: Readonly<Record<Mode, BankKeys>>;
  readonly faults?: Faults;
  /** What the links to our pages begin with; no slash at the end. */
  readonly publicBase?: string | (() => string);
  /** How to let time pass for slow calls; left out: nothing is slow. */
  readonly wait?: (ms: number) => Promise<void>;
  /** `pulled` (the default): `outbox.takeEvents` hands events over. `posted`: a deliverer does. */
  readonly events?: 'pulled' | 'posted';
  /** Told of a mistake of ours; the call that met it was answered with 500 and left nothing behind. */
  readonly onMistake?: (error: unknown) => void;
}

export interface Bank {
  /** Rejects only when the journal can no longer be written: the bank is then to be closed. */
  handle(request: BankRequest): Promise<BankResponse>;
  /** Does what is due by the clock: holds lapse, old answers and events go. */
  tick(): void;
  readonly outbox: Outbox;
  readonly faults: Faults;
  /** Resolves when everything done so far is on disk. */
  settled(): Promise<void>;
}

interface Caller {
  readonly mode: Mode;
  readonly byGuest: boolean;
}

const SILENCE_MS = 60_000;
const KEY_SECONDS = 25 * 3600;
/** A client library's own key is for its own retries, minutes apart at most. */
const RETRY_KEY_SECONDS = 3600;
const EVENT_SECONDS = 30 * 86_400;
const MOST_PRUNED = 2000;
const modes = ['test', 'live'] as const;

export function makeBank(options: BankOptions): Bank {
  return new EmbeddedBank(options);
}

class EmbeddedBank implements Bank {
  readonly outbox: Outbox;
  readonly faults: Faults;
  readonly #options: BankOptions;
  readonly #books: Books;
  readonly #callers = new Map<string, Caller>();
  readonly #lapses = new Soonest<{ readonly mode: Mode; readonly charge: string }>();
  readonly #underway = new Set<string>();

  constructor(options: BankOptions) {
    const { clock, random, journal, keys } = options;
    this.#options = options;
    this.#books = new Books(journal);
    this.faults = options.faults ?? makeFaults(random);
    this.outbox = makeOutbox({
      books: this.#books,
      clock,
      random,
      faults: this.faults,
      secrets: { test: keys.test.webhookSecret, live: keys.live.webhookSecret },
      pulled: options.events !== 'posted',
    });
    for (const mode of modes) {
      this.#callers.set(keys[mode].secret, { mode, byGuest: false });
      this.#callers.set(keys[mode].publishable, { mode, byGuest: true });
      for (const charge of this.#books.of(mode).charges.oldestFirst()) this.#expectLapse(mode, charge);
    }
    this.#books.watch((mode, table, row) => {
      if (table === 'charges') this.#expectLapse(mode, row as ChargeRow);
    });
  }

  async handle(request: BankRequest): Promise<BankResponse> {
    this.#lapse();
    const response = await this.#respond(request);
    await this.#books.settled();
    return response;
  }

  tick(): void {
    this.#lapse();
    const now = Math.floor(this.#options.clock.now() / 1000);
    for (const mode of modes) {
      const draft = this.#books.draft(mode);
      const { answers, events } = this.#books.of(mode);
      let looked = 0;
      for (const row of answers.oldestFirst()) {
        if (row.created + RETRY_KEY_SECONDS > now || looked++ > MOST_PRUNED) break;
        if (isOver(row, now)) draft.remove('answers', row.id);
      }
      for (const row of events.oldestFirst()) {
        if (row.created + EVENT_SECONDS > now || looked++ > MOST_PRUNED) break;
        draft.remove('events', row.id);
      }
      this.#books.commit(mode, draft);
    }
  }

  async settled(): Promise<void> {
    await this.#books.settled();
  }

  #expectLapse(mode: Mode, charge: ChargeRow): void {
    if (charge.captureBefore === null || charge.captured || charge.released || charge.captureTries > 0) return;
    this.#lapses.add(charge.captureBefore * 1000, { mode, charge: charge.id });
  }

  #lapse(): void {
    const now = this.#options.clock.now();
    for (let due = this.#lapses.takeDue(now); due !== undefined; due = this.#lapses.takeDue(now)) {
      const { mode, charge: chargeId } = due;
      this.#work(mode, null, null, (work) => {
        const intent = work.find('intents', work.need('charges', chargeId).intent);
        if (intent?.status === 'requires_capture' && intent.charge === chargeId) endIntent(work, intent, 'automatic');
      });
    }
  }

  /** Does a piece of work and keeps what it did; of one that throws nothing is kept. */
  #work<T>(mode: Mode, requestId: string | null, key: string | null, task: (work: Work) => T): T {
    const work = this.#newWork(mode, requestId, key);
    const outcome = task(work);
    this.#books.commit(mode, work.draft);
    return outcome;
  }

  #newWork(mode: Mode, requestId: string | null, idempotencyKey: string | null): Work {
    const { clock, random, publicBase = '', keys } = this.#options;
    return new Work({
      mode,
      draft: this.#books.draft(mode),
      nowMs: clock.now(),
      random,
      publicBase: typeof publicBase === 'string' ? publicBase : publicBase(),
      requestId,
      idempotencyKey,
      webhookSecret: keys[mode].webhookSecret,
    });
  }

  async #respond(request: BankRequest): Promise<BankResponse> {
    const requestId = `req_${randomText(this.#options.random, 14)}`;
    try {
      const cut = request.path.indexOf('?');
      const path = cut < 0 ? request.path : request.path.slice(0, cut);
      const query = cut < 0 ? '' : request.path.slice(cut + 1);
      if (path === '/sandbox/faults') return this.#serveFaults(request);
      const named = readPath(path);
      if (named === null) {
        const work = <T>(mode: Mode, task: (work: Work) => T): T => this.#work(mode, requestId, null, task);
        const page = visitFrontDesk({ method: request.method, path, query, body: request.body, work });
        return page ?? refused(unknownUrl(request.method, path), requestId);
      }
      const fields = parseForm(request.method === 'POST' ? request.body : query);
      const caller = this.#recognize(request, typeof fields.key === 'string' ? fields.key : undefined);
      const operation = findOperation(request.method, named.shape);
      if (operation === undefined) throw unknownUrl(request.method, path);
      const params = new Params(fields);
      return await this.#perform({ request, path, requestId, caller, operation, params, ...named });
    } catch (error) {
      if (error instanceof Refusal) return refused(error, requestId);
      if (error instanceof JournalFailure) throw error;
      this.#options.onMistake?.(error);
      return brokenAnswer(requestId, 'An unknown error occurred.');
    }
  }

  #recognize({ headers }: BankRequest, keyField: string | undefined): Caller {
    const key = keyOf(headers.authorization) ?? keyField;
    if (key === undefined) {
      throw unauthorized('You did not provide an API key. Send it as `Authorization: Bearer sk_…`.');
    }
    const caller = this.#callers.get(key);
    if (caller !== undefined) return caller;
    throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}${'*'.repeat(8)}`);
  }

  async #perform(call: PreparedCall): Promise<BankResponse> {
    const { operation, params, caller, requestId } = call;
    if (caller.byGuest && !operation.forGuests) {
      const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.';
      throw new Refusal(403, { type: 'invalid_request_error', code: 'secret_key_required', message }, false);
    }
    params.refuseOthersThan(operation.takes);
    const fault = this.faults.draw(operation.name, caller.mode);
    const early = fault === null ? null : faultBefore(fault, requestId);
    if (early !== null) return early;
    const key = call.request.method === 'POST' ? (call.request.headers['idempotency-key'] ?? null) : null;
    const answer = key === null ? await this.#execute(call, null, fault) : await this.#once(call, key, fault);
    if (fault?.kind === 'timeout_after') return silence(fault);
    if (fault?.kind === 'error_500_after') return brokenAnswer(requestId);
    return answer;
  }

  /** The same key does the work once: later calls get the first answer, or are told why not. */
  async #once(call: PreparedCall, key: string, fault: FaultRule | null): Promise<BankAnswer> {
    if (key.length > 255) throw invalid('Idempotency keys are at most 255 characters long.');
    const { mode } = call.caller;
    const id = `${call.caller.byGuest ? 'pk' : 'sk'} ${key}`;
    const fingerprint = fingerprintOf(call);
    const before = this.#books.of(mode).answers.get(id);
    if (before !== undefined && !isOver(before, Math.floor(this.#options.clock.now() / 1000))) {
      if (before.fingerprint === fingerprint) return replayed(before, call.requestId, key);
      const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`;
      throw new Refusal(400, { type: 'idempotency_error', message }, false);
    }
    const mark = `${mode} ${id}`;
    if (this.#underway.has(mark)) {
      const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
      throw new Refusal(409, { type: 'idempotency_error', code: 'idempotency_key_in_use', message }, false);
    }
    this.#underway.add(mark);
    try {
      return await this.#execute(call, { id, fingerprint, key }, fault);
    } finally {
      this.#underway.delete(mark);
    }
  }

  async #execute(call: PreparedCall, once: OnceMark | null, fault: FaultRule | null): Promise<BankAnswer> {
    const { wait } = this.#options;
    const slow = (fault?.kind === 'slow' ? (fault.ms ?? 1000) : 0) + cardSlowness(call);
    if (slow > 0 && wait !== undefined) {
      await wait(slow);
      this.#lapse();
    }
    const { operation, caller, params, requestId, id, innerId } = call;
    const work = this.#newWork(caller.mode, requestId, once?.key ?? null);
    let answer: BankAnswer;
    try {
      const done = operation.run({ work, id, innerId, params, byGuest: caller.byGuest });
      const paths = caller.byGuest ? [] : params.list('expand');
      // An event in the books may hold the very object that is answered: it must not be expanded too.
      const isShared = call.request.method === 'POST' || operation.name.startsWith('events.');
      const wire = paths.length > 0 && isShared ? structuredClone(done) : done;
      expand(work, wire, paths);
      answer = { status: 200, headers: headersOf(requestId, once?.key), body: JSON.stringify(wire) };
    } catch (error) {
      if (!(error instanceof Refusal) || !error.executed) throw error;
      answer = { status: error.status, headers: headersOf(requestId, once?.key), body: error.body() };
    }
    if (once !== null) {
      const { status, body } = answer;
      const { id: answerId, fingerprint } = once;
      work.put('answers', { id: answerId, created: work.now, fingerprint, status, body, request: requestId });
    }
    this.#books.commit(caller.mode, work.draft);
    return answer;
  }

  #serveFaults(request: BankRequest): BankAnswer {
    const caller = this.#recognize(request, undefined);
    if (caller.byGuest) throw unauthorized('Faults are set with a secret key.');
    if (request.method === 'DELETE') this.faults.clear();
    else if (request.method === 'PUT') {
      let value: unknown;
      try {
        value = JSON.parse(request.body);
      } catch {
        throw invalid('The body is not JSON.');
      }
      const settings = readFaultSettings(value);
      if (typeof settings === 'string') throw invalid(settings);
      this.faults.set(settings);
    } else if (request.method !== 'GET') throw unknownUrl(request.method, '/sandbox/faults');
    const body = JSON.stringify({ ...this.faults.read(), operations: operationNames() });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }
}

interface PreparedCall {
  readonly request: BankRequest;
  readonly path: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly operation: Operation;
  readonly params: Params;
  readonly id: string;
  readonly innerId: string;
}

interface OnceMark {
  readonly id: string;
  readonly key: string;
  readonly fingerprint: string;
}

/** Only where a card is asked. */
function cardSlowness({ operation, params }: PreparedCall): number {
  return /^payment_intents\.(create|confirm)$/.test(operation.name) ? slownessOf(params) : 0;
}

function keyOf(header: string | undefined): string | undefined {
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

function isOver({ id, created }: AnswerRow, now: number): boolean {
  return created + (id.startsWith('sk stripe-node-retry-') ? RETRY_KEY_SECONDS : KEY_SECONDS) <= now;
}

function headersOf(requestId: string, key?: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': API_VERSION,
  };
  if (key !== undefined) headers['idempotency-key'] = key;
  return headers;
}

function replayed({ status, body, request }: AnswerRow, requestId: string, key: string): BankAnswer {
  const headers = { ...headersOf(requestId, key), 'idempotent-replayed': 'true', 'original-request': request };
  return { status, headers, body };
}

function refused(refusal: Refusal, requestId: string): BankAnswer {
  return { status: refusal.status, headers: headersOf(requestId), body: refusal.body() };
}

function unknownUrl(method: string, path: string): Refusal {
  const message = `Unrecognized request URL (${method}: ${path}).`;
  return new Refusal(404, { type: 'invalid_request_error', message }, false);
}

function silence(fault: FaultRule): BankResponse {
  return { fault: 'timeout', ms: fault.ms ?? SILENCE_MS };
}

function brokenAnswer(
  requestId: string,
  message = 'An unknown error occurred (a fault that was switched on).',
): BankAnswer {
  return refused(new Refusal(500, { type: 'api_error', message }, false), requestId);
}

/** Faults that come in the place of the work. */
function faultBefore(fault: FaultRule, requestId: string): BankResponse | null {
  if (fault.kind === 'timeout_before') return silence(fault);
  if (fault.kind === 'drop_connection') return { fault: 'drop_connection', ms: 0 };
  if (fault.kind === 'error_500') return brokenAnswer(requestId);
  if (fault.kind !== 'rate_limited') return null;
  const error = { type: 'invalid_request_error' as const, code: 'rate_limit', message: 'Request rate limit exceeded.' };
  return refused(new Refusal(429, error, false), requestId);
}
