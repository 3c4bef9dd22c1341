// Events on their way out. A simulation pulls them with `takeEvents`; the server's deliverer asks for what is due to each
// endpoint and reports how it went. What an endpoint has not taken is in the books and survives a restart.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import type { Faults } from './faults.ts';
import { toEvent } from './other-objects.ts';
import type { DeliveryRow, EndpointRow, EventRow, Mode } from './row-types.ts';
import type { Store } from './store.ts';
import { TimerQueue } from './timer-queue.ts';

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
  /** Events not yet handed over and due, with the webhook faults applied. Always empty where events are posted. */
  takeEvents(): WebhookEvent[];
  /** The `Stripe-Signature` of an event (or of any text) as of now. */
  sign(event: { readonly mode: Mode; readonly body: string }, nowMs?: number): string;
  /** The soonest hour at which something is due to an endpoint; null when nothing is. */
  nextDueMs(): number | null;
  takeDue(): Delivery | null;
  markDelivered(delivery: Delivery): void;
  /** `againMs`: when to try again; null: never. */
  markFailed(delivery: Delivery, againMs: number | null): void;
  /** Forgets an endpoint and what was meant for it. */
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

export function makeWebhookQueue(settings: WebhookQueueOptions): WebhookQueue {
  const { store, clock, secrets } = settings;
  const due = new TimerQueue<{ readonly mode: Mode; readonly id: string }>();
  const pending: { readonly dueMs: number; readonly event: WebhookEvent }[] = [];
  for (const mode of ['test', 'live'] as const) {
    for (const row of store.tables(mode).deliveries.oldestFirst()) due.add(row.dueMs, { mode, id: row.id });
  }
  store.subscribe((mode, table, row) => {
    if (table === 'deliveries') due.add((row as DeliveryRow).dueMs, { mode, id: row.id });
    if (table !== 'events' || !settings.isPulled) return;
    const event = row as EventRow;
    const { id, type } = event;
    const body = JSON.stringify(toEvent(mode, event));
    const late = settings.faults.read().webhooks.delay_ms ?? 0;
    pending.push({ dueMs: clock.now() + late, event: { id, type, mode, body } });
  });
  const forget = (mode: Mode, id: string): void => {
    const changes = store.begin(mode);
    changes.remove('deliveries', id);
    store.commit(mode, changes);
  };
  return {
    takeEvents: () => takeWithFaults(pending, settings),
    sign({ mode, body }, nowMs = clock.now()) {
      const t = Math.floor(nowMs / 1000);
      return `t=${t},v1=${createHmac('sha256', secrets[mode]).update(`${t}.${body}`).digest('hex')}`;
    },
    nextDueMs: () => due.nextAtMs(),
    takeDue() {
      for (let next = due.takeDue(clock.now()); next !== undefined; next = due.takeDue(clock.now())) {
        const { mode, id } = next;
        const row = store.tables(mode).deliveries.get(id);
        // A row put again with a later hour leaves its earlier mark behind.
        if (row === undefined || row.dueMs > clock.now()) continue;
        const event = store.tables(mode).events.get(row.event);
        const endpoint = store.tables(mode).endpoints.get(row.endpoint);
        if (event !== undefined && endpoint !== undefined) return { mode, row, event, endpoint };
        forget(mode, id);
      }
      return null;
    },
    markDelivered: ({ mode, row }) => forget(mode, row.id),
    markFailed({ mode, row }, againMs) {
      if (againMs === null || store.tables(mode).endpoints.get(row.endpoint) === undefined) return forget(mode, row.id);
      const changes = store.begin(mode);
      changes.put('deliveries', { ...row, tries: row.tries + 1, dueMs: againMs });
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

const DROPPED_RETRY_MS = 1000;

function takeWithFaults(
  pending: { readonly dueMs: number; readonly event: WebhookEvent }[],
  { clock, random, faults }: WebhookQueueOptions,
): WebhookEvent[] {
  const { duplicate, shuffle, drop } = faults.read().webhooks;
  const now = clock.now();
  const taken: WebhookEvent[] = [];
  const kept: typeof pending = [];
  for (const one of pending) {
    if (one.dueMs > now) kept.push(one);
    else if (faults.chance(drop)) kept.push({ ...one, dueMs: now + DROPPED_RETRY_MS });
    else taken.push(one.event, ...(faults.chance(duplicate) ? [one.event] : []));
  }
  pending.splice(0, pending.length, ...kept);
  return faults.chance(shuffle) ? shuffled(taken, random) : taken;
}

/** Fisher and Yates, with the chance that was handed in. */
export function shuffled<T>(things: readonly T[], random: Random): T[] {
  const mixed = [...things];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = random.bytes(4).readUInt32BE() % (last + 1);
    const [a, b] = [mixed[last], mixed[other]];
    mixed[last] = b as T;
    mixed[other] = a as T;
  }
  return mixed;
}
