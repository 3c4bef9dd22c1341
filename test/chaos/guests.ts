// Guests: they ask for a hold, type a card as a browser would send it, approve it where their bank asks, try another one
// when it is declined, or lose interest.

import type { Chance } from '../sim/chance.ts';
import type { Booking } from './booking.ts';
import type { Client, Seen } from './client.ts';

type Habit = 'once' | 'again' | 'approve';

const CARDS: readonly (readonly [number, { readonly number: string; readonly habit: Habit }])[] = [
  [60, { number: '4242424242424242', habit: 'once' }],
  [10, { number: '4000000000000002', habit: 'again' }],
  [4, { number: '4000000000009995', habit: 'once' }],
  [5, { number: '4000002760003184', habit: 'approve' }],
  // The first captures fail; every capture fails; the hold lapses after ten seconds; only half of it is held.
  [8, { number: '4000000000700023', habit: 'once' }],
  [4, { number: '4000000000700031', habit: 'once' }],
  [3, { number: '4000000000700015', habit: 'once' }],
  [3, { number: '4000000000700056', habit: 'again' }],
];
const GOOD = '4242424242424242';

export class Guests {
  readonly #door: Client;
  readonly #api: Client;
  readonly #processor: Client;

  constructor(door: Client, api: Client, processor: Client) {
    this.#door = door;
    this.#api = api;
    this.#processor = processor;
  }

  async choose({ shop, id }: Booking, amounts: readonly number[]): Promise<void> {
    await this.#ask('/party', { venueId: shop.venueId, checkoutId: id, amounts });
  }

  /** Null: there is nothing to pay any more, or it was given up. */
  async secretFor({ shop, id }: Booking, shareId: string): Promise<Seen | null> {
    const told = await this.#ask('/ask', { venueId: shop.venueId, checkoutId: id, shareId });
    return told?.status === 200 ? told.json : null;
  }

  #ask(path: string, wish: unknown) {
    return this.#door.ask({ method: 'POST', path, body: JSON.stringify(wish) });
  }

  async confirm(secret: Seen, card: string): Promise<Seen | null> {
    const [intentId] = String(secret.clientSecret).split('_secret_');
    const form = new URLSearchParams({
      key: secret.publishableKey,
      client_secret: secret.clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': card,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2034',
      'payment_method_data[card][cvc]': '123',
    });
    const told = await this.#api.ask({
      method: 'POST',
      path: `/sandbox/processor/v1/payment_intents/${intentId}/confirm`,
      body: form.toString(),
      contentType: 'application/x-www-form-urlencoded',
    });
    return told?.json ?? null;
  }

  /** Presses "approve" on the page of the pretended bank. */
  async approve(page: string): Promise<void> {
    const { pathname, searchParams } = new URL(page);
    const form = new URLSearchParams({ token: searchParams.get('token') ?? '', answer: 'approve' });
    await this.#processor.ask({
      method: 'POST',
      path: pathname,
      body: form.toString(),
      contentType: 'application/x-www-form-urlencoded',
    });
  }
}

export async function payShare(guests: Guests, booking: Booking, shareId: string, chance: Chance): Promise<void> {
  const { number, habit } = chance.weighed(CARDS);
  const secret = await guests.secretFor(booking, shareId);
  if (secret === null) return;
  const told = await guests.confirm(secret, number);
  const page = told?.next_action?.redirect_to_url?.url;
  if (habit === 'approve' && typeof page === 'string' && chance.often(0.8)) await guests.approve(page);
  if (habit !== 'again' || !chance.often(0.8)) return;
  const again = await guests.secretFor(booking, shareId);
  if (again !== null) await guests.confirm(again, GOOD);
}
