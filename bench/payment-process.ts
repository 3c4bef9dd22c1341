// Runs the payment commands in a separate process, as a worker does: with the real database, the stripe adapter, and
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
import { handleJobs } from './child-jobs.ts';
import type { Party, PaymentJob, Recording } from './payments.ts';
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
const services = servicesOn(db);

handleJobs(async (job: PaymentJob): Promise<unknown> => {
  switch (job.do) {
    case 'create parties':
      return Promise.all(
        Array.from({ length: job.count }, (_, index) =>
          createParty(job.venueIds[index % job.venueIds.length] ?? '', job.size),
        ),
      );
    case 'record':
      return record(job.party);
    case 'complete':
      return complete(job.parties, job.concurrency);
    case 'expire':
      return expire();
  }
});

function servicesOn(database: Db): PaymentServices {
  const { hostname, port } = new URL(PROCESSOR_URL);
  const processor = makeStripeProcessor({
    mode: 'test',
    secretKey: PROCESSOR_SECRET,
    publishableKey: PROCESSOR_PUBLISHABLE,
    address: { protocol: 'http', host: hostname, port: Number(port) },
  });
  return makeContext({
    config: readConfig({}),
    db: database,
    clock: systemClock,
    random: systemRandom,
    log: makeLog('warn', 'bench'),
    sealKeys: [Buffer.alloc(32, 7)],
    operatorToken: '',
    schemas: readSchemas(join(packageRoot, 'schemas', 'v1')),
    processors: { test: processor },
  }).services;
}

async function createParty(venueId: string, size: number): Promise<Party> {
  const { ids, clock } = services;
  const checkoutId = ids.prefixed('chk');
  const content = {
    amount: 100 * 60 * size,
    currency: 'usd',
    party_size: size,
    pay_by: new Date(clock.now() + 2 * DAY_MS).toISOString(),
    description: 'Cabana 3, Saturday 12 June',
    return_url: 'https://harbor-club.example/bookings/done',
    external_booking_id: `booking-${checkoutId}`,
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
  const seats = Array.from({ length: size }, (_, index) => ({
    memberId: ids.uuid(),
    displayName: `Guest ${index}`,
    amount: 6_000,
  }));
  const shareIds = await decideUnderLock(services, venueId, checkoutId, (checkout, now) => {
    const newShareIds: string[] = [];
    const decision = decideParty(checkout, seats, now, () => {
      const shareId = ids.prefixed('shr');
      newShareIds.push(shareId);
      return shareId;
    });
    if ('refusal' in decision) throw new Error(decision.refusal);
    return { steps: decision.steps, result: newShareIds };
  });
  return { venueId, checkoutId, shareIds: shareIds ?? [] };
}

/** Opens a hold for each share, one after the other. Returns the holds, which wait for a card. */
async function openHolds(services: PaymentServices, { venueId, checkoutId, shareIds }: Party): Promise<string[]> {
  const holds: string[] = [];
  for (const shareId of shareIds) holds.push((await holdShare(services, venueId, checkoutId, shareId)).holdId);
  return holds;
}

/** Pays at the processor, as a guest's browser does. Not part of the measured work. */
async function payHolds({ venueId }: Party, holds: readonly string[]): Promise<void> {
  for (const holdId of holds) {
    const intentId = (await findHold(db, venueId, holdId))?.intentId;
    if (intentId == null) throw new Error(`hold ${holdId} has no intent`);
    await services.processors.test?.payWithTestCard(
      intentId,
      'pm_card_visa',
      callKeys.testCard(holdId, 'pm_card_visa', 0),
    );
  }
}

/** Retrieves and records each hold; the last one causes the captures and completes the checkout. */
async function settleHolds(services: PaymentServices, { venueId }: Party, holds: readonly string[]): Promise<void> {
  for (const holdId of holds) await settleHoldNow(services, venueId, holdId);
}

async function complete(parties: readonly Party[], concurrency: number): Promise<number> {
  const holds = new Map<Party, string[]>();
  const openSeconds = await secondsFor(parties, concurrency, async (party) => {
    holds.set(party, await openHolds(services, party));
  });
  await secondsFor(parties, concurrency, (party) => payHolds(party, holds.get(party) ?? []));
  const settleSeconds = await secondsFor(parties, concurrency, (party) =>
    settleHolds(services, party, holds.get(party) ?? []),
  );
  return openSeconds + settleSeconds;
}

/** Runs the work for all parties, `concurrency` at the same time. Returns the seconds. */
async function secondsFor(
  parties: readonly Party[],
  concurrency: number,
  work: (party: Party) => Promise<void>,
): Promise<number> {
  const queue = [...parties];
  const runQueue = async (): Promise<void> => {
    for (let party = queue.shift(); party !== undefined; party = queue.shift()) await work(party);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: concurrency }, runQueue));
  return (performance.now() - startedAt) / 1000;
}

async function record(party: Party): Promise<Recording> {
  const recorder = makeRecorder(db);
  const recordedServices = servicesOn(recorder.db);
  const recordedAt = Date.now();
  const holds = await openHolds(recordedServices, party);
  const openUnits = recorder.takeUnits();
  await payHolds(party, holds);
  await settleHolds(recordedServices, party, holds);
  return { party, recordedAt, texts: recorder.texts, openUnits, settleUnits: recorder.takeUnits() };
}

async function expire(): Promise<{ seconds: number; expired: number }> {
  const startedAt = performance.now();
  let expired = 0;
  for (let done = BATCH; done > 0; expired += done) done = await expireDue(services, BATCH);
  return { seconds: (performance.now() - startedAt) / 1000, expired };
}
