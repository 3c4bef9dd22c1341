// A venue with guests, for the tests about them: people who can sign in, checkouts, parties, and cards.

import { expect } from 'vitest';
import { createMember } from '../../src/domain/members/create-member.ts';
import {
  type HttpResponse,
  openSharedWorld,
  openTestWorld,
  type TestWorld,
  type TestWorldOptions,
} from '../support/test-world.ts';

export interface Person {
  readonly id: string;
  readonly token: string;
  readonly phone: string;
}

export interface SentMessage {
  readonly to: string;
  readonly kind: string;
  readonly status: string;
  readonly text: string;
}

export const ORIGIN = 'https://harbor.example';
export const DECLINED = '4000000000000002';

/** Of this worker, because fixtures may share a world. */
let memberCount = 0;

/** Without options the world may be shared with other files. */
export async function openGuestFixture(options: TestWorldOptions | null = null) {
  const world = await (options === null ? openSharedWorld() : openTestWorld(options));
  const opened = await world.venue({ origins: [ORIGIN] });
  const venueId = opened.venue.id;
  const publishable = opened.publishableTest;
  const { key } = await world.key(venueId, { writesPerHour: 100_000, readsPerHour: 100_000 });

  async function createPerson(name: string | null = null): Promise<Person> {
    const phone = `+1212555${String(memberCount++).padStart(4, '0')}`;
    const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }));
    return { id, phone, token: await world.context.tokens.sign(id) };
  }

  async function checkout(overrides: Record<string, unknown> = {}): Promise<string> {
    const response = await world.call('POST', '/v1/checkouts', {
      key,
      body: {
        amount: 10_000,
        currency: 'usd',
        party_size: 4,
        pay_by: new Date(Date.now() + 3 * 86_400_000).toISOString(),
        description: 'Cabana 3',
        return_url: `${ORIGIN}/thanks`,
        external_booking_id: `bk-${memberCount++}`,
        ...overrides,
      },
    });
    expect(response.status, response.text).toBe(201);
    return response.json.id as string;
  }

  const party = (
    id: string,
    person: Person,
    members: readonly unknown[],
    split: unknown = 'equal',
  ): Promise<HttpResponse> =>
    world.call('POST', `/v1/public/checkouts/${id}/party`, { key: person.token, body: { members, split } });
  const hold = (share: string, person: Person, headers: Record<string, string> = {}): Promise<HttpResponse> =>
    world.call('POST', `/v1/public/shares/${share}/hold`, { key: person.token, headers });
  const view = async (id: string, person: Person) =>
    (await world.call('GET', `/v1/public/checkouts/${id}`, { key: person.token })).json;
  const advance = (id: string, to: number): Promise<HttpResponse> =>
    world.call('POST', `/v1/test_helpers/checkouts/${id}/advance`, { key, body: { to: new Date(to).toISOString() } });

  /** An offering in a time zone, by its external id. */
  async function offering(timezone: string): Promise<string> {
    const external_id = `cabana-${memberCount++}`;
    const response = await world.call('POST', '/v1/offerings', {
      key,
      body: {
        external_id,
        title: 'Cabana',
        kind: 'cabana',
        category: 'dining',
        tiers: [{ amount: 4500, currency: 'usd', unit: 'per_person' }],
        availability: { timezone, slots: [] },
      },
    });
    expect(response.status, response.text).toBe(201);
    return external_id;
  }

  /** What was sent to a phone, the newest first. */
  async function outbox(phone: string, kind?: string): Promise<SentMessage[]> {
    const response = await world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
    return response.json.data.filter(
      (sent: SentMessage) => sent.to === phone && (kind === undefined || sent.kind === kind),
    );
  }

  return {
    world,
    venueId,
    key,
    publishable,
    createPerson,
    checkout,
    party,
    hold,
    view,
    advance,
    offering,
    outbox,
    ...cards(world),
  };
}

export type GuestFixture = Awaited<ReturnType<typeof openGuestFixture>>;

function cards(world: TestWorld) {
  /** Confirms with a card as a browser does, and returns the processor’s status. */
  async function confirm(response: HttpResponse, card = '4242424242424242'): Promise<number> {
    expect(response.status, response.text).toBe(200);
    const { client_secret, publishable_key } = response.json;
    const intent = String(client_secret).split('_secret_')[0];
    const form = new URLSearchParams({
      key: publishable_key,
      client_secret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': card,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2034',
      'payment_method_data[card][cvc]': '123',
    });
    const path = `/sandbox/processor/v1/payment_intents/${intent}/confirm`;
    return (await fetch(`${world.urls[0]}${path}`, { method: 'POST', body: form })).status;
  }

  /** The worker polls every open hold, and runs the work that follows. */
  async function pollHolds(): Promise<void> {
    await world.db.query("update holds set due_at = to_timestamp(0) where status = 'open'");
    await world.work();
  }

  async function pay(response: HttpResponse, card?: string): Promise<number> {
    const status = await confirm(response, card);
    await pollHolds();
    return status;
  }

  return { confirm, pollHolds, pay };
}

/** Status, code, and the field or the reason. */
export const statusAndError = (response: HttpResponse) => [
  response.status,
  response.json?.error?.code,
  response.json?.error?.field ?? response.json?.error?.reason,
];
