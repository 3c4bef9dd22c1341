// A client that behaves as we ask partners to: on no answer, a 5xx, a 429 or "in progress" it sends the same again, to
// whichever server, until it is answered. Every answer is written down: what was acknowledged must hold for ever.

import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../sim/chance.ts';

// biome-ignore lint/suspicious/noExplicitAny: an answer of the API, looked into as a partner would.
export type Seen = any;

export interface Told {
  readonly sentAt: number;
  readonly at: number;
  readonly status: number;
  readonly text: string;
  readonly json: Seen;
}

/** What was sent, and how often; null as an answer: given up, with the outcome unknown. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly key?: string;
  readonly idempotencyKey?: string;
  readonly body?: string;
  readonly contentType?: string;
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

const SHUNNED_MS = 3_000;

export class Client {
  readonly #urls: readonly string[];
  readonly #recorder: Recorder;
  readonly #chance: Chance;
  /** Which gave no answer lately, and until when it is mostly left alone, as by any balancer of load. */
  readonly #shunned = new Map<string, number>();
  /** After this nobody tries any more. */
  giveUpAt = Infinity;

  constructor(urls: readonly string[], recorder: Recorder, chance: Chance) {
    this.#urls = urls;
    this.#recorder = recorder;
    this.#chance = chance;
  }

  /** One try; null: no answer. */
  async once(question: Question): Promise<Told | null> {
    const { method, path, key, idempotencyKey, body, contentType = 'application/json' } = question;
    const sentAt = Date.now();
    const url = this.#server(sentAt);
    try {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          ...(body === undefined ? {} : { 'content-type': contentType }),
        },
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.timeout(this.#chance.between(3_000, 9_000)),
      });
      const text = await answer.text();
      const isJson = (answer.headers.get('content-type') ?? '').includes('json');
      return { sentAt, at: Date.now(), status: answer.status, text, json: isJson ? JSON.parse(text) : undefined };
    } catch (error) {
      this.#shunned.set(url, Date.now() + SHUNNED_MS);
      this.#recorder.trouble(`no answer (${nameOf(error)})`);
      return null;
    }
  }

  #server(now: number): string {
    const good = this.#urls.filter((url) => (this.#shunned.get(url) ?? 0) < now);
    return this.#chance.pick(good.length > 0 && this.#chance.often(0.9) ? good : this.#urls);
  }

  /** Until it is answered; null: given up. */
  async ask(question: Question): Promise<Told | null> {
    for (let tries = 0; Date.now() < this.giveUpAt; tries++) {
      const told = await this.once(question);
      if (told !== null && !this.#isPassing(told, question)) {
        this.#recorder.mark('answered');
        return told;
      }
      await delay(this.#chance.between(50, Math.min(150 * 2 ** tries, 1_500)));
    }
    return null;
  }

  #isPassing(told: Told, question: Question): boolean {
    const { status, json } = told;
    const reason = json?.error?.reason;
    const isPassing = status >= 500 || status === 429 || (status === 409 && reason === 'request_in_progress');
    if (isPassing) this.#recorder.trouble(`${status} ${json?.error?.code ?? ''}`.trim());
    if (status === 500 && this.#recorder.mistakes.length < 20) {
      this.#recorder.mistakes.push(`${question.method} ${question.path}: ${told.text.slice(0, 300)}`);
    }
    return isPassing;
  }
}

function nameOf(error: unknown): string {
  const { name = 'Error', cause } = error as { name?: string; cause?: { code?: string } };
  return cause?.code ?? name;
}
