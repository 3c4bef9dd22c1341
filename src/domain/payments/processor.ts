// The interface to the card processor: every call that we make, in the terms of this domain. One adapter implements it
// (stripe.ts), for the real processor and the embedded sandbox. Every call that changes something takes an idempotency
// key. It stays the same over all retries, so that a time-out never causes a second charge, until the processor has
// stored a failure under it.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';

/** Ties an intent at the processor to our rows. Written when the intent is created, compared before its facts count. */
export interface HoldMetadata {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly holdId: string;
}

export type ProcessorHoldStatus =
  /** Created, and waiting for a card. */
  | 'waiting'
  /** The guest gave a card; the issuer wants a confirmation from the guest, or has not answered yet. */
  | 'processing'
  | 'held'
  | 'captured'
  /** Released, lapsed or voided: it can never be captured. */
  | 'voided';

/** A hold as the processor records it. */
/** A card as its owner knows it. */
export interface HeldCard {
  /** The processor's name of the brand, such as visa. */
  readonly brand: string;
  readonly last4: string;
}

export interface HoldFacts {
  readonly intentId: string;
  readonly status: ProcessorHoldStatus;
  readonly mode: Mode;
  readonly amount: number;
  /** The amount that can be captured now. */
  readonly capturable: number;
  readonly captured: number;
  readonly currency: string;
  readonly metadata: Partial<HoldMetadata>;
  /** When the issuer authorized the card, in milliseconds; null before. */
  readonly heldAt: number | null;
  /** When the hold lapses, in milliseconds; null: the processor gives no time. */
  readonly captureBefore: number | null;
  readonly chargeId: string | null;
  /** What the processor charges us for the captured charge; null: it is not captured, or the fee is not known yet. */
  readonly processorFee: number | null;
  readonly customerId: string | null;
  readonly paymentMethodId: string | null;
  /** The card that is held or charged; null: none is, or it was paid without one (Link). */
  readonly card: HeldCard | null;
  /** Why the last card was declined (`card_declined`, `insufficient_funds`, …); null: no card was declined. */
  readonly declineCode: string | null;
  /** The charge that the issuer declined, and when (milliseconds); null: no issuer has declined one. */
  readonly decline: { readonly chargeId: string; readonly at: number } | null;
}

export interface NewHold {
  readonly key: string;
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  readonly metadata: HoldMetadata;
  /** The customer to save the card for, so that the hold can be renewed without the guest; null: do not save it. */
  readonly customerId: string | null;
  /** The checkout may outlive an ordinary hold: asks for one that lasts longer, if the card gives it. */
  readonly needsLongHold: boolean;
  /** The venue, as the guest reads it on the card statement; null: the statement does not name it. */
  readonly statementSuffix: string | null;
}

export interface CreatedHold {
  readonly intentId: string;
  readonly clientSecret: string;
}

export interface Renewal extends NewHold {
  readonly customerId: string;
  readonly paymentMethodId: string;
}

export interface SavedCardConfirmation {
  readonly key: string;
  readonly paymentMethodId: string;
  readonly returnUrl: string;
}

export interface TransferRequest {
  readonly key: string;
  readonly amount: number;
  readonly currency: string;
  readonly accountId: string;
  /** The charge whose money is transferred; null: it comes from the balance. */
  readonly chargeId: string | null;
  readonly checkoutId: string;
  /** Written into the transfer's metadata, so that it can be found without its idempotency key. */
  readonly movementId: string;
}

/** A refund as the processor records it. A done one can fail days later: then its money is back on our balance. */
export interface RefundFacts {
  readonly refundId: string;
  readonly status: 'pending' | 'done' | 'failed';
  /** Why it is pending or has failed. */
  readonly reason: string | null;
}

/** Of a refund or a reversal. */
export interface RefundRequest {
  readonly key: string;
  readonly amount: number;
  readonly movementId: string;
}

export interface GuestRefundRequest extends RefundRequest {
  /** Written into the metadata, so that the processor's events about the refund lead to its movement. */
  readonly venueId: string;
}

/** A transfer or a reversal that an earlier call has made. */
export interface FoundMovement {
  readonly processorId: string;
  readonly amount: number;
}

/** Of the transfers capability: only while it is active can the account be paid. */
export type TransfersStatus = 'active' | 'pending' | 'restricted' | 'rejected' | 'unsupported';

export interface Account {
  readonly accountId: string;
  readonly transfersStatus: TransfersStatus;
  /** What the processor needs before the account can be paid, in its own words. */
  readonly requirementsDue: readonly string[];
}

