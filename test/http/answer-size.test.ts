// No answer is over 1 MB: pages of large objects are shorter, a fleet's answer leaves boats out, and an offering that
// deliveries make too large is refused.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { connectVenueSystem } from '../hooks/venue-system.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const MB = 1024 * 1024;

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld();
  const { venue } = await world.venue({ origins: ['https://harbor.example'] });
  key = (await world.key(venue.id, { writesPerHour: 1_000_000, readsPerHour: 1_000_000 })).key;
});
afterAll(() => world.close());

const repeat = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const hour = (n: number): string => new Date(Date.UTC(2035, 0, 1) + n * 3_600_000).toISOString();

/** Every page of a list with this limit; each is below 1 MB and has at least one object. */
async function pagesOf(path: string, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  for (let before: string | null = ''; before !== null && pages.length < 100; ) {
    const query = before === '' ? '' : `&before=${encodeURIComponent(before)}`;
    const { status, text, json } = await world.call('GET', `${path}?limit=${limit}${query}`, { key });
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThan(MB);
    pages.push(json.data.map(({ id }: { id: string }) => id));
    expect(pages.at(-1)?.length).toBeGreaterThan(0);
    before = json.next_before;
  }
  return pages;
}

describe('a page of large objects', () => {
  it('of offerings is shorter than its limit, and the pages together have each offering once', async () => {
    const slots = repeat(600, (n) => ({ starts_at: hour(n), external_id: `slot-${n}-${'x'.repeat(20)}` }));
    const tiers = [{ amount: 5000, currency: 'usd', unit: 'per_group' }];
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) {
      const body = { external_id: `large-${n}`, kind: 'class', title: 'x', tiers, availability: { slots } };
      const { status, json } = await world.call('POST', '/v1/offerings', { key, body });
      expect(status).toBe(201);
      ids.push(json.data.id);
    }
    const pages = await pagesOf('/v1/offerings', 100);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(ids.reverse());
    expect((await pagesOf('/v1/offerings', 1)).flat()).toEqual(ids);
  });

  it('of checkouts and of their events is shorter too, and nothing is left out', async () => {
    const metadata = Object.fromEntries(repeat(20, (n) => [`k${n}`, '😀'.repeat(500)]));
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) {
      const body = {
        amount: 24000,
        currency: 'usd',
        party_size: 6,
        pay_by: '2099-06-12T09:30:00-04:00',
        description: 'Saturday tee time',
        return_url: 'https://harbor.example/thanks',
        external_booking_id: `large-${n}`,
        metadata,
      };
      const { status, json } = await world.call('POST', '/v1/checkouts', { key, body });
      expect(status).toBe(201);
      ids.push(json.id);
    }
    const pages = await pagesOf('/v1/checkouts', 100);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual(ids.reverse());
    const events = await pagesOf('/v1/events', 100);
    expect(events.length).toBeGreaterThan(1);
    expect(new Set(events.flat()).size).toBe(30);
    expect(events.flat()).toHaveLength(30);
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_bookings', arguments: { limit: 100 } },
    };
    const tool = await world.call('POST', '/mcp', {
      key,
      body: call,
      headers: { accept: 'application/json, text/event-stream' },
    });
    expect(tool.json.result.structuredContent.data.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(tool.text)).toBeLessThan(MB);
  });
});

describe('the answer to a fleet of a megabyte', () => {
  it('stores every boat, and says of which it leaves the data out', async () => {
    const boats = repeat(12, (n) => ({
      external_id: `boat-${n}`,
      name: 'Second Wind',
      type: 'catamaran',
      length_ft: 42,
      capacity: 12,
      captain: 'included',
      location: { city: 'Miami' },
      pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd' }],
      photo_urls: ['https://cdn.fleet.example/1.jpg'],
      availability: { blocks: repeat(1_000, (at) => ({ starts_at: hour(at), ends_at: hour(at + 1) })) },
    }));
    const body = JSON.stringify({ boats }).replaceAll('.000Z', 'Z');
    expect(Buffer.byteLength(body)).toBeLessThan(MB);
    const { status, text, json } = await world.call('POST', '/v1/boats', { key, body });
    expect([status, json.summary.created]).toEqual([200, 12]);
    expect(Buffer.byteLength(text)).toBeLessThan(MB);
    expect(world.context.validator.problems('fleet_result', { value: json, text, badTexts: [] })).toEqual([]);
    const omitted = json.results.filter((item: { data_omitted?: true }) => item.data_omitted === true);
    expect(omitted.length).toBeGreaterThan(0);
    for (const item of json.results) expect(item.data === undefined).toBe(item.data_omitted === true);
    expect((await world.call('GET', '/v1/boats/boat-11', { key })).json.data.availability.blocks).toHaveLength(1_000);
  });
});

describe('an offering', () => {
  it('that deliveries would make larger than 320 KB is refused with the reason, and stays as it was', async () => {
    const system = await connectVenueSystem(world, 'custom');
    const tiers = repeat(20, (n) => ({
      external_id: `${n}${'t'.repeat(100)}`,
      amount: 1,
      currency: 'usd',
      unit: 'per_group',
    }));
    const offering = { external_id: 'grows', kind: 'class', title: 'x', tiers, availability: { slots: [] } };
    await system.send({ id: 'd-0', type: 'offering.upsert', data: offering });
    const overrides = tiers.map(({ external_id: tier }) => ({ tier, amount: 1 }));
    for (let part = 0; part < 3; part++) {
      const slots = repeat(80, (n) => ({ starts_at: hour(part * 80 + n), tier_overrides: overrides }));
      await system.send({ id: `d-${part + 1}`, type: 'slots.update', data: { external_id: 'grows', slots } });
    }
    await applyDueDeliveries(world.context, 100);
    const deliveries = await system.deliveries();
    expect(deliveries.map(({ status }: { status: string }) => status)).toContain('failed');
    expect(deliveries.find(({ status }: { status: string }) => status === 'failed').reason).toContain('320 KB');
    const { text, status } = await world.call('GET', '/v1/offerings/grows', { key: system.key });
    expect(status).toBe(200);
    expect(Buffer.byteLength(text)).toBeLessThan(330 * 1024);
  });
});
