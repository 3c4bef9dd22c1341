// Changes during a run of an endpoint queue: an endpoint is disabled, a secret rotated, a delivery sent again; and the
// order in which worker and caller lock rows.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { processQueue } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { claimQueues, dueDeliveries, type EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import { isDistributed } from '../support/distributed.ts';
import type { TestVenue } from '../support/test-venue.ts';
import { waitFor } from '../support/wait-for.ts';
import { DeliveryFixture } from './delivery-fixture.ts';

// Repeats races many times.
vi.setConfig({ testTimeout: 60_000 });

let fixture: DeliveryFixture;
const hanging: ServerResponse[] = [];
beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.requests.length = 0;
  hanging.length = 0;
  fixture.clock.at = Math.max(fixture.clock.at + 3_600_000, Date.now() + 1_000);
  fixture.respond = (_request, response) => void hanging.push(response);
});

const HOUR = 3_600_000;
const signal = new AbortController().signal;

async function claimQueueOf(endpointId: string): Promise<EndpointQueue> {
  const now = fixture.clock.at;
  const queues = await claimQueues(fixture.world.db, now, now + 30_000, { quick: 64, slow: 32, failing: 16, dead: 16 });
  const queue = queues.find((one) => one.endpointId === endpointId);
  if (queue === undefined) throw new Error('the endpoint queue could not be claimed');
  return queue;
}

/** An endpoint with `count` deliveries due, and a run that has started: eight requests hang. */
async function startHangingRun(
  venue: TestVenue,
  path: string,
  count: number,
): Promise<{ id: string; run: Promise<number> }> {
  const { id } = await fixture.endpoint(venue, path, ['checkout.created']);
  for (let n = 0; n < count; n++) await venue.create();
  await fixture.dispatch();
  const run = processQueue(fixture.services, await claimQueueOf(id), signal);
  await waitFor('requests hang', () => hanging.length === Math.min(8, count));
  return { id, run };
}

/** Responds to each request only after the outcomes of the previous ones are recorded. */
function respondSlowly(): void {
  for (const response of hanging.splice(0)) response.end('heard');
  fixture.respond = (_request, response) => void setTimeout(() => response.end('heard'), 300);
}

describe('a worker that is slow to read what it has to deliver', () => {
  it('delays neither the dispatch of further events nor the outcomes of its attempts', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/slow-worker', ['checkout.created']);
    await venue.create();
    await fixture.dispatch();
    const queue = await claimQueueOf(id);
    await venue.create();
    const { db } = fixture.world;
    await db.transaction(async (tx) => {
      // PostgreSQL keeps the transaction of a statement open until its client has read all rows.
      expect(await dueDeliveries(tx, queue, fixture.clock.at, 400, [])).toHaveLength(1);
      await fixture.dispatch();
    });
    expect(await dueDeliveries(db, queue, fixture.clock.at, 400, [])).toHaveLength(2);
  });
});

describe('an endpoint that is disabled during a run', () => {
  it('receives only what starts within a second; outcomes are recorded, and the rest can be recovered', async () => {
    const venue = await fixture.openVenue();
    const { id, run } = await startHangingRun(venue, '/off', 60);
    expect((await venue.post(`/v1/webhook_endpoints/${id}/disable`)).json.status).toBe('disabled');
    respondSlowly();
    const sentCount = await run;
    expect(sentCount).toBe(fixture.requestsTo('/off').length);
    expect(sentCount).toBeLessThan(60);
    await fixture.deliver();
    expect(fixture.requestsTo('/off')).toHaveLength(sentCount);
    const found = await fixture.deliveries(venue, id, '?limit=100');
    expect(found.filter(({ status, attempts }) => status === 'delivered' && attempts === 1)).toHaveLength(sentCount);
    expect(found.filter(({ last_error }) => last_error === 'endpoint_disabled')).toHaveLength(60 - sentCount);
  });
});

describe('a secret that is rotated during a run', () => {
  it('signs before the end of the run', async () => {
    const venue = await fixture.openVenue();
    const { id, run } = await startHangingRun(venue, '/rotated', 60);
    await venue.post(`/v1/webhook_endpoints/${id}/rotate_secret`);
    respondSlowly();
    const sentCount = await run;
    expect(sentCount).toBeLessThan(60);
    fixture.respond = (_request, response) => response.end();
    await fixture.deliver();
    const requests = fixture.requestsTo('/rotated');
    expect(requests).toHaveLength(60);
    expect(requests.slice(sentCount).every(({ signature }) => signature.split('v1=').length === 3)).toBe(true);
  });
});

