// GET /v1/offerings/{id}/slots over HTTP: the slots that can be booked, with their prices.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld();
  const { venue } = await world.venue();
  key = (await world.key(venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 })).key;
});
afterAll(() => world.close());

const year = new Date().getUTCFullYear() + 1;
const OFFERING = {
  external_id: 'tee',
  kind: 'tee_time',
  title: 'Tee time',
  tiers: [
    {
      external_id: 'weekday',
      amount: 9000,
      currency: 'usd',
      unit: 'per_person',
      days: ['mon', 'tue', 'wed', 'thu', 'fri'],
    },
    {
      external_id: 'weekend',
      amount: 11000,
      currency: 'usd',
      unit: 'per_person',
      days: ['sat', 'sun'],
      fees: [{ type: 'tax', percent: 8.875, included: false }],
      deposit: { percent: 50 },
    },
  ],
  availability: {
    timezone: 'America/New_York',
    recurring: [{ rrule: 'FREQ=DAILY', starts_at: `${year}-01-01T10:00:00-05:00`, duration_minutes: 240, capacity: 4 }],
    blackout_dates: [`${year}-07-04`],
    cutoff_minutes: 60,
  },
};

const getSlots = (query: string, id = 'tee'): Promise<HttpResponse> =>
  world.call('GET', `/v1/offerings/${id}/slots?${query}`, { key });
const postOffering = (change: object = {}): Promise<HttpResponse> =>
  world.call('POST', '/v1/offerings', { key, body: { ...OFFERING, ...change } });

