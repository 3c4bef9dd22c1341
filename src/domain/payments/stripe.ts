// The adapter to the card processor, over its official SDK: the real processor, or the embedded sandbox at an address.
// Every call that changes something carries the caller's idempotency key, ends within the time-out, and fails only as
// ProcessorUnavailable or ProcessorRefusal, without a secret in the message. The adapter stores nothing, decides
// nothing and never retries. It makes two extra calls: it retrieves the intent after a capture or a release was refused,
// and creates a hold without an extended authorization if the processor gives none to the account.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import Stripe from 'stripe';
import type { Mode } from '../../base/config.ts';
import {
  type Account,
  type AccountOwner,
  type ChargeTotals,
  type CreatedHold,
  type DisputeFacts,
  type DisputesPage,
  type FoundMovement,
  type GuestRefundRequest,
  type HoldFacts,
  type HoldMetadata,
  type HoldsPage,
  type MadePayment,
  type NewHold,
  type PastMovement,
  type PastPayment,
  type Processor,
  ProcessorRefusal,
  ProcessorUnavailable,
  type RefundFacts,
  type RefundRequest,
  type Registration,
  type Renewal,
  type SavedCardConfirmation,
  type SetupKind,
  type TransferRequest,
} from './processor.ts';
import { ACCOUNT_INCLUDE, accountOf, completeOnboarding, newAccountParams } from './stripe-accounts.ts';
import { disputesSince, findDispute, retrieveDispute } from './stripe-disputes.ts';
import { callStripe, isExtensionRefusal, requireAnswer } from './stripe-errors.ts';
import { chargeTotalsOf, factsOf, idOf, refundFactsOf, toStripeMetadata } from './stripe-facts.ts';
import { newIntentParams, savedCardParams } from './stripe-intents.ts';
import { refundParams, reversalParams, transferParams } from './stripe-movements.ts';
import { makeMovements, makePayments } from './stripe-past.ts';
import { isRegistered, payoutIntervalOf, register } from './stripe-setup.ts';

export interface StripeAddress {
  readonly protocol: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

export interface StripeOptions {
  readonly mode: Mode;
  readonly secretKey: string;
  readonly publishableKey: string;
  /** The address of the embedded sandbox; null: the real processor. */
  readonly address?: StripeAddress | null;
  /** For a simulation that runs the sandbox in its own process. It must reject, never throw. */
  readonly httpClient?: Stripe.HttpClient;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 15_000;
const PAGE_SIZE = 100;
const WITH_CHARGE = ['latest_charge'];
/** The balance transaction has the processor's fee. */
const WITH_FEE = ['latest_charge.balance_transaction'];
const EXTENDED_AUTHORIZATION = { card: { request_extended_authorization: 'if_available' as const } };

export function makeStripeProcessor(options: StripeOptions): Processor {
  // A key of the other mode would move real money in a test, or no money for a real checkout.
  const other: Mode = options.mode === 'live' ? 'test' : 'live';
  if (options.secretKey.includes(`_${other}_`) || options.publishableKey.includes(`_${other}_`)) {
    throw new Error(`the card processor’s keys for ${options.mode} mode are ${other} keys`);
  }
  // With a publishable key the processor answers some calls with a refusal that we would take as final.
  if (options.secretKey.startsWith('pk_')) throw new Error('the card processor’s secret key is a publishable one');
  return new StripeProcessor(options);
}

function clientFor(options: StripeOptions): Stripe {
  const { address, httpClient, timeoutMs: timeout = TIMEOUT_MS } = options;
  const config: Stripe.StripeConfig = {
    apiVersion: Stripe.API_VERSION,
    // The worker retries, with the same key.
    maxNetworkRetries: 0,
    timeout,
    telemetry: false,
    appInfo: { name: 'everyshare' },
    ...(address ? { protocol: address.protocol, host: address.host, port: address.port } : {}),
  };
  if (httpClient !== undefined) return new Stripe(options.secretKey, { ...config, httpClient });
  // The SDK's time-out begins once a socket is connected; the agent's covers the connecting too.
  const sockets = { keepAlive: true, timeout };
  const httpAgent = address?.protocol === 'http' ? new HttpAgent(sockets) : new HttpsAgent(sockets);
  return new Stripe(options.secretKey, { ...config, httpAgent });
}

class StripeProcessor implements Processor {
  readonly mode: Mode;
  readonly publishableKey: string;
  readonly isSandbox: boolean;
  readonly #stripe: Stripe;
  /** The processor has said that this account gets no extended authorizations: it is not asked again. */
  #isExtensionRefused = false;

