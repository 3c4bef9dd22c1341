// What a partner waits for: from the last card of a party to the partner's receiver holding checkout.completed, and from a
// create to checkout.created, with the server and the worker in processes of their own; against the sum of the parts that
// no design can leave out, measured in the same run.

import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Pool } from 'undici';
import type { Processor } from '../src/domain/payments/processor.ts';
import type { Bench, PreparedBench } from './bench.ts';
import { createOnce, newBody } from './create-load.ts';
import { type EventReceiver, openEventReceiver } from './event-receiver.ts';
import type { BenchFixture } from './fixture.ts';
import { percentile } from './latency.ts';

const PARTY_SIZE = 8;
/** Of a completion: the last hold and the checkout as funded, the decision to capture, the outcomes, the delivery. */
const COMMITS = { completed: 4, created: 2 };
const SAMPLES = { full: 10, quick: 2 };
const SHARE_AMOUNT = 6_000;
const CARD = '4242424242424242';
/** Events before the measured one are delivered meanwhile, and the loops come to rest. */
const REST_MS = 300;

export const lastShareToEvent: Bench = {
  name: 'last-share-to-event',
  floor: 0.4,
  goal: 0.6,
  unit: 'ms',
  better: 'less',
  note: 'A party of 8 of which 7 are held, the server and the worker apart, otherwise at rest: from the processor’s answer to the last card, which the guest’s page reports to the server at once, to the receiver holding checkout.completed; against its parts: 8 captures at the processor at the same time, 4 commits of one row, one signed post. Medians of 10 (2 with --quick).',
  rounds: { full: 5, quick: 1 },
  sides: { ours: 'last card to receiver', base: 'its parts' },
  prepare: (fixture) => prepare(fixture, 'completed'),
};

export const createToEvent: Bench = {
  name: 'create-to-event',
  isExtra: true,
  floor: 0.1,
  goal: 0.3,
  unit: 'ms',
  better: 'less',
  note: 'The server and the worker apart and otherwise at rest: from the first byte of POST /v1/checkouts to the receiver holding checkout.created; against its parts: 2 commits of one row, one signed post. Medians of 10.',
  rounds: { full: 5, quick: 1 },
  sides: { ours: 'create to receiver', base: 'its parts' },
  prepare: (fixture) => prepare(fixture, 'created'),
};

async function prepare(fixture: BenchFixture, kind: 'completed' | 'created'): Promise<PreparedBench> {
  const receiver = await openEventReceiver();
  const server = await fixture.getServer();
  const worker = fixture.startWorker();
  const { keys } = await fixture.makeVenue(1);
  const venue: Venue = { port: server.port, key: keys[0] ?? '' };
  await call(venue, '/v1/webhook_endpoints', 201, {
    url: receiver.url,
    events: ['checkout.created', 'checkout.completed'],
  });
  const pool = new Pool(new URL(receiver.url).origin, { connect: { rejectUnauthorized: false } });
  const samples = fixture.isQuick ? SAMPLES.quick : SAMPLES.full;
  const sample = kind === 'completed' ? sampleCompletion : sampleCreate;
  const parts = async (): Promise<number> =>
    (kind === 'completed' ? await captureMs(fixture.serverProcessor()) : 0) +
    (await commitMs(fixture.url, COMMITS[kind])) +
    (await postMs(pool));
  const medianOf = async (measure: () => Promise<number>): Promise<number> => {
    const times: number[] = [];
    while (times.length < samples) times.push(await measure());
    return percentile(times, 0.5);
  };
  const ours = (): Promise<number> => sample(fixture, venue, receiver);
  await ours();
  await parts();
  return {
    ours: () => medianOf(ours),
    base: () => medianOf(parts),
    async close() {
      await pool.close();
      await worker.stop();
      await server.stop();
      await receiver.close();
    },
  };
}

interface Venue {
  readonly port: number;
  readonly key: string;
}

