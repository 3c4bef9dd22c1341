// A venue for the tests of checkouts: its key, its checkouts over real HTTP, guests who pay with a card through the
// sandbox's address as their browsers would, and the processor's books to compare with.

import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { expect } from 'vitest';
import type { Mode } from '../../src/base/config.ts';
import { type HoldClientSecret, holdShare } from '../../src/domain/checkouts/holds/hold-share.ts';
import { settleHoldNow } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import { findHold } from '../../src/domain/payments/queries.ts';
import { changeFee } from '../../src/domain/venues/change-venue.ts';
import { stripeClient } from './test-processor.ts';
import { type CallOptions, type HttpResponse, PROCESSOR_KEYS, type TestWorld } from './test-world.ts';

export const ORIGIN = 'https://harbor.example';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export const CARDS = {
  good: '4242424242424242',
  declined: '4000000000000002',
  noFunds: '4000000000009995',
  half: '4000000000700056',
  lapses: '4000000000700015',
  captureFailsForAWhile: '4000000000700023',
  captureFailsForGood: '4000000000700031',
  renewalFails: '4000000000700049',
  extends: '5555555555554444',
  oneHoldAtATime: '4000000000700072',
  disputed: '4000000000000259',
  settlesLater: '4000000000700122',
} as const;

// biome-ignore lint/suspicious/noExplicitAny: an API response, read as a partner would.
export type Json = any;

let bookings = 0;

/** Files that share a venue count by themselves. */
const RUN = randomUUID().slice(0, 8);

export function bookingId(): string {
  return `bk-${RUN}-${++bookings}`;
}

export const inFuture = (ms: number): string => new Date(Date.now() + ms).toISOString();

export function checkoutBody(overrides: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    amount: 24_001,
    currency: 'usd',
    party_size: 3,
    pay_by: inFuture(DAY),
    description: 'Cabana 3, Saturday 12 June',
    return_url: `${ORIGIN}/bookings/1`,
    external_booking_id: bookingId(),
    ...overrides,
  };
}

type ClientSecret = Pick<HoldClientSecret, 'clientSecret' | 'publishableKey'>;

function confirmationForm(secret: ClientSecret, card: string): URLSearchParams {
  return new URLSearchParams({
    key: secret.publishableKey,
    client_secret: secret.clientSecret,
    'payment_method_data[type]': 'card',
    'payment_method_data[card][number]': card,
    'payment_method_data[card][exp_month]': '12',
    'payment_method_data[card][exp_year]': '2034',
    'payment_method_data[card][cvc]': '123',
  });
}

export class TestVenue {
  readonly world: TestWorld;
  readonly venueId: string;
  readonly key: string;
  readonly stripe: Stripe;
  readonly mode: Mode;

  constructor(world: TestWorld, venueId: string, key: string, mode: Mode) {
    this.world = world;
    this.venueId = venueId;
    this.key = key;
    this.mode = mode;
    this.stripe = stripeClient(world.processor.port, PROCESSOR_KEYS[mode].secret);
  }

  post(path: string, body?: unknown, call: CallOptions = {}): Promise<HttpResponse> {
    return this.world.call('POST', path, { key: this.key, ...(body === undefined ? {} : { body }), ...call });
  }

  get(path: string): Promise<HttpResponse> {
    return this.world.call('GET', path, { key: this.key });
  }

  async create(overrides: Readonly<Record<string, unknown>> = {}): Promise<Json> {
    const response = await this.post('/v1/checkouts', checkoutBody(overrides));
    expect(response.status, response.text).toBe(201);
    return response.json;
  }

  async read(id: string): Promise<Json> {
    const response = await this.get(`/v1/checkouts/${id}`);
    expect(response.status, response.text).toBe(200);
    return response.json;
  }

  /** Calls a test helper of the API; it must succeed. */
  async runTestHelper(
    id: string,
    command: 'collect' | 'hold' | 'complete' | 'expire' | 'advance',
    body?: unknown,
  ): Promise<Json> {
    const response = await this.post(`/v1/test_helpers/checkouts/${id}/${command}`, body);
    expect(response.status, response.text).toBe(200);
    return response.json;
  }

  async collecting(overrides: Readonly<Record<string, unknown>> = {}): Promise<Json> {
    return this.runTestHelper((await this.create(overrides)).id, 'collect');
  }

  /** A completed checkout whose transfer to the venue is sent. */
  async completed(overrides: Readonly<Record<string, unknown>> = {}): Promise<Json> {
    const checkout = await this.runTestHelper((await this.create(overrides)).id, 'complete');
    expect(checkout.status).toBe('completed');
    await this.world.work();
    return checkout;
  }

