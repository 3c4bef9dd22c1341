// One card for several shares: the organizer holds the first share with the card form, and the server holds the others
// with the saved card, each once, also when a call fails or is repeated. The card of another member, of another
// checkout, or one that is not saved pays nothing.

import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { problemOfCard } from '../../src/domain/checkouts/guests/guest-queries.ts';
import { stripeClient } from '../support/test-processor.ts';
import { CARDS, type Json } from '../support/test-venue.ts';
import { type HttpResponse, PROCESSOR_KEYS } from '../support/test-world.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

let fixture: GuestFixture;
let stripe: Stripe;
beforeAll(async () => {
  fixture = await openGuestFixture({});
  stripe = stripeClient(fixture.world.processor.port, PROCESSOR_KEYS.test.secret);
});
afterAll(() => fixture.world.close());
afterEach(() => fixture.world.processor.api.faults.clear());

const ASKS_ITS_OWNER = '4000002760003184';

interface Group {
  readonly ada: Person;
  readonly ben: Person;
  readonly id: string;
  readonly shares: readonly string[];
}

/** Ada's party: herself, Ben, Cleo and Dan, 25.00 each. */
async function fourOf(): Promise<Group> {
  const people: Person[] = [];
  for (const name of ['Ada', 'Ben', 'Cleo', 'Dan']) people.push(await fixture.createPerson(name));
  const [ada, ben] = people as [Person, Person];
  const id = await fixture.checkout();
  const members = people.map((person) => ({ user_id: person.id }));
  const shares = (await fixture.party(id, ada, members)).json.shares.map((share: Json) => share.id);
  return { ada, ben, id, shares };
}

function hold(share: string | undefined, person: Person, body: Json = {}): Promise<HttpResponse> {
  return fixture.world.call('POST', `/v1/public/shares/${share}/hold`, { key: person.token, body });
}

/** Ada holds the second share with a card that is saved. */
async function holdFirst({ ada, shares }: Group, card: string = CARDS.good): Promise<void> {
  await fixture.pay(await hold(shares[1], ada, { save_card: true }), card);
}

const statuses = async ({ id, ada }: Group): Promise<string[]> =>
  (await fixture.view(id, ada)).shares.map(({ status }: Json) => status);

async function intentsOf(id: string): Promise<Stripe.PaymentIntent[]> {
  const { data } = await stripe.paymentIntents.list({ limit: 100 });
  return data.filter(({ metadata }) => metadata.checkout_id === id).reverse();
}

/** What a browser sees of the intent. */
async function intentOf(response: HttpResponse): Promise<Json> {
  const { client_secret, publishable_key: key } = response.json;
  const [intent] = String(client_secret).split('_secret_');
  const query = new URLSearchParams({ key, client_secret });
  return (await fetch(`${fixture.world.processor.url}/v1/payment_intents/${intent}?${query}`)).json();
}

async function approve(response: HttpResponse): Promise<string | null> {
  const { next_action: action } = await intentOf(response);
  const url = action.use_stripe_sdk?.stripe_js ?? action.redirect_to_url.url;
  const token = new URL(url).searchParams.get('token') ?? '';
  const body = new URLSearchParams({ token, answer: 'approve' });
  return (await fetch(url, { method: 'POST', body, redirect: 'manual' })).headers.get('location');
}

