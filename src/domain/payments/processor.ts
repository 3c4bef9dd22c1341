// The narrow interface to the card processor: all that we ever ask of it, in the trade's own words. One adapter speaks it
// (stripe.ts), against the real processor or the embedded sandbox. Every call that changes something takes a key that
// stays the same however often it is tried, so that a time-out is never a second charge.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';

/** What a hold is for: written into the processor's own record, and compared before anything is believed. */
export interface HoldMetadata {
  readonly venueId: string;
  readonly checkoutId: string;
  readonly shareId: string;
  readonly holdId: string;
}

export type ProcessorHoldStatus =
  /** Made, and waiting for a card. */
  | 'waiting'
  /** A card was given; the bank asks its owner something, or is still thinking. */
  | 'underway'
  | 'held'
  | 'captured'
  /** Released, lapsed or voided: there is nothing to capture, ever. */
  | 'gone';

/** A hold as the processor's books have it. */
export interface HoldFacts {
  readonly intentId: string;
  readonly status: ProcessorHoldStatus;
  readonly mode: Mode;
  readonly amount: number;
  /** What could be captured now. */
  readonly capturable: number;
  readonly captured: number;
  readonly currency: string;
  readonly metadata: Partial<HoldMetadata>;
  /** When the bank said yes, in milliseconds; null before. */
  readonly heldAt: number | null;
  /** The hold lapses then, in milliseconds; null: the processor does not say. */
  readonly captureBefore: number | null;
  readonly chargeId: string | null;
  readonly customerId: string | null;
  readonly paymentMethodId: string | null;
  /** Why the last card was refused (`card_declined`, `insufficient_funds`, …); null when none was. */
  readonly refusal: string | null;
  /** The charge with which the bank said no, and when (milliseconds); null when it was never asked. */
  readonly decline: { readonly chargeId: string; readonly at: number } | null;
}

export interface NewHold {
  readonly key: string;
  readonly amount: number;
  readonly currency: string;
  readonly description: string;
  readonly metadata: HoldMetadata;
  /** Keep the card, so that the hold can be renewed without its owner. */
  readonly customerId: string | null;
}

export interface CreatedHold {
  readonly intentId: string;
  readonly clientSecret: string;
}

export interface Renewal extends NewHold {
  readonly customerId: string;
  readonly paymentMethodId: string;
}

/** A transfer at the processor. */
export interface TransferRequest {
  readonly key: string;
  readonly amount: number;
  readonly currency: string;
  readonly accountId: string;
  /** The charge whose money this is. */
  readonly chargeId: string;
  readonly checkoutId: string;
  /** Written into the processor's own record, so that it can be found without its key. */
  readonly movementId: string;
}

/** A refund or reversal at the processor. */
export interface RefundRequest {
  readonly key: string;
  readonly amount: number;
  readonly movementId: string;
}

export interface Account {
  readonly accountId: string;
  readonly payoutsEnabled: boolean;
}

/** What a reconciliation walks through: every hold that the processor has, newest first. */
export interface HoldsPage {
  readonly holds: readonly HoldFacts[];
  /** Send it as `after` for the next page; null on the last. */
  readonly next: string | null;
}

export interface ChargeTotals {
  readonly captured: number;
  readonly refunded: number;
}

export interface Processor {
  readonly mode: Mode;
  /** What a browser needs besides the client secret. */
  readonly publishableKey: string;
  createCustomer(key: string, metadata: HoldMetadata): Promise<string>;
  createHold(wish: NewHold): Promise<CreatedHold>;
  /** A new hold on a card that was kept; its owner is not there. */
  renewHold(wish: Renewal): Promise<HoldFacts>;
  /** For test helpers: pays as a guest with one of the processor's own test cards would. */
  payWithTestCard(intentId: string, card: string, key: string): Promise<HoldFacts>;
  retrieveHold(intentId: string): Promise<HoldFacts>;
  capture(intentId: string, amount: number, key: string): Promise<HoldFacts>;
  /** Releasing what is released already, or has lapsed, is no failure. */
  release(intentId: string, key: string): Promise<HoldFacts>;
  refund(intentId: string, wish: RefundRequest): Promise<{ readonly refundId: string }>;
  /** What was made for a movement, when its key may be forgotten already; null: nothing. */
  findRefund(intentId: string, movementId: string): Promise<{ readonly refundId: string } | null>;
  createAccount(key: string, venue: { readonly id: string; readonly name: string }): Promise<Account>;
  onboardingLink(accountId: string, returnUrl: string): Promise<string>;
  transfer(wish: TransferRequest): Promise<{ readonly transferId: string }>;
  findTransfer(checkoutId: string, movementId: string): Promise<{ readonly transferId: string } | null>;
  reverse(transferId: string, wish: RefundRequest): Promise<{ readonly reversalId: string }>;
  findReversal(transferId: string, movementId: string): Promise<{ readonly reversalId: string } | null>;
  /** Every hold made since then (milliseconds), newest first, a page at a time. */
  holdsSince(since: number, after: string | null): Promise<HoldsPage>;
  chargeTotals(intentId: string): Promise<ChargeTotals>;
}

export type Processors = Readonly<Partial<Record<Mode, Processor>>>;

/**
 * The processor could not be reached, was too slow, or was too busy. Whether the work was done is NOT known: the same call
 * with the same key is made again until it is.
 */
export class ProcessorUnavailable extends Error {
  /** It has answered "not now", and keeps that answer under the key: nothing was done, and another try takes another key. */
  readonly isTemporary: boolean;

  constructor(what: string, more: { readonly cause?: unknown; readonly isTemporary?: boolean } = {}) {
    super(what, { cause: more.cause });
    this.name = 'ProcessorTrouble';
    this.isTemporary = more.isTemporary === true;
  }
}

/**
 * Asked just before anything is made: whoever was held up for longer than their lease makes nothing more. Another has taken
 * it over, may have found that it was never made, and the key is forgotten after a day.
 */
export function requireLease(clock: Clock, leaseEnds: number): void {
  if (clock.now() > leaseEnds) throw new ProcessorUnavailable('its turn was over before it was asked for');
}

/** The processor has said no, and would say no again. */
export class ProcessorRefusal extends Error {
  /** The processor's own word: `card_declined`, `payment_intent_unexpected_state`, `charge_already_refunded`, … */
  readonly code: string;
  /** The card's bank has said it, about the card itself. */
  readonly isCardDecline: boolean;

  constructor(code: string, message: string, byCard = false) {
    super(message);
    this.name = 'ProcessorRefusal';
    this.code = code;
    this.isCardDecline = byCard;
  }
}
