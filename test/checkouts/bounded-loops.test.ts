// The loops of SQL functions that look for a free time end with an error that says what happened. A trigger that skips
// every insert stands for a conflict that never ends.

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { expireCheckouts } from '../../src/domain/checkouts/expire-queries.ts';
import { insertCheckout } from '../../src/domain/checkouts/queries.ts';
import { recordEvent } from '../../src/domain/events/record.ts';
import { openPayout } from '../../src/domain/payments/movement-queries.ts';
import { createRequest, inRolledBackTransaction, NOW } from '../agreement/random-checkouts.ts';
import { isDistributed } from '../support/distributed.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

/** Runs the work while every insert into the table is skipped, as after a conflict. */
async function withoutInserts(table: string, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  await inRolledBackTransaction(world.db, async (tx) => {
    await tx.query(`create function pg_temp.skip() returns trigger language plpgsql as 'begin return null; end'`);
    await tx.query(`create trigger skip before insert on ${table} for each row execute function pg_temp.skip()`);
    await work(tx);
  });
}

it.skipIf(isDistributed)('create_checkout gives up when other creates always come first', async () => {
  const request = createRequest(venueId, { amount: 10_000 });
  const work = (tx: Queryable) => insertCheckout(tx, request);
  await expect(withoutInserts('checkouts', work)).rejects.toThrow(
    `other creates came first in 1000 rounds: checkout ${request.checkoutId} was not created`,
  );
});

it.skipIf(isDistributed)('record_event gives up when no time is free', async () => {
  const event = { venueId, mode: 'test', type: 'checkout.created', subject: 'chk_1', data: {} } as const;
  const work = (tx: Queryable) => recordEvent(tx, world.command(), { ...event, at: new Date(NOW).toISOString() });
  await expect(withoutInserts('events', work)).rejects.toThrow(/^the event evt_\w+ found no free time in 1000 rounds$/);
});

it.skipIf(isDistributed)('expire_checkouts gives up when no time is free for its events', async () => {
  const payBy = new Date(NOW - 1).toISOString();
  const request = createRequest(venueId, { amount: 10_000, payBy });
  await insertCheckout(world.db, { ...request, now: NOW - 1_000 });
  const work = (tx: Queryable) => expireCheckouts(tx, venueId, NOW, ['evt_1']);
  await expect(withoutInserts('events', work)).rejects.toThrow(
    'no free time for 1 events of expired checkouts in 1000 rounds',
  );
});

it.skipIf(isDistributed)('open_payout gives up when no time is free', async () => {
  const request = createRequest(venueId, { amount: 10_000 });
  await insertCheckout(world.db, request);
  const scope = { venueId, checkoutId: request.checkoutId, mode: 'test', currency: 'usd', now: NOW } as const;
  const work = (tx: Queryable) => openPayout(tx, scope, '00000000-0000-4000-8000-000000000001');
  await expect(withoutInserts('payouts', work)).rejects.toThrow(
    `the payout of checkout ${request.checkoutId} found no free time in 1000 rounds`,
  );
});
