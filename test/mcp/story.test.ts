// With only the key that `npm start` prints, an agent connects a venue and takes a booking. The venue is the one that
// the first start creates.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFirstVenue } from '../../src/cli/announce.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { callTool, checkoutBody, offeringBody } from './json-rpc-client.ts';

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld();
  key = (await createFirstVenue(world.context, world.command()))?.secretTest ?? '';
});
afterAll(() => world.close());

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape.
const call = async (name: string, args: unknown = {}, callKey = key): Promise<any> =>
  (await callTool(world, callKey, name, args)).structuredContent;

it('an agent connects a venue and takes a booking by tool calls alone', async () => {
  const described = await call('describe_venue');
  expect(described).toMatchObject({ venue: { id: null }, mode: 'test' });
  expect(described.order_of_work.length).toBeGreaterThan(5);
  const draft = { ...offeringBody(), titel: 'x', tiers: [{ amount: '45', currency: 'usd', unit: 'per_person' }] };
  const validated = await call('validate', { schema: 'offering', object: draft });
  expect(validated.errors.map(({ field }: { field: string }) => field)).toEqual(['/tiers/0/amount', '/titel']);
  const corrected = offeringBody('tee-18', { category: described.categories[0] });
  expect(await call('validate', { schema: 'offering', object: corrected })).toMatchObject({ valid: true });
  expect((await call('upsert_offerings', { offerings: [corrected] })).summary.created).toBe(1);
  const tiers = [{ amount: 6000, currency: 'usd', unit: 'per_person' }];
  expect(await call('set_price_tiers', { offering_external_id: 'tee-18', tiers })).toMatchObject({ updated: true });
  const availability = { timezone: 'Europe/Berlin', slots: [{ starts_at: '2027-06-12T09:30:00+02:00' }] };
  await call('set_availability', { offering_external_id: 'tee-18', availability });
  const booking = checkoutBody('bk-1', {
    offering_external_id: 'tee-18',
    return_url: `${described.origins[0]}/thanks`,
    starts_at: '2027-06-12T09:30:00+02:00',
    ends_at: '2027-06-12T13:30:00+02:00',
    location: 'Tee 1',
  });
  expect(await call('validate', { schema: 'checkout_create', object: booking })).toEqual({ valid: true, errors: [] });
  const created = await call('create_checkout', booking);
  expect(created.url).toBe(created.checkout.url);
  const times = { starts_at: '2027-06-12T07:30:00Z', ends_at: '2027-06-12T11:30:00Z', location: 'Tee 1' };
  expect(created.checkout).toMatchObject(times);
  expect(await call('get_checkout', { id: created.checkout.id })).toEqual(created.checkout);
  const listed = await call('list_bookings', { status: 'open', limit: 1 });
  expect(listed).toEqual({ data: [created.checkout], next_before: null });
});

it('the order of work explains totals, and what to do without a registered origin', async () => {
  const withoutOrigins = (await world.venue({ sandbox: true })).secretTest;
  const described = await call('describe_venue', {}, withoutOrigins);
  expect(described.origins).toEqual([]);
  expect(described.next_steps).toBeUndefined();
  const text = described.order_of_work.join('\n');
  for (const part of ['origins', 'everyshare venue list', 'everyshare venue origin add', '/slots', 'cutoff_minutes'])
    expect(text).toContain(part);
});
