// The processor's events: accepted only when signed, recent and of the right mode; a hint to poll, never a fact;
// harmless in any order and number. Disputes are recorded, shown and posted to the ledger.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointSecret } from '../../sandbox/processor/endpoint-secret.ts';
import { reconcile } from '../../src/domain/checkouts/accounting/reconcile.ts';
import { applyDueProcessorEvents } from '../../src/domain/checkouts/disputes/apply-disputes.ts';
import { findPayoutAccount } from '../../src/domain/payments/payout-account-queries.ts';
import { type Processor, ProcessorUnavailable } from '../../src/domain/payments/processor.ts';
import { registerWebhookEndpoints } from '../../src/domain/payments/register-webhook-endpoint.ts';
import { disputeTools } from '../support/disputes.ts';
import { CARDS, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let venue: TestVenue;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
});
afterAll(() => world.close());

const statusesOf = (checkout: Json): string[] => checkout.shares.map(({ status }: Json) => status);
/** The server accepts the events of these endpoints. */
function trust(mode: 'test' | 'live', ids: readonly string[]): void {
  const secrets = world.context.processorAccess.processorEventSecrets[mode] as string[];
  secrets.push(...ids.map((id) => endpointSecret(PROCESSOR_KEYS[mode].webhookSecret, id)));
}
const signed = (body: string, mode: 'test' | 'live' = 'test', at?: number): string =>
  world.processor.api.webhooks.sign({ mode, body }, at);

function notify(body: string, signature: string | null = signed(body), mode = 'test'): Promise<HttpResponse> {
  return world.call('POST', `/processor/notices/${mode}`, {
    body,
    headers: signature === null ? {} : { 'stripe-signature': signature },
  });
}

/** The processor's events about an intent, oldest first. */
async function eventsAbout(intent: string): Promise<string[]> {
  const { data } = await venue.stripe.events.list({ limit: 100 });
  return data
    .filter(({ data: { object } }) => [(object as Json).id, (object as Json).payment_intent].includes(intent))
    .map((event) => JSON.stringify(event))
    .reverse();
}

async function confirmed(): Promise<{ checkout: Json; intent: string; body: string }> {
  const checkout = await venue.collecting({ party_size: 2 });
  const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
  await venue.confirm(secret, CARDS.good);
  const intent = intentIdOf(secret);
  return { checkout, intent, body: (await eventsAbout(intent)).at(-1) ?? '' };
}

