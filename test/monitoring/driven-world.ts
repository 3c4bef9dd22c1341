// A world in which something of everything happened: each step below moves some series away from 0. A new series needs a
// step here, or series.test.ts fails.

import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { systemClock, systemMonotonicClock } from '../../src/base/clock.ts';
import { Shutdown } from '../../src/base/shutdown.ts';
import { queueMail } from '../../src/domain/mail/mail.ts';
import { queueMessage } from '../../src/domain/members/messages/queue.ts';
import { observeProcessors } from '../../src/domain/payments/observe-processor.ts';
import { type Processor, ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';
import { type Monitoring, makeMonitoring } from '../../src/main/monitoring.ts';
import { runWorker } from '../../src/main/run-worker.ts';
import { disputeTools } from '../support/disputes.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Sample, scrape, untilCounted } from './scrape.ts';

const REFUND_IS_PENDING = '4000000000007726';

export interface DrivenWorld {
  readonly world: TestWorld;
  readonly monitoring: Monitoring;
  /** A scrape of new figures, while transactions wait for a connection. */
  scrape(): Promise<Sample[]>;
  close(): Promise<void>;
}

export async function openMonitoredWorld(env: Readonly<Record<string, string>> = {}): Promise<{
  readonly world: TestWorld;
  readonly monitoring: Monitoring;
  readonly shutdown: Shutdown;
  /** Says how much time has passed since the figures were read. */
  readonly clock: { aheadMs: number; now(): number };
}> {
  const clock = { aheadMs: 0, now: () => systemMonotonicClock.now() + clock.aheadMs };
  const monitoring = makeMonitoring(systemClock, null, clock);
  const world = await openTestWorld({ monitoring, env });
  const shutdown = new Shutdown(world.context.log);
  await monitoring.watch(world.context, 'start', shutdown);
  return { world, monitoring, shutdown, clock };
}

/** The figures are 20 seconds older: the next scrape computes them anew. */
export async function outdateFigures({
  world,
  clock,
}: Pick<Awaited<ReturnType<typeof openMonitoredWorld>>, 'world' | 'clock'>): Promise<void> {
  clock.aheadMs += 20_000;
  await world.db.query(`update figures set computed_at = computed_at - interval '20 seconds'`);
}

export async function openDrivenWorld(): Promise<DrivenWorld> {
  const env = { ALLOW_INSECURE_TARGETS: '1', REQUEST_LOG: 'on', MAX_CONNECTIONS_PER_ADDRESS: '20' };
  const opened = await openMonitoredWorld({ ...env, PAYOUT_DELAY_HOURS: '24' });
  const { world, monitoring, shutdown } = opened;
  const url = world.urls[0] ?? '';
  const receiver = await startHttpsReceiver((_request, response) => {
    response.statusCode = 500;
    response.end();
  });
  const venue = await openTestVenue(world);
  await addEndpoint(venue, receiver);
  await driveMoney(world, venue);
  await queueToSend(world, 0);
  await runLoops(opened, url);
  await callUnreachableProcessor(monitoring);
  await refuseCalls(world, venue);
  await failCall(world, venue);
  const sockets = await openSockets(url);
  await loseRequestLog(world, venue, url);
  await leaveWork(world, venue);
  await leaveRefundUnaccepted(world, venue, '2 minutes');
  return {
    world,
    monitoring,
    async scrape() {
      await outdateFigures(opened);
      await scrape(url);
      return whileTransactionsWait(world, async () => {
        // Files that are being read, for the figure of active requests.
        const reading = Array.from({ length: 2_000 }, () => readFile('/proc/self/status'));
        const samples = await scrape(url);
        await Promise.all(reading);
        return samples;
      });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await shutdown.run();
      await world.close();
      await receiver.close();
    },
  };
}

/** Works while more transactions are open than there are connections. */
export async function whileTransactionsWait<T>(world: TestWorld, work: () => Promise<T>): Promise<T> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const transactions = Array.from({ length: 8 }, () =>
    world.db.transaction(async (tx) => {
      await tx.query('select 1');
      await held;
    }),
  );
  const isWaiting = (): boolean => world.db.connections?.().some(({ waiting }) => waiting > 0) === true;
  await waitFor('a transaction waits', isWaiting);
  const result = await work();
  release();
  await Promise.all(transactions);
  return result;
}

async function addEndpoint(venue: TestVenue, { port }: Listening): Promise<void> {
  const events = ['checkout.created', 'checkout.completed'];
  await venue.post('/v1/webhook_endpoints', { url: `https://127.0.0.1:${port}/hooks`, events });
}

/** Checkouts in each state, with money held, captured, refunded and disputed. */
async function driveMoney(world: TestWorld, venue: TestVenue): Promise<void> {
  await venue.create();
  await venue.runTestHelper((await venue.create()).id, 'expire');
  await venue.post(`/v1/checkouts/${(await venue.create()).id}/cancel`);
  const held = await venue.collecting();
  await venue.pay(held.id, held.shares[0].id, CARDS.good);
  await world.db.query(
    `update holds set capture_before = now() + interval '10 minutes', due_at = null where status = 'held'`,
  );
  const refunded = await venue.collecting({ party_size: 2, amount: 20_000 });
  await venue.payAll(refunded, [REFUND_IS_PENDING, CARDS.good]);
  await venue.finishDueWork(refunded.id);
  await venue.post(`/v1/checkouts/${refunded.id}/refund`);
  await world.work();
  await world.db.query(
    `update movements set status = 'failed', due_at = null, last_error = 'the test' where status = 'pending'`,
  );
  const completed = await venue.runTestHelper((await venue.create()).id, 'complete');
  const [intent] = await venue.intents(completed.id);
  const disputes = disputeTools(world, venue);
  await disputes.open(intent?.id ?? '', 1_000);
  await disputes.deliverEvents(intent?.id ?? '');
}