describe('a delivery that is redelivered during its last attempt', () => {
  it('keeps its new 72 hours, and does not disable the endpoint', async () => {
    const venue = await fixture.openVenue();
    const { id } = await fixture.endpoint(venue, '/last', ['checkout.created']);
    await venue.create();
    await fixture.dispatch();
    const { db } = fixture.world;
    // Nearly 72 hours of attempts: the next failure is the last.
    await db.query(
      `update deliveries set tries = 24, attempts = 24, ends_at = (due_at at time zone 'UTC' + interval '30 seconds') at time zone 'UTC' where endpoint_id = $1`,
      [id],
    );
    const run = processQueue(fixture.services, await claimQueueOf(id), signal);
    await waitFor('the request hangs', () => hanging.length === 1);
    const [delivery] = await fixture.deliveries(venue, id);
    const redelivered = await venue.post(`/v1/webhook_endpoints/${id}/deliveries/${delivery.id}/redeliver`);
    expect(redelivered.status).toBe(202);
    for (const response of hanging) response.writeHead(500).end();
    expect(await run).toBe(1);
    const [after] = await fixture.deliveries(venue, id);
    expect(after).toMatchObject({ status: 'pending', attempts: 25, last_status: 500 });
    expect(after.next_attempt_at).toBe(redelivered.json.next_attempt_at);
    expect((await venue.get('/v1/webhook_endpoints')).json.data[0].status).toBe('active');
    fixture.respond = (_request, response) => response.end();
    fixture.clock.at += HOUR;
    await fixture.deliver();
    expect((await fixture.deliveries(venue, id))[0]).toMatchObject({ status: 'delivered', attempts: 26 });
  });
});

describe('a caller that changes an endpoint or a delivery', () => {
  const isWaitingForLock = async (): Promise<boolean> => {
    // On a connection of its own: the worker's statement that waits may occupy any of the others.
    const rows = await fixture.world.db.priority.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };

  it.skipIf(isDistributed)(
    'locks the queue first, in the same order as the worker, so that they cannot deadlock',
    async () => {
      fixture.respond = (_request, response) => response.writeHead(500).end();
      const venue = await fixture.openVenue();
      const { id } = await fixture.endpoint(venue, '/order', ['checkout.created']);
      await venue.create();
      await fixture.deliver();
      const [delivery] = await fixture.deliveries(venue, id);
      const path = `/v1/webhook_endpoints/${id}`;
      const { db } = fixture.world;
      for (const command of [
        () => venue.post(`${path}/deliveries/${delivery.id}/redeliver`),
        () => venue.post(`${path}/recover`, { since: delivery.created_at }),
        () => venue.post(`${path}/disable`),
        () => venue.post(`${path}/enable`),
        () => fixture.world.call('DELETE', path, { key: venue.key }),
      ]) {
        let redelivered: Promise<{ status: number }> | null = null;
        await db.transaction(async (worker) => {
          await worker.query('select 1 from endpoint_queues where endpoint_id = $1 for update', [id]);
          redelivered ??= command();
          await waitFor('the caller waits for the queue', isWaitingForLock);
          // The rows that the worker locks next are free.
          await worker.query('select 1 from deliveries where endpoint_id = $1 for update nowait', [id]);
          await worker.query('select 1 from webhook_endpoints where endpoint_id = $1 for update nowait', [id]);
        });
        expect((await (redelivered as Promise<{ status: number }> | null))?.status).toBeLessThan(300);
      }
    },
  );

  it.skipIf(isDistributed)(
    'does not make the worker lose outcomes if the worker is the deadlock victim: it records them again',
    async () => {
      const venue = await fixture.openVenue();
      const { id, run } = await startHangingRun(venue, '/victim', 3);
      const { db } = fixture.world;
      await db.transaction(async (other) => {
        await other.query('select 1 from deliveries where endpoint_id = $1 for update', [id]);
        for (const response of hanging.splice(0)) response.end('heard');
        await waitFor('the worker waits for the caller', isWaitingForLock);
        // PostgreSQL aborts the transaction that has waited longer.
        await other.query('select 1 from endpoint_queues where endpoint_id = $1 for update', [id]);
      });
      expect(await run).toBe(3);
      expect(fixture.world.logs.join('')).toContain('40P01');
      expect((await fixture.deliveries(venue, id)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
      expect(fixture.requestsTo('/victim')).toHaveLength(3);
    },
  );
});