describe('GET /v1/offerings/{id}/slots', () => {
  it('expands rules in the venue’s zone across a clock change, without blackout dates, priced for the party', async () => {
    await postOffering();
    const march = await getSlots(`from=${year}-03-01T00:00:00Z&to=${year}-04-01T00:00:00Z&party_size=3`);
    expect(march.status).toBe(200);
    const hours = new Set(march.json.data.map((slot: { starts_at: string }) => slot.starts_at.slice(11, 16)));
    expect(hours).toEqual(new Set(['15:00', '14:00']));
    expect(march.json.data).toHaveLength(31);
    const july = await getSlots(`from=${year}-07-03T00:00:00Z&to=${year}-07-06T00:00:00Z`);
    expect(july.json.data.map((slot: { starts_at: string }) => slot.starts_at.slice(0, 10))).toEqual([
      `${year}-07-03`,
      `${year}-07-05`,
    ]);
    const saturday = march.json.data.find((slot: { starts_at: string }) => new Date(slot.starts_at).getUTCDay() === 6);
    // 3 x 110.00 = 330.00; tax 8.875 % = 29.2875, rounded half up 29.29; half of 359.29 is 179.645, rounded 179.65.
    expect(saturday.prices).toEqual([
      expect.objectContaining({ tier: 'weekend', amount: 11000, total: 35929, deposit: 17965 }),
    ]);
    expect(Date.parse(saturday.starts_at) - Date.parse(saturday.pay_by)).toBe(3_600_000);
    for (const slot of march.json.data) {
      expect(
        world.context.validator.problems('slot', { value: slot, text: JSON.stringify(slot), badTexts: [] }),
      ).toEqual([]);
    }
  });

  it('prices for a party of two by default, and leaves out slots that are too small', async () => {
    await postOffering();
    const window = `from=${year}-05-03T00:00:00Z&to=${year}-05-04T00:00:00Z`;
    const [slot] = (await getSlots(window)).json.data;
    expect(slot.prices[0].total).toBe(
      2 * slot.prices[0].amount +
        (slot.prices[0].tier === 'weekend' ? Math.round(2 * slot.prices[0].amount * 0.08875) : 0),
    );
    expect((await getSlots(`${window}&party_size=5`)).json.data).toEqual([]);
  });

  it('requires from and to, in order and at most 62 days apart', async () => {
    await postOffering();
    const table = [
      ['', 'missing_field', '/query/from'],
      [`from=${year}-05-02T00:00:00Z&to=${year}-05-01T00:00:00Z`, 'not_allowed', '/query/to'],
      [`from=${year}-05-01T00:00:00Z&to=${year}-07-02T00:00:01Z`, 'out_of_range', '/query/to'],
      [`from=${year}-05-01T00:00:00&to=${year}-07-02T00:00:00Z`, 'invalid_format', '/query/from'],
      [`from=${year}-05-01T00:00:00Z&to=${year}-05-02T00:00:00Z&party_size=0`, 'out_of_range', '/query/party_size'],
    ] as const;
    for (const [query, code, field] of table) {
      const { status, json } = await getSlots(query);
      expect([query, status, json.error.code, json.error.field]).toEqual([query, 422, code, field]);
    }
    expect((await getSlots(`from=${year}-05-01T00:00:00Z&to=${year}-07-02T00:00:00Z`)).status).toBe(200);
    expect((await getSlots(`from=${year}-05-01T00:00:00Z&to=${year}-05-02T00:00:00Z`, 'nothing')).status).toBe(404);
  });

  it('gives in next_from where a cut page continues, and accepts it as from', async () => {
    const hours = Array.from({ length: 24 }, (_, i) => i).join(',');
    const rrule = `FREQ=DAILY;BYHOUR=${hours};BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55`;
    const recurring = [{ rrule, starts_at: `${year}-01-01T00:00:00Z` }];
    await postOffering({ external_id: 'dense', availability: { recurring } });
    const to = `${year}-05-05T00:00:00Z`;
    const found: string[] = [];
    let pages = 0;
    for (let from: string | null = `${year}-05-01T00:00:00Z`; from !== null; pages += 1) {
      const { status, json } = await getSlots(`from=${from}&to=${to}`, 'dense');
      expect(status).toBe(200);
      expect(json.data.length).toBeLessThanOrEqual(500);
      found.push(...json.data.map((slot: { starts_at: string }) => slot.starts_at));
      from = json.next_from;
    }
    expect([pages, found.length, new Set(found).size]).toEqual([3, 4 * 288, 4 * 288]);
  });

  it('refuses an offering with a rule that has too many starts or none, and names the rule', async () => {
    const rule = (rrule: string) => ({
      availability: {
        recurring: [
          { rrule: 'FREQ=DAILY', starts_at: `${year}-01-01T10:00:00Z` },
          { rrule, starts_at: `${year}-01-01T10:00:00Z` },
        ],
      },
    });
    const minutes = Array.from({ length: 60 }, (_, i) => i).join(',');
    const hours = Array.from({ length: 24 }, (_, i) => i).join(',');
    const table = [
      ['FREQ=SECONDLY', 'invalid_value'],
      [`FREQ=DAILY;BYHOUR=${hours};BYMINUTE=${minutes}`, 'out_of_range'],
      ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'invalid_value'],
      ['FREQ=DAILY;COUNT=1000000000', 'invalid_format'],
      ['nonsense', 'invalid_format'],
    ] as const;
    for (const [rrule, code] of table) {
      const { status, json } = await postOffering(rule(rrule));
      expect([rrule, status, json.error.code, json.error.field]).toEqual([
        rrule,
        422,
        code,
        '/availability/recurring/1/rrule',
      ]);
    }
    const batch = await world.call('POST', '/v1/offerings', {
      key,
      body: {
        offerings: [OFFERING, { ...OFFERING, external_id: 'x', ...rule('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30') }],
      },
    });
    expect(batch.json.error.field).toBe('/offerings/1/availability/recurring/1/rrule');
    const never = { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', starts_at: `${year}-01-01T10:00:00Z` };
    const both = await postOffering({ availability: { recurring: [never, never] } });
    expect(both.json.errors.map((problem: { field: string }) => problem.field)).toEqual([
      '/availability/recurring/0/rrule',
      '/availability/recurring/1/rrule',
    ]);
  });
});
