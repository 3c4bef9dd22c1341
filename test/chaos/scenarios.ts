// What partners and guests do with a booking, from the create to its end or to where they lose interest. They ask until
// they are answered; what they were told is written into the booking.

import { setTimeout as delay } from 'node:timers/promises';
import type { Chance } from '../support/seeded-random.ts';
import { Booking, isOver, type Wish } from './booking.ts';
import type { Told } from './client.ts';
import { guestsPay } from './parties.ts';
import { drive, note, pathOf, read, type Town } from './partner.ts';

const WISHES: readonly (readonly [number, Wish])[] = [
  [28, 'complete'],
  [34, 'guests'],
  [10, 'abandon'],
  [12, 'cancel'],
  [8, 'expire'],
  [10, 'short'],
];

export async function tellStory(town: Town, number: number, chance: Chance, bookings: Booking[]): Promise<void> {
  const booking = newBooking(town, number, chance);
  bookings.push(booking);
  if (!(await create(town, booking, chance))) return;
  switch (booking.wish) {
    case 'complete':
      await drive(town, booking, 'complete');
      await follow(town, booking, chance, 20_000);
      break;
    case 'guests':
    case 'short':
      await guestsPay(town, booking, chance, 1);
      await follow(town, booking, chance, 25_000);
      break;
    case 'abandon':
      await guestsPay(town, booking, chance, 0.5);
      await letDaysPass(town, booking);
      break;
    case 'cancel':
    case 'expire':
      await race(town, booking, chance);
      break;
  }
  if (booking.ends.has('completed') && chance.often(0.4)) await refund(town, booking, chance);
}

function newBooking(town: Town, number: number, chance: Chance): Booking {
  const wish = chance.weighed(WISHES);
  const shop = chance.pick(town.shops);
  const party = chance.between(2, 5);
  const name = `bk-${town.seed}-${number}`;
  const aheadMs = wish === 'short' ? chance.between(6_000, 18_000) : chance.pick([3, 30, 300]) * 3_600_000;
  const body = {
    amount: chance.between(party * 100, 60_000),
    currency: 'usd',
    party_size: party,
    pay_by: new Date(Date.now() + aheadMs).toISOString(),
    description: `Cabana ${number}`,
    return_url: 'https://harbor.example/bookings/1',
    external_booking_id: name,
    metadata: { number: String(number), wish },
  };
  const key = chance.often(0.6) ? `create ${name}` : null;
  return new Booking(name, shop, wish, key, JSON.stringify(body));
}

async function create(town: Town, booking: Booking, chance: Chance): Promise<boolean> {
  const question = {
    method: 'POST',
    path: '/v1/checkouts',
    key: booking.shop.key,
    body: booking.body,
    ...(booking.idempotencyKey === null ? {} : { idempotencyKey: booking.idempotencyKey }),
  } as const;
  const twins = chance.often(0.2) ? 2 : 1;
  const answers = await Promise.all(Array.from({ length: twins }, () => town.api.ask(question)));
  for (const told of answers) {
    if (told === null) continue;
    if (told.status === 201) booking.acknowledged.push(told.text);
    else if (!(booking.wish === 'short' && told.status === 422)) {
      booking.broken.push(`the create was answered ${told.status}: ${told.text.slice(0, 300)}`);
    }
    if (told.status === 201 && booking.id === null) {
      booking.id = (told.json as { id: string }).id;
      town.recorder.mark('created');
    }
  }
  return booking.id !== null;
}

const DAY = 24 * 3_600_000;

/** Where there is so much time, the holds come close to their end and are renewed. */
async function letDaysPass(town: Town, booking: Booking): Promise<void> {
  const { pay_by: payBy } = JSON.parse(booking.body) as { pay_by: string };
  if (Date.parse(payBy) - Date.now() < 8 * DAY) return;
  await drive(town, booking, 'advance', { to: new Date(Date.now() + 6.3 * DAY).toISOString() });
}

/** Looks at it until it is over, or for as long as anybody would. */
async function follow(town: Town, booking: Booking, chance: Chance, patienceMs: number): Promise<void> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until && Date.now() < town.api.giveUpAt) {
    const seen = await read(town, booking);
    if (seen === null || isOver(seen.status)) return;
    if (chance.often(0.1)) await list(town, booking);
    await delay(chance.between(300, 1_200));
  }
}

async function list(town: Town, booking: Booking): Promise<void> {
  const told = await town.api.ask({ method: 'GET', path: '/v1/checkouts?limit=20', key: booking.shop.key });
  if (told !== null && told.status !== 200) booking.broken.push(`the list was answered ${told.status}`);
}

/** The last holds, and a cancel or the end of its time, all at once. */
async function race(town: Town, booking: Booking, chance: Chance): Promise<void> {
  const end = async (): Promise<void> => {
    await delay(chance.pick([0, 0, 100, 500, 2_000]));
    if (booking.wish === 'expire') await drive(town, booking, 'expire');
    else await cancel(town, booking);
  };
  if (chance.often(0.2)) return end();
  await Promise.all([guestsPay(town, booking, chance, 1), end()]);
  await read(town, booking);
}

async function cancel(town: Town, booking: Booking): Promise<void> {
  const told = await town.api.ask({ method: 'POST', path: `${pathOf(booking)}/cancel`, key: booking.shop.key });
  if (told === null || told.status === 409) return;
  if (told.status !== 200) {
    booking.broken.push(`the cancel was answered ${told.status}: ${told.text.slice(0, 200)}`);
    return;
  }
  booking.cancelAcknowledged = true;
  note(town, booking, told);
}

async function refund(town: Town, booking: Booking, chance: Chance): Promise<void> {
  const { amount: total } = JSON.parse(booking.body) as { amount: number };
  for (let turn = 0; turn < chance.between(1, 2); turn++) {
    const amount = chance.often(0.6) ? chance.between(1, Math.floor(total / 3)) : null;
    const refunding = { idempotencyKey: `refund ${booking.name} ${turn}`, amount, told: null as Told | null };
    booking.refunds.push(refunding);
    refunding.told = await town.api.ask({
      method: 'POST',
      path: `${pathOf(booking)}/refund`,
      key: booking.shop.key,
      idempotencyKey: refunding.idempotencyKey,
      body: JSON.stringify(amount === null ? {} : { amount }),
    });
    if (refunding.told === null) return;
    if (refunding.told.status === 200) note(town, booking, refunding.told);
    else if (refunding.told.status !== 409 && refunding.told.status !== 422) {
      booking.broken.push(`the refund was answered ${refunding.told.status}: ${refunding.told.text.slice(0, 200)}`);
    }
  }
}
