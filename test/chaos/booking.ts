// The requests and responses of one booking, as its partner and its guests recorded them.

import type { ClientResponse, Json } from './client.ts';

export interface BookableVenue {
  readonly venueId: string;
  readonly key: string;
  /** A key of live mode, in which the venue has no data. */
  readonly liveKey?: string;
}

export interface RefundRecord {
  readonly idempotencyKey: string;
  readonly amount: number | null;
  /** Null if there was no response: the refund may have happened or not. */
  response: ClientResponse | null;
}

/** A party that an organizer chose. */
export interface PartyRecord {
  /** Null if there was no response (it may have been stored or not), or a refusal. */
  shares: readonly { readonly id: string; readonly amount: number }[] | null;
  /** The reason of the refusal; null if there was none. */
  refusal: string | null;
  /** How often it was sent until the response; 0 if there was none. */
  tries: number;
}

/** A share that a response called the guest's own. */
export interface ShareRecord {
  readonly memberId: string;
  readonly shareId: string;
}

/** A card that was tried, and the status in the browser's response; null if there was no response. */
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
  /** The text of every 201. */
  readonly acknowledged: string[] = [];
  id: string | null = null;
  cancelAcknowledged = false;
  readonly refunds: RefundRecord[] = [];
  /** The terminal states that responses showed. */
  readonly terminalStates = new Set<string>();
  /** When the first of them was received. */
  #endedAt = Infinity;
  lastSeen: Json = null;
  /** Responses that a correct client must not get. */
  readonly unexpected: string[] = [];
  readonly parties: PartyRecord[] = [];
  readonly ownShares: ShareRecord[] = [];
  readonly cards: CardRecord[] = [];
  /** Shares that a response called already held. */
  readonly reportedHeld = new Set<string>();
  /** Shares that a test helper paid, possibly with an existing hold. */
  readonly paidByTestHelper = new Set<string>();

  constructor(name: string, venue: BookableVenue, scenario: Scenario, idempotencyKey: string | null, body: string) {
    this.name = name;
    this.venue = venue;
    this.scenario = scenario;
    this.idempotencyKey = idempotencyKey;
    this.body = body;
  }

  /** Records a response that shows the checkout. Returns true if it shows a terminal state for the first time. */
  observe(response: ClientResponse): boolean {
    const { status } = response.json as { status: string };
    this.lastSeen = response.json;
    if (!TERMINAL.has(status)) {
      // A request sent before the first terminal response may be answered after it with an earlier state.
      if (response.sentAt > this.#endedAt)
        this.unexpected.push(`shown as ${status} after ${[...this.terminalStates].join(' and ')}`);
      return false;
    }
    const isNew = !this.terminalStates.has(status);
    this.#endedAt = Math.min(this.#endedAt, response.receivedAt);
    this.terminalStates.add(status);
    if (this.terminalStates.size > 1) this.unexpected.push(`shown as ${[...this.terminalStates].join(' and as ')}`);
    return isNew;
  }
}

/** A party that was sent twice may be chosen again by the first request, long after the response to the second. */
export function mayChangeLater({ parties }: Booking): boolean {
  return parties.some(({ tries: sent }) => sent !== 1);
}

/** The booking's pay_by, in milliseconds. */
export function payBy({ body }: Booking): number {
  return Date.parse((JSON.parse(body) as { pay_by: string }).pay_by);
}

export function isTerminal(status: string): boolean {
  return TERMINAL.has(status);
}
