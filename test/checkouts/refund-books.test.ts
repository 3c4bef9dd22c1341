// Any sequence of refunds, before or after the venue is paid: the parts add up, no share gets back more than it paid,
// the ledger balances, and the processor's amounts equal ours.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimMovement, claimMovements, finishMovement } from '../../src/domain/payments/movement-queries.ts';
import type { Processor } from '../../src/domain/payments/processor.ts';
import { settleDueMovements, settleMovement } from '../../src/domain/payments/settle-movements.ts';
import { runs } from '../support/random-runs.ts';
import { type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
});
afterAll(() => world.close());

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
const refund = (venue: TestVenue, id: string, body: unknown) => venue.post(`/v1/checkouts/${id}/refund`, body);

interface Transfer {
  readonly status: string;
  readonly amount: number;
}
const transfersOf = (id: string): Promise<Transfer[]> =>
  world.db.query(
    `select status, amount from movements where checkout_id = $1 and kind = 'transfer' order by movement_id`,
    [id],
  );

/** Of one checkout, after all due work is done. */
async function expectBooksAgree(venue: TestVenue, id: string, isPaidOut: boolean): Promise<void> {
  const current = await venue.read(id);
  const waiting = isPaidOut
    ? 0
    : sum((await transfersOf(id)).filter(({ status }) => status === 'waiting').map(({ amount }) => amount));
  for (const share of current.shares) {
    expect(share.refunded_amount).toBeLessThanOrEqual(share.amount);
    expect(share.status).toBe(share.refunded_amount === share.amount && share.amount > 0 ? 'refunded' : 'captured');
  }
  expect(sum(current.shares.map(({ refunded_amount }: Json) => refunded_amount))).toBe(current.refunded_amount);
  const [charged, paidOut, balances] = await Promise.all([
    venue.chargedAtProcessor(id),
    venue.paidOutAtProcessor(id),
    venue.balances(id),
  ]);
  expect(charged).toBe(current.amount - current.refunded_amount);
  expect(sum(Object.values(balances))).toBe(0);
  expect(balances.processor_balance ?? 0).toBe(charged - paidOut);
  expect(balances.venue_payable ?? 0).toBe(0 - waiting);
  expect(balances.guest_funds ?? 0).toBe(0);
}

describe('before the venue is paid', () => {
  it('a refund reduces the waiting transfers, and nothing is reversed', async () => {
    const venue = await openTestVenue(world);
    await venue.setFee(1_000, 0);
    const completed = await venue.completed({ amount: 9_000, party_size: 3 });
    expect(await transfersOf(completed.id)).toEqual(Array(3).fill({ status: 'waiting', amount: 2_700 }));
    expect(await venue.paidOutAtProcessor(completed.id)).toBe(0);
    await refund(venue, completed.id, { amount: 3_000 });
    await world.work();
    expect(await transfersOf(completed.id)).toEqual(Array(3).fill({ status: 'waiting', amount: 1_800 }));
    await expectBooksAgree(venue, completed.id, false);
    await venue.finishDueWork(completed.id);
    expect(await venue.paidOutAtProcessor(completed.id)).toBe(5_400);
    const reversals = await world.db.query(`select 1 from movements where checkout_id = $1 and kind = 'reversal'`, [
      completed.id,
    ]);
    expect(reversals).toEqual([]);
    await expectBooksAgree(venue, completed.id, true);
  });

  it('a full refund drops the transfers, and the venue is never paid', async () => {
    const venue = await openTestVenue(world);
    await venue.setFee(300, 10);
    const completed = await venue.completed({ amount: 10_001, party_size: 4 });
    await refund(venue, completed.id, {});
    await venue.finishDueWork(completed.id);
    expect(await transfersOf(completed.id)).toEqual(Array(4).fill({ status: 'dropped', amount: 0 }));
    expect((await venue.stripe.transfers.list({ transfer_group: completed.id })).data).toEqual([]);
    expect(await venue.balances(completed.id)).toEqual({});
  });

  it('a transfer that is being sent is reversed, not reduced', async () => {
    const venue = await openTestVenue(world);
    const completed = await venue.completed({ amount: 9_000, party_size: 2 });
    world.processor.api.faults.set({ rules: [{ id: 'down', on: 'transfers.create', kind: 'error_500_after' }] });
    await venue.finishDueWork(completed.id);
    expect((await transfersOf(completed.id)).map(({ status }) => status)).toEqual(['sending', 'sending']);
    await refund(venue, completed.id, { amount: 1_000 });
    world.processor.api.faults.clear();
    await venue.finishDueWork(completed.id);
    await venue.finishDueWork(completed.id);
    await expectBooksAgree(venue, completed.id, true);
    expect(await venue.paidOutAtProcessor(completed.id)).toBe(8_000);
  });
});

describe('any sequence of refunds', () => {
  it('adds up, before and after the payout, with any fee, party and amount', { tags: ['slow'] }, async () => {
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ share: fc.integer({ min: 1, max: 1_000 }) }) },
      { weight: 1, arbitrary: fc.constant('pay the venue' as const) },
      { weight: 1, arbitrary: fc.constant('one cent' as const) },
    );
    const story = fc.record({
      amount: fc.integer({ min: 1_000, max: 200_000 }),
      party: fc.integer({ min: 2, max: 6 }),
      bps: fc.constantFrom(0, 1, 290, 5_000, 10_000),
      fixed: fc.constantFrom(0, 30, 999),
      acts: fc.array(command, { minLength: 1, maxLength: 6 }),
      isWhole: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ amount, party, bps, fixed, acts, isWhole }) => {
        const venue = await openTestVenue(world);
        await venue.setFee(bps, fixed);
        const completed = await venue.completed({ amount, party_size: party });
        let [left, isPaidOut] = [amount, false];
        for (const one of acts) {
          if (one === 'pay the venue') {
            await venue.finishDueWork(completed.id);
            isPaidOut = true;
            continue;
          }
          const part = one === 'one cent' ? 1 : Math.max(1, Math.floor((left * one.share) / 1_000));
          if (left === 0) break;
          const response = await refund(venue, completed.id, { amount: part });
          expect(response.status, response.text).toBe(200);
          left -= part;
          expect(response.json.refunded_amount).toBe(amount - left);
        }
        if (isWhole && left > 0) expect((await refund(venue, completed.id, {})).json.refunded_amount).toBe(amount);
        await world.work();
        await expectBooksAgree(venue, completed.id, isPaidOut);
        await venue.finishDueWork(completed.id);
        await expectBooksAgree(venue, completed.id, true);
        if (isWhole) expect(await venue.balances(completed.id)).toEqual({});
      }),
      runs(20, 2, 4),
    );
  });
});

