// What the pages say of money and of the booking's rules: the card that is held, the policy with its times, who had paid, and
// refunds that are whole, or that did not arrive.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatHours } from '../../src/base/translations.ts';
import { createPerson, type Person } from '../support/create-person.ts';
import { bookingId, CARDS, DAY, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const REFUND_FAILS = '4000000000005126';
const START = '2031-07-05T21:00:00Z';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

interface Group {
  readonly id: string;
  readonly shares: Json;
  readonly ada: Person;
  readonly ben: Person;
}

/** Ada organizes for Ben and herself. */
async function group(overrides: object = {}, split: object | string = 'equal'): Promise<Group> {
  const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
  const checkout = await venue.create({ amount: 8_000, party_size: 4, ...overrides });
  const custom = split === 'equal' ? split : { custom: { [ada.id]: 1_000, [ben.id]: 7_000 } };
  const body = { members: [{ user_id: ben.id }], split: custom };
  const response = await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, { key: ada.token, body });
  expect(response.status, response.text).toBe(200);
  return { id: checkout.id, shares: response.json.shares, ada, ben };
}

/** Ada pays with a good card, Ben with this one. */
async function completed(benCard: string = CARDS.good, overrides: object = {}): Promise<Group> {
  const made = await group(overrides);
  await venue.payAll(made, [CARDS.good, benCard]);
  await venue.finishDueWork(made.id);
  expect((await venue.read(made.id)).status).toBe('completed');
  return made;
}

/** The page's text as a person reads it. */
async function read(id: string, person: Person | null): Promise<string> {
  const response = await world.call('GET', `/c/${id}`, { headers: person === null ? {} : { cookie: person.cookie } });
  expect(response.status).toBe(200);
  return response.text
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll(/\s+/g, ' ');
}

describe('the card', () => {
  it('is named by brand and last four digits to the guest who paid with it, and to no other', async () => {
    const made = await group();
    await venue.pay(made.id, made.shares[1].id, '5555555555554444');
    expect(await read(made.id, made.ben)).toContain('$40.00 is held on Mastercard ···· 4444. Nothing is charged yet.');
    expect(await read(made.id, made.ada)).not.toContain('4444');
    expect(await read(made.id, null)).not.toContain('4444');
    await venue.pay(made.id, made.shares[0].id, CARDS.good);
    await venue.finishDueWork(made.id);
    expect(await read(made.id, made.ben)).toContain('Card Mastercard ···· 4444');
    expect(await read(made.id, made.ada)).toContain('Card Visa ···· 4242');
  });
});

describe('the policy of what is booked', () => {
  const offering = async (policy: object): Promise<string> => {
    const external_id = bookingId();
    const tiers = [{ amount: 1, currency: 'usd', unit: 'per_group' }];
    const response = await venue.post('/v1/offerings', { external_id, kind: 'cabana', title: 'Cabana', tiers, policy });
    expect(response.status, response.text).toBe(201);
    return external_id;
  };
  const cancellation = [
    { hours_before: 24, refund_pct: 50 },
    { hours_before: 48, refund_pct: 100 },
  ];

  it('names the time until which each part comes back, before and after paying', async () => {
    const offering_external_id = await offering({
      cancellation,
      min_age: 21,
      dress_code: 'Swimwear',
      notes: 'Bring a hat.',
    });
    const made = await completed(CARDS.good, { offering_external_id, starts_at: START });
    const open = await group({ offering_external_id, starts_at: START });
    for (const text of [await read(made.id, made.ben), await read(open.id, open.ben), await read(open.id, null)]) {
      expect(text).toContain(
        'Until Thu, Jul 3, 9:00 PM UTC : 100% back Until Fri, Jul 4, 9:00 PM UTC : 50% back After that: nothing back',
      );
      expect(text).toContain('Guests must be 21 or older. Dress code: Swimwear Bring a hat.');
    }
  });

  it('says hours without a start, and nothing without rules', async () => {
    const made = await group({ offering_external_id: await offering({ cancellation }) });
    const text = await read(made.id, made.ben);
    expect(text).toContain('48 hours or more before the start: 100% back');
    expect(text).not.toContain('Good to know');
    const plain = await group();
    expect(await read(plain.id, plain.ben)).not.toContain('Cancellation policy');
  });
});

describe('a refund', () => {
  it('of everything is on every page, also that of a guest who is not signed in', async () => {
    const made = await completed();
    expect(await read(made.id, null)).toContain('This booking is paid');
    expect((await venue.post(`/v1/checkouts/${made.id}/refund`)).status).toBe(200);
    await venue.finishDueWork(made.id);
    expect(await read(made.id, made.ben)).toContain('Your $40.00 is on its way back.');
    const anonymous = await read(made.id, null);
    expect(anonymous).not.toContain('is paid');
    expect(anonymous).toContain('refunded everyone who paid.');
  });

  it('that did not reach a guest is not on that guest’s page as one of everyone', async () => {
    const made = await completed(REFUND_FAILS);
    expect((await venue.post(`/v1/checkouts/${made.id}/refund`)).status).toBe(200);
    await venue.finishDueWork(made.id);
    world.processorClock.aheadMs += 31_000;
    await venue.finishDueWork(made.id);
    await venue.finishDueWork(made.id);
    expect((await venue.read(made.id)).failed_refund_amount).toBe(4_000);
    const text = await read(made.id, made.ben);
    expect(text).toContain('Your $40.00 has not reached you yet.');
    expect(text).not.toContain('everyone');
    expect(text).toContain('You paid $40.00');
    expect(await read(made.id, made.ada)).toContain('Your $40.00 is on its way back.');
  });

  it('of all that a dispute has left ends the booking for the guest who disputed too', async () => {
    const made = await completed();
    await world.db.query('update shares set lost_amount = amount where share_id = $1', [made.shares[1].id]);
    await venue.post(`/v1/checkouts/${made.id}/refund`);
    await venue.finishDueWork(made.id);
    expect(await read(made.id, made.ben)).not.toContain('It’s booked');
  });
});

describe('a group', () => {
  it('that did not pay in time reads who had paid, and that no share waits any more', async () => {
    const made = await group();
    await venue.pay(made.id, made.shares[1].id, CARDS.good);
    await venue.runTestHelper(made.id, 'expire');
    const text = await read(made.id, made.ben);
    expect(text).toContain('1 of 2 had paid');
    expect(text).toContain('Ada : Had not paid');
    expect(text).not.toContain('Waiting');
  });

  it('of unequal shares is shown no share that no one pays', async () => {
    const made = await group({}, 'custom');
    expect(await read(made.id, null)).not.toContain('$40.00 each');
    const equal = await group();
    expect(await read(equal.id, null)).toContain('$40.00 each');
  });
});

describe('the hours of a booking', () => {
  const hours = (length: number): string =>
    formatHours('en', Date.parse(START), Date.parse(START) + length, 'America/New_York').replaceAll('\u202f', ' ');

  it('name the day of an end on a later day, but not of the end of a night', () => {
    expect(hours(DAY / 8)).toBe('Saturday 5:00 PM – 8:00 PM');
    expect(hours(DAY / 3)).toBe('Saturday 5:00 PM – 1:00 AM');
    expect(hours(3 * DAY)).toBe('Saturday 5:00 PM – Tuesday, Jul 8, 5:00 PM');
  });
});
