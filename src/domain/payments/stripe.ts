// The one adapter to the card processor, over its official SDK: the real processor, or the embedded sandbox at an address.
// It guarantees that every call that changes something carries its caller's key, that it ends within the time-out of a
// silent network, and that it fails only as trouble or as a refusal, without a secret in the words. It keeps nothing,
// decides nothing, and makes no call that it was not asked for, save one look when a state was not as expected.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import type { Mode } from '../../base/config.ts';
import {
  type Account,
  type ChargeTotals,
  type CreatedHold,
  type HoldFacts,
  type HoldMetadata,
  type HoldsPage,
  type NewHold,
  type Processor,
  ProcessorRefusal,
  ProcessorUnavailable,
  type RefundRequest,
  type Renewal,
  type TransferRequest,
} from './processor.ts';
import { callStripe } from './stripe-errors.ts';
import { factsOf, toStripeMetadata, chargeTotalsOf } from './stripe-facts.ts';

export interface StripeAddress {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

export interface StripeOptions {
  readonly mode: Mode;
  readonly secretKey: string;
  readonly publishableKey: string;
  /** Where the embedded sandbox listens; none: the real processor. */
  readonly address?: StripeAddress | null;
  /** For a simulation that runs the sandbox in its own process. It must never throw but reject. */
  readonly httpClient?: Stripe.HttpClient;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const PAGE_SIZE = 100;
const WITH_CHARGE = ['latest_charge'];

export function makeStripeProcessor(options: StripeOptions): Processor {
  // A key of the other mode would move real money for a test, or none for a real checkout.
  const other: Mode = options.mode === 'live' ? 'test' : 'live';
  if (options.secretKey.includes(`_${other}_`) || options.publishableKey.includes(`_${other}_`)) {
    throw new Error(`the card processor’s keys for ${options.mode} mode are ${other} keys`);
  }
  // With a publishable key the processor answers some calls as it answers a guest: a no that would be believed.
  if (options.secretKey.startsWith('pk_')) throw new Error('the card processor’s secret key is a publishable one');
  return new StripeProcessor(options);
}

function clientFor(options: StripeOptions): Stripe {
  const { address, httpClient, timeoutMs: timeout = TIMEOUT_MS } = options;
  const config: Stripe.StripeConfig = {
    apiVersion: Stripe.API_VERSION,
    // Whoever asks tries again itself, with the same key.
    maxNetworkRetries: 0,
    timeout,
    telemetry: false,
    appInfo: { name: 'everyshare' },
    ...(address ? { protocol: address.protocol, host: address.host, port: address.port } : {}),
  };
  if (httpClient !== undefined) return new Stripe(options.secretKey, { ...config, httpClient });
  // The SDK's own time-out begins only once a socket is connected; the agent's covers the connecting too.
  const sockets = { keepAlive: true, timeout };
  const httpAgent = address?.protocol === 'http' ? new HttpAgent(sockets) : new HttpsAgent(sockets);
  return new Stripe(options.secretKey, { ...config, httpAgent });
}

class StripeProcessor implements Processor {
  readonly mode: Mode;
  readonly publishableKey: string;
  readonly #stripe: Stripe;
  readonly #sandbox: boolean;

  constructor(options: StripeOptions) {
    this.mode = options.mode;
    this.publishableKey = options.publishableKey;
    this.#sandbox = (options.address ?? null) !== null;
    this.#stripe = clientFor(options);
  }

  async createCustomer(key: string, metadata: HoldMetadata): Promise<string> {
    const wish = { metadata: toStripeMetadata(metadata) };
    const customer = await callStripe('openCustomer', () =>
      this.#stripe.customers.create(wish, { idempotencyKey: key }),
    );
    return customer.id;
  }

  async createHold(wish: NewHold): Promise<CreatedHold> {
    const params = { ...newIntent(wish), ...(wish.customerId === null ? {} : { setup_future_usage: 'off_session' }) };
    const intent = await callStripe('openHold', () =>
      this.#stripe.paymentIntents.create(params, { idempotencyKey: wish.key }),
    );
    if (intent.client_secret === null) throw new ProcessorUnavailable('openHold: the answer lacks its client secret');
    return { intentId: intent.id, clientSecret: intent.client_secret };
  }

