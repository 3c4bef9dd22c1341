// The scenarios of a booking, from the create to a terminal state or until the client gives up. Clients repeat requests
// until they get a response; responses are recorded in the booking.

import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import { Booking, isTerminal, type Scenario } from './booking.ts';
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
      await pollUntilTerminal(context, booking, random, 20_000);
      break;
    case 'guests':
    case 'short':
      await guestsPay(context, booking, random, 1);
      await pollUntilTerminal(context, booking, random, 25_000);
      break;
    case 'abandon':
      await guestsPay(context, booking, random, 0.5);
      await advanceDays(context, booking);
      break;
    case 'cancel':
    case 'expire':
      await race(context, booking, random);
      break;
  }
  if (booking.terminalStates.has('completed')) {
    if (random.often(0.25)) await refund(context, booking, random);
    else context.refundable.push(booking);
  }
  if (random.often(0.5)) await refundEarlier(context, random);
}

/** At least this many bookings wait for a later refund, so that one is made long after its transfers. */
const MIN_REFUNDABLE = 2;

async function refundEarlier(context: LoadContext, random: SeededRandom): Promise<void> {
  const earlier = context.refundable.length > MIN_REFUNDABLE ? context.refundable.shift() : undefined;
  if (earlier !== undefined) await refund(context, earlier, random);
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
  const request = {
    method: 'POST',
    path: '/v1/checkouts',
    key: booking.venue.key,
    body: booking.body,
    ...(booking.idempotencyKey === null ? {} : { idempotencyKey: booking.idempotencyKey }),
  } as const;
  const copies = random.often(0.2) ? 2 : 1;
  const responses = await Promise.all(Array.from({ length: copies }, () => context.api.send(request)));
  for (const response of responses) {
    if (response === null) continue;
    if (response.status === 201) booking.acknowledged.push(response.text);
    else if (!(booking.scenario === 'short' && response.status === 422)) {
      booking.unexpected.push(`the create got ${response.status}: ${response.text.slice(0, 300)}`);
    }
    if (response.status === 201 && booking.id === null) {
      booking.id = (response.json as { id: string }).id;
      context.recorder.count('created');
    }
  }
  return booking.id !== null;
}

const DAY = 24 * 3_600_000;

/**
 * Advances the test clock of checkouts with more than eight days left, so that their holds come close to expiry and are
 * renewed.
 */
async function advanceDays(context: LoadContext, booking: Booking): Promise<void> {
  const { pay_by: payBy } = JSON.parse(booking.body) as { pay_by: string };
  if (Date.parse(payBy) - Date.now() < 8 * DAY) return;
  await runTestHelper(context, booking, 'advance', { to: new Date(Date.now() + 6.3 * DAY).toISOString() });
}

/** Reads the checkout until it is terminal, or until the timeout. */
async function pollUntilTerminal(
  context: LoadContext,
  booking: Booking,
  random: SeededRandom,
  timeoutMs: number,
): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (Date.now() < until && Date.now() < context.api.giveUpAt) {
    const seen = await read(context, booking);
    if (seen === null || isTerminal(seen.status)) return;
    if (random.often(0.1)) await list(context, booking);
    await delay(random.between(300, 1_200));
  }
}

async function list(context: LoadContext, booking: Booking): Promise<void> {
  const response = await context.api.send({ method: 'GET', path: '/v1/checkouts?limit=20', key: booking.venue.key });
  if (response !== null && response.status !== 200) booking.unexpected.push(`the list got ${response.status}`);
}

/** The payments race with a cancel or with expiry. */
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
    booking.unexpected.push(`the cancel got ${response.status}: ${response.text.slice(0, 200)}`);
    return;
  }
  booking.cancelAcknowledged = true;
  recordResponse(context, booking, response);
}

async function refund(context: LoadContext, booking: Booking, random: SeededRandom): Promise<void> {
  const { amount: total } = JSON.parse(booking.body) as { amount: number };
  for (let number = 0; number < random.between(1, 2); number++) {
    const amount = random.often(0.6) ? random.between(1, Math.floor(total / 3)) : null;
    const record = {
      idempotencyKey: `refund ${booking.name} ${number}`,
      amount,
      response: null as ClientResponse | null,
    };
    booking.refunds.push(record);
    record.response = await context.api.send({
      method: 'POST',
      path: `${pathOf(booking)}/refund`,
      key: booking.venue.key,
      idempotencyKey: record.idempotencyKey,
      body: JSON.stringify(amount === null ? {} : { amount }),
    });
    if (record.response === null) return;
    if (record.response.status === 200) recordResponse(context, booking, record.response);
    else if (record.response.status !== 409 && record.response.status !== 422) {
      booking.unexpected.push(`the refund got ${record.response.status}: ${record.response.text.slice(0, 200)}`);
    }
  }
}
