// Mews' bookable service, read after a message of ids: each category of resources is an offering, each time unit a slot
// with its own price and its free spaces.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { commandLine } from '../support/run-command.ts';
import { ENTERPRISE, MEWS_CREDENTIALS, MewsApi, timeInBudapest } from '../support/venue-apis/mews.ts';
import { mewsEvents } from '../support/venue-bodies.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import type { VenueSystem } from './venue-system.ts';

const mews = new MewsApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([mews]);
});
afterAll(() => reading.close());
beforeEach(() => {
  mews.reset();
  reading.reset();
  mews.categories = ['cabana', 'daybed', 'suite'].map((name, n) => ({
    id: `${n}d6b462a-35ec-467e-a565-b00300781a41`,
    name,
    capacity: n + 2,
    free: (day) => (day === 3 ? -1 : 5),
    price: (day) => (day === 2 ? 180.5 : 120),
  }));
});

const connected = () => reading.connect('mews', { kind: 'cabana' }, MEWS_CREDENTIALS);
const CABANA = '0d6b462a-35ec-467e-a565-b00300781a41';
const DAYBED = '1d6b462a-35ec-467e-a565-b00300781a41';
interface Slot {
  readonly starts_at: string;
  readonly capacity: number;
  readonly tier_overrides?: object;
}
const slotsOf = async (system: VenueSystem, id = CABANA): Promise<Slot[]> =>
  (await reading.offering(system, id)).availability.slots;

it('a message of ids makes an offering of each category, with a slot, a price and free places for each day', async () => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated', 'ResourceUpdated', 'CustomerAdded'));
  await reading.apply();
  expect(await reading.outcomes(system)).toEqual([['reading', null]]);
  await reading.readAll();
  expect(await reading.outcomes(system)).toEqual([['applied', null]]);
  const offering = await reading.offering(system, CABANA);
  expect(offering).toMatchObject({
    title: 'cabana',
    tiers: [{ external_id: MEWS_CREDENTIALS.rate_id, label: 'Flexible', amount: 12_000, currency: 'eur' }],
    availability: { timezone: 'Europe/Budapest' },
  });
  expect(offering.tiers[0]).toMatchObject({ unit: 'per_group', max_party: 2 });
  const slots = await slotsOf(system);
  expect(slots.length).toBe(15);
  expect(slots.every(({ starts_at }) => timeInBudapest(Date.parse(starts_at)) === '15:00')).toBe(true);
  expect(slots.map(({ capacity }) => capacity).slice(2, 5)).toEqual([10, 0, 10]);
  expect(slots[2]?.tier_overrides).toEqual([{ tier: MEWS_CREDENTIALS.rate_id, amount: 18_050 }]);
  expect(slots[4]?.tier_overrides).toBeUndefined();
  expect((await slotsOf(system, DAYBED))[4]?.capacity).toBe(15);
});

it('hundreds of messages before the read lead to one read, which pages through the categories', async () => {
  const system = await connected();
  for (const discriminator of ['ServiceOrderUpdated', 'ResourceUpdated', 'ResourceBlockUpdated'])
    await system.send(mewsEvents(discriminator));
  await reading.applyAndRead();
  expect(await reading.statuses(system)).toEqual(['applied', 'applied', 'applied']);
  const pages = reading.apis.requests.filter(({ path }) => path === '/resourceCategories/getAll');
  expect([pages.length, reading.apis.requests.length]).toEqual([3, 8]);
});

it('a later read changes places and prices, and removes the days that are no longer sold', async () => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated'));
  await reading.applyAndRead();
  const removed = (await slotsOf(system))[6]?.starts_at ?? '';
  const isRemoved = (start: string): boolean => Date.parse(removed) - Date.parse(start) === 15 * 3_600_000;
  mews.categories = mews.categories.map((category) => ({
    ...category,
    free: () => 4,
    price: (_, start) => (isRemoved(start) ? null : 120),
  }));
  await system.send(mewsEvents('ResourceBlockUpdated'));
  await reading.applyAndRead();
  const slots = (await slotsOf(system)).slice(1);
  expect(slots.map(({ starts_at }) => starts_at)).not.toContain(removed);
  expect(slots.length).toBeGreaterThan(12);
  expect(slots.every(({ capacity, tier_overrides }) => capacity === 8 && tier_overrides === undefined)).toBe(true);
});

it('a category that is no longer listed cannot be booked', async () => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated'));
  await reading.applyAndRead();
  mews.categories = mews.categories.slice(1);
  await system.send(mewsEvents('ResourceUpdated'));
  await reading.applyAndRead();
  expect(await slotsOf(system)).toEqual([]);
  expect((await slotsOf(system, DAYBED)).length).toBeGreaterThan(0);
});

it('a service without any category takes every offering of an earlier read off sale', async () => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated'));
  await reading.applyAndRead();
  mews.categories = [];
  await system.send(mewsEvents('ResourceUpdated'));
  await reading.applyAndRead();
  expect([await slotsOf(system), await slotsOf(system, DAYBED)]).toEqual([[], []]);
  expect((await reading.statuses(system))[0]).toBe('applied');
});

