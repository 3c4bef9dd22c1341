// What an operation is handed: its pending changes, the time, random ids, and events. An operation reads and writes
// only through its transaction, so that all of its changes are committed together or not at all.

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
  payouts: 'payout',
  events: 'event',
  endpoints: 'webhook endpoint',
  domains: 'payment method domain',
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
  readonly #options: TransactionOptions;

  constructor(options: TransactionOptions) {
    this.#options = options;
    this.mode = options.mode;
    this.changes = options.changes;
    this.nowMs = options.nowMs;
    this.publicBase = options.publicBase;
    this.webhookSecret = options.webhookSecret;
  }

  /** Unix seconds. */
  get now(): number {
    return Math.floor(this.nowMs / 1000);
  }

  newId(prefix: string): string {
    return `${prefix}_${randomText(this.#options.random, 24)}`;
  }

  newToken(): string {
    return randomText(this.#options.random, 32);
  }

  find<T extends TableName>(table: T, id: string): Rows[T] | undefined {
    return this.changes.find(table, id);
  }

  /** Throws Stripe's 404 when there is no such row. */
  require<T extends TableName>(table: T, id: string, param?: string): Rows[T] {
    const row = this.changes.find(table, id);
    if (row === undefined) throw notFound(OBJECT_NAMES[table] ?? table, id, param);
    return row;
  }

  put<T extends TableName>(table: T, row: Rows[T]): Rows[T] {
    return this.changes.put(table, row);
  }

  /**
   * Stores an event and a delivery for each endpoint that wants it, in the transaction of the change. Keeps `object`.
   */
  recordEvent(type: string, object: StripeObject): void {
    const id = this.newId('evt');
    const endpoints = [...this.changes.committed.endpoints.oldestFirst()].filter(
      ({ events }) => events.includes('*') || events.includes(type),
    );
    const request = { id: this.#options.requestId, idempotency_key: this.#options.idempotencyKey };
    this.put('events', { id, created: this.now, type, object, request, pending: endpoints.length });
    for (const endpoint of endpoints) {
      const deliveryId = `${id} ${endpoint.id}`;
      this.put('deliveries', { id: deliveryId, event: id, endpoint: endpoint.id, tries: 0, dueMs: this.nowMs });
    }
  }
}
