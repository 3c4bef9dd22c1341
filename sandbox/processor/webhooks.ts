// Posts the bank's events to the endpoints that asked for them, signed as Stripe signs. Each endpoint has its own queue,
// so that a dead one delays nobody; what is not taken is tried again for three days. One that has failed for an hour
// without a single success is dropped. The order of arrival is not promised, as it is not at Stripe.

import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import type { Bank } from './bank.ts';
import { eventWire } from './money-shapes.ts';
import { type Delivery, shuffled } from './outbox.ts';

export interface Deliverer {
  /** Something may be due: look now rather than at the next round. */
  readonly wake: () => void;
  close(): Promise<void>;
}

interface DelivererSettings {
  readonly bank: Bank;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: (line: string) => void;
}

const ROUND_MS = 250;
const TIMEOUT_MS = 10_000;
const AT_ONCE = 16;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const PAUSES = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];
/** Hourly after those, for three days. */
const MOST_TRIES = PAUSES.length + 72;
const GIVE_UP_AFTER_MS = HOUR;

const pauseAfter = (tries: number): number | null => (tries > MOST_TRIES ? null : (PAUSES[tries - 1] ?? HOUR));

interface Line {
  readonly waiting: Delivery[];
  underway: number;
  failingSince: number | null;
}

export function startDeliverer(settings: DelivererSettings): Deliverer {
  const deliverer = new WebhookDeliverer(settings);
  return { wake: () => deliverer.wake(), close: () => deliverer.close() };
}

class WebhookDeliverer {
  readonly #settings: DelivererSettings;
  readonly #lines = new Map<string, Line>();
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 2 * AT_ONCE });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 2 * AT_ONCE });
  readonly #round: NodeJS.Timeout;
  readonly #underway = new Set<Promise<void>>();
  #awake: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(settings: DelivererSettings) {
    this.#settings = settings;
    this.#round = setInterval(() => this.#look(), ROUND_MS);
  }

  wake(): void {
    if (this.#closed) return;
    this.#awake ??= setImmediate(() => {
      this.#awake = null;
      this.#look();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#round);
    if (this.#awake !== null) clearImmediate(this.#awake);
    this.#http.destroy();
    this.#https.destroy();
    await Promise.all(this.#underway);
  }

  #look(): void {
    const { bank, random } = this.#settings;
    const { duplicate, shuffle } = bank.faults.read().webhooks;
    const found: Delivery[] = [];
    for (let due = bank.outbox.takeDue(); due !== null; due = bank.outbox.takeDue()) {
      found.push(due);
      if (bank.faults.chance(duplicate)) found.push(due);
    }
    const ordered = bank.faults.chance(shuffle) ? shuffled(found, random) : found;
    for (const delivery of ordered) this.#lineOf(delivery).waiting.push(delivery);
    for (const line of this.#lines.values()) this.#advance(line);
  }

  #lineOf({ mode, endpoint }: Delivery): Line {
    const name = `${mode} ${endpoint.id}`;
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = { waiting: [], underway: 0, failingSince: null };
      this.#lines.set(name, line);
    }
    return line;
  }

  #advance(line: Line): void {
    while (!this.#closed && line.underway < AT_ONCE) {
      const delivery = line.waiting.shift();
      if (delivery === undefined) return;
      line.underway++;
      // The books' failure is for the one who runs the bank to act on; the event is in them and comes again.
      const attempt = this.#deliver(line, delivery).catch(() => undefined);
      const sending = attempt.finally(() => {
        line.underway--;
        this.#underway.delete(sending);
        this.#advance(line);
      });
      this.#underway.add(sending);
    }
  }

  async #deliver(line: Line, delivery: Delivery): Promise<void> {
    const { bank, clock } = this.#settings;
    const { drop, delay_ms: late = 0 } = bank.faults.read().webhooks;
    if (late > 0) await new Promise((resolve) => setTimeout(resolve, late));
    if (this.#closed) return;
    await bank.settled();
    const taken = !bank.faults.chance(drop) && (await this.#post(delivery));
    // What was under way when we were closed is tried again by the next process.
    if (this.#closed) return;
    if (taken) {
      line.failingSince = null;
      return bank.outbox.delivered(delivery);
    }
    const pause = pauseAfter(delivery.row.tries + 1);
    bank.outbox.failed(delivery, pause === null ? null : clock.now() + pause);
    line.failingSince ??= clock.now();
    if (clock.now() - line.failingSince >= GIVE_UP_AFTER_MS) this.#giveUp(delivery);
  }

  #giveUp({ mode, endpoint }: Delivery): void {
    const { bank, log } = this.#settings;
    log(`webhooks: ${endpoint.url} has failed for an hour and is dropped`);
    bank.outbox.dropEndpoint(mode, endpoint.id);
    this.#lines.delete(`${mode} ${endpoint.id}`);
  }

  /** True when the endpoint has answered that it took it. Never throws. */
  #post({ mode, event, endpoint }: Delivery): Promise<boolean> {
    const text = JSON.stringify(eventWire(mode, event));
    const body = Buffer.from(text, 'utf8');
    const secure = endpoint.url.startsWith('https:');
    const options: RequestOptions = {
      method: 'POST',
      agent: secure ? this.#https : this.#http,
      timeout: TIMEOUT_MS,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
        'user-agent': 'Stripe/1.0 (everyshare sandbox)',
        'stripe-signature': this.#settings.bank.outbox.sign({ mode, body: text }),
      },
    };
    return new Promise((resolve) => {
      const sending = (secure ? httpsRequest : httpRequest)(endpoint.url, options, (answer) => {
        answer.resume();
        answer.once('close', () => {
          clearTimeout(limit);
          resolve((answer.statusCode ?? 0) >= 200 && (answer.statusCode ?? 0) < 300);
        });
      });
      const limit = setTimeout(() => sending.destroy(), TIMEOUT_MS);
      sending.once('error', () => {
        clearTimeout(limit);
        resolve(false);
      });
      sending.once('timeout', () => sending.destroy());
      sending.end(body);
    });
  }
}