describe('the saved card of a share', () => {
  it('holds the other shares of the same payer without the card form, and completes the checkout', async () => {
    const group = await fourOf();
    const { ada, shares, id } = group;
    await holdFirst(group);
    for (const share of [shares[2], shares[3]]) {
      const { json } = await hold(share, ada, { card_share_id: shares[1] });
      expect(json).toMatchObject({ status: 'held', saves_card: true, decline_code: null });
    }
    expect(await statuses(group)).toEqual(['invited', 'held', 'held', 'held']);
    const intents = await intentsOf(id);
    expect(intents.map(({ status }) => status)).toEqual(['requires_capture', 'requires_capture', 'requires_capture']);
    expect(new Set(intents.map(({ customer }) => customer)).size).toBe(1);
    expect(new Set(intents.map(({ payment_method }) => payment_method)).size).toBe(1);
    // The last share, with the card of one that was itself held with a saved card.
    expect((await hold(shares[0], ada, { card_share_id: shares[3] })).json.status).toBe('held');
    expect((await fixture.view(id, ada)).status).toBe('completed');
    expect((await intentsOf(id)).map(({ amount_received }) => amount_received)).toEqual([2500, 2500, 2500, 2500]);
  });

  it('pays for no other member, no other checkout, and not before it is held and saved', async () => {
    const group = await fourOf();
    const { ada, ben, shares } = group;
    const other = await fourOf();
    await holdFirst(other);
    const refused = [409, 'conflict', 'card_not_saved'];
    // Not requested; of another checkout; unknown; open.
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: shares[1] }))).toEqual(refused);
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: other.shares[1] }))).toEqual(refused);
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: `shr_${'0'.repeat(26)}` }))).toEqual(refused);
    await hold(shares[1], ada, { save_card: true });
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: shares[1] }))).toEqual(refused);
    // Held by Ben himself, with a card that is saved.
    await fixture.pay(await hold(shares[1], ben, { save_card: true }));
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: shares[1] }))).toEqual(refused);
    // Held by Ada, and not saved.
    await fixture.pay(await hold(shares[3], ada));
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: shares[3] }))).toEqual(refused);
    const rows = await fixture.world.db.query('select 1 from holds where share_id = $1', [shares[2]]);
    expect(rows).toEqual([]);
    expect(await statuses(group)).toEqual(['invited', 'held', 'invited', 'held']);
  });

  it('that is declined later leaves the earlier shares held, and another card goes on', async () => {
    const group = await fourOf();
    const { ada, shares, id } = group;
    await holdFirst(group, CARDS.oneHoldAtATime);
    const declined = await hold(shares[2], ada, { card_share_id: shares[1] });
    expect(declined.json).toMatchObject({ status: 'requires_card', decline_code: 'insufficient_funds' });
    expect(await statuses(group)).toEqual(['invited', 'held', 'failed', 'invited']);
    // The page of the guest whose share it is does not say that their bank declined a card.
    const problemFor = (member: string) => problemOfCard(fixture.world.db, fixture.venueId, shares[2] ?? '', member);
    expect([await problemFor(ada.id), await problemFor(randomUUID())]).toEqual(['declined', null]);
    // The card form pays with the same secret, and its card is saved in turn.
    const again = await hold(shares[2], ada, { save_card: true });
    expect(again.json).toEqual({ ...declined.json, decline_code: null });
    expect(await fixture.pay(again)).toBe(200);
    expect((await hold(shares[3], ada, { card_share_id: shares[2] })).json.status).toBe('held');
    expect(await statuses(group)).toEqual(['invited', 'held', 'held', 'held']);
    expect(await intentsOf(id)).toHaveLength(3);
  });

  it('whose bank asks leads the guest through it on the page, or back to it', async () => {
    const group = await fourOf();
    const { ada, shares, id } = group;
    const first = await hold(shares[1], ada, { save_card: true });
    await fixture.confirm(first, ASKS_ITS_OWNER);
    await approve(first);
    // The browser's report may be lost: the request that names the card asks the processor itself.
    const second = await hold(shares[2], ada, { card_share_id: shares[1] });
    expect(second.json).toMatchObject({ status: 'requires_action', decline_code: null });
    expect((await intentOf(second)).next_action.type).toBe('use_stripe_sdk');
    expect(await statuses(group)).toEqual(['invited', 'held', 'invited', 'invited']);
    const back = new URL((await approve(second)) ?? '');
    expect([back.pathname, back.searchParams.get('cover'), back.searchParams.get('paid')]).toEqual([
      `/c/${id}`,
      'rest',
      shares[2],
    ]);
    await fixture.pollHolds();
    expect(await statuses(group)).toEqual(['invited', 'held', 'held', 'invited']);
  });

  it('holds a share once, however often and at once it is requested', async () => {
    const group = await fourOf();
    const { ada, shares, id } = group;
    await holdFirst(group);
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => hold(shares[2], ada, { card_share_id: shares[1] })),
    );
    for (const response of responses) {
      const [status, , reason] = statusAndError(response);
      expect([200, 409, 503], response.text).toContain(status);
      if (status === 409) expect(reason).toBe('share_already_held');
    }
    expect(statusAndError(await hold(shares[2], ada, { card_share_id: shares[1] }))).toEqual([
      409,
      'conflict',
      'share_already_held',
    ]);
    const intents = (await intentsOf(id)).filter(({ metadata }) => metadata.share_id === shares[2]);
    expect(intents.map(({ status }) => status)).toEqual(['requires_capture']);
  });

  it.each(['error_500_rolled_back', 'error_500_after', 'error_500', 'drop_connection'] as const)(
    'holds a share once when the processor’s answer is lost: %s',
    async (kind) => {
      const group = await fourOf();
      const { ada, shares, id } = group;
      await holdFirst(group);
      const { faults } = fixture.world.processor.api;
      faults.set({ rules: [{ id: 'confirm', on: 'payment_intents.confirm', kind, times: 1 }] });
      const first = await hold(shares[2], ada, { card_share_id: shares[1] });
      expect([200, 503], first.text).toContain(first.status);
      const second = await hold(shares[2], ada, { card_share_id: shares[1] });
      expect([200, 409], second.text).toContain(second.status);
      expect(await statuses(group)).toEqual(['invited', 'held', 'held', 'invited']);
      const intents = (await intentsOf(id)).filter(({ metadata }) => metadata.share_id === shares[2]);
      expect(intents.map(({ status }) => status)).toEqual(['requires_capture']);
    },
  );

  it('is saved also when the share was requested before without saving it; the first secret is useless then', async () => {
    const group = await fourOf();
    const { ada, shares } = group;
    const first = await hold(shares[1], ada);
    expect(first.json.saves_card).toBe(false);
    const second = await hold(shares[1], ada, { save_card: true });
    expect(second.json.saves_card).toBe(true);
    expect(await fixture.confirm(first)).toBe(400);
    // A request that does not ask for it gets the same hold.
    expect((await hold(shares[1], ada)).json).toEqual(second.json);
    await fixture.pay(second);
    expect((await hold(shares[2], ada, { card_share_id: shares[1] })).json.status).toBe('held');
  });
});
