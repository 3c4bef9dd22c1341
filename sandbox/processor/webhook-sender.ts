// Posts the bank's events to the endpoints that asked for them, signed as Stripe signs. Each endpoint has its own queue,
// so that a dead one delays nobody; what is not taken is tried again for three days. One that has failed for an hour
// without a single success is dropped. The order of arrival is not promised, as it is not at Stripe.

import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import type { ProcessorApi } from './api.ts';
import { toEvent } from './other-objects.ts';
import { type Delivery, shuffled } from './webhook-queue.ts';

export interface WebhookSender {
  /** Something may be due: look now rather than at the next round. */
  readonly wake: () => void;
  close(): Promise<void>;
}

interface WebhookSenderOptions {
  readonly api: ProcessorApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: (queue: string) => void;
}

const POLL_MS = 250;
const TIMEOUT_MS = 10_000;
const MAX_CONCURRENT_PER_ENDPOINT = 16;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RETRY_DELAYS_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** Hourly after those, for three days. */
const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 72;
const REMOVE_ENDPOINT_AFTER_MS = HOUR_MS;

const retryDelayMs = (tries: number): number | null =>
  tries > MAX_ATTEMPTS ? null : (RETRY_DELAYS_MS[tries - 1] ?? HOUR_MS);

interface EndpointQueue {
  readonly waiting: Delivery[];
  inFlight: number;
  failingSince: number | null;
}

export function startWebhookSender(settings: WebhookSenderOptions): WebhookSender {
  const deliverer = new HttpWebhookSender(settings);
  return { wake: () => deliverer.wake(), close: () => deliverer.close() };
}

class HttpWebhookSender {
  readonly #settings: WebhookSenderOptions;
  readonly #lines = new Map<string, EndpointQueue>();
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 2 * MAX_CONCURRENT_PER_ENDPOINT });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 2 * MAX_CONCURRENT_PER_ENDPOINT });
  readonly #round: NodeJS.Timeout;
  readonly #underway = new Set<Promise<void>>();
  #awake: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(settings: WebhookSenderOptions) {
    this.#settings = settings;
    this.#round = setInterval(() => this.#look(), POLL_MS);
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
    const { api, random } = this.#settings;
    const { duplicate, shuffle } = api.faults.read().webhooks;
    const found: Delivery[] = [];
    for (let due = api.webhooks.takeDue(); due !== null; due = api.webhooks.takeDue()) {
      found.push(due);
      if (api.faults.chance(duplicate)) found.push(due);
    }
    const ordered = api.faults.chance(shuffle) ? shuffled(found, random) : found;
    for (const delivery of ordered) this.#lineOf(delivery).waiting.push(delivery);
    for (const queue of this.#lines.values()) this.#advance(queue);
  }

  #lineOf({ mode, endpoint }: Delivery): EndpointQueue {
    const name = `${mode} ${endpoint.id}`;
    let queue = this.#lines.get(name);
    if (queue === undefined) {
      queue = { waiting: [], inFlight: 0, failingSince: null };
      this.#lines.set(name, queue);
    }
    return queue;
  }

  #advance(queue: EndpointQueue): void {
    while (!this.#closed && queue.inFlight < MAX_CONCURRENT_PER_ENDPOINT) {
      const delivery = queue.waiting.shift();
      if (delivery === undefined) return;
      queue.inFlight++;
      // The books' failure is for the one who runs the bank to act on; the event is in them and comes again.
      const attempt = this.#deliver(queue, delivery).catch(() => undefined);
      const sending = attempt.finally(() => {
        queue.inFlight--;
        this.#underway.delete(sending);
        this.#advance(queue);
      });
      this.#underway.add(sending);
    }
  }

  async #deliver(queue: EndpointQueue, delivery: Delivery): Promise<void> {
    const { api, clock } = this.#settings;
    const { drop, delay_ms: late = 0 } = api.faults.read().webhooks;
    if (late > 0) await new Promise((resolve) => setTimeout(resolve, late));
    if (this.#closed) return;
    await api.flush();
    const taken = !api.faults.chance(drop) && (await this.#post(delivery));
    // What was under way when we were closed is tried again by the next process.
    if (this.#closed) return;
    if (taken) {
      queue.failingSince = null;
      return api.webhooks.markDelivered(delivery);
    }
    const pause = retryDelayMs(delivery.row.tries + 1);
    api.webhooks.markFailed(delivery, pause === null ? null : clock.now() + pause);
    queue.failingSince ??= clock.now();
    if (clock.now() - queue.failingSince >= REMOVE_ENDPOINT_AFTER_MS) this.#giveUp(delivery);
  }

  #giveUp({ mode, endpoint }: Delivery): void {
    const { api, log } = this.#settings;
    log(`webhooks: ${endpoint.url} has failed for an hour and is dropped`);
    api.webhooks.removeEndpoint(mode, endpoint.id);
    this.#lines.delete(`${mode} ${endpoint.id}`);
  }

  /** True when the endpoint has answered that it took it. Never throws. */
  #post({ mode, event, endpoint }: Delivery): Promise<boolean> {
    const text = JSON.stringify(toEvent(mode, event));
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
        'stripe-signature': this.#settings.api.webhooks.sign({ mode, body: text }),
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
