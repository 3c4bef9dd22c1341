// What is asked for while a turn is under way: an endpoint disabled, a secret rotated, a delivery sent again, and who waits
// for whom when it is.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { processQueue } from '../../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { claimQueues, type EndpointQueue } from '../../src/domain/webhooks/deliveries/queries.ts';
import type { Shop } from '../support/test-venue.ts';
import { PostOffice } from './delivery-fixture.ts';

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
  throw new Error(`it never came to this: ${what}`);
}

async function takeLaneOf(endpointId: string): Promise<EndpointQueue> {
  const now = office.clock.at;
  const lanes = await claimQueues(office.world.db, now, now + 30_000, { quick: 64, slow: 32, failing: 16, dead: 16 });
  const lane = lanes.find((one) => one.endpointId === endpointId);
  if (lane === undefined) throw new Error('the lane cannot be taken');
  return lane;
}

/** An endpoint with so many deliveries due, and a turn that has begun: eight posts hang. */
async function underWay(shop: Shop, path: string, count: number): Promise<{ id: string; turn: Promise<number> }> {
  const { id } = await office.endpoint(shop, path, ['checkout.created']);
  for (let n = 0; n < count; n++) await shop.create();
  await office.dispatch();
  const turn = processQueue(office.parts, await takeLaneOf(id), signal);
  await until('posts hang', () => waiting.length === Math.min(8, count));
  return { id, turn };
}

/** Answers each post only after a while longer than what came of the ones before takes to be written. */
function answerSlowly(): void {
  for (const response of waiting.splice(0)) response.end('heard');
  office.receive = (_post, response) => void setTimeout(() => response.end('heard'), 300);
}

describe('an endpoint that is disabled while posts to it are under way', () => {
  it('is sent no more than what a second begins; what was heard is written down, the rest can be recovered', async () => {
    const shop = await office.shop();
    const { id, turn } = await underWay(shop, '/off', 60);
    expect((await shop.post(`/v1/webhook_endpoints/${id}/disable`)).json.status).toBe('disabled');
    answerSlowly();
    const made = await turn;
    expect(made).toBe(office.postsTo('/off').length);
    expect(made).toBeLessThan(60);
    await office.deliver();
    expect(office.postsTo('/off')).toHaveLength(made);
    const found = await office.deliveries(shop, id, '?limit=100');
    expect(found.filter(({ status, attempts }) => status === 'delivered' && attempts === 1)).toHaveLength(made);
    expect(found.filter(({ last_error }) => last_error === 'endpoint_disabled')).toHaveLength(60 - made);
  });
});

describe('a secret that is rotated while posts are under way', () => {
  it('signs before the turn would have ended', async () => {
    const shop = await office.shop();
    const { id, turn } = await underWay(shop, '/turned', 60);
    await shop.post(`/v1/webhook_endpoints/${id}/rotate_secret`);
    answerSlowly();
    const made = await turn;
    expect(made).toBeLessThan(60);
    office.receive = (_post, response) => response.end();
    await office.deliver();
    const posts = office.postsTo('/turned');
    expect(posts).toHaveLength(60);
    expect(posts.slice(made).every(({ signature }) => signature.split('v1=').length === 3)).toBe(true);
  });
});

describe('a delivery that is sent again while its last try is under way', () => {
  it('keeps its new 72 hours, and does not end the endpoint', async () => {
    const shop = await office.shop();
    const { id } = await office.endpoint(shop, '/last', ['checkout.created']);
    await shop.create();
    await office.dispatch();
    const { db } = office.world;
    // Tried before, for nearly 72 hours: the next failure is the last.
    await db.query(
      `update deliveries set tries = 24, attempts = 24, ends_at = due_at + interval '30 seconds' where endpoint_id = $1`,
      [id],
    );
    const turn = processQueue(office.parts, await takeLaneOf(id), signal);
    await until('the post hangs', () => waiting.length === 1);
    const [delivery] = await office.deliveries(shop, id);
    const told = await shop.post(`/v1/webhook_endpoints/${id}/deliveries/${delivery.id}/redeliver`);
    expect(told.status).toBe(202);
    for (const response of waiting) response.writeHead(500).end();
    expect(await turn).toBe(1);
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

describe('whoever changes an endpoint or a delivery', () => {
  const waits = async (): Promise<boolean> => {
    const rows = await office.world.db.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  };

  it('locks the lane first, as the worker does: neither can wait for the other in a circle', async () => {
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
        await until('it waits for the lane', waits);
        // What the worker goes on to lock is free.
        await worker.query('select 1 from deliveries where endpoint_id = $1 for update nowait', [id]);
        await worker.query('select 1 from webhook_endpoints where endpoint_id = $1 for update nowait', [id]);
      });
      expect((await (told as Promise<{ status: number }> | null))?.status).toBeLessThan(300);
    }
  });

  it('costs the worker nothing when it is the one that gives way: it writes again what came of its posts', async () => {
    const shop = await office.shop();
    const { id, turn } = await underWay(shop, '/victim', 3);
    const { db } = office.world;
    await db.transaction(async (other) => {
      await other.query('select 1 from deliveries where endpoint_id = $1 for update', [id]);
      for (const response of waiting.splice(0)) response.end('heard');
      await until('the worker waits for us', waits);
      // Whoever has waited longer finds the circle, and gives way.
      await other.query('select 1 from delivery_lanes where endpoint_id = $1 for update', [id]);
    });
    expect(await turn).toBe(3);
    expect(office.world.logs.join('')).toContain('40P01');
    expect((await office.deliveries(shop, id)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
    expect(office.postsTo('/victim')).toHaveLength(3);
  });
});
