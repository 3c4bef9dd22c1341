// What an operation is handed: its pending changes, the time, random ids, and events. An operation reads and writes
// only through its transaction, so that all of its changes are committed together or not at all.

import { type Random, randomText } from '../../src/base/random.ts';
import { notFound } from './api-error.ts';
import type { RenderContext, StripeObject } from './payment-objects.ts';
import type { EndpointKind, EndpointRow, EventRow, Mode, Rows, TableName } from './row-types.ts';
import type { PendingChanges, Table } from './store.ts';

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
  topUps: 'topup',
  events: 'event',
  endpoints: 'webhook endpoint',
  domains: 'payment method domain',
};

export interface TransactionOptions {
  readonly mode: Mode;
  readonly changes: PendingChanges;
  readonly nowMs: number;
  /** `nowMs` is a time in the past: no events are recorded, because its receivers act on what happens now. */
  readonly isPast?: boolean;
  readonly random: Random;
  readonly publicBase: string;
  readonly requestId: string | null;
  readonly idempotencyKey: string | null;
  readonly webhookSecret: string;
  /** Of live mode: its Connect endpoints get the events of test mode too. */
  readonly liveEndpoints: Table<EndpointRow>;
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

  /** Stores an event of the platform's own account, in the transaction of the change. Keeps `object`. */
  recordEvent(type: string, object: StripeObject): void {
    this.#record('account', { type, object });
  }

  /** An event of a connected account: only Connect endpoints get it. */
  recordConnectEvent(type: string, account: string, object: StripeObject): void {
    this.#record('connect', { type, object, account });
  }

  /** A thin event of API v2 about an account that the platform manages: only event destinations get it. */
  recordThinEvent(type: string, account: string): void {
    const related = { id: account, type: 'v2.core.account', url: `/v2/core/accounts/${account}` };
    this.#record('destination', { type, object: {}, related });
  }

  /** Stores the event, and a delivery for each endpoint that wants it. */
  #record(kind: EndpointKind, event: Pick<EventRow, 'type' | 'object' | 'account' | 'related'>): void {
    if (this.#options.isPast === true) return;
    const id = this.newId('evt');
    const wants = (row: EndpointRow): boolean => isSubscribed(row, kind, event.type);
    const endpoints = [...this.changes.committed.endpoints.oldestFirst()].filter(wants);
    const isTestConnect = kind === 'connect' && this.mode === 'test';
    const live = isTestConnect ? [...this.#options.liveEndpoints.oldestFirst()].filter(wants) : [];
    const request = { id: this.#options.requestId, idempotency_key: this.#options.idempotencyKey };
    const pending = endpoints.length + live.length;
    this.put('events', { id, created: this.now, request, pending, ...event });
    for (const { id: endpoint } of endpoints) this.#deliver(id, endpoint, {});
    for (const { id: endpoint } of live) this.#deliver(id, endpoint, { endpointMode: 'live' });
  }

  #deliver(event: string, endpoint: string, where: { readonly endpointMode?: Mode }): void {
    this.put('deliveries', { id: `${event} ${endpoint}`, event, endpoint, ...where, tries: 0, dueMs: this.nowMs });
  }
}

/** Every thin event here is about an account that the platform manages. */
function isSubscribed(row: EndpointRow, kind: EndpointKind, type: string): boolean {
  if ((row.kind ?? 'account') !== kind || row.isDisabled === true) return false;
  if (row.destination?.eventsFrom.includes('@accounts') === false) return false;
  return row.events.includes('*') || row.events.includes(type);
}
