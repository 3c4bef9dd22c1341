// The rooms of Cloudbeds and the tee sheets of foreUP, read after a message of ids: all nights and tee times that can be
// booked, each with its places and its price.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CLOUDBEDS_CREDENTIALS,
  CloudbedsApi,
  type CloudbedsRoomType,
  cloudbedsPing,
} from '../support/venue-apis/cloudbeds.ts';
import { FOREUP_CREDENTIALS, ForeUpApi, foreupPing } from '../support/venue-apis/foreup.ts';
import { openReadingWorld, type ReadingWorld } from './reading-world.ts';
import type { VenueSystem } from './venue-system.ts';

const cloudbeds = new CloudbedsApi();
const foreup = new ForeUpApi();
let reading: ReadingWorld;

beforeAll(async () => {
  reading = await openReadingWorld([cloudbeds, foreup]);
});
afterAll(() => reading.close());
beforeEach(() => reading.reset());

interface Slot {
  readonly starts_at: string;
  readonly capacity: number;
  readonly tier_overrides?: readonly { readonly amount: number }[];
}
const slotsOf = async (system: VenueSystem, id: string): Promise<Slot[]> =>
  (await reading.offering(system, id)).availability.slots;

async function synced({ id, key }: VenueSystem) {
  await reading.world.call('POST', `/v1/integrations/${id}/sync`, { key });
  await reading.readAll();
  return (await reading.world.call('GET', `/v1/integrations/${id}/sync`, { key })).json.data;
}

