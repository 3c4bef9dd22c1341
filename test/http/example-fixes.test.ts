// Every problem of a 422 but an unknown field has an example_fix. The body with the example applied, as the guide on
// errors describes it, no longer has the problem. The rules between fields are tested in test/agreement, random bodies in
// test/fuzz; here are the problems that need the database.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seal } from '../../src/base/seal.ts';
import { resolveParty } from '../../src/domain/checkouts/party/party-members.ts';
import { createChannel } from '../../src/domain/members/create-member.ts';
import { type GuestFixture, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { type ProblemWithExample, withExample } from '../support/apply-example.ts';
import type { HttpResponse } from '../support/test-world.ts';

let guests: GuestFixture;
let ada: Person;
let sam: Person;
beforeAll(async () => {
  guests = await openGuestFixture();
  ada = await guests.createPerson('Ada');
  sam = await guests.createPerson('Sam');
});
afterAll(() => guests.world.close());

type Send = (body: unknown) => Promise<HttpResponse>;

const post =
  (path: string, key = guests.key): Send =>
  (body) =>
    guests.world.call('POST', path, { key, body });

/** Sends the body, expects the problem, applies its example, and returns the response to the fixed body. */
async function sendFixed(send: Send, body: unknown, code: string, field: string): Promise<HttpResponse> {
  const refused = await send(body);
  expect([refused.status, refused.json.error?.code, refused.json.error?.field], refused.text).toEqual([
    422,
    code,
    field,
  ]);
  const problems = refused.json.errors as ProblemWithExample[];
  for (const { example_fix } of problems) expect(example_fix).not.toBeNull();
  const fixed = await send(withExample(body, problems[0] as ProblemWithExample));
  const left = (fixed.json.errors ?? []) as ProblemWithExample[];
  expect(left.map((problem) => [problem.code, problem.field])).not.toContainEqual([code, field]);
  return fixed;
}

const accepts = async (send: Send, body: unknown, code: string, field: string): Promise<void> => {
  const fixed = await sendFixed(send, body, code, field);
  expect(fixed.status, fixed.text).toBeLessThan(300);
};

const UNKNOWN_ID = '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';

describe('the example_fix of a party', () => {
  const choose = (id: string): Send => post(`/v1/public/checkouts/${id}/party`, ada.token);
  const newParty = async (overrides = {}): Promise<Send> => choose(await guests.checkout(overrides));

  it('names another person for a member or group chat that is unknown, foreign or named twice', async () => {
    const foreign = await guests.world.db.transaction((tx) =>
      createChannel(tx, guests.world.command(), { name: null, memberIds: [sam.id] }),
    );
    const members: readonly (readonly [object[], string, string])[] = [
      [[{ user_id: UNKNOWN_ID }], 'invalid_value', '/members/0/user_id'],
      [[{ user_id: sam.id }, { channel_id: UNKNOWN_ID }], 'invalid_value', '/members/1/channel_id'],
      [[{ channel_id: foreign }], 'not_allowed', '/members/0/channel_id'],
      [[{ user_id: sam.id }, { user_id: sam.id }], 'not_unique', '/members/1/user_id'],
      [[{ phone: '+15550100042' }, { phone: '+15550100042' }], 'not_unique', '/members/1/phone'],
      [[{ user_id: ada.id }, { phone: ada.phone }], 'not_unique', '/members/1/phone'],
    ];
    for (const [list, code, field] of members)
      await accepts(await newParty(), { members: list, split: 'equal' }, code, field);
  });

  it('names a phone that the party does not have yet, also one that an earlier choice invited', async () => {
    const send = await newParty();
    const invited = await send({ members: [{ phone: '+15550100042' }], split: 'equal' });
    expect(invited.status, invited.text).toBe(200);
    const refused = await send({ members: [{ user_id: UNKNOWN_ID }], split: 'equal' });
    expect(refused.json.errors[0]).toMatchObject({
      example_fix: { phone: '+15550100043' },
      example_fix_field: '/members/0',
    });
  });

  it('is the organizer alone for a party that is too large: it invites no other person', async () => {
    const people = Array.from({ length: 4 }, (_, n) => ({ phone: `+1555010010${n}` }));
    const body = { members: people, split: 'equal' };
    await accepts(await newParty(), body, 'too_many_items', '/members');
    expect((await (await newParty())(body)).json.errors[0].example_fix).toEqual([]);
  });

  it('is another phone for each of 50 people who are not known, found with one look-up for each', async () => {
    const { context } = guests.world;
    let lookUps = 0;
    const seal: Seal = {
      ...context.services.seal,
      seal: () => {
        throw new Error('an example is not stored: it need not be sealed');
      },
      fingerprint: (text, purpose) => {
        lookUps++;
        return context.services.seal.fingerprint(text, purpose);
      },
    };
    const services = { ids: context.services.ids, seal, phones: context.services.phones, now: Date.now() };
    const members = Array.from({ length: 50 }, () => ({ user_id: randomUUID() }));
    const resolved = await resolveParty(guests.world.db, services, ada.id, members, []);
    const problems = 'problems' in resolved ? resolved.problems : [];
    expect(new Set(problems.map(({ example_fix }) => JSON.stringify(example_fix))).size).toBe(50);
    expect(lookUps).toBeLessThanOrEqual(51);
  });

  it('has amounts that add up for a wrong sum, a person with two amounts, and shares under the minimum', async () => {
    const members = [{ user_id: sam.id }];
    const custom = (amounts: object) => ({ members, split: { custom: amounts } });
    const wrong = custom({ organizer: 9_999, [sam.id]: 2 });
    await accepts(await newParty(), wrong, 'not_allowed', '/split/custom');
    const twice = custom({ organizer: 4_000, [sam.id]: 2_000, [ada.id]: 4_000 });
    await accepts(await newParty(), twice, 'not_unique', `/split/custom/${ada.id}`);
    const small = custom({ organizer: 9_999, [sam.id]: 1 });
    await sendFixed(await newParty(), small, 'out_of_range', `/split/custom/${sam.id}`);
    const people = [{ user_id: sam.id }, { phone: '+15550100044' }];
    await accepts(await newParty({ amount: 120 }), { members: people, split: 'equal' }, 'out_of_range', '/split');
  });
});

describe('the example_fix of a checkout', () => {
  it('names an offering of the venue in place of an unknown one, or repeats it for a venue without offerings', async () => {
    const { venue } = await guests.world.venue({ origins: ['https://harbor.example'] });
    const { key } = await guests.world.key(venue.id);
    const event = { title: 'Regatta', starts_at: '2027-06-12T09:30:00-04:00', offering_external_id: 'nothing' };
    const none = await post('/v1/experiences', key)(event);
    expect(none.json.errors[0].example_fix).toBe('nothing');
    await guests.offering('UTC');
    await accepts(post('/v1/experiences'), event, 'invalid_value', '/offering_external_id');
    const body = {
      ...{ amount: 10_000, currency: 'usd', party_size: 4, pay_by: new Date(Date.now() + 86_400_000).toISOString() },
      ...{ description: 'Cabana 3', return_url: 'https://harbor.example/', external_booking_id: 'fix-1' },
    };
    const named = { ...body, offering_external_id: 'nothing' };
    await accepts(post('/v1/checkouts'), named, 'invalid_value', '/offering_external_id');
  });

  it('is a share of the checkout, the amount that can be refunded, or a time that is valid', async () => {
    const id = await guests.checkout();
    const helper = (command: string): Send => post(`/v1/test_helpers/checkouts/${id}/${command}`);
    expect((await helper('collect')({})).status).toBe(200);
    await accepts(helper('hold'), { share_id: 'shr_unknown' }, 'invalid_value', '/share_id');
    expect((await helper('complete')({})).status).toBe(200);
    const refund = post(`/v1/checkouts/${id}/refund`);
    await accepts(refund, { starts_at: '2027-06-12T09:30:00-04:00' }, 'not_allowed', '/starts_at');
    const { json } = await post('/v1/webhook_endpoints')({
      url: 'https://example.com/hooks',
      events: ['checkout.created'],
    });
    const recover = post(`/v1/webhook_endpoints/${json.id}/recover`);
    await accepts(recover, { since: '2001-01-01T00:00:00Z' }, 'out_of_range', '/since');
  });
});

describe('the example_fix of a member that must be left out', () => {
  it('is the object around it without the member, at example_fix_field', async () => {
    const secret = { provider: 'custom', signing_secret: 'mine' };
    const integration = await post('/v1/integrations')(secret);
    expect(integration.json.errors[0]).toMatchObject({ example_fix: { provider: 'custom' }, example_fix_field: '' });
    await accepts(post('/v1/integrations'), secret, 'not_allowed', '/signing_secret');
    const offering = await guests.offering('UTC');
    const { json } = await guests.world.call('GET', `/v1/offerings/${offering}`, { key: guests.key });
    const approval = { id: json.data.id, status: 'approved', review_note: 'Fine' };
    await accepts(post('/v1/test_helpers/review'), approval, 'not_allowed', '/review_note');
  });
});

describe('the example_fix of a wrong name', () => {
  it('is a valid name, also for __proto__ and for text that cannot be stored', async () => {
    const named = (name: string) => ({
      ...{ external_id: `named-${name.length}`, title: 'Cabana', kind: 'cabana' },
      tiers: [{ amount: 4500, currency: 'usd', unit: 'per_person' }],
      metadata: JSON.parse(`{${JSON.stringify(name)}: "x"}`),
    });
    const send = post('/v1/offerings');
    await accepts(send, named('a b'), 'invalid_format', '/metadata/a b');
    await accepts(send, named('x'.repeat(60)), 'invalid_format', `/metadata/${'x'.repeat(60)}`);
    await accepts(send, named('__proto__'), 'not_allowed', '/metadata/__proto__');
    const { json } = await send(named('a\0b'));
    expect(json.errors[0]).toMatchObject({ code: 'invalid_format', example_fix: 'name' });
  });
});

describe('the example_fix of a replaced part of an offering', () => {
  it('is the stored tiers, once, if the new ones do not go with the rest', async () => {
    const tier = { amount: 4500, currency: 'usd', unit: 'per_person' };
    const slots = ['09', '10'].map((hour) => ({
      starts_at: `2027-06-12T${hour}:00:00Z`,
      tier_overrides: [{ tier: 'adult', amount: 1 }],
    }));
    const offering = {
      ...{ external_id: 'tiers-1', title: 'Tour', kind: 'class', tiers: [{ ...tier, external_id: 'adult' }] },
      availability: { slots },
    };
    expect((await post('/v1/offerings')(offering)).status).toBe(201);
    const setTiers: Send = async (body) => {
      const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
      const params = { name: 'set_price_tiers', arguments: body };
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const { json } = await guests.world.call('POST', '/mcp', { key: guests.key, body: call, headers });
      const { isError, structuredContent } = json.result;
      return { status: isError === true ? 422 : 200, json: structuredContent } as HttpResponse;
    };
    const body = { offering_external_id: 'tiers-1', tiers: [tier] };
    const refused = await setTiers(body);
    expect(refused.json.errors).toHaveLength(1);
    await accepts(setTiers, body, 'invalid_value', '/tiers');
    await sendFixed(setTiers, { ...body, offering_external_id: 'unknown' }, 'invalid_value', '/offering_external_id');
  });
});