/** The venue, as its account at the processor names it. */
export interface AccountOwner {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly country: string;
}

/** One page of the processor's holds, newest first. */
export interface HoldsPage {
  readonly holds: readonly HoldFacts[];
  /** Send it as `after` for the next page; null on the last. */
  readonly next: string | null;
}

/** A dispute as the processor has it now. Amounts are in the currency of the charge. */
export interface DisputeFacts {
  readonly disputeId: string;
  /** Null: the charge has no intent, so it is not ours. */
  readonly intentId: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly reason: string;
  /** Until when it takes an answer, in milliseconds; null: it takes none, or does not say. */
  readonly evidenceDueAt: number | null;
  /** What the processor has taken back from us, and what it has given to us again. */
  readonly withdrawn: number;
  readonly reinstated: number;
  /** What it has charged for the dispute, and how much of that it has given back. */
  readonly processorFee: number;
  readonly processorFeeReturned: number;
}

/** One page of the processor's disputes, newest first. */
export interface DisputesPage {
  readonly disputes: readonly DisputeFacts[];
  /** Send it as `after` for the next page; null on the last. */
  readonly next: string | null;
}

export interface ChargeTotals {
  readonly captured: number;
  readonly refunded: number;
}

/** A guest's card that the sandbox records as if it had been paid in the past. Times are in milliseconds, and rise. */
export interface PastPayment {
  readonly hold: Omit<NewHold, 'key' | 'customerId'>;
  /** The card is saved with a customer, so that the hold can be renewed. */
  readonly savesCard: boolean;
  readonly requestedAt: number;
  /** The card that was tried first, and declined; null: none was. */
  readonly declined: { readonly card: string; readonly at: number } | null;
  /** The card that is held; null: the intent waits for one. */
  readonly held: { readonly card: string; readonly at: number } | null;
  /** Null: it is still held, or waits. */
  readonly end: { readonly kind: 'captured' | 'released'; readonly at: number } | null;
}

/** The processor's facts after each step; null: there was no such step. */
export interface MadePayment {
  readonly intentId: string;
  readonly clientSecret: string;
  readonly customerId: string | null;
  readonly declined: HoldFacts | null;
  readonly held: HoldFacts | null;
  readonly captured: HoldFacts | null;
}

interface PastMoney {
  /** In milliseconds. */
  readonly at: number;
  readonly amount: number;
  readonly movementId: string;
}

export type PastMovement = PastMoney &
  (
    | {
        readonly kind: 'transfer';
        readonly currency: string;
        readonly accountId: string;
        readonly chargeId: string;
        readonly checkoutId: string;
      }
    | { readonly kind: 'refund'; readonly intentId: string; readonly venueId: string }
    | { readonly kind: 'reversal'; readonly transferId: string }
    | { readonly kind: 'dispute'; readonly intentId: string; readonly reason: string }
    | { readonly kind: 'lost dispute'; readonly disputeId: string }
  );

