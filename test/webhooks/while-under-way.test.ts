// Changes during a run of an endpoint queue: an endpoint is disabled, a secret rotated, a delivery sent again; and the
// order in which worker and caller lock rows.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processQueue } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { claimQueues, type EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import type { Shop } from '../checkouts/shop.ts';
import { PostOffice } from './post-office.ts';

let office: PostOffice;
const waiting: ServerResponse[] = [];
beforeAll(async () => {
  office = await PostOffice.open();
});
afterAll(() => office.close());
beforeEach(() => {
  office.posts.length = 0;
  waiting.length = 0;
  office.clock.at = Math.max(office.clock.at + 3_600_000, Date.now() + 1_000);
  office.receive = (_post, response) => void waiting.push(response);
});

const HOUR = 3_600_000;
const signal = new AbortController().signal;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000; tries++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`timed out waiting until ${what}`);
}

async function claimQueueOf(endpointId: string): Promise<EndpointQueue> {
  const now = office.clock.at;
  const queues = await claimQueues(office.world.db, now, now + 30_000, { quick: 64, slow: 32, failing: 16, dead: 16 });
  const queue = queues.find((one) => one.endpointId === endpointId);
  if (queue === undefined) throw new Error('the endpoint queue could not be claimed');
  return queue;
}

/** An endpoint with `count` deliveries due, and a run that has started: eight requests hang. */
async function underWay(shop: Shop, path: string, count: number): Promise<{ id: string; run: Promise<number> }> {
  const { id } = await office.endpoint(shop, path, ['checkout.created']);
  for (let n = 0; n < count; n++) await shop.create();
  await office.dispatch();
  const run = processQueue(office.parts, await claimQueueOf(id), signal);
  await until('requests hang', () => waiting.length === Math.min(8, count));
  return { id, run };
}

/** Responds to each request only after the outcomes of the previous ones are recorded. */
function answerSlowly(): void {
  for (const response of waiting.splice(0)) response.end('heard');
  office.receive = (_post, response) => void setTimeout(() => response.end('heard'), 300);
}

describe('an endpoint that is disabled during a run', () => {
  it('receives only what starts within a second; outcomes are recorded, and the rest can be recovered', async () => {
    const shop = await office.shop();
    const { id, run } = await underWay(shop, '/off', 60);
    expect((await shop.post(`/v1/webhook_endpoints/${id}/disable`)).json.status).toBe('disabled');
    answerSlowly();
    const made = await run;
    expect(made).toBe(office.postsTo('/off').length);
    expect(made).toBeLessThan(60);
    await office.deliver();
    expect(office.postsTo('/off')).toHaveLength(made);
    const found = await office.deliveries(shop, id, '?limit=100');
    expect(found.filter(({ status, attempts }) => status === 'delivered' && attempts === 1)).toHaveLength(made);
    expect(found.filter(({ last_error }) => last_error === 'endpoint_disabled')).toHaveLength(60 - made);
  });
});

describe('a secret that is rotated during a run', () => {
  it('signs before the end of the run', async () => {
    const shop = await office.shop();
    const { id, run } = await underWay(shop, '/turned', 60);
    await shop.post(`/v1/webhook_endpoints/${id}/rotate_secret`);
    answerSlowly();
    const made = await run;
    expect(made).toBeLessThan(60);
    office.receive = (_post, response) => response.end();
    await office.deliver();
    const posts = office.postsTo('/turned');
    expect(posts).toHaveLength(60);
    expect(posts.slice(made).every(({ signature }) => signature.split('v1=').length === 3)).toBe(true);
  });
});

describe('a delivery that is redelivered during its last attempt', () => {
  it('keeps its new 72 hours, and does not disable the endpoint', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/last', ['checkout.created']);
    await shop.create();
    await office.dispatch();
    const { db } = office.world;
    // Nearly 72 hours of attempts: the next failure is the last.
    await db.query(
      `update deliveries set tries = 24, attempts = 24, ends_at = due_at + interval '30 seconds' where endpoint_id = $1`,
      [id],
    );
    const run = processQueue(office.parts, await claimQueueOf(id), signal);
    await until('the request hangs', () => waiting.length === 1);
    const [delivery] = await office.deliveries(shop, id);
    const told = await shop.post(`/v1/webhook_endpoints/${id}/deliveries/${delivery.id}/redeliver`);
    expect(told.status).toBe(202);
    for (const response of waiting) response.writeHead(500).end();
    expect(await run).toBe(1);
    const [after] = await office.deliveries(shop, id);
    expect(after).toMatchObject({ status: 'pending', attempts: 25, last_status: 500 });
    expect(after.next_attempt_at).toBe(told.json.next_attempt_at);
    expect((await shop.get('/v1/webhook_endpoints')).json.data[0].status).toBe('active');
    office.receive = (_post, response) => response.end();
    office.clock.at += HOUR;
    await office.deliver();
    expect((await office.deliveries(shop, id))[0]).toMatchObject({ status: 'delivered', attempts: 26 });
  });
});

describe('a caller that changes an endpoint or a delivery', () => {
  const waits = async (): Promise<boolean> => {
    const rows = await office.world.db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };

  it('locks the queue first, in the same order as the worker, so that they cannot deadlock', async () => {
    office.receive = (_post, response) => response.writeHead(500).end();
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/order', ['checkout.created']);
    await shop.create();
    await office.deliver();
    const [delivery] = await office.deliveries(shop, id);
    const path = `/v1/webhook_endpoints/${id}`;
    const { db } = office.world;
    for (const command of [
      () => shop.post(`${path}/deliveries/${delivery.id}/redeliver`),
      () => shop.post(`${path}/recover`, { since: delivery.created_at }),
      () => shop.post(`${path}/disable`),
      () => shop.post(`${path}/enable`),
      () => office.world.call('DELETE', path, { key: shop.key }),
    ]) {
      let told: Promise<{ status: number }> | null = null;
      await db.transaction(async (worker) => {
        await worker.query('select 1 from delivery_lanes where endpoint_id = $1 for update', [id]);
        told ??= command();
        await until('the caller waits for the queue', waits);
        // The rows that the worker locks next are free.
        await worker.query('select 1 from deliveries where endpoint_id = $1 for update nowait', [id]);
        await worker.query('select 1 from webhook_endpoints where endpoint_id = $1 for update nowait', [id]);
      });
      expect((await (told as Promise<{ status: number }> | null))?.status).toBeLessThan(300);
    }
  });

  it('does not make the worker lose outcomes if the worker is the deadlock victim: it records them again', async () => {
    const shop = await office.shop();
    const { id, run } = await underWay(shop, '/victim', 3);
    const { db } = office.world;
    await db.transaction(async (other) => {
      await other.query('select 1 from deliveries where endpoint_id = $1 for update', [id]);
      for (const response of waiting.splice(0)) response.end('heard');
      await until('the worker waits for the caller', waits);
      // PostgreSQL aborts the transaction that has waited longer.
      await other.query('select 1 from delivery_lanes where endpoint_id = $1 for update', [id]);
    });
    expect(await run).toBe(3);
    expect(office.world.logs.join('')).toContain('40P01');
    expect((await office.deliveries(shop, id)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
    expect(office.postsTo('/victim')).toHaveLength(3);
  });
});