  secretFor(checkoutId: string, shareId: string): Promise<HoldClientSecret> {
    return holdShare(this.world.context.services, this.venueId, checkoutId, shareId);
  }

  /** Confirms the payment as a guest's browser does, through the sandbox address of the server. */
  async confirm(secret: ClientSecret, card: string): Promise<HttpResponse> {
    return this.world.call('POST', `/sandbox/processor/v1/payment_intents/${intentIdOf(secret)}/confirm`, {
      body: confirmationForm(secret, card).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  }

  /** Confirms at the processor itself, for servers without the sandbox address. */
  async confirmDirectly(secret: ClientSecret, card: string): Promise<Json> {
    const url = `${this.world.processor.url}/v1/payment_intents/${intentIdOf(secret)}/confirm`;
    return (await fetch(url, { method: 'POST', body: confirmationForm(secret, card) })).json();
  }

  async settleHold(holdId: string): Promise<void> {
    const { services } = this.world.context;
    const checkoutId = (await findHold(services.db, this.venueId, holdId))?.checkoutId ?? '';
    const seen = await readCheckout(services.db, this.venueId, checkoutId);
    await settleHoldNow(services, this.venueId, holdId, seen);
  }

  /** Starts a hold, confirms it with a card, and settles it. */
  async pay(checkoutId: string, shareId: string, card: string): Promise<HoldClientSecret> {
    const secret = await this.secretFor(checkoutId, shareId);
    await this.confirm(secret, card);
    await this.settleHold(secret.holdId);
    return secret;
  }

  /** The processor cancels the hold, and the hold is settled. */
  async loseHold(shareId: string): Promise<void> {
    const rows = await this.world.db.query<{ id: string; intent: string }>(
      `select hold_id as id, intent_id as intent from holds where venue_id = $1 and share_id = $2 and status = 'held'`,
      [this.venueId, shareId],
    );
    for (const { id, intent } of rows) {
      await this.stripe.paymentIntents.cancel(intent);
      await this.world.db.query(
        `update holds set due_at = now() - interval '1 second' where venue_id = $1 and hold_id = $2`,
        [this.venueId, id],
      );
      await this.settleHold(id);
    }
  }

  async payAll(checkout: Json, cards: readonly string[]): Promise<HoldClientSecret[]> {
    const secrets: HoldClientSecret[] = [];
    for (const [index, share] of checkout.shares.entries()) {
      secrets.push(await this.pay(checkout.id, share.id, cards[index] ?? CARDS.good));
    }
    return secrets;
  }

  /** Makes all waiting work of the checkout due now, and runs it. */
  async finishDueWork(checkoutId: string): Promise<void> {
    const { db } = this.world;
    const ids = [this.venueId, checkoutId];
    await db.query(
      `update holds set due_at = now() - interval '1 second' where venue_id = $1 and checkout_id = $2 and due_at is not null and status <> 'held'`,
      ids,
    );
    await db.query(
      `update checkouts set capture_due_at = now() - interval '1 second' where venue_id = $1 and checkout_id = $2 and status = 'funded'`,
      ids,
    );
    await db.query(
      `update movements set due_at = now() - interval '1 second' where venue_id = $1 and checkout_id = $2 and due_at is not null`,
      ids,
    );
    // The clocks of the test and of the database may differ slightly.
    await new Promise((resolve) => setTimeout(resolve, 5));
    await this.world.work();
  }

  async setFee(bps: number, fixed: number): Promise<void> {
    await this.world.db.transaction((tx) => changeFee(tx, this.world.command(), this.venueId, bps, fixed));
  }

  async events(checkoutId: string): Promise<{ type: string; sequence: number; data: Json }[]> {
    return this.world.db.query(
      'select type, sequence, data from events where venue_id = $1 and subject = $2 order by sequence',
      [this.venueId, checkoutId],
    );
  }

  async eventTypes(checkoutId: string): Promise<string[]> {
    return (await this.events(checkoutId)).map(({ type }) => type);
  }

  async intents(checkoutId: string): Promise<Stripe.PaymentIntent[]> {
    const rows = await this.world.db.query<{ intent_id: string }>(
      'select intent_id from holds where venue_id = $1 and checkout_id = $2 and intent_id is not null order by created_at',
      [this.venueId, checkoutId],
    );
    return Promise.all(
      rows.map(({ intent_id: id }) => this.stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] })),
    );
  }

  /** What guests have paid for this checkout at the processor: captured minus refunded. */
  async chargedAtProcessor(checkoutId: string): Promise<number> {
    let sum = 0;
    for (const { latest_charge: charge } of await this.intents(checkoutId)) {
      if (charge === null || typeof charge === 'string' || !charge.captured) continue;
      sum += charge.amount_captured - charge.amount_refunded;
    }
    return sum;
  }

  /** What can still be captured at the processor. */
  async heldAtProcessor(checkoutId: string): Promise<number> {
    return (await this.intents(checkoutId)).reduce((sum, { amount_capturable }) => sum + amount_capturable, 0);
  }

  /** What the venue has received for this checkout at the processor: transferred minus reversed. */
  async paidOutAtProcessor(checkoutId: string): Promise<number> {
    const { data } = await this.stripe.transfers.list({ transfer_group: checkoutId, limit: 100 });
    return data.reduce((sum, { amount, amount_reversed }) => sum + amount - amount_reversed, 0);
  }

  /** What the processor has charged us for this checkout's captures and known disputes, by its balance transactions. */
  async feesAtProcessor(checkoutId: string): Promise<number> {
    let sum = 0;
    for (const { latest_charge: charge } of await this.intents(checkoutId)) {
      const change = typeof charge === 'object' ? charge?.balance_transaction : null;
      if (typeof change === 'string') sum += (await this.stripe.balanceTransactions.retrieve(change)).fee;
    }
    const disputes = await this.world.db.query<{ id: string }>(
      'select dispute_id as id from disputes where venue_id = $1 and checkout_id = $2',
      [this.venueId, checkoutId],
    );
    for (const { id } of disputes) {
      const { balance_transactions: changes } = await this.stripe.disputes.retrieve(id);
      for (const { fee } of changes) sum += fee;
    }
    return sum;
  }

  /**
   * Debits minus credits of each account, for one checkout, as if the processor charged us nothing: its fees must be in
   * the ledger as its balance transactions name them, and are then taken out.
   */
  async balances(checkoutId: string): Promise<Record<string, number>> {
    const fees = await this.feesAtProcessor(checkoutId);
    const {
      processor_fees: recorded = 0,
      processor_balance: atProcessor = 0,
      ...others
    } = await this.allBalances(checkoutId);
    expect(recorded, 'the fees of the processor in the ledger').toBe(fees);
    const balance = atProcessor + fees;
    return { ...(balance === 0 ? {} : { processor_balance: balance }), ...others };
  }

  async allBalances(checkoutId: string): Promise<Record<string, number>> {
    const rows = await this.world.db.query<{ account: string; balance: number }>(
      `select account, sum(amount)::bigint as balance from (
         select debit as account, amount from ledger_entries where venue_id = $1 and checkout_id = $2
         union all select credit, -amount from ledger_entries where venue_id = $1 and checkout_id = $2) legs
       group by account`,
      [this.venueId, checkoutId],
    );
    return Object.fromEntries(
      rows.filter(({ balance }) => balance !== 0).map(({ account, balance }) => [account, balance]),
    );
  }
}

