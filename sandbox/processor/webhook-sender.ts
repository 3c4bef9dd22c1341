// Posts events to webhook endpoints, signed as Stripe signs them. Each endpoint has its own queue, so that a dead
// endpoint delays no other. A failed delivery is retried for three days; an endpoint that has failed for an hour
// without one success is removed. Events may arrive in any order, as at Stripe.

import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import type { ProcessorApi } from './api.ts';
import { toEvent } from './webhook-objects.ts';
import { type Delivery, shuffled } from './webhook-queue.ts';

export interface WebhookSender {
  /** Looks for due deliveries now instead of at the next poll. */
  readonly wake: () => void;
  close(): Promise<void>;
}

interface WebhookSenderOptions {
  readonly api: ProcessorApi;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: (line: string) => void;
}

const POLL_MS = 250;
const TIMEOUT_MS = 10_000;
/** The captures of a party cause events at the same moment, and a service that is busy with them should not be held up. */
const MAX_CONCURRENT_PER_ENDPOINT = 2;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RETRY_DELAYS_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** Then every hour for three days. */
const MAX_ATTEMPTS = RETRY_DELAYS_MS.length + 72;
const REMOVE_ENDPOINT_AFTER_MS = HOUR_MS;

const retryDelayMs = (attempts: number): number | null =>
  attempts > MAX_ATTEMPTS ? null : (RETRY_DELAYS_MS[attempts - 1] ?? HOUR_MS);

interface EndpointQueue {
  readonly waiting: Delivery[];
  inFlight: number;
  failingSince: number | null;
}

export function startWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const sender = new HttpWebhookSender(options);
  return { wake: () => sender.wake(), close: () => sender.close() };
}

class HttpWebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 2 * MAX_CONCURRENT_PER_ENDPOINT });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 2 * MAX_CONCURRENT_PER_ENDPOINT });
  readonly #poll: NodeJS.Timeout;
  readonly #sending = new Set<Promise<void>>();
  #wakeUp: NodeJS.Immediate | null = null;
  #closed = false;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#poll = setInterval(() => this.#takeDue(), POLL_MS);
  }

  wake(): void {
    if (this.#closed) return;
    this.#wakeUp ??= setImmediate(() => {
      this.#wakeUp = null;
      this.#takeDue();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    if (this.#wakeUp !== null) clearImmediate(this.#wakeUp);
    this.#http.destroy();
    this.#https.destroy();
    await Promise.all(this.#sending);
  }

  #takeDue(): void {
    const { api, random } = this.#options;
    const { duplicate, shuffle } = api.faults.read().webhooks;
    const deliveries: Delivery[] = [];
    for (let due = api.webhooks.takeDue(); due !== null; due = api.webhooks.takeDue()) {
      deliveries.push(due);
      if (api.faults.chance(duplicate)) deliveries.push(due);
    }
    const ordered = api.faults.chance(shuffle) ? shuffled(deliveries, random) : deliveries;
    for (const delivery of ordered) this.#queueOf(delivery).waiting.push(delivery);
    for (const queue of this.#queues.values()) this.#advance(queue);
  }

  #queueOf({ endpoint }: Delivery): EndpointQueue {
    const key = endpoint.id;
    let queue = this.#queues.get(key);
    if (queue === undefined) {
      queue = { waiting: [], inFlight: 0, failingSince: null };
      this.#queues.set(key, queue);
    }
    return queue;
  }

  #advance(queue: EndpointQueue): void {
    while (!this.#closed && queue.inFlight < MAX_CONCURRENT_PER_ENDPOINT) {
      const delivery = queue.waiting.shift();
      if (delivery === undefined) return;
      queue.inFlight++;
      // Only a failed journal throws here, and the server stops for it. The delivery is stored and is retried after a
      // restart.
      const attempt = this.#deliver(queue, delivery).catch(() => undefined);
      const sending = attempt.finally(() => {
        queue.inFlight--;
        this.#sending.delete(sending);
        this.#advance(queue);
      });
      this.#sending.add(sending);
    }
  }

  async #deliver(queue: EndpointQueue, delivery: Delivery): Promise<void> {
    const { api, clock } = this.#options;
    const { drop, delay_ms: delayMs = 0 } = api.faults.read().webhooks;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (this.#closed) return;
    await api.flush();
    const isAccepted = !api.faults.chance(drop) && (await this.#post(delivery));
    // A delivery in flight at close is retried by the next process.
    if (this.#closed) return;
    if (isAccepted) {
      queue.failingSince = null;
      return api.webhooks.markDelivered(delivery);
    }
    const delay = retryDelayMs(delivery.row.tries + 1);
    api.webhooks.markFailed(delivery, delay === null ? null : clock.now() + delay);
    queue.failingSince ??= clock.now();
    if (clock.now() - queue.failingSince >= REMOVE_ENDPOINT_AFTER_MS) this.#removeEndpoint(delivery);
  }

  #removeEndpoint({ mode, row, endpoint }: Delivery): void {
    const { api, log } = this.#options;
    log(`webhooks: ${endpoint.url} has failed for an hour; the processor removes this endpoint`);
    api.webhooks.removeEndpoint(row.endpointMode ?? mode, endpoint.id);
    this.#queues.delete(endpoint.id);
  }

  /** True when the endpoint answered with a 2xx status. Never throws. */
  #post(delivery: Delivery): Promise<boolean> {
    const { mode, event, endpoint } = delivery;
    const text = JSON.stringify(toEvent(mode, event));
    const body = Buffer.from(text, 'utf8');
    const isHttps = endpoint.url.startsWith('https:');
    const options: RequestOptions = {
      method: 'POST',
      agent: isHttps ? this.#https : this.#http,
      timeout: TIMEOUT_MS,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
        'user-agent': 'Stripe/1.0 (everyshare sandbox)',
        'stripe-signature': this.#options.api.webhooks.signDelivery(delivery, text),
      },
    };
    return new Promise((resolve) => {
      const request = (isHttps ? httpsRequest : httpRequest)(endpoint.url, options, (response) => {
        response.resume();
        response.once('close', () => {
          clearTimeout(limit);
          resolve((response.statusCode ?? 0) >= 200 && (response.statusCode ?? 0) < 300);
        });
      });
      const limit = setTimeout(() => request.destroy(), TIMEOUT_MS);
      request.once('error', () => {
        clearTimeout(limit);
        resolve(false);
      });
      request.once('timeout', () => request.destroy());
      request.end(body);
    });
  }
}