describe('a processor event', () => {
  it('that is signed makes the share held', async () => {
    const { checkout, body } = await confirmed();
    expect(JSON.parse(body).type).toBe('payment_intent.amount_capturable_updated');
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
    const response = await notify(body);
    expect([response.status, response.json]).toEqual([200, { received: true }]);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
  });

  it('gets 401 when its signature is missing, wrong, old, from the future or for other bytes', async () => {
    const { checkout, body } = await confirmed();
    const minutes = 60_000;
    const asLive = JSON.stringify({ ...JSON.parse(body), livemode: true });
    const wrong: [string, string | null, string][] = [
      [body, null, 'test'],
      [body, 't=1,v1=00', 'test'],
      [body, signed(body).replace(/v1=./, (end) => (end === 'v1=0' ? 'v1=1' : 'v1=0')), 'test'],
      [body, signed(body, 'test', Date.now() - 6 * minutes), 'test'],
      [body, signed(body, 'test', Date.now() + 6 * minutes), 'test'],
      [`${body} `, signed(body), 'test'],
      [body.replace('"livemode":false', '"livemode":true'), signed(body), 'test'],
      [body, signed(body, 'live'), 'test'],
      [body, signed(body), 'live'],
      [asLive, signed(asLive), 'test'],
      [asLive, signed(asLive), 'live'],
      [body, signed(body), 'other'],
      [body, signed(body), '__proto__'],
      ['', signed(''), 'test'],
      ['{}', signed('{}'), 'test'],
    ];
    for (const [text, signature, mode] of wrong) {
      const response = await notify(text, signature, mode);
      expect([response.status, response.json.error.code], `${mode} ${signature}`).toEqual([401, 'unauthorized']);
    }
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
  });

  it('is only a hint: a signed but false one holds nothing', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    const secret = await venue.secretFor(checkout.id, checkout.shares[0].id);
    const { body } = await confirmed();
    const lie = JSON.parse(body);
    const intent = await venue.stripe.paymentIntents.retrieve(intentIdOf(secret));
    lie.data.object = { ...intent, status: 'requires_capture', amount_capturable: intent.amount };
    expect((await notify(JSON.stringify(lie))).status).toBe(200);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
  });

  it('with text that the database cannot store is rejected', async () => {
    const { body } = await confirmed();
    const about = { ...JSON.parse(body), type: 'charge.dispute.created' };
    for (const id of ['evt_\0', 'evt_\ud800']) {
      const response = await notify(JSON.stringify({ ...about, id }));
      expect([response.status, response.json.error.code], response.text).toEqual([401, 'unauthorized']);
    }
  });

  it('about an intent that is not ours is accepted and changes nothing', async () => {
    const { body } = await confirmed();
    for (const metadata of [{}, { venue_id: 'x', hold_id: 'y' }, { venue_id: venue.venueId, hold_id: venue.venueId }]) {
      const other = JSON.parse(body);
      other.data.object.metadata = metadata;
      expect((await notify(JSON.stringify(other))).status).toBe(200);
    }
    await world.work();
  });

  it('changes nothing when it comes twice or out of order after the end', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    const secrets = await venue.payAll(checkout, [CARDS.declined]);
    secrets.push(await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good));
    await world.work();
    const completed = await venue.read(checkout.id);
    expect(completed.status).toBe('completed');
    const response = await venue.eventTypes(checkout.id);
    const bodies: string[] = [];
    for (const secret of secrets) bodies.push(...(await eventsAbout(intentIdOf(secret))));
    expect(bodies.length).toBeGreaterThan(4);
    for (const body of [...bodies.reverse(), ...bodies]) expect((await notify(body)).status).toBe(200);
    await world.work();
    expect(await venue.read(checkout.id)).toEqual(completed);
    expect(await venue.eventTypes(checkout.id)).toEqual(response);
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
  });

  it('of a hold that the processor canceled fails the share, so that the guest can pay again', async () => {
    const checkout = await venue.collecting({ party_size: 2 });
    const secret = await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    await venue.stripe.paymentIntents.cancel(intentIdOf(secret));
    await notify((await eventsAbout(intentIdOf(secret))).at(-1) ?? '');
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['failed', 'invited']);
  });

  it('arrives when the processor knows our endpoint', async () => {
    const url = `${world.urls[0]}/processor/notices/test`;
    const { ids, unregister } = await registerWebhookEndpoints(world.processor.url, PROCESSOR_KEYS.test.secret, url);
    trust('test', ids);
    const again = await registerWebhookEndpoints(world.processor.url, PROCESSOR_KEYS.test.secret, url);
    expect(again.ids).toEqual(ids);
    const { checkout } = await confirmed();
    await waitFor('the event makes the share held', async () => {
      await world.work();
      return statusesOf(await venue.read(checkout.id))[0] === 'held';
    });
    await unregister();
  });

  it('about a connected account arrives as a thin event alone, and makes its status known', async () => {
    const payee = await openTestVenue(world, { mode: 'live' });
    const { accountId = '' } = (await findPayoutAccount(world.db, payee.venueId, 'live')) ?? {};
    const url = `${world.urls[0]}/processor/notices/live`;
    const { ids, unregister } = await registerWebhookEndpoints(world.processor.url, PROCESSOR_KEYS.live.secret, url);
    trust('live', ids);
    await payee.stripe.rawRequest('POST', `/sandbox/accounts/${accountId}`, { transfers_status: 'restricted' });
    await waitFor('the event makes the worker ask for the account', async () => {
      await world.work();
      return (await findPayoutAccount(world.db, payee.venueId, 'live'))?.transfersStatus === 'restricted';
    });
    await unregister();
  });

  it('of test mode gets 200 at the live address, and has no effect', async () => {
    const { checkout, body } = await confirmed();
    const response = await notify(body, signed(body, 'live'), 'live');
    expect([response.status, response.json]).toEqual([200, { received: true }]);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['invited', 'invited']);
    await notify(body);
    await world.work();
    expect(statusesOf(await venue.read(checkout.id))).toEqual(['held', 'invited']);
  });
});

