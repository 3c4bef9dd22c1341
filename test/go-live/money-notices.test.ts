// Notices about money, from the code that moves it: a payout that failed for good, and a dispute that was opened. Each is
// recorded once, in the transaction of the change. The charges are of test mode at the processor, and pass here for live ones.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyDueProcessorEvents } from '../../src/domain/checkouts/disputes/apply-disputes.ts';
import { storeProcessorEvent } from '../../src/domain/payments/dispute-queries.ts';
import { claimMovements } from '../../src/domain/payments/movement-queries.ts';
import { type Processor, ProcessorRefusal } from '../../src/domain/payments/processor.ts';
import { settleMovement } from '../../src/domain/payments/settle-movements.ts';
import { disputeTools } from '../support/disputes.ts';
import { CARDS, intentIdOf, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let venueId: string;
let checkoutId: string;
let intent: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  venue = await openTestVenue(world);
  const checkout = await venue.collecting({ party_size: 2, amount: 20_000 });
  const [secret] = await venue.payAll(checkout, [CARDS.good]);
  await world.work();
  checkoutId = checkout.id;
  intent = secret === undefined ? '' : intentIdOf(secret);
  const [row] = await world.db.query<{ venue: string }>(
    'select venue_id as venue from checkouts where checkout_id = $1',
    [checkoutId],
  );
  venueId = row?.venue ?? '';
});
afterAll(() => world.close());

/** The processor of test mode, for live mode too; `change` replaces some of its calls. */
function servicesWith(change: Partial<Processor> = {}) {
  const { services } = world.context;
  const processor = new Proxy(services.processors.test as Processor, {
    get: (target, name) => {
      const value = Reflect.get({ ...change }, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...services, processors: { test: processor, live: processor } };
}

const noticesOf = (kind: string) =>
  world.db.query<{ detail: unknown }>('select detail from notices where venue_id = $1 and kind = $2', [venueId, kind]);

it('a transfer that the processor refuses for good is reported once, and the one that succeeds is not', async () => {
  await world.db.query(
    `update movements set due_at = now() - interval '1 second' where venue_id = $1 and due_at is not null`,
    [venueId],
  );
  const leaseEnds = Date.now() + 60_000;
  const [first, second] = await claimMovements(world.db, venueId, Date.now(), leaseEnds, 10);
  if (first === undefined || second === undefined) throw new Error('the checkout has two transfers');
  const refused = servicesWith({
    transfer: async () => {
      throw new ProcessorRefusal('transfer_failed', 'the account is closed');
    },
  });
  for (const _ of [1, 2]) await settleMovement(refused, { ...first, mode: 'live' }, leaseEnds);
  await settleMovement(servicesWith(), second, leaseEnds);
  const { amount, currency } = first;
  expect((await noticesOf('payout')).map(({ detail }) => detail)).toEqual([{ checkout: checkoutId, amount, currency }]);
  const [row] = await world.db.query('select status from movements where movement_id = $1', [first.id]);
  expect(row).toEqual({ status: 'failed' });
});

it('a dispute that was opened is reported once, also when the processor sends several events', async () => {
  const disputeId = await disputeTools(world, venue).open(intent, 4_000);
  // The database refuses a change of the mode, in which the test makes a charge of test mode pass for a live one.
  await world.db.query('alter table holds disable trigger user');
  await world.db.query(`update holds set mode = 'live' where checkout_id = $1`, [checkoutId]);
  await world.db.query('alter table holds enable trigger user');
  for (const id of ['evt_live_1', 'evt_live_2']) {
    const subject = { kind: 'dispute', disputeId, intentId: intent } as const;
    await storeProcessorEvent(world.db, { id, mode: 'live', subject, now: Date.now() - 1_000 });
    expect(await applyDueProcessorEvents(servicesWith(), 10)).toBe(1);
  }
  expect((await noticesOf('dispute')).map(({ detail }) => detail)).toEqual([
    { checkout: checkoutId, amount: 4_000, currency: 'usd' },
  ]);
});