  /**
   * A decline is a refusal with the bank's word. The processor keeps the intent of a declined renewal, waiting for a card
   * and holding no money: reconciliation meets it in `holdsSince` by its marks, and releases it.
   */
  async renewHold(wish: Renewal): Promise<HoldFacts> {
    const params = {
      ...newIntent(wish),
      payment_method: wish.paymentMethodId,
      confirm: true,
      off_session: true,
      expand: WITH_CHARGE,
    };
    return factsOf(
      await callStripe('renewHold', () => this.#stripe.paymentIntents.create(params, { idempotencyKey: wish.key })),
    );
  }

  async payWithTestCard(intentId: string, card: string, key: string): Promise<HoldFacts> {
    if (this.mode === 'live' && !this.#sandbox) throw new Error('a test card cannot pay in live mode');
    const params = { payment_method: card, expand: WITH_CHARGE };
    return factsOf(
      await callStripe('payWithTestCard', () =>
        this.#stripe.paymentIntents.confirm(intentId, params, { idempotencyKey: key }),
      ),
    );
  }

  async retrieveHold(intentId: string): Promise<HoldFacts> {
    return factsOf(await this.#look('lookAt', intentId));
  }

  /** Captured already, with this amount, is captured: whichever call did it. */
  async capture(intentId: string, amount: number, key: string): Promise<HoldFacts> {
    const params = { amount_to_capture: amount, expand: WITH_CHARGE };
    try {
      return factsOf(
        await callStripe('capture', () =>
          this.#stripe.paymentIntents.capture(intentId, params, { idempotencyKey: key }),
        ),
      );
    } catch (error) {
      if (!(error instanceof ProcessorRefusal) || error.isCardDecline) throw error;
      // Anything but the bank's own no is believed only when the intent itself says that nothing can be captured.
      const facts = await this.retrieveHold(intentId);
      if (facts.status === 'captured' && facts.captured === amount) return facts;
      if (facts.status === 'gone' || facts.status === 'captured') throw error;
      throw new ProcessorUnavailable(error.message);
    }
  }

  async release(intentId: string, key: string): Promise<HoldFacts> {
    const params = { expand: WITH_CHARGE };
    try {
      return factsOf(
        await callStripe('release', () =>
          this.#stripe.paymentIntents.cancel(intentId, params, { idempotencyKey: key }),
        ),
      );
    } catch (error) {
      if (!(error instanceof ProcessorRefusal)) throw error;
      const facts = await this.retrieveHold(intentId);
      if (facts.status === 'gone') return facts;
      if (facts.status === 'captured') throw new ProcessorRefusal('already_captured', 'release: it was captured');
      throw new ProcessorUnavailable(error.message);
    }
  }

  async refund(intentId: string, wish: RefundRequest): Promise<{ readonly refundId: string }> {
    const params = { payment_intent: intentId, amount: wish.amount, metadata: { movement_id: wish.movementId } };
    const refund = await callStripe('refund', () => this.#stripe.refunds.create(params, { idempotencyKey: wish.key }));
    // A refund can be made and fail in the same breath, when the card takes no money back.
    if (refund.status === 'failed' || refund.status === 'canceled') {
      throw new ProcessorRefusal(refund.failure_reason ?? `refund_${refund.status}`, `refund: it ${refund.status}`);
    }
    return { refundId: refund.id };
  }

  async findRefund(intentId: string, movementId: string): Promise<{ readonly refundId: string } | null> {
    const page = await callStripe('findRefund', async () =>
      this.#stripe.refunds.list({ payment_intent: intentId, limit: PAGE_SIZE }),
    );
    const found = page.data.find(
      ({ metadata, status }) => metadata?.movement_id === movementId && status !== 'failed' && status !== 'canceled',
    );
    return found === undefined ? null : { refundId: found.id };
  }

  async createAccount(key: string, venue: { readonly id: string; readonly name: string }): Promise<Account> {
    const params = {
      // The processor's own words for an account that it onboards and shows to the venue, and whose losses are ours.
      controller: {
        stripe_dashboard: { type: 'express' },
        fees: { payer: 'application' },
        losses: { payments: 'application' },
        requirement_collection: 'stripe',
      },
      capabilities: { transfers: { requested: true } },
      business_profile: { name: venue.name },
      // In the sandbox nobody fills in forms: its venues can be paid at once.
      metadata: { venue_id: venue.id, ...(this.#sandbox ? { onboarded: 'true' } : {}) },
    };
    const account = await callStripe('openAccount', () =>
      this.#stripe.accounts.create(params, { idempotencyKey: key }),
    );
    return { accountId: account.id, payoutsEnabled: account.payouts_enabled === true };
  }

  /** A link is used once and soon stale: each call makes a new one, so it takes no key. */
  async onboardingLink(accountId: string, returnUrl: string): Promise<string> {
    const link = await callStripe('onboardingLink', () =>
      this.#stripe.accountLinks.create({
        account: accountId,
        type: 'account_onboarding',
        refresh_url: returnUrl,
        return_url: returnUrl,
      }),
    );
    return link.url;
  }

  async transfer(wish: TransferRequest): Promise<{ readonly transferId: string }> {
    const params = {
      amount: wish.amount,
      currency: wish.currency,
      destination: wish.accountId,
      // Tied to the charge, so that it waits for its money and cannot exceed it.
      source_transaction: wish.chargeId,
      transfer_group: wish.checkoutId,
      metadata: { movement_id: wish.movementId },
    };
    const transfer = await callStripe('transfer', () =>
      this.#stripe.transfers.create(params, { idempotencyKey: wish.key }),
    );
    return { transferId: transfer.id };
  }

  async findTransfer(checkoutId: string, movementId: string): Promise<{ readonly transferId: string } | null> {
    const page = await callStripe('findTransfer', async () =>
      this.#stripe.transfers.list({ transfer_group: checkoutId, limit: PAGE_SIZE }),
    );
    const found = page.data.find(({ metadata }) => metadata.movement_id === movementId);
    return found === undefined ? null : { transferId: found.id };
  }

  async reverse(transferId: string, wish: RefundRequest): Promise<{ readonly reversalId: string }> {
    const params = { amount: wish.amount, metadata: { movement_id: wish.movementId } };
    const reversal = await callStripe('reverse', () =>
      this.#stripe.transfers.createReversal(transferId, params, { idempotencyKey: wish.key }),
    );
    return { reversalId: reversal.id };
  }

  async findReversal(transferId: string, movementId: string): Promise<{ readonly reversalId: string } | null> {
    const page = await callStripe('findReversal', async () =>
      this.#stripe.transfers.listReversals(transferId, { limit: PAGE_SIZE }),
    );
    const found = page.data.find(({ metadata }) => metadata?.movement_id === movementId);
    return found === undefined ? null : { reversalId: found.id };
  }

  async holdsSince(since: number, after: string | null): Promise<HoldsPage> {
    const params = {
      // The processor counts whole seconds: rounded down, so that none of the first second is missed.
      created: { gte: Math.floor(since / 1000) },
      limit: PAGE_SIZE,
      expand: WITH_CHARGE.map((field) => `data.${field}`),
      ...(after === null ? {} : { starting_after: after }),
    };
    const page = await callStripe('holdsSince', async () => this.#stripe.paymentIntents.list(params));
    const last = page.data.at(-1);
    return { holds: page.data.map(factsOf), next: page.has_more && last !== undefined ? last.id : null };
  }

  async chargeTotals(intentId: string): Promise<ChargeTotals> {
    return chargeTotalsOf(await this.#look('chargeTotals', intentId));
  }

  /** An intent is never deleted: one that is not found means that we ask the wrong account, not that a hold is gone. */
  async #look(call: string, intentId: string): Promise<Stripe.PaymentIntent> {
    try {
      return await callStripe(call, () => this.#stripe.paymentIntents.retrieve(intentId, { expand: WITH_CHARGE }));
    } catch (error) {
      throw error instanceof ProcessorRefusal ? new ProcessorUnavailable(error.message) : error;
    }
  }
}

function newIntent(wish: NewHold) {
  return {
    amount: wish.amount,
    currency: wish.currency,
    capture_method: 'manual' as const,
    // Cards, and the wallets that are cards underneath: nothing that cannot be held, or that a dashboard switches on.
    allowed_payment_method_types: ['card' as const],
    description: wish.description,
    metadata: toStripeMetadata(wish.metadata),
    transfer_group: wish.metadata.checkoutId,
    ...(wish.customerId === null ? {} : { customer: wish.customerId }),
  };
}
