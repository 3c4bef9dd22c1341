// The commands about money in a process of their own, as a worker runs them: the real database, the stripe adapter, and
// the embedded processor in its own process.

import { join } from 'node:path';
import { systemClock } from '../src/base/clock.ts';
import { readConfig } from '../src/base/config.ts';
import { type Db, openDb } from '../src/base/db.ts';
import { makeLog } from '../src/base/log.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { expireDue } from '../src/domain/checkouts/expire.ts';
import { holdShare } from '../src/domain/checkouts/holds/hold-share.ts';
import { settleHoldNow } from '../src/domain/checkouts/holds/settle-hold.ts';
import { decideParty } from '../src/domain/checkouts/party/decide-party.ts';
import { decideUnderLock, type PaymentServices } from '../src/domain/checkouts/payment-services.ts';
import { insertCheckout } from '../src/domain/checkouts/queries.ts';
import { callKeys } from '../src/domain/payments/hold.ts';
import { findHold } from '../src/domain/payments/queries.ts';
import { makeStripeProcessor } from '../src/domain/payments/stripe.ts';
import { makeContext, readSchemas } from '../src/run/context.ts';
import { answerOrders } from './asking.ts';
import type { MoneyOrder, Party, Recording } from './money.ts';
import { makeRecorder } from './recorder.ts';

const BATCH = 1_000;
const DAY_MS = 86_400_000;
const {
  DATABASE_URL = '',
  CONNECTIONS,
  PROCESSOR_URL = '',
  PROCESSOR_SECRET = '',
  PROCESSOR_PUBLISHABLE = '',
} = process.env;
const db = openDb({
  url: DATABASE_URL,
  connections: Number(CONNECTIONS),
  pooled: false,
  applicationName: 'everyshare-bench-money',
});
const money = partsOn(db);

answerOrders(async (order: MoneyOrder): Promise<unknown> => {
  switch (order.do) {
    case 'seat':
      return Promise.all(
        Array.from({ length: order.parties }, (_, at) =>
          seat(at, order.venueIds[at % order.venueIds.length] ?? '', order.size),
        ),
      );
    case 'record':
      return record(order.party);
    case 'complete':
      return complete(order.parties, order.atOnce);
    case 'expire':
      return expire();
  }
});

function partsOn(to: Db): PaymentServices {
  const at = new URL(PROCESSOR_URL);
  const processor = makeStripeProcessor({
    mode: 'test',
    secretKey: PROCESSOR_SECRET,
    publishableKey: PROCESSOR_PUBLISHABLE,
    address: { protocol: 'http', host: at.hostname, port: Number(at.port) },
  });
  return makeContext({
    config: readConfig({}),
    db: to,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('warn', 'bench'),
    sealKey: Buffer.alloc(32, 7),
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
    processors: { test: processor },
  }).services;
}

async function seat(at: number, venueId: string, size: number): Promise<Party> {
  const { ids, clock } = money;
  const checkoutId = ids.prefixed('chk');
  const content = {
    amount: 100 * 60 * size,
    currency: 'usd',
    party_size: size,
    pay_by: new Date(clock.now() + 2 * DAY_MS).toISOString(),
    description: 'Cabana 3, Saturday 12 June',
    return_url: 'https://harbor-house.example/bookings/done',
    external_booking_id: `${checkoutId}-${at}`,
  };
  await insertCheckout(db, {
    venueId,
    mode: 'test',
    checkoutId,
    eventId: ids.prefixed('evt'),
    key: null,
    fingerprint: Buffer.alloc(32),
    content: JSON.stringify(content),
    url: `http://127.0.0.1/c/${checkoutId}`,
    now: clock.now(),
    mayCreate: true,
  });
  const seats = Array.from({ length: size }, (_, place) => ({
    memberId: ids.uuid(),
    displayName: `Guest ${place}`,
    amount: 6_000,
  }));
  const shareIds = await decideUnderLock(money, venueId, checkoutId, (standing, now) => {
    const made: string[] = [];
    const decided = decideParty(standing, seats, now, () => {
      made.push(ids.prefixed('shr'));
      return made.at(-1) ?? '';
    });
    if ('refusal' in decided) throw new Error(decided.refusal);
    return { steps: decided.steps, result: made };
  });
  return { venueId, checkoutId, shareIds: shareIds ?? [] };
}

/** Every guest asks to pay, one after the other. Gives the holds that wait for a card. */
async function open(parts: PaymentServices, { venueId, checkoutId, shareIds }: Party): Promise<string[]> {
  const holds: string[] = [];
  for (const shareId of shareIds) holds.push((await holdShare(parts, venueId, checkoutId, shareId)).holdId);
  return holds;
}

/** What a guest's browser does at the processor: no part of what we do. */
async function pay({ venueId }: Party, holds: readonly string[]): Promise<void> {
  for (const holdId of holds) {
    const intentId = (await findHold(db, venueId, holdId))?.intentId;
    if (intentId == null) throw new Error(`hold ${holdId} has no intent`);
    await money.processors.test?.payWithTestCard(
      intentId,
      'pm_card_visa',
      callKeys.testCard(holdId, 'pm_card_visa', 0),
    );
  }
}

/** Each hold is asked about and recorded; the last one leads to the captures and to completed. */
async function settle(parts: PaymentServices, { venueId }: Party, holds: readonly string[]): Promise<void> {
  for (const holdId of holds) await settleHoldNow(parts, venueId, holdId);
}

async function complete(parties: readonly Party[], atOnce: number): Promise<number> {
  const holds = new Map<Party, string[]>();
  const opening = await timed(parties, atOnce, async (party) => void holds.set(party, await open(money, party)));
  await timed(parties, atOnce, (party) => pay(party, holds.get(party) ?? []));
  return opening + (await timed(parties, atOnce, (party) => settle(money, party, holds.get(party) ?? [])));
}

async function timed(
  parties: readonly Party[],
  atOnce: number,
  work: (party: Party) => Promise<void>,
): Promise<number> {
  const queue = [...parties];
  const lane = async (): Promise<void> => {
    for (let party = queue.shift(); party !== undefined; party = queue.shift()) await work(party);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, lane));
  return (performance.now() - began) / 1000;
}

async function record(party: Party): Promise<Recording> {
  const recorder = makeRecorder(db);
  const recorded = partsOn(recorder.db);
  const at = Date.now();
  const holds = await open(recorded, party);
  const opening = recorder.take();
  await pay(party, holds);
  await settle(recorded, party, holds);
  return { party, at, texts: recorder.texts, opening, settling: recorder.take() };
}

async function expire(): Promise<{ seconds: number; expired: number }> {
  const began = performance.now();
  let expired = 0;
  for (let done = BATCH; done > 0; expired += done) done = await expireDue(money, BATCH);
  return { seconds: (performance.now() - began) / 1000, expired };
}
