// Reads all records of both sides after the nemesis: our tables, and the processor's objects through its API.

import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';
import type { Db } from '../../src/base/db.ts';
import type { RunSetup } from './run-setup.ts';

export interface CheckoutRow {
  readonly id: string;
  readonly venueId: string;
  readonly status: string;
  readonly amount: number;
  readonly feeAmount: number;
  /** What partners have refunded, failed refunds included. */
  readonly refundedAmount: number;
  /** What is owed to guests because a refund or a return failed. */
  readonly failedRefundAmount: number;
  readonly booking: string;
  /** The cancellation reason; null if a caller canceled it. */
  readonly reason: string | null;
  readonly view: string;
  readonly storedResponse: string | null;
}

export interface ShareRow {
  readonly id: string;
  readonly checkoutId: string;
  readonly status: string;
  readonly amount: number;
  readonly refundedAmount: number;
  readonly failedRefundAmount: number;
  readonly isDropped: boolean;
}

export interface HoldRow {
  readonly id: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly status: string;
  readonly amount: number;
  readonly intentId: string | null;
  readonly chargeId: string | null;
}

export interface MovementRow {
  readonly id: string;
  readonly checkoutId: string;
  readonly holdId: string;
  readonly kind: 'refund' | 'return' | 'transfer' | 'reversal';
  readonly status: string;
  readonly amount: number;
  /** What the processor was asked for: less than the amount if the rest settled a debt, or is owed. */
  readonly sentAmount: number;
  /** What the venue owes of a reversal. */
  readonly owedAmount: number;
  readonly feePart: number;
  readonly processorId: string | null;
  readonly lastError: string | null;
}

