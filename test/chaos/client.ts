// A client that behaves as we ask partners to: on no answer, a 5xx, a 429 or "in progress" it sends the same again, to
// whichever server, until it is answered. Every answer is written down: what was acknowledged must hold for ever.

import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, looked into as a partner would.
export type Json = any;

export interface ClientResponse {
  readonly sentAt: number;
  readonly at: number;
  readonly status: number;
  readonly text: string;
  readonly json: Json;
  /** How often it was sent until this answer came; absent: once. */
  readonly tries?: number;
}

/** What was sent, and how often; null as an answer: given up, with the outcome unknown. */
export interface ClientRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Whose browser it is, as the balancer of load before the servers says. */
  readonly address?: string;
  /** This one of the servers, and no other. */
  readonly server?: number;
}

/** Also whether they were asked to wait, and that for longer than anybody does. */
interface ClientAttempt extends ClientResponse {
  readonly isLong: boolean;
}

export type Mark = 'created' | 'completed' | 'answered' | 'error';

export class Recorder {
  /** By second since the beginning. */
  readonly seconds: Record<Mark, number>[] = [];
  readonly troubles = new Map<string, number>();
  /** The first few answers of 500, which nobody should get. */
  readonly mistakes: string[] = [];
  readonly began = Date.now();

  mark(mark: Mark): void {
    const second = Math.floor((Date.now() - this.began) / 1000);
    while (this.seconds.length <= second) this.seconds.push({ created: 0, completed: 0, answered: 0, error: 0 });
    const row = this.seconds[second];
    if (row !== undefined) row[mark]++;
  }

  trouble(what: string): void {
    this.mark('error');
    this.troubles.set(what, (this.troubles.get(what) ?? 0) + 1);
  }

  total(mark: Mark): number {
    return this.seconds.reduce((sum, row) => sum + row[mark], 0);
  }
}

const AVOID_SERVER_MS = 3_000;
/** Whoever is told to wait longer than this takes it for an answer. */
const MAX_RETRY_AFTER_S = 30;

export class Client {
  readonly #urls: readonly string[];
  readonly #recorder: Recorder;
  readonly #random: SeededRandom;
  /** Which gave no answer lately, and until when it is mostly left alone, as by any balancer of load. */
  readonly #shunned = new Map<string, number>();
  /** After this nobody tries any more. */
  giveUpAt = Infinity;

  constructor(urls: readonly string[], recorder: Recorder, random: SeededRandom) {
    this.#urls = urls;
    this.#recorder = recorder;
    this.#random = random;
  }

  /** One try; null: no answer. */
  async sendOnce(request: ClientRequest): Promise<ClientAttempt | null> {
    const { method, path, body, server } = request;
    const sentAt = Date.now();
    const url = (server === undefined ? undefined : this.#urls[server]) ?? this.#server(sentAt);
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: headersOf(request),
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(this.#random.between(3_000, 9_000)),
      });
      const text = await answer.text();
      const isJson = (answer.headers.get('content-type') ?? '').includes('json');
      const json: Json = isJson ? JSON.parse(text) : undefined;
      const wait = Number(answer.headers.get('retry-after') ?? 0);
      return { sentAt, at: Date.now(), status: answer.status, text, json, isLong: wait > MAX_RETRY_AFTER_S };
    } catch (error) {
      this.#shunned.set(url, Date.now() + AVOID_SERVER_MS);
      this.#recorder.trouble(`no answer (${nameOf(error)})`);
      return null;
    }
  }

  #server(now: number): string {
    const good = this.#urls.filter((url) => (this.#shunned.get(url) ?? 0) < now);
    return this.#random.pick(good.length > 0 && this.#random.often(0.9) ? good : this.#urls);
  }

  /** Until it is answered; null: given up. */
  async send(request: ClientRequest): Promise<ClientResponse | null> {
    for (let tries = 0; Date.now() < this.giveUpAt; tries++) {
      const response = await this.sendOnce(request);
      if (response !== null && !this.#isPassing(response, request)) {
        this.#recorder.mark('answered');
        return { ...response, tries: tries + 1 };
      }
      await delay(this.#random.between(50, Math.min(150 * 2 ** tries, 1_500)));
    }
    return null;
  }

  #isPassing(response: ClientAttempt, request: ClientRequest): boolean {
    const { status, json, isLong } = response;
    const isBusy = (status === 429 && !isLong) || (status === 409 && json?.error?.reason === 'request_in_progress');
    const isPassing = status >= 500 || isBusy;
    if (isPassing) this.#recorder.trouble(`${status} ${json?.error?.code ?? ''}`.trim());
    if (status === 500 && this.#recorder.mistakes.length < 20) {
      this.#recorder.mistakes.push(`${request.method} ${request.path}: ${response.text.slice(0, 300)}`);
    }
    return isPassing;
  }
}

function headersOf({ key, idempotencyKey, body, accept, address, contentType }: ClientRequest): Record<string, string> {
  return {
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