export interface Processor {
  readonly mode: Mode;
  /** It is the embedded sandbox, where no real money moves. */
  readonly isSandbox: boolean;
  /** The browser's key, needed beside the client secret. */
  readonly publishableKey: string;
  createCustomer(key: string, metadata: HoldMetadata): Promise<string>;
  createHold(request: NewHold): Promise<CreatedHold>;
  /** A new hold on a saved card, without the guest. */
  renewHold(request: Renewal): Promise<HoldFacts>;
  /** The renewal of a hold id, found by its customer and metadata; null: there is none. */
  findRenewal(customerId: string, holdId: string): Promise<HoldFacts | null>;
  /**
   * Confirms the intent with a saved card of its customer, while the guest is on the page. `processing`: the bank asks
   * the guest, whom the processor's script leads through it, or who comes back to `returnUrl`.
   */
  confirmWithSavedCard(intentId: string, request: SavedCardConfirmation): Promise<HoldFacts>;
  /** For test helpers: confirms the intent with one of the processor's test cards, as a guest would. */
  payWithTestCard(intentId: string, card: string, key: string): Promise<HoldFacts>;
  retrieveHold(intentId: string): Promise<HoldFacts>;
  capture(intentId: string, amount: number, key: string): Promise<HoldFacts>;
  /** Releasing a hold that is released or has lapsed already succeeds. */
  release(intentId: string, key: string): Promise<HoldFacts>;
  refund(intentId: string, request: GuestRefundRequest): Promise<RefundFacts>;
  /**
   * The refund of a movement that has not failed, found by metadata because its key may have expired; null: there is
   * none.
   */
  findRefund(intentId: string, movementId: string): Promise<RefundFacts | null>;
  retrieveRefund(refundId: string): Promise<RefundFacts>;
  createAccount(key: string, owner: AccountOwner): Promise<Account>;
  retrieveAccount(accountId: string): Promise<Account>;
  /** A stale or used link leads the venue to `refreshUrl`. */
  onboardingLink(accountId: string, urls: { readonly returnUrl: string; readonly refreshUrl: string }): Promise<string>;
  /** In the sandbox alone: completes the onboarding form. */
  completeSandboxOnboarding(accountId: string): Promise<void>;
  /** In the sandbox alone, for demo data: makes payments at times in the past. */
  makePastPayments(payments: readonly PastPayment[]): Promise<readonly MadePayment[]>;
  /** In the sandbox alone: the processor's ids, in the same order. */
  makePastMovements(movements: readonly PastMovement[]): Promise<readonly string[]>;
  /** How often our own balance is paid out: `manual`, `daily` and so on; null: the processor does not say. */
  payoutInterval(): Promise<string | null>;
  transfer(request: TransferRequest): Promise<{ readonly transferId: string }>;
  findTransfer(checkoutId: string, movementId: string): Promise<FoundMovement | null>;
  /** Whether the money of a charge was transferred to a venue. */
  hasTransfers(checkoutId: string, chargeId: string): Promise<boolean>;
  reverse(transferId: string, request: RefundRequest): Promise<{ readonly reversalId: string }>;
  findReversal(transferId: string, movementId: string): Promise<FoundMovement | null>;
  /** The holds created since then (milliseconds), newest first, one page at a time. */
  holdsSince(since: number, after: string | null): Promise<HoldsPage>;
  chargeTotals(intentId: string): Promise<ChargeTotals>;
  /** Sets up the platform's account: a domain whose pages show wallets, or a URL that gets events. */
  register(kind: SetupKind, key: string, name: string): Promise<Registration>;
  /** Whether it is set up, enabled and complete. */
  isRegistered(kind: SetupKind, name: string): Promise<boolean>;
  /** The newest dispute about the intent's charge; null: there is none. */
  findDispute(intentId: string): Promise<DisputeFacts | null>;
  retrieveDispute(disputeId: string): Promise<DisputeFacts>;
  /** The disputes opened since then (milliseconds), newest first, one page at a time. */
  disputesSince(since: number, after: string | null): Promise<DisputesPage>;
}

/** An endpoint gets the events of our own account, a destination the thin ones of connected accounts. */
export type SetupKind = 'payment method domain' | 'webhook endpoint' | 'event destination';

/** `secret` signs the events; the processor shows it once, when the endpoint or the destination is created. */
export interface Registration {
  readonly change: 'created' | 'updated' | 'unchanged';
  readonly secret: string | null;
  /** What does not work yet, each with the processor's reason. */
  readonly problems: readonly string[];
}

export type Processors = Readonly<Partial<Record<Mode, Processor>>>;

export type Unavailability =
  /** No answer, or one that the processor does not store: the worker repeats the call with the same key. */
  | 'no_answer'
  /** The card network failed, and nothing happened. The processor repeats this answer for the key: it is spent. */
  | 'network_failed'
  /** The processor failed (5xx) after it may have done the work. The key is spent: look at the object, then use another. */
  | 'processor_failed';

/** The outcome of the call is unknown: the worker repeats it until the processor answers. */
export class ProcessorUnavailable extends Error {
  readonly kind: Unavailability;

  constructor(message: string, options: { readonly kind?: Unavailability; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'ProcessorUnavailable';
    this.kind = options.kind ?? 'no_answer';
  }
}

/**
 * Called just before a call that creates something: a worker whose lease has ended must not create anything. Another
 * worker may have claimed the row and concluded that nothing was created, and the processor forgets a key after a day.
 */
export function requireLease(clock: Clock, leaseEnds: number): void {
  if (clock.now() > leaseEnds) throw new ProcessorUnavailable('the lease ended before the processor was called');
}

/** The processor has refused the call permanently. */
export class ProcessorRefusal extends Error {
  /** The processor's error code: `card_declined`, `payment_intent_unexpected_state`, `charge_already_refunded`, … */
  readonly code: string;
  /** The card's issuer has declined the card. */
  readonly isCardDecline: boolean;

  constructor(code: string, message: string, isCardDecline = false) {
    super(message);
    this.name = 'ProcessorRefusal';
    this.code = code;
    this.isCardDecline = isCardDecline;
  }
}
