// A venue that cannot be paid any more after its live checkout was created: no new card is held for it, and no card is
// charged. Held cards wait for the venue up to the deadline, and are released then.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { captureDue, captureFunded } from '../../src/domain/checkouts/capture/capture.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { createMember } from '../../src/domain/members/create-member.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { findPayoutAccount } from '../../src/domain/payments/payout-account-queries.ts';
import { isDistributed } from '../support/distributed.ts';
import { commandLine } from '../support/run-command.ts';
import { CARDS, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
let members = 0;
beforeAll(async () => {
  world = await openTestWorld();
});
afterEach(() => world.processor.api.faults.clear());
afterAll(() => world.close());

interface Party {
  readonly venue: TestVenue;
  readonly accountId: string;
  readonly checkout: Json;
  readonly ada: string;
  /** Ada's share and Ben's. */
  readonly shares: readonly Json[];
}

/** A live checkout of two guests, who have not paid yet. */
async function party(overrides: Readonly<Record<string, unknown>> = {}): Promise<Party> {
  const venue = await openTestVenue(world, { mode: 'live' });
  const { accountId = '' } = (await findPayoutAccount(world.db, venue.venueId, 'live')) ?? {};
  const [ada, ben] = [await member('Ada'), await member('Ben')];
  const { id } = await venue.create({ party_size: 2, amount: 8_000, ...overrides });
  const key = await world.context.tokens.sign(ada);
  const body = { members: [{ user_id: ben }], split: 'equal' };
  const response = await world.call('POST', `/v1/public/checkouts/${id}/party`, { key, body });
  expect(response.status, response.text).toBe(200);
  const checkout = await venue.read(id);
  return { venue, accountId, checkout, ada, shares: checkout.shares };
}

async function member(name: string): Promise<string> {
  const phone = `+1213555${String(members++).padStart(4, '0')}`;
  return (await world.db.transaction((tx) => createMember(tx, world.command(), { phone, name }))).id;
}

/** As the processor's own review would; `isHeard`: the service learns of it by an event. */
async function setTransfers({ venue, accountId }: Party, status: string, isHeard = true): Promise<void> {
  await venue.stripe.rawRequest('POST', `/sandbox/accounts/${accountId}`, { transfers_status: status });
  if (!isHeard) return;
  const body = JSON.stringify({
    id: `evt_${accountId}_${status}`,
    object: 'v2.core.event',
    type: 'v2.core.account[configuration.recipient].capability_status_updated',
    livemode: true,
    created: new Date().toISOString(),
    related_object: { id: accountId, type: 'v2.core.account', url: `/v2/core/accounts/${accountId}` },
  });
  const headers = { 'stripe-signature': world.processor.api.webhooks.sign({ mode: 'live', body }) };
  expect((await world.call('POST', '/processor/notices/live', { body, headers })).status).toBe(200);
  await world.work();
}

const servicesAt = (ms: number) => ({ ...world.context.services, clock: { now: () => Date.now() + ms } });
const statusesOf = (checkout: Json): string[] => checkout.shares.map(({ status }: Json) => status);

/** Both have paid, and the venue was restricted between the two cards. */
async function fundedAndRestricted(isHeard = true, overrides: Parameters<typeof party>[0] = {}): Promise<Party> {
  const opened = await party(overrides);
  const { venue, checkout, shares } = opened;
  await venue.pay(checkout.id, shares[0].id, CARDS.good);
  const last = await venue.secretFor(checkout.id, shares[1].id);
  await venue.confirm(last, CARDS.good);
  await setTransfers(opened, 'restricted', isHeard);
  await venue.settleHold(last.holdId);
  return opened;
}

describe('a guest of a venue that cannot be paid any more', () => {
  it('gets no new hold, with a reason, and can pay as soon as the venue can be paid', async () => {
    const opened = await party();
    const { venue, checkout, shares, ada } = opened;
    await setTransfers(opened, 'restricted');
    const key = await world.context.tokens.sign(ada);
    const hold = () => world.call('POST', `/v1/public/shares/${shares[0].id}/hold`, { key });
    const refused = await hold();
    expect([refused.status, refused.json.error.code, refused.json.error.reason]).toEqual([
      409,
      'conflict',
      'venue_not_payable',
    ]);
    expect(await venue.intents(checkout.id)).toEqual([]);
    await setTransfers(opened, 'active');
    expect((await hold()).status).toBe(200);
  });

  it.each([
    ['en', 'You cannot pay just now'],
    ['de', 'Du kannst gerade nicht bezahlen'],
    ['es', 'Ahora no puedes pagar'],
  ])('reads so on the page (%s), which has no card form', async (language, title) => {
    const opened = await party();
    const cookie = `everyshare_session=${await beginSession(world.context, opened.ada)}`;
    const page = async () => {
      const headers = { cookie, 'accept-language': language };
      return (await world.call('GET', `/c/${opened.checkout.id}?pay=own`, { headers })).text;
    };
    expect(await page()).toContain('data-pay=');
    await setTransfers(opened, 'restricted');
    const text = await page();
    expect(text).toContain(title);
    expect(text).not.toContain('data-pay=');
  });
});

describe('a funded checkout of a venue that cannot be paid', () => {
  it('charges no guest, and is completed once the venue can be paid', async () => {
    const opened = await fundedAndRestricted();
    const { venue, checkout } = opened;
    for (let round = 0; round < 3; round++) await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    await setTransfers(opened, 'active');
    await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'completed' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(8_000);
  });

  it('charges no guest when the service has not heard of the restriction: the processor is asked before', async () => {
    const { venue, checkout } = await fundedAndRestricted(false);
    await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    expect(await findPayoutAccount(world.db, venue.venueId, 'live')).toMatchObject({ transfersStatus: 'restricted' });
  });

  it.skipIf(isDistributed)(
    'charges no guest when the restriction is recorded while the captures are decided',
    async () => {
      const { venue, checkout, shares } = await party();
      await venue.pay(checkout.id, shares[0].id, CARDS.good);
      const last = await venue.secretFor(checkout.id, shares[1].id);
      await venue.confirm(last, CARDS.good);
      let settled: Promise<unknown> = Promise.resolve();
      await world.db.transaction(async (tx) => {
        await tx.query(
          `update payout_accounts set transfers_status = 'restricted', checked_at = now() where venue_id = $1 and mode = 'live'`,
          [venue.venueId],
        );
        settled = venue.settleHold(last.holdId);
        await waitFor('the decision waits for the account', async () => {
          const waiting = await world.db.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%payout_accounts%for share%'`,
          );
          return waiting.length > 0;
        });
      });
      await settled;
      expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
      expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
    },
  );

  it('is completed without an event too, because the worker asks again', async () => {
    const opened = await fundedAndRestricted();
    const { venue, checkout } = opened;
    await setTransfers(opened, 'active', false);
    await captureDue(servicesAt(5 * 60_000), 10);
    await world.work();
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'completed' });
  });

  it('waits while the processor does not say whether the venue can be paid', async () => {
    const { venue, checkout } = await fundedAndRestricted(false);
    const rule = { id: 'down', on: 'v2.core.accounts.retrieve', kind: 'error_500' } as const;
    world.processor.api.faults.set({ rules: [rule] });
    await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(0);
  });

  it('keeps the card that was just held when the processor refuses to show the account', async () => {
    const { venue, checkout, shares } = await party();
    await venue.pay(checkout.id, shares[0].id, CARDS.good);
    const last = await venue.secretFor(checkout.id, shares[1].id);
    await venue.confirm(last, CARDS.good);
    const rule = { id: 'refused', on: 'v2.core.accounts.retrieve', kind: 'refused_for_now' } as const;
    world.processor.api.faults.set({ rules: [rule] });
    await venue.settleHold(last.holdId);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
    world.processor.api.faults.clear();
    await captureDue(servicesAt(5 * 60_000), 10);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'completed' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(8_000);
  });

  it('renews a card that would lapse before the venue can be paid', async () => {
    const DAY = 24 * 3_600_000;
    const pay_by = new Date(Date.now() + 20 * DAY).toISOString();
    const opened = await fundedAndRestricted(true, { pay_by });
    const { venue, checkout } = opened;
    // The renewals, and then the release of the holds that they replace.
    for (let round = 0; round < 2; round++) await settleDueHolds(servicesAt(6.5 * DAY), 100);
    const holds = await world.db.query<{ status: string; count: number }>(
      'select status, count(*)::integer as count from holds where checkout_id = $1 group by status order by status',
      [checkout.id],
    );
    expect(holds).toEqual([
      { status: 'held', count: 2 },
      { status: 'released', count: 2 },
    ]);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
    await setTransfers(opened, 'active');
    await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'completed' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(8_000);
  });

  it('releases every card at the deadline, and says why it is canceled', async () => {
    const { venue, checkout } = await fundedAndRestricted();
    const afterPayBy = Date.parse(checkout.pay_by) - Date.now() + 1_000;
    await Promise.all([
      captureFunded(servicesAt(afterPayBy), venue.venueId, checkout.id),
      captureFunded(servicesAt(afterPayBy), venue.venueId, checkout.id),
    ]);
    await venue.finishDueWork(checkout.id);
    const ended = await venue.read(checkout.id);
    expect(ended).toMatchObject({ status: 'canceled', cancellation_reason: 'venue_not_payable', refunded_amount: 0 });
    expect(statusesOf(ended)).toEqual(['released', 'released']);
    const intents = await venue.intents(checkout.id);
    expect(intents.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    expect((await venue.eventTypes(checkout.id)).slice(-2)).toEqual(['checkout.funded', 'checkout.canceled']);
  });

  it('is captured to the end when the venue is restricted after the first capture', async () => {
    const opened = await party();
    const { venue, checkout, shares } = opened;
    await venue.pay(checkout.id, shares[0].id, CARDS.captureFailsForAWhile);
    await venue.pay(checkout.id, shares[1].id, CARDS.good);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'funded' });
    expect(await venue.chargedAtProcessor(checkout.id)).toBe(4_000);
    await setTransfers(opened, 'restricted');
    for (let round = 0; round < 4; round++) await venue.finishDueWork(checkout.id);
    expect(await venue.read(checkout.id)).toMatchObject({ status: 'completed' });
    await setTransfers(opened, 'active');
  });

  it('is a problem that doctor names, with the amount and the next deadline', async () => {
    const { venue, checkout } = await fundedAndRestricted();
    const { out } = await commandLine(world).run('doctor', '--json');
    const { checks } = JSON.parse(out) as { checks: { name: string; ok: boolean; detail: string; remedy: string }[] };
    const payouts = checks.find(({ name }) => name === 'payouts');
    expect(payouts).toMatchObject({ ok: false, remedy: expect.stringContaining('venue show') });
    expect(payouts?.detail).toContain(venue.venueId);
    expect(payouts?.detail).toMatch(/held cards of \d+ checkouts? wait, \d+ in all, until \d{4}-\d\d-\d\dT/);
    expect(checkout.amount).toBe(8_000);
  });
});
