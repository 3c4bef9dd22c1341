// Toast's menus, read after its webhook: a token for the credentials, which the worker keeps, and every item of every
// group.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { menusUpdated, TOAST_CREDENTIALS, ToastApi } from '../support/venue-apis/toast.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';

const toast = new ToastApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([toast]);
});
afterAll(() => reading.close());
beforeEach(() => {
  reading.reset();
  toast.logins = 0;
  toast.lastUpdated = '2027-02-01T00:00:00.000+0000';
  toast.items = [
    { guid: 'i-soup', name: 'Soup', price: 12.5 },
    { guid: 'i-fish', name: 'Fish', price: 31 },
    { guid: 'i-open', name: 'By size', price: null },
  ];
});

const DEFAULTS = { kind: 'dining', currency: 'usd' };

it('every menu item with a price becomes an offering, from groups in groups too', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  await system.send(menusUpdated('ev-1', '2027-01-15T18:04:06.000Z'));
  await reading.applyAndRead();
  expect(await reading.statuses(system)).toEqual(['applied']);
  expect(await reading.offering(system, 'i-soup')).toMatchObject({
    title: 'Soup',
    tiers: [{ amount: 1250, currency: 'usd' }],
    availability: { timezone: 'America/New_York' },
  });
  expect((await reading.offering(system, 'i-fish')).tiers[0].amount).toBe(3100);
  expect(await reading.offering(system, 'i-open')).toBeUndefined();
});

it('a token is kept for later reads, and one that was revoked is replaced once', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  for (const [guid, time] of [
    ['ev-2', '2027-01-15T18:05:00.000Z'],
    ['ev-3', '2027-01-15T18:06:00.000Z'],
  ] as const) {
    await system.send(menusUpdated(guid, time));
    await reading.applyAndRead();
  }
  expect(toast.logins).toBe(1);
  toast.revokeTokens();
  await system.send(menusUpdated('ev-4', '2027-01-15T18:07:00.000Z'));
  await reading.applyAndRead();
  expect(toast.logins).toBe(2);
  expect(await reading.statuses(system)).toEqual(['applied', 'applied', 'applied']);
});

it('two events of one version are read once: the second is superseded', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  await system.send(menusUpdated('ev-5', '2027-01-15T18:08:00.000Z'));
  await reading.applyAndRead();
  const before = reading.apis.requests.length;
  await system.send(menusUpdated('ev-6', '2027-01-15T18:08:00.000Z'));
  await reading.applyAndRead();
  expect((await reading.statuses(system))[0]).toBe('superseded');
  expect(reading.apis.requests.length).toBe(before);
});

it('a wrong client secret is tried once, and pauses the reads', async () => {
  const system = await reading.connect('toast', DEFAULTS, { ...TOAST_CREDENTIALS, client_secret: 'wrong' });
  await system.send(menusUpdated('ev-7', '2027-01-15T18:09:00.000Z'));
  await reading.applyAndRead();
  expect(reading.apis.requests.length).toBe(1);
  expect(await reading.readsOf(system)).toMatchObject({ status: 'paused', reason: 'credentials_refused' });
});

it('a version that is named again during its read is read once, and both deliveries get the outcome', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  await system.send(menusUpdated('ev-8', '2027-01-15T18:10:00.000Z'));
  await reading.apply();
  reading.apis.onRequest = async () => {
    reading.apis.onRequest = () => undefined;
    await system.send(menusUpdated('ev-9', '2027-01-15T18:10:00.000Z'));
    await reading.apply();
  };
  await reading.readAll();
  expect(menusRequests()).toBe(1);
  expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
});

it('a menu of more than 500 items is read whole, and an item in several groups is one offering', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  // Most ids cannot be an external_id and are skipped, which takes no time: every part of the list has a right one.
  toast.items = Array.from({ length: 520 }, (_, number) => ({
    guid: number % 173 === 0 ? `i-${number}` : `not an id ${number}`,
    name: `Dish ${number}`,
    price: 10 + number,
  }));
  await reading.world.call('POST', `/v1/integrations/${system.id}/sync`, { key: system.key });
  await reading.readAll();
  const { json } = await reading.world.call('GET', `/v1/integrations/${system.id}/sync`, { key: system.key });
  expect(json.data).toMatchObject({ status: 'finished', created: 4, changed: 0, skipped: 516 });
  expect((await reading.offering(system, 'i-519')).tiers[0].amount).toBe(52_900);
});

