// What partners and guests do with a booking, from the create to its end or to where they lose interest. They ask until
// they are answered; what they were told is written into the booking.

import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import { Booking, isOver, type Scenario } from './booking.ts';
import type { ClientResponse } from './client.ts';
import { guestsPay } from './parties.ts';
import { type LoadContext, pathOf, read, recordResponse, runTestHelper } from './partner.ts';

const SCENARIOS: readonly (readonly [number, Scenario])[] = [
  [28, 'complete'],
  [34, 'guests'],
  [10, 'abandon'],
  [12, 'cancel'],
  [8, 'expire'],
  [10, 'short'],
];

export async function runScenario(
  context: LoadContext,
  number: number,
  random: SeededRandom,
  bookings: Booking[],
): Promise<void> {
  const booking = newBooking(context, number, random);
  bookings.push(booking);
  if (!(await create(context, booking, random))) return;
  switch (booking.scenario) {
    case 'complete':
      await runTestHelper(context, booking, 'complete');
      await follow(context, booking, random, 20_000);
      break;
    case 'guests':
    case 'short':
      await guestsPay(context, booking, random, 1);
      await follow(context, booking, random, 25_000);
      break;
    case 'abandon':
      await guestsPay(context, booking, random, 0.5);
      await letDaysPass(context, booking);
      break;
    case 'cancel':
    case 'expire':
      await race(context, booking, random);
      break;
  }
  if (booking.ends.has('completed') && random.often(0.4)) await refund(context, booking, random);
}

function newBooking(context: LoadContext, number: number, random: SeededRandom): Booking {
  const scenario = random.weighed(SCENARIOS);
  const venue = random.pick(context.venues);
  const party = random.between(2, 5);
  const name = `bk-${context.seed}-${number}`;
  const aheadMs = scenario === 'short' ? random.between(6_000, 18_000) : random.pick([3, 30, 300]) * 3_600_000;
  const body = {
    amount: random.between(party * 100, 60_000),
    currency: 'usd',
    party_size: party,
    pay_by: new Date(Date.now() + aheadMs).toISOString(),
    description: `Cabana ${number}`,
    return_url: 'https://harbor.example/bookings/1',
    external_booking_id: name,
    metadata: { number: String(number), scenario },
  };
  const key = random.often(0.6) ? `create ${name}` : null;
  return new Booking(name, venue, scenario, key, JSON.stringify(body));
}

async function create(context: LoadContext, booking: Booking, random: SeededRandom): Promise<boolean> {
  const question = {
    method: 'POST',
    path: '/v1/checkouts',
    key: booking.venue.key,
    body: booking.body,
    ...(booking.idempotencyKey === null ? {} : { idempotencyKey: booking.idempotencyKey }),
  } as const;
  const twins = random.often(0.2) ? 2 : 1;
  const answers = await Promise.all(Array.from({ length: twins }, () => context.api.send(question)));
  for (const response of answers) {
    if (response === null) continue;
    if (response.status === 201) booking.acknowledged.push(response.text);
    else if (!(booking.scenario === 'short' && response.status === 422)) {
      booking.broken.push(`the create was answered ${response.status}: ${response.text.slice(0, 300)}`);
    }
    if (response.status === 201 && booking.id === null) {
      booking.id = (response.json as { id: string }).id;
      context.recorder.mark('created');
    }
  }
  return booking.id !== null;
}

const DAY = 24 * 3_600_000;

/** Where there is so much time, the holds come close to their end and are renewed. */
async function letDaysPass(context: LoadContext, booking: Booking): Promise<void> {
  const { pay_by: payBy } = JSON.parse(booking.body) as { pay_by: string };
  if (Date.parse(payBy) - Date.now() < 8 * DAY) return;
  await runTestHelper(context, booking, 'advance', { to: new Date(Date.now() + 6.3 * DAY).toISOString() });
}

/** Looks at it until it is over, or for as long as anybody would. */
async function follow(context: LoadContext, booking: Booking, random: SeededRandom, patienceMs: number): Promise<void> {
  const until = Date.now() + patienceMs;
  while (Date.now() < until && Date.now() < context.api.giveUpAt) {
    const seen = await read(context, booking);
    if (seen === null || isOver(seen.status)) return;
    if (random.often(0.1)) await list(context, booking);
    await delay(random.between(300, 1_200));
  }
}

async function list(context: LoadContext, booking: Booking): Promise<void> {
  const response = await context.api.send({ method: 'GET', path: '/v1/checkouts?limit=20', key: booking.venue.key });
  if (response !== null && response.status !== 200) booking.broken.push(`the list was answered ${response.status}`);
}

/** The last holds, and a cancel or the end of its time, all at once. */
async function race(context: LoadContext, booking: Booking, random: SeededRandom): Promise<void> {
  const end = async (): Promise<void> => {
    await delay(random.pick([0, 0, 100, 500, 2_000]));
    if (booking.scenario === 'expire') await runTestHelper(context, booking, 'expire');
    else await cancel(context, booking);
  };
  if (random.often(0.2)) return end();
  await Promise.all([guestsPay(context, booking, random, 1), end()]);
  await read(context, booking);
}

async function cancel(context: LoadContext, booking: Booking): Promise<void> {
  const response = await context.api.send({
    method: 'POST',
    path: `${pathOf(booking)}/cancel`,
    key: booking.venue.key,
  });
  if (response === null || response.status === 409) return;
  if (response.status !== 200) {
    booking.broken.push(`the cancel was answered ${response.status}: ${response.text.slice(0, 200)}`);
    return;
  }
  booking.cancelAcknowledged = true;
  recordResponse(context, booking, response);
}

async function refund(context: LoadContext, booking: Booking, random: SeededRandom): Promise<void> {
  const { amount: total } = JSON.parse(booking.body) as { amount: number };
  for (let turn = 0; turn < random.between(1, 2); turn++) {
    const amount = random.often(0.6) ? random.between(1, Math.floor(total / 3)) : null;
    const refunding = {
      idempotencyKey: `refund ${booking.name} ${turn}`,
      amount,
      response: null as ClientResponse | null,
    };
    booking.refunds.push(refunding);
    refunding.response = await context.api.send({
      method: 'POST',
      path: `${pathOf(booking)}/refund`,
      key: booking.venue.key,
      idempotencyKey: refunding.idempotencyKey,
      body: JSON.stringify(amount === null ? {} : { amount }),
    });
    if (refunding.response === null) return;
    if (refunding.response.status === 200) recordResponse(context, booking, refunding.response);
    else if (refunding.response.status !== 409 && refunding.response.status !== 422) {
      booking.broken.push(
        `the refund was answered ${refunding.response.status}: ${refunding.response.text.slice(0, 200)}`,
      );
    }
  }
}
