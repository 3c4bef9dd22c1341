// Events waiting to be delivered. A simulation pulls them with `takeEvents`; the server's webhook sender takes the
// deliveries that are due and reports the result of each. Undelivered events are in the store and survive a restart.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import { endpointSecret } from './endpoint-secret.ts';
import type { Faults } from './faults.ts';
import type { DeliveryRow, EndpointRow, EventRow, Mode } from './row-types.ts';
import type { Store } from './store.ts';
import { TimerQueue } from './timer-queue.ts';
import { toEvent } from './webhook-objects.ts';

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly mode: Mode;
  /** The exact bytes that are signed. */
  readonly body: string;
}

/** One event to be posted to one endpoint. */
export interface Delivery {
  readonly mode: Mode;
  readonly row: DeliveryRow;
  readonly event: EventRow;
  readonly endpoint: EndpointRow;
}

export interface WebhookQueue {
  /** Due events that were not yet taken, with the webhook faults applied. Always empty where events are posted. */
  takeEvents(): WebhookEvent[];
  /** The `Stripe-Signature` header for an event's body, signed with the secret of the mode. */
  sign(event: { readonly mode: Mode; readonly body: string }, nowMs?: number): string;
  /** The same, signed with the secret of the delivery's endpoint. */
  signDelivery(delivery: Delivery, body: string): string;
  /** When the next delivery is due; null when none waits. */
  nextDueMs(): number | null;
  takeDue(): Delivery | null;
  markDelivered(delivery: Delivery): void;
  /** `retryAtMs`: when to try again; null: never. */
  markFailed(delivery: Delivery, retryAtMs: number | null): void;
  /** Removes an endpoint and its deliveries. */
  removeEndpoint(mode: Mode, endpointId: string): void;
}

interface WebhookQueueOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Faults;
  readonly secrets: Readonly<Record<Mode, string>>;
  readonly isPulled: boolean;
}

export function makeWebhookQueue(options: WebhookQueueOptions): WebhookQueue {
  const { store, clock, secrets } = options;
  const due = new TimerQueue<{ readonly mode: Mode; readonly id: string }>();
  const pending: { readonly dueMs: number; readonly event: WebhookEvent }[] = [];
  for (const mode of ['test', 'live'] as const) {
    for (const row of store.tables(mode).deliveries.oldestFirst()) due.add(row.dueMs, { mode, id: row.id });
  }
  store.subscribe((mode, table, row) => {
    if (table === 'deliveries') due.add((row as DeliveryRow).dueMs, { mode, id: row.id });
    if (table !== 'events' || !options.isPulled) return;
    const event = row as EventRow;
    const { id, type } = event;
    const body = JSON.stringify(toEvent(mode, event));
    const delayMs = options.faults.read().webhooks.delay_ms ?? 0;
    pending.push({ dueMs: clock.now() + delayMs, event: { id, type, mode, body } });
  });
  const removeDelivery = (mode: Mode, id: string): void => {
    const changes = store.begin(mode);
    changes.remove('deliveries', id);
    store.commit(mode, changes);
  };
  return {
    takeEvents: () => takeWithFaults(pending, options),
    sign: ({ mode, body }, nowMs = clock.now()) => signature(secrets[mode], body, nowMs),
    signDelivery({ mode, row, endpoint }, body) {
      const modeSecret = secrets[row.endpointMode ?? mode];
      const secret = endpoint.hasOwnSecret === true ? endpointSecret(modeSecret, endpoint.id) : modeSecret;
      return signature(secret, body, clock.now());
    },
    nextDueMs: () => due.nextAtMs(),
    takeDue() {
      for (let next = due.takeDue(clock.now()); next !== undefined; next = due.takeDue(clock.now())) {
        const { mode, id } = next;
        const row = store.tables(mode).deliveries.get(id);
        // A delivery that was put again with a later time has left its earlier entry in the queue.
        if (row === undefined || row.dueMs > clock.now()) continue;
        const event = store.tables(mode).events.get(row.event);
        const endpoint = store.tables(row.endpointMode ?? mode).endpoints.get(row.endpoint);
        if (event !== undefined && endpoint !== undefined) return { mode, row, event, endpoint };
        removeDelivery(mode, id);
      }
      return null;
    },
    markDelivered: ({ mode, row }) => removeDelivery(mode, row.id),
    markFailed({ mode, row }, retryAtMs) {
      const { endpoints } = store.tables(row.endpointMode ?? mode);
      if (retryAtMs === null || endpoints.get(row.endpoint) === undefined) return removeDelivery(mode, row.id);
      const changes = store.begin(mode);
      changes.put('deliveries', { ...row, tries: row.tries + 1, dueMs: retryAtMs });
      store.commit(mode, changes);
    },
    removeEndpoint(mode, endpointId) {
      const changes = store.begin(mode);
      changes.remove('endpoints', endpointId);
      for (const row of store.tables(mode).deliveries.oldestFirst()) {
        if (row.endpoint === endpointId) changes.remove('deliveries', row.id);
      }
      store.commit(mode, changes);
    },
  };
}

function signature(secret: string, body: string, nowMs: number): string {
  const t = Math.floor(nowMs / 1000);
  return `t=${t},v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`;
}

const DROPPED_RETRY_MS = 1000;

function takeWithFaults(
  pending: { readonly dueMs: number; readonly event: WebhookEvent }[],
  { clock, random, faults }: WebhookQueueOptions,
): WebhookEvent[] {
  const { duplicate, shuffle, drop } = faults.read().webhooks;
  const now = clock.now();
  const taken: WebhookEvent[] = [];
  const remaining: typeof pending = [];
  for (const entry of pending) {
    if (entry.dueMs > now) remaining.push(entry);
    else if (faults.chance(drop)) remaining.push({ ...entry, dueMs: now + DROPPED_RETRY_MS });
    else taken.push(entry.event, ...(faults.chance(duplicate) ? [entry.event] : []));
  }
  pending.splice(0, pending.length, ...remaining);
  return faults.chance(shuffle) ? shuffled(taken, random) : taken;
}

/** Fisher-Yates, with the given random source. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last--) {
    const other = random.bytes(4).readUInt32BE() % (last + 1);
    const [a, b] = [result[last], result[other]];
    result[last] = b as T;
    result[other] = a as T;
  }
  return result;
}
