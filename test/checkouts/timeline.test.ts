// The history of a checkout in the console: everything that happened, with the person or program that did it, in one
// stable order, and without anything of a guest but the name.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { type GuestFixture, openGuestFixture } from '../guests/guest-fixture.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { disputeTools } from '../support/disputes.ts';
import { CARDS, type Json, TestVenue } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';

const DAY = 86_400_000;

let fixture: GuestFixture;
let venue: TestVenue;
let token: string;
let accountId: string;
beforeAll(async () => {
  fixture = await openGuestFixture({ env: { ALLOW_INSECURE_TARGETS: '1' } });
  const { world, venueId } = fixture;
  const { key } = await world.key(venueId, { name: 'Booking server', writesPerHour: 100_000, readsPerHour: 100_000 });
  venue = new TestVenue(world, venueId, key, 'test');
  accountId = await createAccount(world.context, 'dana@harbor.example', [[venueId, 'owner']]);
  ({ token } = await createSession(world.context, accountId));
});
afterAll(() => fixture.world.close());

const call = (method: string, path: string, body?: unknown) =>
  callConsole(fixture.world, method, path, { token, venue: fixture.venueId, ...(body === undefined ? {} : { body }) });

async function timelineOf(id: string): Promise<Json[]> {
  const first = await call('GET', `/console/api/checkouts/${id}/timeline`);
  expect(first.status, first.text).toBe(200);
  const again = await call('GET', `/console/api/checkouts/${id}/timeline`);
  expect(again.json.data).toEqual(first.json.data);
  const times = first.json.data.map(({ at }: Json) => at);
  expect(times).toEqual([...times].sort());
  expect(new Set(first.json.data.map((entry: Json) => entry.id)).size).toBe(first.json.data.length);
  return first.json.data;
}

const kindsOf = (entries: readonly Json[]): string[] => entries.map(({ kind }) => kind);
const only = (entries: readonly Json[], kind: string): Json[] => entries.filter((entry) => entry.kind === kind);

