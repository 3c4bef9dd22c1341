// What guests do with a browser: by the public addresses of either server they choose a party, take a seat, look, and ask for a hold
// for themselves or for somebody they cover; at the card processor they type a card, approve it where their bank asks, and try another
// one when it is declined. What they are told is written into the booking; what nobody who does it right should be told is a fault.

import type { SeededRandom } from '../support/seeded-random.ts';
import { type Booking, type CardRecord, mayChangeLate, type PartyRecord, payBy } from './booking.ts';
import type { Client, ClientRequest, ClientResponse, Json } from './client.ts';
import type { People, Person } from './people.ts';

type Habit = 'once' | 'again' | 'approve';

interface Card {
  readonly number: string;
  readonly habit: Habit;
  readonly isDeclined?: true;
}

const CARDS: readonly (readonly [number, Card])[] = [
  [60, { number: '4242424242424242', habit: 'once' }],
  [10, { number: '4000000000000002', habit: 'again', isDeclined: true }],
  [4, { number: '4000000000009995', habit: 'once', isDeclined: true }],
  [5, { number: '4000002760003184', habit: 'approve' }],
  // The first captures fail; every capture fails; the hold lapses after ten seconds; only half of it is held.
  [8, { number: '4000000000700023', habit: 'once' }],
  [4, { number: '4000000000700031', habit: 'once' }],
  [3, { number: '4000000000700015', habit: 'once' }],
  [3, { number: '4000000000700056', habit: 'again' }],
];
const GOOD: Card = { number: '4242424242424242', habit: 'once' };
/** So many declined cards close a share's form for an hour, or every form for an address. */
const ON_A_SHARE = 5;
const FROM_AN_ADDRESS = 10;
/** With a few less than a member's hour has. */
const WRITES = 100;
const FORM = 'application/x-www-form-urlencoded';

/** One who may be in the party, and what they would pay; the organizer is not among them. */
export type Named = { readonly person: Person } | { readonly seat: string };

export class Guests {
  readonly people: People;
  readonly clientSecrets = new Set<string>();
  readonly #api: Client;
  readonly #processor: Client;
  /** By share: how often a card for it may have been declined. */
  readonly #declines = new Map<string, number>();

  constructor(people: People, api: Client, processor: Client) {
    this.people = people;
    this.#api = api;
    this.#processor = processor;
  }

  /** Answers: whether there is a party now, as far as the organizer knows. `amounts`: the organizer's first; null: equal. */
  async choose(
    booking: Booking,
    organizer: Person,
    others: readonly Named[],
    amounts: readonly number[] | null,
  ): Promise<boolean> {
    const keys = others.map((one) => ('seat' in one ? one.seat : one.person.phone));
    const members = others.map((one) =>
      'seat' in one ? { user_id: one.seat } : { phone: one.person.phone, name: one.person.name },
    );
    const custom = (given: readonly number[]): Record<string, number> =>
      Object.fromEntries(['organizer', ...keys].map((key, place) => [key, given[place] ?? 0]));
    const body = { members, split: amounts === null ? 'equal' : { custom: custom(amounts) } };
    const note: PartyRecord = { shares: null, refusal: null, sent: 0 };
    booking.parties.push(note);
    const response = await this.#ask(organizer, 'POST', `/v1/public/checkouts/${booking.id}/party`, body);
    if (response === null) return false;
    note.sent = response.tries ?? 1;
    if (response.status === 200) {
      const { checkout, shares } = response.json as { checkout: Json; shares: { id: string; amount: number }[] };
      note.shares = shares.map(({ id, amount }) => ({ id, amount }));
      booking.observe({ ...response, json: checkout });
      return true;
    }
    note.refusal = response.json?.error?.reason ?? String(response.status);
    this.#judge(booking, 'the party', response, ['checkout_past_pay_by', 'checkout_not_open']);
    return false;
  }

  /** The checkout as this guest sees it; null: given up. */
  async look(booking: Booking, person: Person): Promise<Json | null> {
    return this.#shown(booking, person, 'the look', await this.#ask(person, 'GET', pathOf(booking)), []);
  }

  /** A seat that nobody is named for. `crowded`: there may be fewer of them than people who come. */
  async sit(booking: Booking, person: Person, crowded: boolean): Promise<Json | null> {
    const response = await this.#ask(person, 'POST', `${pathOf(booking)}/seat`, {});
    const full = crowded || mayChangeLate(booking) ? ['no_free_seat'] : [];
    const reasons = ['checkout_past_pay_by', 'checkout_not_collecting', ...full];
    return this.#shown(booking, person, 'the seat', response, reasons);
  }

