// What guests do in a browser: through the public API of either server they choose a party, claim a seat, read the
// checkout and request a hold for their own share or for one that they cover. At the card processor they enter a card,
// approve it if their bank asks, and try another one if it is declined. Responses are recorded in the booking,
// unexpected ones separately.

import type { SeededRandom } from '../support/seeded-random.ts';
import { type Booking, type CardRecord, mayChangeLater, type PartyRecord, payBy } from './booking.ts';
import type { Client, ClientRequest, ClientResponse, Json } from './client.ts';
import type { Guest, GuestPool } from './guest-pool.ts';

type CardBehavior = 'once' | 'again' | 'approve';

interface Card {
  readonly number: string;
  readonly behavior: CardBehavior;
  readonly isDeclined?: true;
}

const CARDS: readonly (readonly [number, Card])[] = [
  [60, { number: '4242424242424242', behavior: 'once' }],
  [10, { number: '4000000000000002', behavior: 'again', isDeclined: true }],
  [4, { number: '4000000000009995', behavior: 'once', isDeclined: true }],
  [5, { number: '4000002760003184', behavior: 'approve' }],
  // The first captures fail; every capture fails; the hold expires after ten seconds; only half of the amount is held.
  [8, { number: '4000000000700023', behavior: 'once' }],
  [4, { number: '4000000000700031', behavior: 'once' }],
  [3, { number: '4000000000700015', behavior: 'once' }],
  [3, { number: '4000000000700056', behavior: 'again' }],
  // A refund fails half a minute later; a refund is pending for half a minute.
  [16, { number: '4000000000005126', behavior: 'once' }],
  [4, { number: '4000000000007726', behavior: 'once' }],
];
const GOOD_CARD: Card = { number: '4242424242424242', behavior: 'once' };
/** The server's limits of declined cards in an hour. */
const MAX_DECLINES_PER_SHARE = 5;
const MAX_DECLINES_PER_ADDRESS = 10;
/** Slightly fewer than a member's hourly limit. */
const MAX_WRITES_PER_HOUR = 100;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A member of a party other than the organizer: a named guest, or an open seat. */
export type PartyMember = { readonly guest: Guest } | { readonly seat: string };

export class GuestClient {
  readonly pool: GuestPool;
  readonly clientSecrets = new Set<string>();
  readonly #api: Client;
  readonly #processor: Client;
  /** By share: the highest possible number of declined cards. */
  readonly #declines = new Map<string, number>();

  constructor(people: GuestPool, api: Client, processor: Client) {
    this.pool = people;
    this.#api = api;
    this.#processor = processor;
  }

  /** Returns whether the party was acknowledged. `amounts` begins with the organizer's; null splits equally. */
  async chooseParty(
    booking: Booking,
    organizer: Guest,
    others: readonly PartyMember[],
    amounts: readonly number[] | null,
  ): Promise<boolean> {
    const keys = others.map((member) => ('seat' in member ? member.seat : member.guest.phone));
    const members = others.map((member) =>
      'seat' in member ? { user_id: member.seat } : { phone: member.guest.phone, name: member.guest.name },
    );
    const custom = (given: readonly number[]): Record<string, number> =>
      Object.fromEntries(['organizer', ...keys].map((key, index) => [key, given[index] ?? 0]));
    const body = { members, split: amounts === null ? 'equal' : { custom: custom(amounts) } };
    const record: PartyRecord = { shares: null, refusal: null, tries: 0 };
    booking.parties.push(record);
    const response = await this.#send(organizer, 'POST', `/v1/public/checkouts/${booking.id}/party`, body);
    if (response === null) return false;
    record.tries = response.tries ?? 1;
    if (response.status === 200) {
      const { checkout, shares } = response.json as { checkout: Json; shares: { id: string; amount: number }[] };
      record.shares = shares.map(({ id, amount }) => ({ id, amount }));
      booking.observe({ ...response, json: checkout });
      return true;
    }
    record.refusal = response.json?.error?.reason ?? String(response.status);
    this.#checkRefusal(booking, 'the party', response, ['checkout_past_pay_by', 'checkout_not_open']);
    return false;
  }

  /** The checkout as this guest sees it; null if it gave up. */
  async readCheckout(booking: Booking, guest: Guest): Promise<Json | null> {
    return this.#recordCheckout(booking, guest, 'the read', await this.#send(guest, 'GET', pathOf(booking)), []);
  }

  /** Claims an open seat. `mayBeFull`: more guests may come than there are open seats. */
  async claimSeat(booking: Booking, guest: Guest, mayBeFull: boolean): Promise<Json | null> {
    const response = await this.#send(guest, 'POST', `${pathOf(booking)}/seat`, {});
    const full = mayBeFull || mayChangeLater(booking) ? ['no_free_seat'] : [];
    const reasons = ['checkout_past_pay_by', 'checkout_not_collecting', ...full];
    return this.#recordCheckout(booking, guest, 'the seat', response, reasons);
  }