it('answers without one of their lists, or with null in its place, fail and take nothing off sale', async () => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated'));
  await reading.applyAndRead();
  const before = await slotsOf(system);
  const paths = [
    'services.Services',
    'rates.Rates',
    'ResourceCategories',
    'availability.CategoryAvailabilities',
    'availability.TimeUnitStartsUtc',
    'pricing.CategoryPrices',
  ];
  for (const [index, path] of paths.entries()) {
    mews.replaced = { [path.split('.').at(-1) ?? '']: index % 2 === 0 ? null : undefined };
    await system.send(mewsEvents('ServiceOrderUpdated', `Resource${index}Updated`));
    await reading.applyAndRead();
    const reason = `The answer of the venue system has no list at ${path}. `;
    expect((await reading.outcomes(system))[0]).toEqual(['failed', expect.stringContaining(reason)]);
  }
  expect(await slotsOf(system)).toEqual(before);
});

it('a 403 is quoted with Mews’ own message, shortened, and never with a credential', async () => {
  const outcomeOf = async (message: string) => {
    const system = await connected();
    await system.send(mewsEvents('ServiceOrderUpdated'));
    await reading.apply();
    reading.apis.faults.push({ status: 403, body: { Message: message, Details: null } });
    await reading.readAll();
    return (await reading.outcomes(system))[0];
  };
  const remedy =
    'Correct there what it says, such as the access of the credentials to this object, and replay the delivery.';
  expect(await outcomeOf('The service\n"Cabanas" is closed.')).toEqual([
    'failed',
    `The venue system answered 403: "The service Cabanas is closed". ${remedy}`,
  ]);
  expect(await outcomeOf('x'.repeat(500))).toEqual([
    'failed',
    `The venue system answered 403: "${'x'.repeat(159)}…". ${remedy}`,
  ]);
  expect(await outcomeOf(`Unknown token ${MEWS_CREDENTIALS.access_token}`)).toEqual([
    'failed',
    expect.stringMatching(/answered 403\. The credentials may not read this object/),
  ]);
});

it('a service that is no longer active cannot be booked', async () => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated'));
  await reading.applyAndRead();
  mews.isActive = false;
  await system.send(mewsEvents('ResourceUpdated'));
  await reading.applyAndRead();
  expect((await reading.offering(system, CABANA)).availability.slots).toEqual([]);
});

it('a message about another property changes nothing, says so, and never pauses the reads', async () => {
  const system = await connected();
  await system.send({ ...mewsEvents('ServiceOrderUpdated'), EnterpriseId: '00000000-90f2-4c4a-8e01-a4fc46b25178' });
  await reading.applyAndRead();
  expect((await reading.readsOf(system)).status).toBe('active');
  expect(await reading.outcomes(system)).toEqual([['failed', expect.stringContaining('another property')]]);
  expect(await reading.offering(system, CABANA)).toBeUndefined();
  expect(reading.apis.requests.length).toBe(1);
});

it.each(['disabled', 'deleted'] as const)('a rate that is %s sells nothing, until it is there again', async (state) => {
  const system = await connected();
  await system.send(mewsEvents('ServiceOrderUpdated'));
  await reading.applyAndRead();
  mews.rate = state;
  await system.send(mewsEvents('ResourceUpdated'));
  await reading.applyAndRead();
  expect([await slotsOf(system), await slotsOf(system, DAYBED)]).toEqual([[], []]);
  expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
  mews.rate = 'active';
  await system.send(mewsEvents('ResourceBlockUpdated'));
  await reading.applyAndRead();
  expect((await slotsOf(system)).length).toBe(15);
});

it('a catalogue run reads every category, on several pages, and says what was created and the same', async () => {
  const system = await connected();
  const run = async () => {
    await reading.world.call('POST', `/v1/integrations/${system.id}/sync`, { key: system.key });
    await reading.readAll();
    return (await reading.world.call('GET', `/v1/integrations/${system.id}/sync`, { key: system.key })).json.data;
  };
  expect(await run()).toMatchObject({ status: 'finished', listed: 1, read: 1, created: 3, skipped: 0 });
  expect(await run()).toMatchObject({ status: 'finished', created: 0, changed: 0, unchanged: 3 });
});

it('a message to the shared address of a partner application is read with the credentials of its own venue', async () => {
  const [system, other] = [await connected(), await connected()];
  const run = commandLine(reading.world);
  const create = ['hook', 'create', '--provider', 'mews', '--mode', 'test'];
  const { webhook_url: url } = await run.json<{ webhook_url: string }>(...create);
  await run.json(
    ...['hook', 'route', '--provider', 'mews', '--mode', 'test', '--venue', system.venueId],
    ...['--integration', system.id, '--account', ENTERPRISE],
  );
  await reading.world.call('POST', new URL(url).pathname, { body: mewsEvents('ServiceOrderUpdated') });
  await reading.applyAndRead();
  expect(await reading.statuses(system)).toEqual(['applied']);
  expect((await slotsOf(system)).length).toBe(15);
  expect(await reading.statuses(other)).toEqual([]);
  expect(await reading.offering(other, CABANA)).toBeUndefined();
});