  async #shown(
    booking: Booking,
    person: Person,
    what: string,
    response: ClientResponse | null,
    reasons: readonly string[],
  ): Promise<Json | null> {
    if (response === null) return null;
    if (response.status !== 200) {
      this.#judge(booking, what, response, reasons);
      return null;
    }
    booking.observe(response);
    const { my_share_id: shareId } = response.json as { my_share_id: string | null };
    const pass = await this.people.signIn(person);
    if (shareId !== null && pass !== null) booking.own.push({ memberId: pass.memberId, shareId });
    return response.json;
  }

  /** Their own share, or one that they cover as the organizer. */
  async pay(booking: Booking, person: Person, shareId: string, random: SeededRandom): Promise<void> {
    const card = random.weighed(CARDS);
    const secret = await this.#secretFor(booking, person, shareId);
    if (secret === null) return;
    const response = await this.#confirm(booking, person, shareId, secret, card);
    const page = response?.next_action?.redirect_to_url?.url;
    if (card.habit === 'approve' && typeof page === 'string' && random.often(0.8)) {
      await this.#approve(page);
      await this.#lookAtCard(booking, shareId, secret);
    }
    if (card.habit !== 'again' || !random.often(0.8)) return;
    const again = await this.#secretFor(booking, person, shareId);
    if (again !== null) await this.#confirm(booking, person, shareId, again, GOOD);
  }

  /** Null: there is nothing to pay any more, or it was given up. */
  async #secretFor(booking: Booking, person: Person, shareId: string): Promise<Json | null> {
    const response = await this.#ask(person, 'POST', `/v1/public/shares/${shareId}/hold`);
    if (response === null) return null;
    if (response.status === 200) {
      this.clientSecrets.add(String(response.json.client_secret));
      return response.json;
    }
    const isDropped = response.status === 404 && (booking.parties.length > 1 || mayChangeLate(booking));
    if (isDropped || (response.status === 429 && this.#hasTriedMany(person, shareId))) return null;
    const reason = this.#judge(booking, 'the hold', response, [
      'checkout_past_pay_by',
      'checkout_not_collecting',
      'share_already_held',
    ]);
    if (reason === 'share_already_held') booking.reportedHeld.add(shareId);
    return null;
  }

  async #confirm(booking: Booking, person: Person, shareId: string, secret: Json, card: Card): Promise<Json | null> {
    const note = noteFor(booking, shareId, secret);
    const form = new URLSearchParams({
      key: secret.publishable_key,
      client_secret: secret.client_secret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': card.number,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2034',
      'payment_method_data[card][cvc]': '123',
    });
    const path = `/sandbox/processor/v1/payment_intents/${note.intentId}/confirm`;
    const { address } = person;
    const response = await this.#api.send({ method: 'POST', path, body: form.toString(), contentType: FORM, address });
    if (card.isDeclined) this.#countDeclines(person, shareId, response?.tries ?? 1);
    this.#hear(booking, note, response);
    return response?.json ?? null;
  }

  #countDeclines(person: Person, shareId: string, tries: number): void {
    person.declines += tries;
    this.#declines.set(shareId, (this.#declines.get(shareId) ?? 0) + tries);
  }

  #hasTriedMany({ declines }: Person, shareId: string): boolean {
    return declines >= FROM_AN_ADDRESS || (this.#declines.get(shareId) ?? 0) >= ON_A_SHARE;
  }

  /** As the processor's own script does when the guest comes back from their bank. */
  async #lookAtCard(booking: Booking, shareId: string, secret: Json): Promise<void> {
    const note = noteFor(booking, shareId, secret);
    const query = new URLSearchParams({ key: secret.publishable_key, client_secret: secret.client_secret });
    const path = `/sandbox/processor/v1/payment_intents/${note.intentId}?${query}`;
    this.#hear(booking, note, await this.#api.send({ method: 'GET', path }));
  }

  #hear(booking: Booking, note: CardRecord, response: ClientResponse | null): void {
    if (response === null) return;
    const { status, json } = response;
    const state = status === 200 ? json?.status : json?.error?.payment_intent?.status;
    note.status = status === 402 ? 'declined' : (state ?? 'refused');
    // What was confirmed already, or let go of, cannot be confirmed: the answer says how it stands.
    if (status === 200 || status === 402 || json?.error?.code === 'payment_intent_unexpected_state') return;
    booking.broken.push(`the card form was answered ${status}: ${response.text.slice(0, 300)}`);
  }

  /** Presses "approve" on the page of the pretended bank. */
  async #approve(page: string): Promise<void> {
    const { pathname, searchParams } = new URL(page);
    const form = new URLSearchParams({ token: searchParams.get('token') ?? '', answer: 'approve' });
    await this.#processor.send({ method: 'POST', path: pathname, body: form.toString(), contentType: FORM });
  }

  async #ask(
    person: Person,
    method: ClientRequest['method'],
    path: string,
    body?: unknown,
  ): Promise<ClientResponse | null> {
    const pass = await this.people.signIn(person);
    if (pass === null) return null;
    const { address } = person;
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await this.#api.send({ method, path, key: pass.token, address, ...sent });
    if (method === 'POST') person.sent += response?.tries ?? 1;
    // Their hour is used up by what had to be asked again and again.
    return response?.status === 429 && person.sent >= WRITES ? null : response;
  }

  /** A refusal: one of those that fit, or a fault. Gives the reason. */
  #judge(booking: Booking, what: string, response: ClientResponse, reasons: readonly string[]): string | null {
    const reason: string | null = response.json?.error?.reason ?? null;
    const isEarly = reason === 'checkout_past_pay_by' && booking.scenario !== 'expire' && response.at < payBy(booking);
    if (response.status !== 409 || reason === null || !reasons.includes(reason) || isEarly) {
      booking.broken.push(`to a guest, ${what} was answered ${response.status}: ${response.text.slice(0, 300)}`);
    }
    return reason;
  }
}

const pathOf = ({ id }: Booking): string => `/v1/public/checkouts/${id}`;

function noteFor(booking: Booking, shareId: string, secret: Json): CardRecord {
  const [intentId = ''] = String(secret.client_secret).split('_secret_');
  const note: CardRecord = { intentId, shareId, status: null };
  booking.cards.push(note);
  return note;
}
