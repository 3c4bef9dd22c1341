// One piece of work at the bank: the draft it writes into, the hour, chance, and the events it raises. Whatever an
// operation does, it does through this, so that all of it is committed together or not at all.

import { type Random, randomText } from '../../src/base/random.ts';
import { notFound } from './api-error.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { Mode, Rows, TableName } from './row-types.ts';
import type { PendingChanges } from './store.ts';

const OBJECT_NAMES: { readonly [T in TableName]?: string } = {
  intents: 'payment_intent',
  charges: 'charge',
  refunds: 'refund',
  customers: 'customer',
  methods: 'PaymentMethod',
  accounts: 'account',
  transfers: 'transfer',
  reversals: 'transfer reversal',
  disputes: 'dispute',
  events: 'event',
  endpoints: 'webhook endpoint',
};

export interface TransactionOptions {
  readonly mode: Mode;
  readonly changes: PendingChanges;
  readonly nowMs: number;
  readonly random: Random;
  readonly publicBase: string;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly webhookSecret: string;
}

export class Transaction implements RenderContext {
  readonly mode: Mode;
  readonly changes: PendingChanges;
  readonly nowMs: number;
  readonly publicBase: string;
  readonly webhookSecret: string;
  readonly #settings: TransactionOptions;

  constructor(settings: TransactionOptions) {
    this.#settings = settings;
    this.mode = settings.mode;
    this.changes = settings.changes;
    this.nowMs = settings.nowMs;
    this.publicBase = settings.publicBase;
    this.webhookSecret = settings.webhookSecret;
  }

  /** Unix seconds. */
  get now(): number {
    return Math.floor(this.nowMs / 1000);
  }

  newId(prefix: string): string {
    return `${prefix}_${randomText(this.#settings.random, 24)}`;
  }

  newToken(): string {
    return randomText(this.#settings.random, 32);
  }

  find<T extends TableName>(table: T, id: string): Rows[T] | undefined {
    return this.changes.find(table, id);
  }

  require<T extends TableName>(table: T, id: string, param?: string): Rows[T] {
    const row = this.changes.find(table, id);
    if (row === undefined) throw notFound(OBJECT_NAMES[table] ?? table, id, param);
    return row;
  }

  put<T extends TableName>(table: T, row: Rows[T]): Rows[T] {
    return this.changes.put(table, row);
  }

  /** Raises an event: it is in the books with the change it tells of, and so is the duty to deliver it. `object` is kept. */
  recordEvent(type: string, object: StripeObject): void {
    const id = this.newId('evt');
    const endpoints = [...this.changes.tables.endpoints.oldestFirst()].filter(
      ({ events }) => events.includes('*') || events.includes(type),
    );
    const request = { id: this.#settings.requestId, idempotency_key: this.#settings.idempotencyKey };
    this.put('events', { id, created: this.now, type, object, request, pending: endpoints.length });
    for (const endpoint of endpoints) {
      const delivery = `${id} ${endpoint.id}`;
      this.put('deliveries', { id: delivery, event: id, endpoint: endpoint.id, tries: 0, dueMs: this.nowMs });
    }
  }
}