export function intentIdOf(secret: ClientSecret): string {
  return secret.clientSecret.split('_secret_')[0] ?? '';
}

export async function openTestVenue(
  world: TestWorld,
  options: { mode?: Mode; sandbox?: boolean } = {},
): Promise<TestVenue> {
  const { mode = 'test', sandbox = false } = options;
  const { venue } = await world.venue({ origins: [ORIGIN], sandbox });
  const { key } = await world.key(venue.id, {
    mode,
    scopes: mode === 'live' ? ['checkouts:write', 'checkouts:read', 'offerings:write', 'offerings:read'] : [],
    writesPerHour: 100_000,
    readsPerHour: 100_000,
  });
  return new TestVenue(world, venue.id, key, mode);
}

/** The same venue with another key. */
export async function withNewKey(venue: TestVenue, mode: Mode): Promise<TestVenue> {
  const { key } = await venue.world.key(venue.venueId, {
    mode,
    scopes: mode === 'live' ? ['checkouts:write', 'checkouts:read', 'webhooks:write'] : [],
    writesPerHour: 100_000,
    readsPerHour: 100_000,
  });
  return new TestVenue(venue.world, venue.venueId, key, mode);
}

export function expectConflict(response: HttpResponse, reason: string): void {
  expect([response.status, response.json?.error?.code, response.json?.error?.reason], response.text).toEqual([
    409,
    'conflict',
    reason,
  ]);
}

export function expectInvalid(response: HttpResponse, code: string, field: string): void {
  expect(response.status, response.text).toBe(422);
  expect(response.json.errors.map((error: Json) => [error.code, error.field])).toContainEqual([code, field]);
}

/** The body without its request id: the part that a replay repeats byte for byte. */
export function withoutRequestId(response: HttpResponse): string {
  return response.text.replace(/"request_id":"[^"]*"/, '"request_id":""');
}