describe('a worker that stalls for longer than its lease', () => {
  it('makes no further call, because another worker may have done it and the key may have expired', async () => {
    const venue = await openTestVenue(world);
    const completed = await venue.completed({ amount: 9_000, party_size: 3 });
    await refund(venue, completed.id, { amount: 3_000 });
    const { services } = world.context;
    // It claims what is due, and when it comes to send it, two minutes have passed.
    let clockReads = 0;
    const held = { now: () => services.clock.now() + (clockReads++ === 0 ? 0 : 120_000) };
    expect(await settleDueMovements({ ...services, clock: held }, 100)).toBe(3);
    expect(await venue.chargedAtProcessor(completed.id)).toBe(9_000);
    await world.db.query(
      `update movements set due_at = now() - interval '1 second' where checkout_id = $1 and kind = 'refund'`,
      [completed.id],
    );
    await world.work();
    expect(await venue.chargedAtProcessor(completed.id)).toBe(6_000);
  });

  it.each(['refund', 'transfer'] as const)(
    'records nothing of a %s that another worker has recorded during its call',
    async (kind) => {
      const venue = await openTestVenue(world);
      const completed = await venue.completed({ amount: 9_000, party_size: 3 });
      if (kind === 'refund') await refund(venue, completed.id, { amount: 3_000 });
      await world.db.query("update movements set due_at = now() - interval '1 second' where checkout_id = $1", [
        completed.id,
      ]);
      const { services } = world.context;
      const now = services.clock.now();
      const claimed = await claimMovements(world.db, venue.venueId, now, now + 60_000, 100);
      const stale = claimed.find((movement) => movement.kind === kind);
      const { test: processor } = services.processors;
      if (stale === undefined || processor === undefined) throw new Error(`no ${kind} was due`);
      const otherWorker = async (): Promise<void> => {
        const again = await claimMovement(world.db, venue.venueId, stale.id, now + 120_000);
        if (again !== null) await settleMovement(services, again, now + 120_000);
      };
      const slow = new Proxy(processor, {
        get(target, name: keyof Processor) {
          const value = target[name];
          if (typeof value !== 'function') return value;
          return async (...given: unknown[]): Promise<unknown> => {
            const answer: unknown = await Reflect.apply(value, target, given);
            if (name === kind) await otherWorker();
            return answer;
          };
        },
      });
      await settleMovement({ ...services, processors: { test: slow } }, stale, now + 60_000);
      const [row] = await world.db.query<{ status: string; lease: number; entries: number }>(
        `select status, lease_token as lease, (select count(*)::integer from ledger_entries e
           where e.venue_id = m.venue_id and e.subject = m.movement_id::text and e.kind = m.kind) as entries from movements m where movement_id = $1`,
        [stale.id],
      );
      expect(row).toEqual({ status: 'done', lease: stale.leaseToken + 1, entries: 1 });
    },
  );

  it('ends nothing that another worker has claimed since', async () => {
    const venue = await openTestVenue(world);
    const completed = await venue.completed({ amount: 9_000, party_size: 3 });
    await refund(venue, completed.id, { amount: 3_000 });
    const now = world.context.services.clock.now();
    const [stale] = await claimMovements(world.db, venue.venueId, now, now + 60_000, 1);
    if (stale === undefined) throw new Error('no refund was due');
    await claimMovement(world.db, venue.venueId, stale.id, now + 180_000);
    for (const status of ['failed', 'done'] as const) {
      const outcome = { status, processorId: null, error: null };
      expect(await world.db.transaction((tx) => finishMovement(tx, stale, outcome, now))).toBeNull();
    }
    const rows = await world.db.query('select status from movements where movement_id = $1', [stale.id]);
    expect(rows).toEqual([{ status: 'sending' }]);
  });

  it('postpones nothing that another worker has claimed since', async () => {
    const venue = await openTestVenue(world);
    const completed = await venue.completed({ amount: 9_000, party_size: 3 });
    await refund(venue, completed.id, { amount: 3_000 });
    const { services } = world.context;
    const now = services.clock.now();
    const [staleMovement] = await claimMovements(world.db, venue.venueId, now, now + 60_000, 1);
    if (staleMovement === undefined) throw new Error('no refund was due');
    const othersLease = now + 180_000;
    expect((await claimMovement(world.db, venue.venueId, staleMovement.id, othersLease))?.leaseToken).toBe(
      staleMovement.leaseToken + 1,
    );
    // It continues, finds that its lease has ended, and tries to postpone.
    await settleMovement(services, staleMovement, now - 1);
    const rows = await world.db.query(
      `select status, last_error, round(extract(epoch from due_at) * 1000)::float8 as due from movements where movement_id = $1`,
      [staleMovement.id],
    );
    expect(rows).toEqual([{ status: 'sending', last_error: null, due: othersLease }]);
  });
});
