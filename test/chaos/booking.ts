// One booking as its partner and its guests remember it: what was asked, what was answered, and nothing that was only hoped for.

import type { ClientResponse, Json } from './client.ts';

export interface BookableVenue {
  readonly venueId: string;
  readonly key: string;
  /** Of live mode, where there is nothing. */
  readonly liveKey?: string;
}

export interface RefundRecord {
  readonly idempotencyKey: string;
  readonly amount: number | null;
  /** Null: never answered, so it may have happened or not. */
  response: ClientResponse | null;
}

/** A party that an organizer chose. Null: never answered, so it may have been taken or not. */
export interface PartyRecord {
  shares: readonly { readonly id: string; readonly amount: number }[] | null;
  /** Why it was not taken. */
  refusal: string | null;
  /** How often it was sent until it was answered. */
  sent: number;
}

/** "This share is yours", said to a guest. */
export interface ShareRecord {
  readonly memberId: string;
  readonly shareId: string;
}

/** A card that was tried, and what the browser was told. Null: never answered. */
export interface CardRecord {
  readonly intentId: string;
  readonly shareId: string;
  status: string | null;
}

export type Scenario = 'complete' | 'guests' | 'abandon' | 'cancel' | 'expire' | 'short';

const TERMINAL = new Set(['completed', 'expired', 'canceled']);

export class Booking {
  readonly name: string;
  readonly venue: BookableVenue;
  readonly scenario: Scenario;
  readonly idempotencyKey: string | null;
  readonly body: string;
  /** Every 201, as it came. */
  readonly acknowledged: string[] = [];
  id: string | null = null;
  cancelAcknowledged = false;
  readonly refunds: RefundRecord[] = [];
  /** The terminal states that were seen in answers. */
  readonly ends = new Set<string>();
  /** When the first of them was seen. */
  #endedAt = Infinity;
  lastSeen: Json = null;
  readonly broken: string[] = [];
  readonly parties: PartyRecord[] = [];
  readonly own: ShareRecord[] = [];
  readonly cards: CardRecord[] = [];
  /** Shares of which somebody was told that they are paid. */
  readonly reportedHeld = new Set<string>();
  /** Shares that a test helper paid, with whatever hold there was. */
  readonly helped = new Set<string>();

  constructor(name: string, venue: BookableVenue, scenario: Scenario, idempotencyKey: string | null, body: string) {
    this.name = name;
    this.venue = venue;
    this.scenario = scenario;
    this.idempotencyKey = idempotencyKey;
    this.body = body;
  }

  /** An answer that shows the checkout. Answers: true when it shows a terminal state for the first time. */
  observe(response: ClientResponse): boolean {
    const { status } = response.json as { status: string };
    this.lastSeen = response.json;
    if (!TERMINAL.has(status)) {
      // What was asked before we knew may be answered after.
      if (response.sentAt > this.#endedAt) this.broken.push(`shown as ${status} after ${[...this.ends].join(' and ')}`);
      return false;
    }
    const isNew = !this.ends.has(status);
    this.#endedAt = Math.min(this.#endedAt, response.at);
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