async function call(
  { port, key }: { readonly port: number; readonly key: string },
  path: string,
  status: number,
  body: unknown = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`POST ${path} answered ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

async function sampleCreate(_fixture: BenchFixture, { port, key }: Venue, receiver: EventReceiver): Promise<number> {
  await delay(REST_MS);
  const startedAt = performance.now();
  const { id } = await createOnce(port, key, newBody(2));
  return (await receiver.heldAt('checkout.created', id)) - startedAt;
}

interface PartyShare {
  readonly id: string;
}

async function sampleCompletion(fixture: BenchFixture, venue: Venue, receiver: EventReceiver): Promise<number> {
  const { port } = venue;
  const guests = [];
  while (guests.length < PARTY_SIZE) guests.push(await fixture.makeGuest());
  const [organizer, ...others] = guests as [(typeof guests)[0], ...typeof guests];
  const { id } = await createOnce(port, venue.key, newBody(PARTY_SIZE));
  const asOrganizer = { port, key: organizer.token };
  const party = { members: others.map((guest) => ({ user_id: guest.id })), split: 'equal' };
  const { shares } = await call(asOrganizer, `/v1/public/checkouts/${id}/party`, 200, party);
  const [own, ...rest] = shares as [PartyShare, ...PartyShare[]];
  for (const share of rest) await call(venue, `/v1/test_helpers/checkouts/${id}/hold`, 200, { share_id: share.id });
  const secret = await call(asOrganizer, `/v1/public/shares/${own.id}/hold`, 200);
  await delay(REST_MS);
  await confirmCard(port, secret);
  const startedAt = performance.now();
  const look = await fetch(`http://127.0.0.1:${port}/c/${id}/look`, {
    method: 'POST',
    headers: {
      cookie: organizer.cookie,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ share: own.id }),
  });
  if (look.status !== 204) throw new Error(`POST look answered ${look.status}: ${(await look.text()).slice(0, 300)}`);
  return (await receiver.heldAt('checkout.completed', id)) - startedAt;
}

/** As the card form does. */
async function confirmCard(port: number, secret: Record<string, unknown>): Promise<void> {
  const clientSecret = String(secret.client_secret);
  const intentId = clientSecret.split('_secret_')[0] ?? '';
  const response = await fetch(`http://127.0.0.1:${port}/sandbox/processor/v1/payment_intents/${intentId}/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      key: String(secret.publishable_key),
      client_secret: clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': CARD,
      'payment_method_data[card][exp_month]': '12',
      'payment_method_data[card][exp_year]': '2034',
      'payment_method_data[card][cvc]': '123',
    }),
  });
  if (response.status !== 200) throw new Error(`the card was not confirmed: ${(await response.text()).slice(0, 300)}`);
}

/** 8 captures at the same time, of holds that were made before. */
async function captureMs(processor: Processor): Promise<number> {
  const intents = await Promise.all(Array.from({ length: PARTY_SIZE }, () => makeHold(processor)));
  const startedAt = performance.now();
  await Promise.all(intents.map((intent) => processor.capture(intent, SHARE_AMOUNT, `capture ${intent}`)));
  return performance.now() - startedAt;
}

async function makeHold(processor: Processor): Promise<string> {
  const id = randomUUID();
  const { intentId } = await processor.createHold({
    key: `hold ${id}`,
    amount: SHARE_AMOUNT,
    currency: 'usd',
    description: 'Cabana 3, Saturday 12 June',
    statementSuffix: null,
    metadata: { venueId: id, checkoutId: 'chk_bench', shareId: 'shr_bench', holdId: id },
    customerId: null,
    needsLongHold: false,
  });
  await processor.payWithTestCard(intentId, 'pm_card_visa', `card ${id}`);
  return intentId;
}

/** One row in each of several transactions, each synced to the disk. */
async function commitMs(url: string, commits: number): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('create table if not exists bench_commits (part integer)');
    const startedAt = performance.now();
    for (let n = 0; n < commits; n++) await client.query('insert into bench_commits values ($1)', [n]);
    return performance.now() - startedAt;
  } finally {
    await client.end();
  }
}

/** One signed post over an open connection. */
async function postMs(pool: Pool): Promise<number> {
  const body = JSON.stringify({ type: 'bench', data: { object: { id: 'chk_bench', description: 'x'.repeat(1_500) } } });
  const post = async (): Promise<void> => {
    const at = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', 'whsec_for_the_bench').update(`${at}.${body}`).digest('hex');
    const headers = { 'service-signature': `t=${at},v1=${signature}` };
    const response = await pool.request({ method: 'POST', path: '/', headers, body });
    await response.body.dump();
  };
  await post();
  const startedAt = performance.now();
  await post();
  return performance.now() - startedAt;
}
