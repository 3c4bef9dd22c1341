// A refund of a disputed charge: the processor refuses it while the dispute is open or lost. So it waits for the end of the
// dispute. A won dispute lets it go on; a lost one drops it as far as the guest has the money by the dispute.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { type DisputeTools, disputeTools } from '../support/disputes.ts';
import { type CommandLine, commandLine } from '../support/run-command.ts';
import { CARDS, expectConflict, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let cli: CommandLine;
let disputes: DisputeTools;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  venue = await openTestVenue(world);
  cli = commandLine(world);
  disputes = disputeTools(world, venue);
  await venue.setFee(1_000, 0);
});
afterAll(() => world.close());

interface Party {
  readonly id: string;
  readonly intents: readonly string[];
}

/** A completed checkout of two shares of 10,000, with a fee of 1,000 each. */
async function completed({ isPaidOut = false } = {}): Promise<Party> {
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  const secrets = await venue.payAll(checkout, [CARDS.good]);
  await world.work();
  expect((await venue.read(checkout.id)).status).toBe('completed');
  if (isPaidOut) await venue.finishDueWork(checkout.id);
  return { id: checkout.id, intents: secrets.map(intentIdOf) };
}

interface DisputedParty extends Party {
  readonly intent: string;
  readonly disputeId: string;
}

/** The first guest disputes the charge. */
async function disputed({ isPaidOut = false, amount = 10_000, isKnown = true } = {}): Promise<DisputedParty> {
  const party = await completed({ isPaidOut });
  const intent = party.intents[0] ?? '';
  const disputeId = await disputes.open(intent, amount);
  if (isKnown) await disputes.deliverEvents(intent);
  return { ...party, intent, disputeId };
}

async function refund(id: string, body: object = {}): Promise<Json> {
  const response = await venue.post(`/v1/checkouts/${id}/refund`, body);
  expect(response.status, response.text).toBe(200);
  await world.work();
  return response.json;
}

async function close(party: DisputedParty, outcome: 'won' | 'lost'): Promise<void> {
  await disputes.close(party.disputeId, outcome);
  await disputes.deliverEvents(party.intent);
  await venue.finishDueWork(party.id);
}

const refundsOf = (id: string): Promise<{ status: string; amount: number; error: string | null }[]> =>
  world.db.query(
    `select m.status, m.amount, m.last_error as error from movements m
     join shares s on s.venue_id = m.venue_id and s.share_id = m.share_id
     where m.checkout_id = $1 and m.kind in ('refund', 'return') order by s.position, m.created_at, m.amount desc`,
    [id],
  );

/** What the processor has paid back of this charge by refunds. */
async function refundedAtProcessor(intent: string): Promise<number> {
  const { data } = await venue.stripe.refunds.list({ payment_intent: intent });
  return data.reduce((sum, one) => sum + one.amount, 0);
}

async function expectBooksAgree(): Promise<void> {
  expect((await checkLedger(world.db)).problems).toEqual([]);
}

describe('while the dispute is open', () => {
  it('the refund of the charge waits, the others are paid, and the checkout and the operator see it', async () => {
    const party = await disputed();
    await refund(party.id);
    const waiting = [
      { status: 'frozen', amount: 10_000, error: 'charge_disputed' },
      { status: 'done', amount: 10_000, error: null },
    ];
    expect(await refundsOf(party.id)).toEqual(waiting);
    await venue.finishDueWork(party.id);
    expect(await refundsOf(party.id)).toEqual(waiting);
    expect(await venue.read(party.id)).toMatchObject({
      refunded_amount: 20_000,
      disputed_refund_amount: 10_000,
      failed_refund_amount: 0,
    });
    const { checks } = await cli.json<{ checks: Json[] }>('doctor');
    const check = checks.find(({ name }) => name === 'refunds');
    expect(check.detail).toBe('1 refund of 1 checkout waits for the end of its dispute (test)');
    await expectBooksAgree();
    // The first call after the dispute succeeds: it does not repeat the key of the refusal.
    await disputes.close(party.disputeId, 'won');
    await disputes.deliverEvents(party.intent);
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['done', 'done']);
    expect(await Promise.all(party.intents.map(refundedAtProcessor))).toEqual([10_000, 10_000]);
    expect((await venue.read(party.id)).disputed_refund_amount).toBe(0);
    expect(await venue.balances(party.id)).toEqual({});
    await expectBooksAgree();
  });

  it('a refund that is refused before the dispute is known waits once it is', async () => {
    const party = await disputed({ isKnown: false });
    await refund(party.id);
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['sending', 'done']);
    await disputes.deliverEvents(party.intent);
    await venue.finishDueWork(party.id);
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['frozen', 'done']);
    await close(party, 'won');
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('a refund that is refused for months before the dispute is known is paid when the dispute was won', async () => {
    const party = await disputed({ isKnown: false });
    await refund(party.id);
    await world.db.query(
      `update movements set first_due_at = now() - interval '60 days', due_at = now() - interval '1 second'
       where checkout_id = $1 and status = 'sending'`,
      [party.id],
    );
    await world.work();
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['sending', 'done']);
    expect((await venue.read(party.id)).failed_refund_amount).toBe(0);
    await close(party, 'won');
    await venue.finishDueWork(party.id);
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['done', 'done']);
    await expectBooksAgree();
  });

  it('a refund of disputed charges alone is 409 and says what to do', async () => {
    const party = await completed();
    for (const intent of party.intents) {
      await disputes.open(intent, 10_000);
      await disputes.deliverEvents(intent);
    }
    const response = await venue.post(`/v1/checkouts/${party.id}/refund`, { amount: 500 });
    expectConflict(response, 'charge_disputed');
    expect(response.json.error.message).toMatch(/disputed by its guest.*Ask again when a dispute was won/);
    expect(await refundsOf(party.id)).toEqual([]);
  });
});