describe('a dispute', () => {
  const disputes = async (intent: string): Promise<string[]> =>
    (await eventsAbout(intent)).filter((body) => JSON.parse(body).type.startsWith('charge.dispute.'));
  /** The same event once more, under an id of its own. */
  const again = (body: string): string => JSON.stringify({ ...JSON.parse(body), id: `evt_${randomUUID()}` });
  /** What the processor charges for each dispute. */
  const fee = { kind: 'dispute_fee', amount: 1500 };
  const entries = (id: string): Promise<{ kind: string; amount: number }[]> =>
    world.db.query(
      `select kind, amount from ledger_entries where checkout_id = $1 and kind like 'dispute%' order by kind`,
      [id],
    );

  async function disputed(): Promise<{ checkout: Json; intent: string }> {
    const checkout = await venue.collecting({ party_size: 2 });
    const [secret] = await venue.payAll(checkout, [CARDS.disputed]);
    await world.work();
    expect((await venue.read(checkout.id)).status).toBe('completed');
    return { checkout, intent: secret === undefined ? '' : intentIdOf(secret) };
  }

  it('at the processor is recorded, shown with its share, and posted with the withdrawn money', async () => {
    const { checkout, intent } = await disputed();
    for (const body of await disputes(intent)) expect((await notify(body)).status).toBe(200);
    await world.work();
    const current = await venue.read(checkout.id);
    expect(current.disputes).toMatchObject([
      {
        share_id: checkout.shares[0].id,
        amount: checkout.shares[0].amount,
        status: 'needs_response',
        reason: 'fraudulent',
      },
    ]);
    expect(current.disputes[0].id).toMatch(/^d[up]_/);
    expect(await entries(checkout.id)).toEqual([{ kind: 'dispute', amount: checkout.shares[0].amount }, fee]);
  });

  it('posts its money once, however many events report it, and back when it is won', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    const amount = checkout.shares[0].amount;
    for (const body of [created, again(created), again(created), created]) await notify(body);
    await world.work();
    expect(await entries(checkout.id)).toEqual([{ kind: 'dispute', amount }, fee]);
    expect((await venue.balances(checkout.id)).disputed_funds).toBe(amount);
    await disputeTools(world, venue).close(JSON.parse(created).data.object.id, 'won');
    for (const body of [...(await disputes(intent)), again(created)]) await notify(body);
    await world.work();
    expect(await entries(checkout.id)).toEqual([{ kind: 'dispute', amount }, fee, { kind: 'dispute_won', amount }]);
    expect((await venue.balances(checkout.id)).disputed_funds).toBeUndefined();
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'won' }]);
  });

  it('is recorded as the processor has it, not as an event says, and in any order of the events', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    await disputeTools(world, venue).close(JSON.parse(created).data.object.id, 'lost');
    // The oldest event comes first and last.
    await notify(created);
    await world.work();
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'lost' }]);
    for (const body of await disputes(intent)) await notify(body);
    await notify(again(created));
    await world.work();
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'lost' }]);
    expect((await venue.balances(checkout.id)).disputed_funds).toBeUndefined();
  });

  it('is asked for again when another worker has recorded it meanwhile: an older answer is not recorded', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    await notify(created);
    const { services } = world.context;
    const processor = services.processors.test as Processor;
    const retrieveDispute: Processor['retrieveDispute'] = async (id) => {
      const older = await processor.retrieveDispute(id);
      await disputeTools(world, venue).close(id, 'lost');
      await notify(again(created));
      await applyDueProcessorEvents(services, 10);
      return older;
    };
    const slow = { ...processor, retrieveHold: processor.retrieveHold.bind(processor), retrieveDispute };
    await applyDueProcessorEvents({ ...services, processors: { test: slow } }, 1);
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'lost' }]);
    expect(await world.db.query('select 1 from processor_events where due_at is not null')).toHaveLength(1);
    await world.db.query(`update processor_events set due_at = now() - interval '1 second' where due_at is not null`);
    await world.work();
    expect(await world.db.query('select 1 from processor_events where due_at is not null')).toEqual([]);
  });

  it('is never given up, however long the processor is down', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    await notify(created);
    await world.db.query(
      "update processor_events set received_at = now() - interval '9 days' where due_at is not null",
    );
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'disputes.retrieve', kind: 'error_500' }] });
    await world.work();
    world.processor.api.faults.clear();
    await world.db.query(`update processor_events set due_at = now() - interval '1 second' where due_at is not null`);
    await world.work();
    expect((await venue.read(checkout.id)).disputes).toHaveLength(1);
  });

  it('whose events are lost is found by reconcile', async () => {
    const { checkout } = await disputed();
    const options = { mode: 'test', since: Date.now(), apply: null } as const;
    for (let time = 0; time < 2; time++) await reconcile(world.context.services, options);
    await world.work();
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'needs_response' }]);
  });

  it('that differs from the records is found by reconcile', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    const disputeId = JSON.parse(created).data.object.id;
    await disputeTools(world, venue).close(disputeId, 'won');
    await notify(created);
    await world.work();
    const compare = async (): Promise<void> => {
      await reconcile(world.context.services, { mode: 'test', since: Date.now(), apply: null });
      await world.work();
    };
    await compare();
    await world.db.query(`update disputes set status = 'needs_response' where dispute_id = $1`, [disputeId]);
    await compare();
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'won' }]);
  });

  it('that is open here for more than three months is asked for again', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    await notify(created);
    await world.work();
    const { disputes: [known] = [] } = await venue.read(checkout.id);
    await disputeTools(world, venue).close(known.id, 'won');
    await world.db.query(`update disputes set opened_at = now() - interval '100 days' where dispute_id = $1`, [
      known.id,
    ]);
    // Too old for the processor's list of disputes that the comparison reads.
    await reconcile(world.context.services, { mode: 'test', since: Date.now() + 91 * 86_400_000, apply: null });
    await world.work();
    expect((await venue.read(checkout.id)).disputes).toMatchObject([{ status: 'won' }]);
  });

  it('about a hold that is not ours is accepted and not recorded', async () => {
    const { intent } = await disputed();
    const [created = ''] = await disputes(intent);
    const other = JSON.parse(created);
    other.id = 'evt_foreign';
    other.data.object.id = 'du_foreign';
    other.data.object.payment_intent = null;
    expect((await notify(JSON.stringify(other))).status).toBe(200);
    await world.work();
    expect(await world.db.query(`select 1 from disputes where dispute_id = 'du_foreign'`)).toEqual([]);
  });

  it('while the processor is down is stored and read later', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    world.processor.api.faults.set({ rules: [{ id: 'down', on: '*', kind: 'error_500' }] });
    await notify(created);
    await world.work();
    world.processor.api.faults.clear();
    expect((await venue.read(checkout.id)).disputes).toEqual([]);
    await world.db.query(`update processor_events set due_at = now() - interval '1 second' where due_at is not null`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await world.work();
    expect((await venue.read(checkout.id)).disputes).toHaveLength(1);
  });

  it('that another worker has read is not postponed by a worker with a stale lease token', async () => {
    const { checkout, intent } = await disputed();
    const [created = ''] = await disputes(intent);
    await notify(created);
    const retrieveHold: Processor['retrieveHold'] = async () => {
      await world.db.query(`update processor_events set due_at = now() - interval '1 s' where due_at is not null`);
      await world.work();
      throw new ProcessorUnavailable('it took far too long');
    };
    const processors = { test: { ...(world.context.services.processors.test as Processor), retrieveHold } };
    expect(await applyDueProcessorEvents({ ...world.context.services, processors }, 10)).toBe(1);
    expect((await venue.read(checkout.id)).disputes).toHaveLength(1);
    expect(await world.db.query('select 1 from processor_events where due_at is not null')).toEqual([]);
  });
});
