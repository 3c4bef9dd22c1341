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