/** As the worker leaves a refund that the processor has not accepted since then: its next try lies ahead. */
export async function leaveRefundUnaccepted(world: TestWorld, venue: TestVenue, since: string): Promise<void> {
  const { id } = await venue.runTestHelper((await venue.create()).id, 'complete');
  await venue.post(`/v1/checkouts/${id}/refund`);
  const rows = await world.db.query(
    `update movements set status = 'sending', first_due_at = now() - $2::interval, due_at = now() + interval '3 hours'
     where checkout_id = $1 and kind = 'refund' returning 1`,
    [id, since],
  );
  if (rows.length === 0) throw new Error('the refund has no movement');
}

export async function queueToSend(
  { context, db }: TestWorld,
  waitMs: number,
  kind: 'invite' | 'code' = 'invite',
): Promise<void> {
  const { services, seal, ids } = context;
  const phone = '+12015550123';
  await db.transaction(async (tx) => {
    const phoneHash = seal.fingerprint(phone, 'phone');
    const id = ids.uuid();
    await queueMessage(tx, services, {
      memberId: null,
      phone: seal.seal(phone, `phone ${phoneHash.toString('hex')}`),
      phoneHash,
      kind,
      subject: id,
      text: 'a text of the test',
      dueAt: Date.now() - 1_000 + waitMs,
    });
    await queueMail(tx, services, 'receipt', id, { to: 'ada@example.com', title: 'a title', text: 'a text' });
  });
}

/** Runs every loop of the worker once, one of them against a table that is not there. */
async function runLoops(
  { world, monitoring }: { readonly world: TestWorld; readonly monitoring: Monitoring },
  url: string,
): Promise<void> {
  const worker = new Shutdown(world.context.log);
  await world.db.query('alter table venue_go_live rename to venue_go_live_gone');
  await runWorker(world.context, monitoring, world.context.log, worker);
  await untilCounted(url, 'everyshare_loop_failures_total', { loop: 'link-ready-venues' });
  await world.db.query('alter table venue_go_live_gone rename to venue_go_live');
  await untilCounted(url, 'everyshare_delivery_attempt_seconds_count', { outcome: 'refused' });
  await untilCounted(url, 'everyshare_text_attempts_total');
  await untilCounted(url, 'everyshare_mail_attempts_total');
  const checks = async (): Promise<unknown[]> => world.db.query('select 1 from checks');
  await waitFor('both modes are compared and the ledger is checked', async () => (await checks()).length === 3);
  await worker.run();
}

async function failCall(world: TestWorld, venue: TestVenue): Promise<void> {
  await world.db.query('alter table boats rename to boats_gone');
  await venue.get('/v1/boats');
  await world.db.query('alter table boats_gone rename to boats');
}

async function refuseCalls(world: TestWorld, venue: TestVenue): Promise<void> {
  const { key } = await world.key(venue.venueId, { readsPerHour: 1 });
  for (let calls = 0; calls < 2; calls++) await world.call('GET', '/v1/me', { key });
}

/** One more than an address may have. */
async function openSockets(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: 21 }, () => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
    socket.on('error', () => undefined);
    return socket;
  });
  await untilCounted(url, 'everyshare_http_connections_dropped_total');
  return sockets;
}

export async function loseRequestLog(world: TestWorld, venue: TestVenue, url: string): Promise<void> {
  await world.db.query('alter table request_blocks rename to request_blocks_gone');
  await venue.get('/v1/me');
  await untilCounted(url, 'everyshare_request_log_dropped_total');
  await world.db.query('alter table request_blocks_gone rename to request_blocks');
}

/** Rows that are due while no worker runs, and objects that wait for review. */
async function leaveWork(world: TestWorld, venue: TestVenue): Promise<void> {
  await world.db.query(
    `update holds set due_at = now() - interval '20 minutes' where status = 'held' and hold_id in (
       select hold_id from holds where status = 'held' limit 1)`,
  );
  await venue.payAll(await venue.collecting(), [CARDS.captureFailsForAWhile]);
  const [offering] = world.context.registry.get('offering').examples as Json[];
  await venue.post('/v1/offerings', offering);
  await world.db.query(`update disputes set evidence_due_at = now() + interval '1 day'`);
  await queueToSend(world, 60_000);
}

/** A card processor at a port that no program listens on. */
export function unreachableProcessor({ services }: Monitoring): Processor {
  const { secret, publishable } = PROCESSOR_KEYS.test;
  const address = { protocol: 'http', host: '127.0.0.1', port: 1 } as const;
  const processor = makeStripeProcessor({ mode: 'test', secretKey: secret, publishableKey: publishable, address });
  const { test } = observeProcessors({ test: processor }, services.observeCall);
  if (test === undefined) throw new Error('there is no processor');
  return test;
}

export async function callUnreachableProcessor(monitoring: Monitoring): Promise<void> {
  await unreachableProcessor(monitoring)
    .retrieveHold('pi_none')
    .catch((error: unknown) => {
      if (!(error instanceof ProcessorUnavailable)) throw error;
    });
}