describe('the timeline of a checkout', () => {
  it('tells of the party, declined cards, holds, charges, transfers, a refund and a dispute, each with its actor', async () => {
    const { world } = fixture;
    const [maya, ben] = [await fixture.createPerson('Maya'), await fixture.createPerson('Ben')];
    const { id } = await venue.create({ party_size: 2, amount: 10_000 });
    const chosen = await fixture.party(id, maya, [{ user_id: ben.id }]);
    const [own, others] = chosen.json.shares.map((share: Json) => share.id);
    await fixture.pay(await fixture.hold(own, maya));
    await fixture.pay(await fixture.hold(others, ben), CARDS.noFunds);
    await fixture.pay(await fixture.hold(others, ben));
    await venue.finishDueWork(id);
    expect((await venue.read(id)).status).toBe('completed');
    const refunded = await call('POST', `/v1/checkouts/${id}/refund`, { amount: 1_000, reason: 'one lounger missing' });
    expect(refunded.status, refunded.text).toBe(200);
    await venue.finishDueWork(id);
    const tools = disputeTools(world, venue);
    const [intent] = await venue.intents(id);
    const dispute = await tools.open(intent?.id ?? '', 2_000);
    await tools.close(dispute, 'lost');
    await tools.deliverEvents(intent?.id ?? '');

    const entries = await timelineOf(id);
    // The processor's own times, of declines and disputes, are whole seconds: within one their place is not known.
    const story = kindsOf(entries).filter((kind) => !/^(transfer|invite|card|dispute)\./.test(kind));
    expect(story).toEqual([
      'checkout.created',
      'party.chosen',
      'share.held',
      'share.held',
      'checkout.funded',
      'share.captured',
      'share.captured',
      'checkout.completed',
      'refund.created',
      'refund.sent',
      'refund.sent',
    ]);
    expect([only(entries, 'dispute.opened').length, only(entries, 'dispute.lost').length]).toEqual([1, 1]);
    expect(entries[0]).toMatchObject({ actor: { type: 'key', name: 'Booking server' }, amount: 10_000 });
    expect(entries[1]).toMatchObject({ actor: { type: 'guest', name: 'Maya' }, count: 2 });
    expect(only(entries, 'share.held').map(({ display_name, amount }) => [display_name, amount])).toEqual([
      ['Maya', 5_000],
      ['Ben', 5_000],
    ]);
    expect(only(entries, 'card.declined')).toMatchObject([
      { share_id: others, display_name: 'Ben', reason: 'insufficient_funds' },
    ]);
    expect(only(entries, 'checkout.completed')).toMatchObject([{ count: 2, amount: 10_000 }]);
    expect(only(entries, 'refund.created')).toMatchObject([
      {
        actor: { type: 'person', id: accountId, name: 'dana@harbor.example' },
        amount: 1_000,
        reason: 'one lounger missing',
        count: 2,
      },
    ]);
    expect(only(entries, 'transfer.sent')).toHaveLength(2);
    // A part of the refund and of the lost dispute was taken back from transfers that were sent.
    expect(only(entries, 'transfer.reversed').length).toBeGreaterThan(0);
    expect(JSON.stringify(entries)).not.toContain(maya.phone);
    expect(JSON.stringify(entries)).not.toMatch(/\b4242\b|"card_/);
  });

  it('tells of a renewed hold, a refused renewal, reminders and a guest who left', async () => {
    const { world } = fixture;
    const [ada, sam] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
    const [noor, pia] = [await fixture.createPerson('Noor'), await fixture.createPerson('Pia')];
    const start = Date.now();
    const id = await fixture.checkout({ party_size: 4, pay_by: new Date(start + 20 * DAY).toISOString() });
    const chosen = await fixture.party(id, ada, [{ user_id: sam.id }, { user_id: noor.id }, { user_id: pia.id }]);
    const [first, second, third] = chosen.json.shares.map((share: Json) => share.id);
    await fixture.pay(await fixture.hold(first, ada));
    await fixture.pay(await fixture.hold(second, sam), CARDS.renewalFails);
    const left = await world.call('POST', `/v1/public/shares/${third}/decline`, { key: noor.token, body: {} });
    expect(left.status, left.text).toBe(200);
    await fixture.advance(id, start + 6 * DAY + 2 * 3_600_000);
    const { services } = world.context;
    await runUntilIdle('notifying guests', () => notifyDueGuests(services, 100));
    await runUntilIdle('sending messages', () => sendDueMessages({ ...services, sender: sandboxSender }, 100));
    await world.work();

    const entries = await timelineOf(id);
    expect(only(entries, 'hold.renewed')).toMatchObject([{ share_id: first, actor: { type: 'service' } }]);
    expect(only(entries, 'hold.renewal_refused')).toMatchObject([{ share_id: second }]);
    expect(only(entries, 'guest.left')).toMatchObject([{ actor: { type: 'guest' }, share_id: third }]);
    expect(only(entries, 'share.held')).toHaveLength(2);
    const texts = await world.db.query('select 1 from messages where kind = any($1) and sent_at is not null', [
      ['invite', 'reminder'],
    ]);
    expect(only(entries, 'invite.sent').length + only(entries, 'reminder.sent').length).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(0);
  });

  it('names who canceled, what was released, and how each delivery went', async () => {
    const { world } = fixture;
    const made = await venue.post('/v1/webhook_endpoints', {
      url: 'https://127.0.0.1:9443/hook',
      events: ['checkout.canceled'],
    });
    expect(made.status, made.text).toBe(201);
    const { id, shares } = await venue.collecting({ party_size: 2 });
    await venue.pay(id, shares[0].id, CARDS.good);
    expect((await call('POST', `/v1/checkouts/${id}/cancel`)).status).toBe(200);
    await runUntilIdle('dispatching', () => dispatchDue(world.context.services, 100));
    const entries = await timelineOf(id);
    expect(only(entries, 'checkout.canceled')).toMatchObject([{ actor: { type: 'person', id: accountId } }]);
    expect(only(entries, 'hold.released')).toMatchObject([{ share_id: shares[0].id }]);
    expect(only(entries, 'delivery.retrying')).toMatchObject([
      { delivery: { event_type: 'checkout.canceled', endpoint_id: made.json.id, attempts: 0 } },
    ]);
    const [{ delivery }] = only(entries, 'delivery.retrying');
    const deliveries = await venue.get(`/v1/webhook_endpoints/${made.json.id}/deliveries`);
    expect(delivery.id).toBe(deliveries.json.data[0].id);
    const expired = await venue.collecting({ party_size: 2 });
    await venue.runTestHelper(expired.id, 'expire');
    expect(kindsOf(await timelineOf(expired.id))).toContain('checkout.expired');
  });

  it('of an unknown checkout, or in the other mode, is not found', async () => {
    expect((await call('GET', '/console/api/checkouts/chk_unknown/timeline')).status).toBe(404);
    const { id } = await venue.create();
    const live = await callConsole(fixture.world, 'GET', `/console/api/checkouts/${id}/timeline`, {
      token,
      venue: fixture.venueId,
      mode: 'live',
    });
    expect(live.status).toBe(404);
  });
});