describe('a lost dispute', () => {
  it.each([false, true])('drops the refund that it has paid (venue paid before: %s)', async (isPaidOut) => {
    const party = await disputed({ isPaidOut });
    await refund(party.id);
    await close(party, 'lost');
    expect((await refundsOf(party.id)).map(({ status }) => status)).toEqual(['dropped', 'done']);
    const checkout = await venue.read(party.id);
    expect(checkout).toMatchObject({ refunded_amount: 10_000, disputed_refund_amount: 0, failed_refund_amount: 0 });
    expect(checkout.shares.map((share: Json) => share.refunded_amount)).toEqual([0, 10_000]);
    expect(await Promise.all(party.intents.map(refundedAtProcessor))).toEqual([0, 10_000]);
    expect(await venue.paidOutAtProcessor(party.id)).toBe(0);
    expect(await venue.balances(party.id)).toEqual({});
    const failed = (await venue.events(party.id)).filter(({ type }) => type === 'refund.failed');
    expect(failed.map(({ data }) => data.refund)).toEqual([{ amount: 10_000, reason: 'dispute_lost' }]);
    expectConflict(await venue.post(`/v1/checkouts/${party.id}/refund`, {}), 'nothing_to_refund');
    await expectBooksAgree();
  });

  it('of a part drops that part of the refund, and the rest is owed to the guest', async () => {
    const party = await disputed({ amount: 3_333 });
    await refund(party.id, { amount: 8_000 });
    await close(party, 'lost');
    expect(await refundsOf(party.id)).toEqual([
      { status: 'dropped', amount: 4_000, error: 'charge_disputed' },
      { status: 'failed', amount: 667, error: 'charge_disputed' },
      { status: 'done', amount: 4_000, error: null },
    ]);
    expect(await venue.read(party.id)).toMatchObject({ refunded_amount: 4_000, failed_refund_amount: 667 });
    await expectBooksAgree();
  });

  it('that is reported while a refund is under way is divided when the refund has ended', async () => {
    const party = await disputed({ isKnown: false });
    await refund(party.id);
    expect((await refundsOf(party.id))[0]?.status).toBe('sending');
    await close(party, 'lost');
    expect((await refundsOf(party.id))[0]?.status).toBe('frozen');
    expect((await venue.balances(party.id)).disputed_funds).toBe(10_000);
    await world.db.query(`update processor_events set due_at = now() - interval '1 second' where due_at is not null`);
    await world.work();
    expect((await refundsOf(party.id))[0]?.status).toBe('dropped');
    expect((await venue.balances(party.id)).disputed_funds).toBeUndefined();
    await expectBooksAgree();
  });

  it('replaces the return of a charge whose checkout was never completed', async () => {
    const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
    const [secret] = await venue.payAll(checkout, [CARDS.disputed, CARDS.captureFailsForGood]);
    await world.work();
    const { id } = checkout;
    const intent = secret === undefined ? '' : intentIdOf(secret);
    await disputes.deliverEvents(intent);
    await venue.finishDueWork(id);
    expect(await refundsOf(id)).toEqual([{ status: 'frozen', amount: 10_000, error: 'charge_disputed' }]);
    expect(await venue.read(id)).toMatchObject({ status: 'canceled', disputed_refund_amount: 10_000 });
    await expectBooksAgree();
    const [dispute] = (await venue.read(id)).disputes;
    await close({ id, intents: [intent], intent, disputeId: dispute.id }, 'lost');
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['dropped']);
    expect(await venue.read(id)).toMatchObject({ refunded_amount: 0, disputed_refund_amount: 0 });
    expect(await venue.balances(id)).toEqual({});
    await expectBooksAgree();
    // The guest takes it back: the charge is owed to the guest again, and returned.
    await disputes.call(`${dispute.id}/take_back`);
    await disputes.deliverEvents(intent);
    await venue.finishDueWork(id);
    expect((await refundsOf(id)).map(({ status }) => status)).toEqual(['dropped', 'done']);
    expect([await refundedAtProcessor(intent), (await venue.read(id)).refunded_amount]).toEqual([10_000, 10_000]);
    const [event] = await world.db.query<{ reason: string }>(
      `select data -> 'refund' ->> 'reason' as reason from events where subject = $1 and type = 'refund.created'`,
      [id],
    );
    expect([event?.reason, await venue.balances(id)]).toEqual(['loss_returned', {}]);
    await expectBooksAgree();
  });
});