export interface EventRow {
  readonly checkoutId: string;
  readonly sequence: number;
  readonly type: string;
  readonly status: string;
  readonly refundedAmount: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface OurRecords {
  readonly checkouts: readonly CheckoutRow[];
  readonly shares: readonly ShareRow[];
  readonly holds: readonly HoldRow[];
  readonly movements: readonly MovementRow[];
  readonly events: readonly EventRow[];
  /** Debits minus credits, by account. */
  readonly balances: ReadonlyMap<string, number>;
  /** By checkout and kind of entry. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * Reads both sides at one moment. A test card's hold expires after ten seconds and is renewed while its checkout
 * collects, so the records are read again until no hold changes in between.
 */
export async function readRecords(
  db: Db,
  setup: RunSetup,
): Promise<{ readonly ours: OurRecords; readonly processor: ProcessorRecords }> {
  let read = { ours: await readOurRecords(db), processor: await readProcessorRecords(setup) };
  for (let tries = 1; tries < MAX_READS; tries++) {
    const isChanging = read.ours.holds.some(({ status }) => UNFINISHED_STATUSES.has(status));
    const { holds } = await readOurRecords(db);
    if (!isChanging && JSON.stringify(holds) === JSON.stringify(read.ours.holds)) break;
    await delay(250);
    read = { ours: await readOurRecords(db), processor: await readProcessorRecords(setup) };
  }
  return read;
}

const MAX_READS = 40;
const UNFINISHED_STATUSES: ReadonlySet<string> = new Set(['requested', 'capturing', 'releasing']);

async function readOurRecords(db: Db): Promise<OurRecords> {
  const checkouts = await db.query<CheckoutRow>(
    `select c.checkout_id as id, c.venue_id as "venueId", c.status, c.amount, c.fee_amount as "feeAmount",
       c.refunded_amount as "refundedAmount", c.failed_refund_amount as "failedRefundAmount", c.external_booking_id as booking, c.cancellation_reason as reason,
       checkout_object(c)::text as view,
       find_stored_response(c.venue_id, c.checkout_id) as "storedResponse"
     from checkouts c order by c.created_at`,
  );
  const shares = await db.query<ShareRow>(
    `select share_id as id, checkout_id as "checkoutId", status, amount, refunded_amount as "refundedAmount",
       failed_refund_amount as "failedRefundAmount", dropped_at is not null as "isDropped" from shares`,
  );
  const holds = await db.query<HoldRow>(
    `select hold_id as id, checkout_id as "checkoutId", share_id as "shareId", status, amount, intent_id as "intentId",
       charge_id as "chargeId" from holds order by hold_id`,
  );
  const movements = await db.query<MovementRow>(
    `select movement_id as id, checkout_id as "checkoutId", hold_id as "holdId", kind, status, amount,
       coalesce(sent_amount, amount) as "sentAmount", owed_amount - settled_amount as "owedAmount",
       fee_part as "feePart", processor_id as "processorId", last_error as "lastError" from movements`,
  );
  const events = await db.query<EventRow>(
    `select subject as "checkoutId", sequence, type, data -> 'object' ->> 'status' as status,
       (data -> 'object' ->> 'refunded_amount')::integer as "refundedAmount",
       (extract(epoch from created_at) * 1000)::float8 as at
     from events where subject like 'chk\\_%' order by subject, sequence`,
  );
  return { checkouts, shares, holds, movements, events, ...(await readLedger(db)) };
}

async function readLedger(db: Db): Promise<Pick<OurRecords, 'balances' | 'entries'>> {
  const rows = await db.query<{ checkoutId: string; kind: string; debit: string; credit: string; amount: number }>(
    'select checkout_id as "checkoutId", kind, debit, credit, amount from ledger_entries',
  );
  const balances = new Map<string, number>();
  const entries = new Map<string, Map<string, number>>();
  for (const { checkoutId, kind, debit, credit, amount } of rows) {
    balances.set(debit, (balances.get(debit) ?? 0) + amount);
    balances.set(credit, (balances.get(credit) ?? 0) - amount);
    const own = entries.get(checkoutId) ?? new Map<string, number>();
    own.set(kind, (own.get(kind) ?? 0) + amount);
    entries.set(checkoutId, own);
  }
  return { balances, entries };
}

/** A payment intent with its captures, refunds and transfers. */
export interface ProcessorHold {
  readonly intentId: string;
  readonly holdId: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly status: string;
  readonly captured: number;
  /** When the processor captured it: the end of that second, in milliseconds; null if it never did. */
  readonly capturedAt: number | null;
  readonly refunded: number;
  readonly transferred: number;
  readonly reversed: number;
  /** What the processor charged us for the capture. */
  readonly fee: number;
}

export interface ProcessorRefund {
  readonly id: string;
  readonly intentId: string;
  readonly movementId: string;
  readonly status: string;
  readonly amount: number;
  /** In milliseconds. */
  readonly createdAt: number;
}

export interface ProcessorRecords {
  readonly holds: readonly ProcessorHold[];
  readonly refunds: readonly ProcessorRefund[];
  /** Ids of objects in live mode, of which there must be none. */
  readonly live: readonly string[];
}

async function readProcessorRecords(setup: RunSetup): Promise<ProcessorRecords> {
  const stripe = clientFor(setup, setup.processorSecrets.test);
  const refunds = await readProcessorRefunds(setup);
  const refunded = new Map<string, number>();
  for (const { intentId, status, amount } of refunds) {
    if (status !== 'failed' && status !== 'canceled') add(refunded, intentId, amount);
  }
  const transfers = new Map<string, number>();
  const reversals = new Map<string, number>();
  for await (const transfer of stripe.transfers.list({ limit: 100 })) {
    add(transfers, idOf(transfer.source_transaction ?? null), transfer.amount);
    add(reversals, idOf(transfer.source_transaction ?? null), transfer.amount_reversed);
  }
  const captures = await readCaptures(stripe);
  const holds: ProcessorHold[] = [];
  for await (const intent of stripe.paymentIntents.list({
    limit: 100,
    expand: ['data.latest_charge.balance_transaction'],
  })) {
    const charge = idOf(intent.latest_charge);
    holds.push({
      intentId: intent.id,
      holdId: intent.metadata.hold_id ?? '',
      checkoutId: intent.metadata.checkout_id ?? '',
      shareId: intent.metadata.share_id ?? '',
      status: intent.status,
      captured: intent.amount_received,
      capturedAt: captures.get(intent.id) ?? null,
      refunded: refunded.get(intent.id) ?? 0,
      transferred: transfers.get(charge) ?? 0,
      reversed: reversals.get(charge) ?? 0,
      fee: feeOf(intent.latest_charge),
    });
  }
  return { holds, refunds, live: await readLiveIds(clientFor(setup, setup.processorSecrets.live)) };
}

/** All refunds, newest first. */
export async function readProcessorRefunds(setup: RunSetup): Promise<ProcessorRefund[]> {
  const refunds: ProcessorRefund[] = [];
  for await (const refund of clientFor(setup, setup.processorSecrets.test).refunds.list({ limit: 100 })) {
    refunds.push({
      id: refund.id,
      intentId: idOf(refund.payment_intent),
      movementId: refund.metadata?.movement_id ?? '',
      status: refund.status ?? '',
      amount: refund.amount,
      createdAt: refund.created * 1000,
    });
  }
  return refunds;
}

function feeOf(charge: string | Stripe.Charge | null): number {
  const change = typeof charge === 'object' ? charge?.balance_transaction : null;
  return typeof change === 'object' ? (change?.fee ?? 0) : 0;
}

/** The time of capture by payment intent; of two captures the first. */
async function readCaptures(stripe: Stripe): Promise<ReadonlyMap<string, number>> {
  const captures = new Map<string, number>();
  for await (const event of stripe.events.list({ type: 'charge.captured', limit: 100 })) {
    const charge = event.data.object as Stripe.Charge;
    captures.set(idOf(charge.payment_intent), event.created * 1000 + 999);
  }
  return captures;
}

/** At most one id of each kind of object. */
async function readLiveIds(stripe: Stripe): Promise<readonly string[]> {
  const pages = await Promise.all([
    stripe.paymentIntents.list({ limit: 1 }),
    stripe.charges.list({ limit: 1 }),
    stripe.refunds.list({ limit: 1 }),
    stripe.transfers.list({ limit: 1 }),
    stripe.disputes.list({ limit: 1 }),
    stripe.events.list({ limit: 1 }),
  ]);
  return pages.flatMap(({ data }) => data.map(({ id }) => id));
}

function add(sums: Map<string, number>, name: string, amount: number): void {
  sums.set(name, (sums.get(name) ?? 0) + amount);
}

function idOf(reference: string | { readonly id: string } | null): string {
  return typeof reference === 'string' ? reference : (reference?.id ?? '');
}

function clientFor({ processorUrl }: RunSetup, secret: string): Stripe {
  const { hostname, port } = new URL(processorUrl);
  return new Stripe(secret, {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    telemetry: false,
    maxNetworkRetries: 3,
  });
}