  constructor(options: StripeOptions) {
    this.mode = options.mode;
    this.publishableKey = options.publishableKey;
    this.isSandbox = (options.address ?? null) !== null;
    this.#stripe = clientFor(options);
  }

  async createCustomer(key: string, metadata: HoldMetadata): Promise<string> {
    const params = { metadata: toStripeMetadata(metadata) };
    const customer = await callStripe('createCustomer', () =>
      this.#stripe.customers.create(params, { idempotencyKey: key }),
    );
    return customer.id;
  }

  async createHold(request: NewHold): Promise<CreatedHold> {
    const params = {
      ...newIntentParams(request),
      ...(request.customerId === null ? {} : { setup_future_usage: 'off_session' }),
    };
    const intent = await this.#createIntent('createHold', request, params);
    if (intent.client_secret === null) throw new ProcessorUnavailable('createHold: the response has no client secret');
    return { intentId: intent.id, clientSecret: intent.client_secret };
  }

  /**
   * A decline is a refusal with the issuer's code. The processor keeps the intent of a declined renewal, which waits
   * for a card and holds no money. Reconciliation finds it in `holdsSince` by its metadata and releases it.
   */
  async renewHold(request: Renewal): Promise<HoldFacts> {
    const params = {
      ...newIntentParams(request),
      payment_method: request.paymentMethodId,
      confirm: true,
      off_session: true,
      expand: WITH_CHARGE,
    };
    return factsOf(await this.#createIntent('renewHold', request, params));
  }

  /**
   * Asks for an extended authorization where the checkout may outlive an ordinary hold. The processor gives them to
   * accounts with certain prices only and refuses the whole call for any other: then the call is made without it.
   */
  async #createIntent(
    call: string,
    { key, needsLongHold }: NewHold,
    params: Stripe.PaymentIntentCreateParams,
  ): Promise<Stripe.PaymentIntent> {
    const create = (more: Stripe.PaymentIntentCreateParams, idempotencyKey: string) =>
      callStripe(call, () => this.#stripe.paymentIntents.create(more, { idempotencyKey }));
    if (!needsLongHold) return create(params, key);
    if (!this.#isExtensionRefused) {
      try {
        return await create({ ...params, payment_method_options: EXTENDED_AUTHORIZATION }, key);
      } catch (error) {
        if (!isExtensionRefusal(error)) throw error;
        this.#isExtensionRefused = true;
      }
    }
    // Another key, because the parameters are others.
    return create(params, `${key} ordinary`);
  }

  async findRenewal(customerId: string, holdId: string): Promise<HoldFacts | null> {
    const params = {
      customer: customerId,
      limit: PAGE_SIZE,
      expand: WITH_CHARGE.map((field) => `data.${field}`),
    };
    const page = await callStripe('findRenewal', async () => this.#stripe.paymentIntents.list(params));
    const found = page.data.find(({ metadata }) => metadata.hold_id === holdId);
    return found === undefined ? null : factsOf(found);
  }

  async confirmWithSavedCard(intentId: string, request: SavedCardConfirmation): Promise<HoldFacts> {
    const params = { ...savedCardParams(request), expand: WITH_CHARGE };
    return factsOf(
      await callStripe('confirmWithSavedCard', () =>
        this.#stripe.paymentIntents.confirm(intentId, params, { idempotencyKey: request.key }),
      ),
    );
  }

  async payWithTestCard(intentId: string, card: string, key: string): Promise<HoldFacts> {
    if (this.mode === 'live' && !this.isSandbox) throw new Error('a test card cannot pay in live mode');
    const params = { payment_method: card, expand: WITH_CHARGE };
    return factsOf(
      await callStripe('payWithTestCard', () =>
        this.#stripe.paymentIntents.confirm(intentId, params, { idempotencyKey: key }),
      ),
    );
  }

  async retrieveHold(intentId: string): Promise<HoldFacts> {
    return factsOf(await this.#retrieve('retrieveHold', intentId));
  }

  /** Succeeds if the intent is captured with this amount already, whichever call did it. */
  async capture(intentId: string, amount: number, key: string): Promise<HoldFacts> {
    const params = { amount_to_capture: amount, expand: WITH_FEE };
    try {
      return factsOf(
        await callStripe('capture', () =>
          this.#stripe.paymentIntents.capture(intentId, params, { idempotencyKey: key }),
        ),
      );
    } catch (error) {
      if (!(error instanceof ProcessorRefusal) || error.isCardDecline) throw error;
      // Any refusal but the issuer's counts only if the intent itself shows that it cannot be captured.
      const facts = await this.retrieveHold(intentId);
      if (facts.status === 'captured' && facts.captured === amount) return facts;
      if (facts.status === 'voided' || facts.status === 'captured') throw error;
      // The refusal may pass, but the processor repeats it for this key.
      throw new ProcessorUnavailable(error.message, { kind: 'processor_failed' });
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
      if (facts.status === 'voided') return facts;
      if (facts.status === 'captured') throw new ProcessorRefusal('already_captured', 'release: the hold was captured');
      throw new ProcessorUnavailable(error.message, { kind: 'processor_failed' });
    }
  }

  async refund(intentId: string, request: GuestRefundRequest): Promise<RefundFacts> {
    const params = refundParams(intentId, request);
    return refundFactsOf(
      await callStripe('refund', () => this.#stripe.refunds.create(params, { idempotencyKey: request.key })),
    );
  }

  async findRefund(intentId: string, movementId: string): Promise<RefundFacts | null> {
    const page = await callStripe('findRefund', async () =>
      this.#stripe.refunds.list({ payment_intent: intentId, limit: PAGE_SIZE }),
    );
    const ours = page.data.filter(({ metadata }) => metadata?.movement_id === movementId).map(refundFactsOf);
    return ours.find(({ status }) => status !== 'failed') ?? null;
  }

  /** Refunds are never deleted, so "not found" is no refusal either. */
  async retrieveRefund(refundId: string): Promise<RefundFacts> {
    return refundFactsOf(
      await requireAnswer(callStripe('retrieveRefund', () => this.#stripe.refunds.retrieve(refundId))),
    );
  }

  /** API v2: a repeat with the same key does not repeat what succeeded, and takes up what failed. */
  async createAccount(key: string, owner: AccountOwner): Promise<Account> {
    return accountOf(
      await callStripe('createAccount', () =>
        this.#stripe.v2.core.accounts.create(newAccountParams(owner), { idempotencyKey: key }),
      ),
    );
  }

  async retrieveAccount(accountId: string): Promise<Account> {
    return accountOf(
      await callStripe('retrieveAccount', () =>
        this.#stripe.v2.core.accounts.retrieve(accountId, { include: ACCOUNT_INCLUDE }),
      ),
    );
  }

  /** Each link works once and expires soon. Every call creates a new one, so it takes no key. */
  async onboardingLink(
    accountId: string,
    { returnUrl, refreshUrl }: { readonly returnUrl: string; readonly refreshUrl: string },
  ): Promise<string> {
    const urls = { refresh_url: refreshUrl, return_url: returnUrl };
    const link = await callStripe('onboardingLink', () =>
      this.#stripe.v2.core.accountLinks.create({
        account: accountId,
        use_case: { type: 'account_onboarding', account_onboarding: urls },
      }),
    );
    return link.url;
  }

  async completeSandboxOnboarding(accountId: string): Promise<void> {
    if (!this.isSandbox) throw new Error('only the sandbox completes an onboarding by a call');
    await callStripe('completeSandboxOnboarding', () => completeOnboarding(this.#stripe, accountId));
  }

  async makePastPayments(payments: readonly PastPayment[]): Promise<readonly MadePayment[]> {
    return makePayments(this.#sandboxClient(), payments);
  }

  async makePastMovements(movements: readonly PastMovement[]): Promise<readonly string[]> {
    return makeMovements(this.#sandboxClient(), movements);
  }

  #sandboxClient(): Stripe {
    if (!this.isSandbox) throw new Error('only the sandbox makes payments in the past');
    return this.#stripe;
  }

  async payoutInterval(): Promise<string | null> {
    return callStripe('payoutInterval', () => payoutIntervalOf(this.#stripe));
  }

  async transfer(request: TransferRequest): Promise<{ readonly transferId: string }> {
    const params = transferParams(request);
    const transfer = await callStripe('transfer', () =>
      this.#stripe.transfers.create(params, { idempotencyKey: request.key }),
    );
    return { transferId: transfer.id };
  }

  async findTransfer(checkoutId: string, movementId: string): Promise<FoundMovement | null> {
    const found = (await this.#transfersOf(checkoutId)).find(({ metadata }) => metadata.movement_id === movementId);
    return found === undefined ? null : { processorId: found.id, amount: found.amount };
  }

  async hasTransfers(checkoutId: string, chargeId: string): Promise<boolean> {
    const isOfCharge = (transfer: Stripe.Transfer): boolean => idOf(transfer.source_transaction) === chargeId;
    return (await this.#transfersOf(checkoutId)).some((one) => isOfCharge(one) && one.amount_reversed < one.amount);
  }

  async #transfersOf(checkoutId: string): Promise<Stripe.Transfer[]> {
    const params = { transfer_group: checkoutId, limit: PAGE_SIZE };
    return (await callStripe('findTransfer', async () => this.#stripe.transfers.list(params))).data;
  }

  async reverse(transferId: string, request: RefundRequest): Promise<{ readonly reversalId: string }> {
    const params = reversalParams(request);
    const reversal = await callStripe('reverse', () =>
      this.#stripe.transfers.createReversal(transferId, params, { idempotencyKey: request.key }),
    );
    return { reversalId: reversal.id };
  }

  async findReversal(transferId: string, movementId: string): Promise<FoundMovement | null> {
    const page = await callStripe('findReversal', async () =>
      this.#stripe.transfers.listReversals(transferId, { limit: PAGE_SIZE }),
    );
    const found = page.data.find(({ metadata }) => metadata?.movement_id === movementId);
    return found === undefined ? null : { processorId: found.id, amount: found.amount };
  }

  async holdsSince(since: number, after: string | null): Promise<HoldsPage> {
    const params = {
      // The processor counts whole seconds. Rounding down includes the whole first second.
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
    return chargeTotalsOf(await this.#retrieve('chargeTotals', intentId));
  }

  async findDispute(intentId: string): Promise<DisputeFacts | null> {
    return callStripe('findDispute', () => findDispute(this.#stripe, intentId));
  }

  /** Disputes are never deleted, so "not found" is no refusal either. */
  async retrieveDispute(disputeId: string): Promise<DisputeFacts> {
    return requireAnswer(callStripe('retrieveDispute', () => retrieveDispute(this.#stripe, disputeId)));
  }

  async disputesSince(since: number, after: string | null): Promise<DisputesPage> {
    return callStripe('disputesSince', () => disputesSince(this.#stripe, since, after));
  }

  async register(kind: SetupKind, key: string, name: string): Promise<Registration> {
    return callStripe('register', () => register(this.#stripe, kind, key, name));
  }

  async isRegistered(kind: SetupKind, name: string): Promise<boolean> {
    return callStripe('isRegistered', () => isRegistered(this.#stripe, kind, name));
  }

  /** Intents are never deleted. "Not found" means a wrong account or key, not a lost hold, so it is no refusal. */
  async #retrieve(call: string, intentId: string): Promise<Stripe.PaymentIntent> {
    return requireAnswer(callStripe(call, () => this.#stripe.paymentIntents.retrieve(intentId, { expand: WITH_FEE })));
  }
}
