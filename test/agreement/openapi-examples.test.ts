// The example of each answer in /v1/openapi.json is an answer that the operation gives: the calls are made, and the state
// of each answer is compared with the state in its example.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { Contract, type Document } from '../fuzz/contract.ts';
import { connectVenueSystem } from '../hooks/venue-system.ts';
import { checkoutBody, ORIGIN } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers and examples of every shape.
type Json = any;

const document = JSON.parse(readFileSync(join(packageRoot, 'schemas/openapi.gen.json'), 'utf8'));
const contract = new Contract(document as Document);

let world: TestWorld;
let key: string;
beforeAll(async () => {
  world = await openTestWorld();
  key = (await world.venue({ origins: [ORIGIN] })).secretTest;
});
afterAll(() => world.close());

function exampleOf(operationId: string, status: number): Json {
  const { method, path } = contract.operations.find(({ id }) => id === operationId) ?? { method: '', path: '' };
  return document.paths[path][method.toLowerCase()].responses[status].content['application/json']?.example;
}

/** Members whose value says in which state an object is; null and absent say the same. */
const STATES = [
  'status',
  'active',
  'deleted',
  'disabled_reason',
  'cancellation_reason',
  'review_note',
  'delivery_count',
];
const RESULTS = ['duplicate', 'updated', 'result'];
/** Members that are there, or not null, only in some states. */
const PRESENT = [
  'completed_at',
  'reviewed_at',
  'disabled_at',
  'experience_id',
  'secret',
  'webhook_url',
  'signing_secret',
  'my_share_id',
  'applied_at',
  'delivered_at',
  'next_attempt_at',
];

function stateOf(body: Json): object {
  const object = body.data ?? body.checkout ?? body;
  const part = (amount: number): string => (amount === 0 ? 'nothing' : amount === object.amount ? 'all' : 'a part');
  return {
    ...Object.fromEntries(RESULTS.map((name) => [name, body[name]])),
    ...Object.fromEntries(STATES.map((name) => [name, object[name] ?? null])),
    ...Object.fromEntries(PRESENT.map((name) => [name, (object[name] ?? null) !== null])),
    ...(object.shares === undefined
      ? {}
      : {
          shares: [...new Set(object.shares.map(({ status }: Json) => status))],
          funded: part(object.funded_amount),
          refunded: part(object.refunded_amount),
        }),
  };
}

/** Makes the call, and compares the state of its answer with the state of its example. Returns the answer. */
async function expectExample(operationId: string, path: string, body?: unknown, caller = key): Promise<Json> {
  const method = contract.operations.find(({ id }) => id === operationId)?.method ?? 'POST';
  const { status, json } = await world.call(method, path, { key: caller, ...(body === undefined ? {} : { body }) });
  expect(status, `${operationId}: ${JSON.stringify(json)}`).toBeLessThan(300);
  expect({ operationId, status, ...stateOf(json) }).toEqual({
    operationId,
    status,
    ...stateOf(exampleOf(operationId, status)),
  });
  return json;
}

const ALL_CREATED = { url: 'https://harbor.example/hooks/everyshare', events: ['checkout.created'] };
const example = (schema: string): Json => structuredClone(world.context.registry.get(schema).examples as Json[])[0];
const at = (id: string, step: string): string => `/v1/test_helpers/checkouts/${id}/${step}`;
const newCheckout = (): Promise<Json> => expectExample('createCheckout', '/v1/checkouts', checkoutBody());

/** A checkout of which one share is held. */
async function newHalfPaid(): Promise<Json> {
  const { id } = await newCheckout();
  const { shares } = await expectExample('testCollect', at(id, 'collect'));
  return (await world.call('POST', at(id, 'hold'), { key, body: { share_id: shares[0].id } })).json;
}