describe('Cloudbeds', () => {
  beforeEach(() => {
    cloudbeds.reset();
    cloudbeds.types = ['11', '12', '13'].map((id, n) => ({
      id,
      name: `Cabana ${id}`,
      maxGuests: 2 + n,
      night: (day) => ({ rateBase: day === 5 ? 199.5 : 150, roomsAvailable: 3 }),
    }));
  });
  const connected = (credentials = CLOUDBEDS_CREDENTIALS) =>
    reading.connect('cloudbeds', { kind: 'cabana', timezone: 'Europe/Lisbon' }, credentials);

  it('a ping of a reservation makes an offering of each room type, with the nights and prices of its base rate', async () => {
    const system = await connected();
    await system.send(cloudbedsPing('reservation/created', '999'));
    await reading.applyAndRead();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
    expect(await reading.offering(system, '11')).toMatchObject({
      title: 'Cabana 11',
      description: 'With a view of the sea.',
      tiers: [{ external_id: 'base', amount: 15_000, currency: 'eur', unit: 'per_group', max_party: 2 }],
      availability: { timezone: 'Europe/Lisbon' },
    });
    const slots = await slotsOf(system, '11');
    expect([slots.length, slots[0]?.capacity, (await slotsOf(system, '13'))[0]?.capacity]).toEqual([30, 6, 12]);
    expect(slots[5]?.tier_overrides).toEqual([{ tier: 'base', amount: 19_950 }]);
    const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Lisbon', hour: '2-digit', minute: '2-digit' });
    expect(new Set(slots.map(({ starts_at }) => clock.format(Date.parse(starts_at))))).toEqual(new Set(['15:00']));
  });

  it('the requests of one read are half a second apart, because Cloudbeds allows five a second', async () => {
    const system = await connected();
    await system.send(cloudbedsPing('reservation/created', '998'));
    await reading.apply();
    await reading.makeDue();
    const now = Date.now();
    await reading.readOnce({ ...reading.services, clock: { now: () => now } });
    expect(reading.apis.requests.length).toBeGreaterThan(3);
    expect(reading.waits).toEqual(reading.apis.requests.slice(1).map(() => 500));
  });

  it('a later ping changes free rooms, and removes a night that is blocked', async () => {
    const system = await connected();
    await system.send(cloudbedsPing('reservation/created', '1000'));
    await reading.applyAndRead();
    const blocked = (await slotsOf(system, '11'))[9]?.starts_at ?? '';
    cloudbeds.types = cloudbeds.types.map((type) => ({
      ...type,
      night: (_, date) => ({ rateBase: 150, roomsAvailable: 1, blocked: blocked.startsWith(date) }),
    }));
    await system.send({ ...cloudbedsPing('roomblock/created', '1001'), timestamp: 1812825001.5 });
    await reading.applyAndRead();
    const slots = await slotsOf(system, '11');
    expect(slots.map(({ starts_at }) => starts_at)).not.toContain(blocked);
    expect(slots.slice(1).every(({ capacity }) => capacity === 2)).toBe(true);
  });

  it('the price is that of the base rate, not of a package or a rate plan that is listed before it', async () => {
    const system = await connected();
    await system.send(cloudbedsPing('reservation/created', '1010'));
    await reading.applyAndRead();
    expect((await reading.offering(system, '12')).tiers).toMatchObject([{ label: 'Cabana 12', amount: 15_000 }]);
  });

  it('a night that is sold only in a longer stay is left out', async () => {
    const system = await connected();
    cloudbeds.types = cloudbeds.types.map((type) => ({
      ...type,
      night: (day) => ({ rateBase: 150, roomsAvailable: 3, minLos: day === 4 ? 2 : 1 }),
    }));
    await system.send(cloudbedsPing('reservation/created', '1011'));
    await reading.applyAndRead();
    expect((await slotsOf(system, '11')).length).toBe(29);
  });

  it('a shared room, which is sold by the bed, becomes no offering', async () => {
    const system = await connected();
    cloudbeds.types = cloudbeds.types.map((type) => ({ ...type, isShared: type.id === '12' }));
    expect(await synced(system)).toMatchObject({ status: 'finished', created: 2 });
    expect(await reading.offering(system, '12')).toBeUndefined();
  });

  it('the time zone is that of the property, where the venue has stated another or none', async () => {
    const system = await reading.connect('cloudbeds', { kind: 'cabana' }, CLOUDBEDS_CREDENTIALS);
    await system.send(cloudbedsPing('reservation/created', '1012'));
    await reading.applyAndRead();
    expect((await reading.offering(system, '11')).availability.timezone).toBe('Europe/Lisbon');
  });

  it('a ping of another property reads nothing', async () => {
    const system = await connected({ ...CLOUDBEDS_CREDENTIALS, property_id: '777' });
    await system.send(cloudbedsPing('reservation/created', '1002'));
    await reading.applyAndRead();
    expect(reading.apis.requests).toEqual([]);
    expect(await reading.statuses(system)).not.toEqual(['applied']);
  });

  it('an approval that was withdrawn pauses the reads, although the answer has status 200', async () => {
    const system = await connected();
    cloudbeds.isApproved = false;
    await system.send(cloudbedsPing('reservation/created', '1003'));
    await reading.applyAndRead();
    expect(reading.apis.requests.length).toBe(1);
    expect(await reading.readsOf(system)).toMatchObject({ status: 'paused', reason: 'credentials_refused' });
  });

  it('a catalogue run reads all room types, 100 a request, and asks for no page after the one that completes the total', async () => {
    const system = await connected();
    const [first] = cloudbeds.types;
    const pages = () => reading.apis.requests.filter(({ path }) => path === '/getRoomTypes').length;
    expect(await synced(system)).toMatchObject({ status: 'finished', created: 3, skipped: 0 });
    expect(pages()).toBe(1);
    expect(await synced(system)).toMatchObject({ created: 0, changed: 0, unchanged: 3 });
    cloudbeds.types = Array.from({ length: 25 }, (_, n) => ({ ...(first as CloudbedsRoomType), id: String(11 + n) }));
    expect(await synced(system)).toMatchObject({ created: 22, skipped: 0 });
    expect(pages()).toBe(3);
  });

  it.each([
    { stated: 'the total of room types', total: (types: number) => types, pages: 3 },
    { stated: 'no total', total: () => null, pages: 4 },
    { stated: 'a total of something else', total: () => 0, pages: 4 },
  ])('pages that are smaller than asked for, with $stated, take no room type off sale', async ({ total, pages }) => {
    const system = await connected();
    expect(await synced(system)).toMatchObject({ created: 3 });
    cloudbeds.maxPageSize = 1;
    cloudbeds.total = total;
    reading.apis.requests.length = 0;
    expect(await synced(system)).toMatchObject({ created: 0, changed: 0, unchanged: 3 });
    expect(reading.apis.requests.filter(({ path }) => path === '/getRoomTypes').length).toBe(pages);
    expect((await slotsOf(system, '13')).length).toBeGreaterThan(20);
  });

  it('an answer without the list of rates fails, and the nights stay on sale', async () => {
    const system = await connected();
    expect(await synced(system)).toMatchObject({ created: 3 });
    const before = await slotsOf(system, '11');
    const answer = cloudbeds.answer.bind(cloudbeds);
    cloudbeds.answer = (request) =>
      request.path === '/getRatePlans' ? { status: 200, body: { success: true } } : answer(request);
    await system.send(cloudbedsPing('reservation/created', '1010'));
    await reading.applyAndRead();
    cloudbeds.answer = answer;
    expect(await reading.outcomes(system)).toEqual([['failed', expect.stringContaining('has no list at rates.data')]]);
    expect(await slotsOf(system, '11')).toEqual(before);
  });
});

