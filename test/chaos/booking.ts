// One booking as its partner and its guests remember it: what was asked, what was answered, and nothing that was only hoped for.

import type { Seen, Told } from './client.ts';

export interface Shop {
  readonly venueId: string;
  readonly key: string;
  /** Of live mode, where there is nothing. */
  readonly liveKey?: string;
}

export interface RefundNote {
  readonly idempotencyKey: string;
  readonly amount: number | null;
  /** Null: never answered, so it may have happened or not. */
  told: Told | null;
}

/** A party that an organizer chose. Null: never answered, so it may have been taken or not. */
export interface PartyNote {
  told: readonly { readonly id: string; readonly amount: number }[] | null;
  /** Why it was not taken. */
  refusal: string | null;
  /** How often it was sent until it was answered. */
  sent: number;
}

/** "This share is yours", said to a guest. */
export interface OwnNote {
  readonly memberId: string;
  readonly shareId: string;
}

/** A card that was tried, and what the browser was told. Null: never answered. */
export interface CardNote {
  readonly intentId: string;
  readonly shareId: string;
  told: string | null;
}

export type Wish = 'complete' | 'guests' | 'abandon' | 'cancel' | 'expire' | 'short';

const TERMINAL = new Set(['completed', 'expired', 'canceled']);

export class Booking {
  readonly name: string;
  readonly shop: Shop;
  readonly wish: Wish;
  readonly idempotencyKey: string | null;
  readonly body: string;
  /** Every 201, as it came. */
  readonly acknowledged: string[] = [];
  id: string | null = null;
  cancelAcknowledged = false;
  readonly refunds: RefundNote[] = [];
  /** The terminal states that were seen in answers. */
  readonly ends = new Set<string>();
  /** When the first of them was seen. */
  #endedAt = Infinity;
  lastSeen: Seen = null;
  readonly broken: string[] = [];
  readonly parties: PartyNote[] = [];
  readonly own: OwnNote[] = [];
  readonly cards: CardNote[] = [];
  /** Shares of which somebody was told that they are paid. */
  readonly toldHeld = new Set<string>();
  /** Shares that a test helper paid, with whatever hold there was. */
  readonly helped = new Set<string>();

  constructor(name: string, shop: Shop, wish: Wish, idempotencyKey: string | null, body: string) {
    this.name = name;
    this.shop = shop;
    this.wish = wish;
    this.idempotencyKey = idempotencyKey;
    this.body = body;
  }

  /** An answer that shows the checkout. Answers: true when it shows a terminal state for the first time. */
  see(told: Told): boolean {
    const { status } = told.json as { status: string };
    this.lastSeen = told.json;
    if (!TERMINAL.has(status)) {
      // What was asked before we knew may be answered after.
      if (told.sentAt > this.#endedAt) this.broken.push(`shown as ${status} after ${[...this.ends].join(' and ')}`);
      return false;
    }
    const isNew = !this.ends.has(status);
    this.#endedAt = Math.min(this.#endedAt, told.at);
    this.ends.add(status);
    if (this.ends.size > 1) this.broken.push(`shown as ${[...this.ends].join(' and as ')}`);
    return isNew;
  }
}

/** A party that was sent twice may be chosen once more by the first of the two, long after the second was answered. */
export function mayChangeLate({ parties }: Booking): boolean {
  return parties.some(({ sent }) => sent !== 1);
}

/** When its time to pay ends, in milliseconds. */
export function payBy({ body }: Booking): number {
  return Date.parse((JSON.parse(body) as { pay_by: string }).pay_by);
}

export function isOver(status: string): boolean {
  return TERMINAL.has(status);
}
