// Events on their way out. A simulation pulls them with `takeEvents`; the server's deliverer asks for what is due to each
// endpoint and reports how it went. What an endpoint has not taken is in the books and survives a restart.

import { createHmac } from 'node:crypto';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import type { Books } from './books.ts';
import type { Faults } from './faults.ts';
import { eventWire } from './money-shapes.ts';
import type { DeliveryRow, EndpointRow, EventRow, Mode } from './rows.ts';
import { Soonest } from './soonest.ts';

export interface BankEvent {
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

export interface Outbox {
  /** Events not yet handed over and due, with the webhook faults applied. Always empty where events are posted. */
  takeEvents(): BankEvent[];
  /** The `Stripe-Signature` of an event (or of any text) as of now. */
  sign(event: { readonly mode: Mode; readonly body: string }, nowMs?: number): string;
  /** The soonest hour at which something is due to an endpoint; null when nothing is. */
  nextDue(): number | null;
  takeDue(): Delivery | null;
  delivered(delivery: Delivery): void;
  /** `againMs`: when to try again; null: never. */
  failed(delivery: Delivery, againMs: number | null): void;
  /** Forgets an endpoint and what was meant for it. */
  dropEndpoint(mode: Mode, endpointId: string): void;
}

interface OutboxSettings {
  readonly books: Books;
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: Faults;
  readonly secrets: Readonly<Record<Mode, string>>;
  readonly pulled: boolean;
}

export function makeOutbox(settings: OutboxSettings): Outbox {
  const { books, clock, secrets } = settings;
  const due = new Soonest<{ readonly mode: Mode; readonly id: string }>();
  const fresh: { readonly dueMs: number; readonly event: BankEvent }[] = [];
  for (const mode of ['test', 'live'] as const) {
    for (const row of books.of(mode).deliveries.oldestFirst()) due.add(row.dueMs, { mode, id: row.id });
  }
  books.watch((mode, table, row) => {
    if (table === 'deliveries') due.add((row as DeliveryRow).dueMs, { mode, id: row.id });
    if (table !== 'events' || !settings.pulled) return;
    const event = row as EventRow;
    const { id, type } = event;
    const body = JSON.stringify(eventWire(mode, event));
    const late = settings.faults.read().webhooks.delay_ms ?? 0;
    fresh.push({ dueMs: clock.now() + late, event: { id, type, mode, body } });
  });
  const forget = (mode: Mode, id: string): void => {
    const draft = books.draft(mode);
    draft.remove('deliveries', id);
    books.commit(mode, draft);
  };
  return {
    takeEvents: () => takeDisturbed(fresh, settings),
    sign({ mode, body }, nowMs = clock.now()) {
      const t = Math.floor(nowMs / 1000);
      return `t=${t},v1=${createHmac('sha256', secrets[mode]).update(`${t}.${body}`).digest('hex')}`;
    },
    nextDue: () => due.next(),
    takeDue() {
      for (let next = due.takeDue(clock.now()); next !== undefined; next = due.takeDue(clock.now())) {
        const { mode, id } = next;
        const row = books.of(mode).deliveries.get(id);
        // A row put again with a later hour leaves its earlier mark behind.
        if (row === undefined || row.dueMs > clock.now()) continue;
        const event = books.of(mode).events.get(row.event);
        const endpoint = books.of(mode).endpoints.get(row.endpoint);
        if (event !== undefined && endpoint !== undefined) return { mode, row, event, endpoint };
        forget(mode, id);
      }
      return null;
    },
    delivered: ({ mode, row }) => forget(mode, row.id),
    failed({ mode, row }, againMs) {
      if (againMs === null || books.of(mode).endpoints.get(row.endpoint) === undefined) return forget(mode, row.id);
      const draft = books.draft(mode);
      draft.put('deliveries', { ...row, tries: row.tries + 1, dueMs: againMs });
      books.commit(mode, draft);
    },
    dropEndpoint(mode, endpointId) {
      const draft = books.draft(mode);
      draft.remove('endpoints', endpointId);
      for (const row of books.of(mode).deliveries.oldestFirst()) {
        if (row.endpoint === endpointId) draft.remove('deliveries', row.id);
      }
      books.commit(mode, draft);
    },
  };
}

const DROPPED_COMES_BACK_MS = 1000;

function takeDisturbed(
  fresh: { readonly dueMs: number; readonly event: BankEvent }[],
  { clock, random, faults }: OutboxSettings,
): BankEvent[] {
  const { duplicate, shuffle, drop } = faults.read().webhooks;
  const now = clock.now();
  const taken: BankEvent[] = [];
  const kept: typeof fresh = [];
  for (const one of fresh) {
    if (one.dueMs > now) kept.push(one);
    else if (faults.chance(drop)) kept.push({ ...one, dueMs: now + DROPPED_COMES_BACK_MS });
    else taken.push(one.event, ...(faults.chance(duplicate) ? [one.event] : []));
  }
  fresh.splice(0, fresh.length, ...kept);
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