it('an item that is no longer in the menus can no longer be booked, an empty menu takes all off sale, an answer without menus none', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  await system.send(menusUpdated('ev-10', '2027-01-15T18:11:00.000Z'));
  await reading.applyAndRead();
  const slots = [{ starts_at: '2027-06-12T18:00:00Z', capacity: 4 }];
  for (const id of ['i-soup', 'i-fish']) {
    const { tiers, title, kind } = await reading.offering(system, id);
    const body = { external_id: id, tiers, title, kind, availability: { timezone: 'America/New_York', slots } };
    expect((await reading.world.call('POST', '/v1/offerings', { key: system.key, body })).status).toBe(200);
  }
  const slotsOf = async (id: string) => (await reading.offering(system, id)).availability.slots.length;
  const all = toast.items;
  reading.apis.faults.push({ status: 200, body: { lastUpdated: '2027-02-01T00:00:00.000+0000' } });
  await system.send(menusUpdated('ev-11', '2027-01-15T18:12:00.000Z'));
  await reading.applyAndRead();
  expect([await slotsOf('i-soup'), await slotsOf('i-fish')]).toEqual([1, 1]);
  toast.items = all.filter(({ guid }) => guid !== 'i-soup');
  toast.lastUpdated = '2027-02-02T00:00:00.000+0000';
  await system.send(menusUpdated('ev-12', '2027-01-15T18:13:00.000Z'));
  await reading.applyAndRead();
  expect([await slotsOf('i-soup'), await slotsOf('i-fish')]).toEqual([0, 1]);
  expect((await reading.outcomes(system))[0]).toEqual([
    'applied',
    expect.stringContaining('"i-soup": Toast no longer lists it. It can no longer be booked.'),
  ]);
  toast.items = [];
  toast.lastUpdated = '2027-02-03T00:00:00.000+0000';
  await system.send(menusUpdated('ev-13', '2027-01-15T18:14:00.000Z'));
  await reading.applyAndRead();
  expect([await slotsOf('i-soup'), await slotsOf('i-fish')]).toEqual([0, 0]);
  expect((await reading.outcomes(system))[0]).toEqual([
    'applied',
    'Toast no longer lists it. It can no longer be booked.',
  ]);
});

it('a ping of another restaurant than that of the credentials fails with a remedy, and nothing is read', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  const ping = menusUpdated('ev-13', '2027-01-15T18:14:00.000Z');
  const other = '00000000-dc6e-4e21-85f9-7de275ffe820';
  await system.send({ ...ping, details: { ...ping.details, restaurantGuid: other } });
  await reading.applyAndRead();
  expect(await reading.outcomes(system)).toEqual([
    [
      'failed',
      expect.stringContaining(`restaurant_guid ${other}, and the credentials of this integration are of another`),
    ],
  ]);
  expect(reading.apis.requests).toEqual([]);
});

it('a 404 of the request for a token is tried again, and takes nothing off sale', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  await system.send(menusUpdated('ev-14', '2027-01-15T18:15:00.000Z'));
  await reading.apply();
  reading.apis.faults.push({ status: 404, body: {} });
  await reading.makeDue();
  await reading.readOnce();
  expect(await reading.readsOf(system)).toMatchObject({
    status: 'waiting',
    reason: 'provider_unavailable',
    waiting: 1,
  });
  await reading.makeReadsDue();
  await reading.readAll();
  expect(await reading.statuses(system)).toEqual(['applied']);
});

it('menus that are shown later than their message announces them are read again; after five tries they count as they are', async () => {
  const system = await reading.connect('toast', DEFAULTS, TOAST_CREDENTIALS);
  const step = async (): Promise<void> => {
    await reading.makeDue();
    await reading.makeReadsDue();
    await reading.readOnce();
  };
  toast.lastUpdated = '2027-01-15T18:00:00.000+0000';
  await system.send(menusUpdated('ev-15', '2027-01-15T18:16:00.000Z'));
  await reading.apply();
  await step();
  expect(await reading.statuses(system)).toEqual(['reading']);
  toast.lastUpdated = '2027-01-15T18:16:00.000+0000';
  await step();
  expect(await reading.statuses(system)).toEqual(['applied']);
  await system.send(menusUpdated('ev-16', '2027-01-15T18:17:00.000Z'));
  await reading.apply();
  for (let tries = 0; tries < 5; tries++) await step();
  expect((await reading.statuses(system))[0]).toBe('reading');
  await step();
  expect((await reading.statuses(system))[0]).toBe('applied');
  expect(menusRequests()).toBe(8);
});

const menusRequests = (): number => reading.apis.requests.filter(({ path }) => path === '/menus/v2/menus').length;