describe('foreUP', () => {
  const DEFAULTS = { kind: 'tee_time', currency: 'usd', timezone: 'America/Phoenix' };
  beforeEach(() => {
    foreup.logins = 0;
    foreup.dates = [];
    foreup.forbiddenSheet = null;
    foreup.sheets = [
      { id: '12', title: 'Cascade' },
      { id: '13', title: 'Nine holes', holes: 9 },
    ];
    foreup.times = () => [
      { time: '0800', spots: 4, greenFee: 45 },
      { time: '0810', spots: 2, greenFee: 52.5 },
    ];
  });
  const connected = () => reading.connect('foreup', DEFAULTS, FOREUP_CREDENTIALS);

  it('an event makes an offering of the tee sheet, with the tee times of seven days', async () => {
    const system = await connected();
    await system.send(foreupPing('teetime.updated', '1'));
    await reading.applyAndRead();
    expect(await reading.outcomes(system)).toEqual([['applied', null]]);
    expect(await reading.offering(system, '12')).toMatchObject({
      title: 'Cascade',
      tiers: [{ external_id: 'green_fee', label: 'Green fee', amount: 4500, currency: 'usd', unit: 'per_person' }],
    });
    const slots = await slotsOf(system, '12');
    expect([slots.length, new Set(foreup.dates).size, foreup.logins]).toEqual([14, 7, 1]);
    expect(slots.slice(0, 2)).toMatchObject([
      { starts_at: `${foreup.dates[0]}T15:00:00Z`, capacity: 4 },
      { starts_at: `${foreup.dates[0]}T15:10:00Z`, capacity: 2, tier_overrides: [{ amount: 5250 }] },
    ]);
  });

  it('a tee time that is no longer offered is removed, and a token that has expired is replaced once', async () => {
    const system = await connected();
    await system.send(foreupPing('teetime.updated', '2'));
    await reading.applyAndRead();
    const removed = foreup.dates[3] ?? '';
    const { times } = foreup;
    foreup.times = (date) => times(date).slice(date === removed ? 1 : 0);
    foreup.expireTokens();
    await system.send(foreupPing('teetime.deleted', '2'));
    await reading.applyAndRead();
    const starts = (await slotsOf(system, '12')).map(({ starts_at }) => starts_at);
    expect(starts).not.toContain(`${removed}T15:00:00Z`);
    expect(starts).toContain(`${removed}T15:10:00Z`);
    expect([foreup.logins, await reading.statuses(system)]).toEqual([2, ['applied', 'applied']]);
  });

  it('a catalogue run reads every tee sheet of the course', async () => {
    const system = await connected();
    expect(await synced(system)).toMatchObject({ status: 'finished', listed: 2, read: 2, created: 2, skipped: 0 });
    expect((await reading.offering(system, '13')).title).toBe('Nine holes');
  });

  it('where only riding is allowed the price has the cart fee', async () => {
    const system = await connected();
    foreup.times = () => [
      { time: '0800', spots: 4, greenFee: 45 },
      { time: '0810', spots: 4, greenFee: 45, rateType: 'riding' },
    ];
    await system.send(foreupPing('teetime.updated', '3'));
    await reading.applyAndRead();
    expect((await reading.offering(system, '12')).tiers).toMatchObject([{ amount: 4500 }]);
    const [walking, riding] = await slotsOf(system, '12');
    expect([walking?.tier_overrides, riding?.tier_overrides]).toMatchObject([undefined, [{ amount: 5700 }]]);
  });

  it('a sheet of nine holes, a larger one and all sides of a sheet have their times', async () => {
    const system = await connected();
    foreup.sheets.push({ id: '14', title: 'Three loops', holes: 27 });
    foreup.times = () => [
      { time: '0800', spots: 4, greenFee: 45 },
      { time: '0800', spots: 2, greenFee: 45, isSecondSide: true },
    ];
    expect(await synced(system)).toMatchObject({ created: 3 });
    const counts = await Promise.all(['12', '13', '14'].map(async (id) => (await slotsOf(system, id)).length));
    expect(counts).toEqual([14, 14, 14]);
  });

  it('the sizes of groups that are allowed limit the party; a time that allows fewer is left out', async () => {
    const system = await connected();
    const all = { spots: 4, greenFee: 45, groups: [2, 3, 4] };
    foreup.times = () => [
      { ...all, time: '0800', groups: [4] },
      { ...all, time: '0810' },
    ];
    await system.send(foreupPing('teetime.updated', '4'));
    await reading.applyAndRead();
    expect((await reading.offering(system, '12')).tiers).toMatchObject([{ min_party: 2, max_party: 4 }]);
    expect((await slotsOf(system, '12')).length).toBe(7);
    foreup.times = () => [{ ...all, time: '0810', groups: [1, 2, 3] }];
    await system.send(foreupPing('teetime.deleted', '4'));
    await reading.applyAndRead();
    expect((await reading.offering(system, '12')).tiers).toMatchObject([{ min_party: 1, max_party: 3 }]);
  });

  it('a tee sheet that is no longer listed can no longer be booked, and its times are not asked for', async () => {
    const system = await connected();
    await system.send(foreupPing('teetime.updated', '5'));
    await reading.applyAndRead();
    foreup.sheets = foreup.sheets.slice(1);
    const before = foreup.dates.length;
    await system.send(foreupPing('teetime.deleted', '5'));
    await reading.applyAndRead();
    expect([await slotsOf(system, '12'), foreup.dates.length]).toEqual([[], before]);
    expect(await reading.statuses(system)).toEqual(['applied', 'applied']);
  });

  it.each([
    { lacks: 'the tee sheets', path: /teesheets$/, body: {} },
    { lacks: 'the tee sheets', path: /teesheets$/, body: { data: null } },
    { lacks: 'the times', path: /teetimes$/, body: { data: null } },
  ])('an answer without the list of $lacks ($body) fails and takes nothing off sale', async ({ path, body }) => {
    const system = await connected();
    await system.send(foreupPing('teetime.updated', '5'));
    await reading.applyAndRead();
    const before = await slotsOf(system, '12');
    const answer = foreup.answer.bind(foreup);
    foreup.answer = (request) => (path.test(request.path) ? { status: 200, body } : answer(request));
    await system.send(foreupPing('teetime.updated', '6'));
    await reading.applyAndRead();
    foreup.answer = answer;
    expect(await reading.outcomes(system)).toEqual([
      ['failed', expect.stringContaining('The answer of the venue system has no list at ')],
      ['applied', null],
    ]);
    expect(await slotsOf(system, '12')).toEqual(before);
  });

  it('a catalogue run without the list of tee sheets fails with the reason, and is not a run of none', async () => {
    const system = await connected();
    const answer = foreup.answer.bind(foreup);
    foreup.answer = (request) => (request.path.endsWith('teesheets') ? { status: 200, body: {} } : answer(request));
    const run = await synced(system);
    foreup.answer = answer;
    expect(run).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('has no list at teesheets.data'),
    });
  });

  it('a tee sheet that the user may not read fails alone: the reads of others go on', async () => {
    const system = await connected();
    foreup.forbiddenSheet = '12';
    expect(await synced(system)).toMatchObject({ status: 'finished', created: 1, skipped: 1 });
    expect((await reading.readsOf(system)).status).toBe('active');
    expect((await slotsOf(system, '13')).length).toBe(14);
  });
});