  async #recordCheckout(
    booking: Booking,
    guest: Guest,
    what: string,
    response: ClientResponse | null,
    reasons: readonly string[],
  ): Promise<Json | null> {
    if (response === null) return null;
    if (response.status !== 200) {
      this.#checkRefusal(booking, what, response, reasons);
      return null;
    }
    booking.observe(response);
    const { my_share_id: shareId } = response.json as { my_share_id: string | null };
    const session = await this.pool.signIn(guest);
    if (shareId !== null && session !== null) booking.ownShares.push({ memberId: session.memberId, shareId });
    return response.json;
  }

  /** Pays the guest's own share, or one that the organizer covers. */
  async payShare(booking: Booking, guest: Guest, shareId: string, random: SeededRandom): Promise<void> {
    const card = random.weighed(CARDS);
    const secret = await this.#requestHold(booking, guest, shareId);
    if (secret === null) return;
    const response = await this.#confirm(booking, guest, shareId, secret, card);
    const page = response?.next_action?.redirect_to_url?.url;
    if (card.behavior === 'approve' && typeof page === 'string' && random.often(0.8)) {
      await this.#approve(page);
      await this.#readIntent(booking, shareId, secret);
    }
    if (card.behavior !== 'again' || !random.often(0.8)) return;
    const again = await this.#requestHold(booking, guest, shareId);
    if (again !== null) await this.#confirm(booking, guest, shareId, again, GOOD_CARD);
  }

  /** Requests a hold; null if the share can no longer be paid, or it gave up. */
  async #requestHold(booking: Booking, guest: Guest, shareId: string): Promise<Json | null> {
    const response = await this.#send(guest, 'POST', `/v1/public/shares/${shareId}/hold`);
    if (response === null) return null;
    if (response.status === 200) {
      this.clientSecrets.add(String(response.json.client_secret));
      return response.json;
    }
    const isDropped = response.status === 404 && (booking.parties.length > 1 || mayChangeLater(booking));
    if (isDropped || (response.status === 429 && this.#hasManyDeclines(guest, shareId))) return null;
    const reason = this.#checkRefusal(booking, 'the hold', response, [
      'checkout_past_pay_by',
      'checkout_not_collecting',
      'share_already_held',
    ]);
    if (reason === 'share_already_held') booking.reportedHeld.add(shareId);
    return null;
  }

  async #confirm(booking: Booking, guest: Guest, shareId: string, secret: Json, card: Card): Promise<Json | null> {
    const record = newCardRecord(booking, shareId, secret);
    const form = new URLSearchParams({
      key: secret.publishable_key,
      client_secret: secret.client_secret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': card.number,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2034',
      'payment_method_data[card][cvc]': '123',
    });
    const path = `/sandbox/processor/v1/payment_intents/${record.intentId}/confirm`;
    const { address } = guest;
    const response = await this.#api.send({
      method: 'POST',
      path,
      body: form.toString(),
      contentType: FORM_TYPE,
      address,
    });
    if (card.isDeclined) this.#countDeclines(guest, shareId, response?.tries ?? 1);
    this.#recordCard(booking, record, response);
    return response?.json ?? null;
  }

  #countDeclines(guest: Guest, shareId: string, tries: number): void {
    guest.declines += tries;
    this.#declines.set(shareId, (this.#declines.get(shareId) ?? 0) + tries);
  }

  #hasManyDeclines({ declines }: Guest, shareId: string): boolean {
    return declines >= MAX_DECLINES_PER_ADDRESS || (this.#declines.get(shareId) ?? 0) >= MAX_DECLINES_PER_SHARE;
  }

  /** As the processor's script does when the guest returns from the bank's page. */
  async #readIntent(booking: Booking, shareId: string, secret: Json): Promise<void> {
    const record = newCardRecord(booking, shareId, secret);
    const query = new URLSearchParams({ key: secret.publishable_key, client_secret: secret.client_secret });
    const path = `/sandbox/processor/v1/payment_intents/${record.intentId}?${query}`;
    this.#recordCard(booking, record, await this.#api.send({ method: 'GET', path }));
  }

  #recordCard(booking: Booking, record: CardRecord, response: ClientResponse | null): void {
    if (response === null) return;
    const { status, json } = response;
    const state = status === 200 ? json?.status : json?.error?.payment_intent?.status;
    record.status = status === 402 ? 'declined' : (state ?? 'refused');
    // An intent that is confirmed or canceled already cannot be confirmed again; the response shows its status.
    if (status === 200 || status === 402 || json?.error?.code === 'payment_intent_unexpected_state') return;
    booking.unexpected.push(`the card form got ${status}: ${response.text.slice(0, 300)}`);
  }

  /** Presses "approve" on the sandbox's page of the bank. */
  async #approve(page: string): Promise<void> {
    const { pathname, searchParams } = new URL(page);
    const form = new URLSearchParams({ token: searchParams.get('token') ?? '', answer: 'approve' });
    await this.#processor.send({ method: 'POST', path: pathname, body: form.toString(), contentType: FORM_TYPE });
  }

  async #send(
    guest: Guest,
    method: ClientRequest['method'],
    path: string,
    body?: unknown,
  ): Promise<ClientResponse | null> {
    const session = await this.pool.signIn(guest);
    if (session === null) return null;
    const { address } = guest;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.#api.send({ method, path, key: session.token, address, ...sent });
    if (method === 'POST') guest.writes += response?.tries ?? 1;
    // Repeated requests may have used up the guest's hourly limit.
    return response?.status === 429 && guest.writes >= MAX_WRITES_PER_HOUR ? null : response;
  }

  /** Records a refusal whose reason is not one of `reasons` as unexpected. Returns the reason. */
  #checkRefusal(booking: Booking, what: string, response: ClientResponse, reasons: readonly string[]): string | null {
    const reason: string | null = response.json?.error?.reason ?? null;
    const isEarly =
      reason === 'checkout_past_pay_by' && booking.scenario !== 'expire' && response.receivedAt < payBy(booking);
    if (response.status !== 409 || reason === null || !reasons.includes(reason) || isEarly) {
      booking.unexpected.push(`${what} of a guest got ${response.status}: ${response.text.slice(0, 300)}`);
    }
    return reason;
  }
}

const pathOf = ({ id }: Booking): string => `/v1/public/checkouts/${id}`;

function newCardRecord(booking: Booking, shareId: string, secret: Json): CardRecord {
  const [intentId = ''] = String(secret.client_secret).split('_secret_');
  const record: CardRecord = { intentId, shareId, status: null };
  booking.cards.push(record);
  return record;
}
