// Money is an integer in minor units, written in digits alone: with a point or an exponent it is invalid_type at its
// pointer, at every entry point. Other integers may be written so, as JSON Schema says.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseStrictJson } from '../../src/base/json/parse.ts';
import { MAX_AMOUNT } from '../../src/base/money.ts';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { connectVenueSystem } from '../hooks/venue-system.ts';
import { checkoutBody } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld();
  const { venue } = await world.venue({ origins: ['https://harbor.example'] });
  key = (await world.key(venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 })).key;
});
afterAll(() => world.close());

const TIER = { amount: 777, currency: 'usd', unit: 'per_person' };
const OFFERING = { external_id: 'o', kind: 'table', title: 'Table', tiers: [TIER] };
const BOAT = {
  external_id: 'boat-17',
  name: 'Second Wind',
  type: 'catamaran',
  length_ft: 42,
  capacity: 12,
  captain: 'included',
  location: { city: 'Miami' },
  pricing: [{ duration_hours: 4, amount: 777, currency: 'usd' }],
  photo_urls: ['https://cdn.fleet.example/1.jpg'],
};
const checkout = checkoutBody({ amount: 777, return_url: 'https://harbor.example/thanks' });

/** Path, body with 777 as the amount, pointer of the amount. */
const ENTRY_POINTS: readonly (readonly [path: string, body: object, field: string])[] = [
  ['/v1/checkouts', checkout, '/amount'],
  ['/v1/checkouts/chk_x/refund', { amount: 777 }, '/amount'],
  ['/v1/offerings', OFFERING, '/tiers/0/amount'],
  ['/v1/offerings', { ...OFFERING, tiers: [{ ...TIER, amount: 1, minimum_spend: 777 }] }, '/tiers/0/minimum_spend'],
  [
    '/v1/offerings',
    { ...OFFERING, tiers: [{ ...TIER, amount: 1, deposit: { amount: 777 } }] },
    '/tiers/0/deposit/amount',
  ],
  ['/v1/offerings', { offerings: [OFFERING] }, '/offerings/0/tiers/0/amount'],
  ['/v1/boats', BOAT, '/pricing/0/amount'],
];
const written = (body: object, literal: string): string => JSON.stringify(body).replace('777', literal);

const POINTED = ['777.0', '7.77e2', '777E0', '77700e-2', `777.${'0'.repeat(60)}`];
/** No double is so near to 777: the parser rounds them. */
const ROUNDED = ['777.00000000000000001', '776.99999999999999999'];

describe.each([...POINTED, ...ROUNDED])('an amount written as %s', (literal) => {
  it.each(ENTRY_POINTS)('is invalid_type at POST %s %j %s', async (path, body, field) => {
    const { status, json } = await world.call('POST', path, { key, body: written(body, literal) });
    expect([status, json.error.code, json.error.field]).toEqual([422, 'invalid_type', field]);
    expect(Number.isInteger(json.errors[0].example_fix)).toBe(true);
  });

  it('is an error of its boat alone in a fleet', async () => {
    const fleet = written(
      { boats: [{ ...BOAT, external_id: 'ok', pricing: [{ ...BOAT.pricing[0], amount: 1 }] }, BOAT] },
      literal,
    );
    const { json } = await world.call('POST', '/v1/boats', { key, body: fleet });
    expect(json.results.map(({ result }: { result: string }) => result)[1]).toBe('error');
    expect(json.results[1].error).toMatchObject({ code: 'invalid_type', field: '/boats/1/pricing/0/amount' });
    expect(json.summary.errors).toBe(1);
  });

  it('is invalid_type in the arguments of a tool', async () => {
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_checkout', arguments: checkout },
    };
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const { json } = await world.call('POST', '/mcp', { key, body: written(call, literal), headers });
    expect(json.result.isError).toBe(true);
    expect(json.result.structuredContent.error).toMatchObject({ code: 'invalid_type', field: '/amount' });
  });
});