describe('the example of an answer', () => {
  it('fits the schema of its answer', () => {
    let examples = 0;
    for (const { id, statuses } of contract.operations) {
      for (const status of statuses.filter((one) => one < 300 && one !== 202)) {
        if (exampleOf(id, status) === undefined) continue;
        expect(contract.successProblems(id, exampleOf(id, status)), id).toEqual([]);
        examples += 1;
      }
    }
    expect(examples).toBeGreaterThan(40);
  });

  it('shows the checkout as the call leaves it: created, collecting, completed, refunded', async () => {
    const { id } = await newCheckout();
    await expectExample('testCollect', at(id, 'collect'));
    await expectExample('testHold', at(id, 'hold'), {});
    await expectExample('testComplete', at(id, 'complete'));
    await expectExample('refundCheckout', `/v1/checkouts/${id}/refund`, {});
  });

  it('shows the checkout as the call leaves it: canceled, expired', async () => {
    const { id: canceled } = await newHalfPaid();
    await expectExample('cancelCheckout', `/v1/checkouts/${canceled}/cancel`);
    const { id: expired } = await newHalfPaid();
    await expectExample('testExpire', at(expired, 'expire'));
    const { id: late, pay_by } = await newHalfPaid();
    await expectExample('testAdvance', at(late, 'advance'), { to: new Date(Date.parse(pay_by) + 1000).toISOString() });
  });

  it('shows an offering, a boat and an experience as new, changed, sent again, reviewed or inactive', async () => {
    const offering = example('offering');
    await expectExample('upsertOfferings', '/v1/offerings', offering);
    const changed = await expectExample('upsertOfferings', '/v1/offerings', { ...offering, title: 'Nine holes' });
    await expectExample('testReview', '/v1/test_helpers/review', { id: changed.data.id, status: 'approved' });
    const boat = example('boat');
    await expectExample('upsertBoats', '/v1/boats', boat);
    const { data } = await expectExample('upsertBoats', '/v1/boats', { ...boat, name: 'Third Wind' });
    await expectExample('deactivateBoat', `/v1/boats/${data.id}/deactivate`);
    await expectExample('submitExperience', '/v1/experiences', example('event'));
    await expectExample('submitExperience', '/v1/experiences', example('event'));
  });

  it('shows an endpoint and an integration as new, disabled, enabled, revoked or deleted', async () => {
    const { id } = await expectExample('createWebhookEndpoint', '/v1/webhook_endpoints', example('webhook_endpoint'));
    await expectExample('disableWebhookEndpoint', `/v1/webhook_endpoints/${id}/disable`);
    await expectExample('enableWebhookEndpoint', `/v1/webhook_endpoints/${id}/enable`);
    await expectExample('deleteWebhookEndpoint', `/v1/webhook_endpoints/${id}`);
    const { data } = await expectExample('createIntegration', '/v1/integrations', { provider: 'custom' });
    expect(await revokedOf(data.id)).toEqual(exampleOf('revokeIntegration', 200).data.status);
  });

  it('shows the party as its members see it: chosen, with a seat taken, with a guest who left or was removed', async () => {
    const [ada, sam] = [await newMember('+12125550161'), await newMember('+12125550162')];
    const { id } = await newCheckout();
    const path = `/v1/public/checkouts/${id}`;
    const members = [{ user_id: ada.id }, { user_id: (await newSeats(1))[0] }];
    await expectExample('chooseParty', `${path}/party`, { members, split: 'equal' }, ada.token);
    const { my_share_id: seat } = await expectExample('takeSeat', `${path}/seat`, {}, sam.token);
    await expectExample('declineShare', `/v1/public/shares/${seat}/decline`, undefined, sam.token);
    const { my_share_id: again } = await expectExample('takeSeat', `${path}/seat`, {}, sam.token);
    await expectExample('removeShare', `/v1/public/shares/${again}/remove`, undefined, ada.token);
  });

  it('shows deliveries, ours and a venue system’s, as waiting again after a repeat', async () => {
    const { id } = (await world.call('POST', '/v1/webhook_endpoints', { key, body: ALL_CREATED })).json;
    await newCheckout();
    await dispatchDue(world.context.services, 500);
    const { data } = (await world.call('GET', `/v1/webhook_endpoints/${id}/deliveries`, { key })).json;
    await expectExample('redeliver', `/v1/webhook_endpoints/${id}/deliveries/${data[0].id}/redeliver`);
    const system = await connectVenueSystem(world, 'custom');
    const sent = await system.send(example('custom_hook'));
    expect(stateOf(sent.json)).toEqual(stateOf(exampleOf('receiveHook', 200)));
    await applyDueDeliveries(world.context, 10);
    const replay = `/v1/integrations/${system.id}/deliveries/${sent.json.id}/replay`;
    await expectExample('replayInboundDelivery', replay, undefined, system.key);
  });

  it('shows the checkout of an event in the state that the type names', () => {
    for (const [type, { post }] of Object.entries<Json>(document.webhooks)) {
      const { object } = post.requestBody.content['application/json'].example.data;
      const named = type === 'checkout.created' ? 'open' : type === 'share.held' ? 'collecting' : type.split('.')[1];
      expect([type, object.status, object.shares.length > 0]).toEqual([type, named, type !== 'checkout.created']);
    }
  });
});

async function newMember(phone: string): Promise<{ readonly id: string; readonly token: string }> {
  const { id } = await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name: 'Sam' }));
  return { id, token: await world.context.tokens.sign(id) };
}

/** Open seats, as the hosted page makes them. */
const newSeats = (count: number): Promise<readonly string[]> =>
  world.db.transaction((tx) => createSeats(tx, { ids: world.context.ids, now: Date.now() }, count));

async function revokedOf(id: string): Promise<string> {
  return (await world.call('POST', `/v1/integrations/${id}/revoke`, { key })).json.data.status;
}