describe('an amount with a point, which other numbers may have,', () => {
  it('is refused in the delivery of a custom venue system, and its offering is not written', async () => {
    const system = await connectVenueSystem(world, 'custom');
    const slots = [{ starts_at: '2027-06-12T09:30:00Z', tier_overrides: [{ tier: 'adult', amount: 777 }] }];
    const tiers = [{ ...TIER, amount: 1, external_id: 'adult' }];
    const offering = { ...OFFERING, tiers };
    const sent: readonly (readonly [type: string, data: object, field: string | null])[] = [
      ['offering.upsert', offering, null],
      ['offering.upsert', { ...OFFERING, title: 'New' }, '/data/tiers/0/amount'],
      ['slots.update', { external_id: 'o', slots }, '/data/slots/0/tier_overrides/0/amount'],
    ];
    for (const [index, [type, data, field]] of sent.entries()) {
      await system.send(written({ id: `evt-${index}`, type, data }, '777.0'));
      await applyDueDeliveries(world.context, 10);
      const [delivery] = await system.deliveries();
      expect([delivery.status, delivery.reason]).toEqual(
        field === null
          ? ['applied', null]
          : ['failed', `${field}: amount must be written in digits alone, without a point or an exponent.`],
      );
    }
    const { json } = await world.call('GET', '/v1/offerings/o', { key: system.key });
    expect(json.data).toMatchObject({ title: 'Table', tiers });
    expect(json.data.availability).toBeUndefined();
  });

  it('is refused in the split of a party, in reported activity, and in the tools that validate and set prices', async () => {
    const person = await world.db.transaction((tx) =>
      createMember(tx, world.command(), { phone: '+12125550199', name: null }),
    );
    const token = await world.context.tokens.sign(person.id);
    const split = written({ members: [], split: { custom: { organizer: 777 } } }, '7.77e2');
    const party = await world.call('POST', '/v1/public/checkouts/chk_x/party', { key: token, body: split });
    expect(party.json.error).toMatchObject({ code: 'invalid_type', field: '/split/custom/organizer' });
    const [event] = (world.context.registry.get('activity').examples as { events: object[] }[])[0]?.events ?? [];
    const batch = written({ events: [{ ...event, amount: 777 }] }, '777.0');
    const activity = await world.call('POST', '/internal/activity', { key: world.operatorToken, body: batch });
    expect(activity.json.error).toMatchObject({ code: 'invalid_type', field: '/events/0/amount' });
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const call = async (name: string, given: object) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
      return (await world.call('POST', '/mcp', { key, body: written(body, '777.0'), headers })).json.result;
    };
    const validated = await call('validate', { schema: 'offering', object: OFFERING });
    expect(validated.structuredContent.errors[0]).toMatchObject({ code: 'invalid_type', field: '/tiers/0/amount' });
    const prices = await call('set_price_tiers', { offering_external_id: 'o', tiers: [TIER] });
    expect(prices.structuredContent.error).toMatchObject({ code: 'invalid_type', field: '/tiers/0/amount' });
  });

  it('is refused in the last boat of a full fleet whose numbers all have a point', async () => {
    const rates = Array.from({ length: 20 }, () => ({ duration_hours: 4, amount: 1, currency: 'usd' }));
    const boats = Array.from({ length: 100 }, (_, n) => ({ ...BOAT, external_id: `b-${n}`, pricing: rates }));
    const last = { ...BOAT, external_id: 'last', pricing: [...rates.slice(1), BOAT.pricing[0]] };
    const body = written({ boats: [...boats.slice(1), last] }, '777.0').replaceAll(
      '"duration_hours":4',
      '"duration_hours":4.0',
    );
    const { json } = await world.call('POST', '/v1/boats', { key, body });
    expect(json.summary).toMatchObject({ total: 100, created: 99, errors: 1 });
    expect(json.results[99].error).toMatchObject({ code: 'invalid_type', field: '/boats/99/pricing/19/amount' });
  });
});

it('every amount of the schemas has the maximum that marks it as money, and nothing else has it', () => {
  const marked: string[] = [];
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== 'object' || node === null) return;
    if ((node as { maximum?: unknown }).maximum === MAX_AMOUNT) marked.push(at);
    for (const [name, part] of Object.entries(node)) if (name !== 'examples') visit(part, `${at}/${name}`);
  };
  for (const name of world.context.registry.names) visit(world.context.registry.get(name), name);
  expect(marked.filter((at) => !/amount(_or_null)?$/.test(at))).toEqual([]);
  expect(marked).toEqual(
    expect.arrayContaining(['fields/$defs/amount', 'fields/$defs/charge_amount', 'refund/properties/amount']),
  );
});

it('an integer that is not money may be written with a point or an exponent', async () => {
  const body = written({ ...BOAT, pricing: [{ ...BOAT.pricing[0], amount: 1 }], capacity: 777 }, '1.2e1');
  const { status, json } = await world.call('POST', '/v1/boats', { key, body });
  expect([status, json.data?.capacity], JSON.stringify(json)).toEqual([201, 12]);
});

it('the parser names each member that is a whole number with a point or an exponent, and no other', () => {
  const parsed = parseStrictJson(Buffer.from('{"a":[1,2.0,2.5,{"b~/":3e0}],"c":-4.00,"d":"5.0","e":1e-1}'));
  expect(parsed.ok && parsed.badTexts.map(({ field }) => field)).toEqual(['/a/3/b~0~1', '/c']);
});
