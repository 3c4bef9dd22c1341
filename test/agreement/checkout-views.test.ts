// Two SQL functions make the view of a checkout: checkout_object for one, and checkout_views for many at once, which expiry
// and reads of several checkouts use. Over random states, texts and disputes both give the same bytes.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { runs } from '../support/random-runs.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { EVERY_STATUS, inRolledBackTransaction, NOW, randomCheckout, writeCheckout } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

/** Quotes, escapes, control characters and characters outside the basic plane; PostgreSQL stores no U+0000. */
const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((any) => any.replaceAll('\0', '\u0001')),
  fc.constantFrom('"', '\\', '\n\t\u0001', '</script>', '\u2028', '🎉'),
);

const details = fc.record({
  description: text,
  location: fc.option(text),
  offeringExternalId: fc.option(text),
  cancelUrl: fc.option(text),
  displayName: fc.option(text),
  startsAt: fc.option(fc.integer({ min: 0, max: 4e12 })),
  refundedAmount: fc.integer({ min: 0, max: 500 }),
  failedRefundAmount: fc.integer({ min: 0, max: 800 }),
  metadata: fc.constantFrom('{}', '{ "a" : "b" }', '{"ü":"\\u00fc"}'),
  isLinked: fc.boolean(),
  isCanceledForAReason: fc.boolean(),
  disputes: fc.array(fc.record({ reason: text, amount: fc.nat(900), openedAt: fc.integer({ min: 0, max: 3 }) }), {
    maxLength: 2,
  }),
  frozenRefunds: fc.array(fc.integer({ min: 1, max: 900 }), { maxLength: 2 }),
});
type Details = typeof details extends fc.Arbitrary<infer D> ? D : never;

/** Writes what no statement of the domain changes alone. Triggers are off: the states need not be reachable. */
async function writeDetails(tx: Queryable, checkoutId: string, random: Details): Promise<void> {
  await tx.query(
    `update checkouts set description = $3, location = $4, offering_external_id = $5, cancel_url = $6, metadata = $7,
       starts_at = to_timestamp($8 / 1000.0), ends_at = to_timestamp($8 / 1000.0), failed_refund_amount = $9,
       refunded_amount = case when status in ('completed', 'canceled') then $10::integer else 0 end,
       cancellation_reason = case when status = 'canceled' and $11 then 'requested' end
     where venue_id = $1 and checkout_id = $2`,
    [
      venueId,
      checkoutId,
      random.description,
      random.location,
      random.offeringExternalId,
      random.cancelUrl,
      random.metadata,
      random.startsAt,
      random.failedRefundAmount,
      random.refundedAmount,
      random.isCanceledForAReason,
    ],
  );
  await tx.query(
    `update shares set display_name = $3, accepted_at = invited_at where venue_id = $1 and checkout_id = $2`,
    [venueId, checkoutId, random.displayName],
  );
  for (const { reason, amount, openedAt } of random.disputes)
    await tx.query(
      `insert into disputes (venue_id, dispute_id, mode, checkout_id, share_id, hold_id, amount, currency, status, reason,
         opened_at, changed_at)
       values ($1, $2, 'test', $3, 'shr_1', $4, $5, 'usd', 'open', $6, to_timestamp($7), to_timestamp($7))`,
      [venueId, `dp_${randomUUID()}`, checkoutId, randomUUID(), amount, reason, openedAt],
    );
  for (const amount of random.frozenRefunds)
    await tx.query(
      `insert into movements (venue_id, movement_id, kind, mode, checkout_id, share_id, hold_id, status, amount, currency,
         created_at, first_due_at)
       values ($1, $2, 'refund', 'test', $3, 'shr_1', $4, 'frozen', $5, 'usd', now(), now())`,
      [venueId, randomUUID(), checkoutId, randomUUID(), amount],
    );
}

async function viewsOf(tx: Queryable, ids: readonly string[]) {
  const values = [venueId, ids];
  const each = await tx.query(
    `select checkout_id as "id", checkout_object(c)::text as "view" from checkouts c
     where venue_id = $1 and checkout_id = any($2) order by checkout_id`,
    values,
  );
  const all = await tx.query('select id, view from checkout_views($1, $2) order by id', values);
  return { each, all };
}

describe('checkout_object and checkout_views', () => {
  it('give the same bytes in every state', { timeout: 60_000 }, async () => {
    const seen = { disputes: 0, shares: 0 };
    const state = fc.tuple(randomCheckout, details);
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 1, maxLength: 4 }), async (states) => {
        await inRolledBackTransaction(world.db, async (tx) => {
          const written: (readonly [string, Details])[] = [];
          for (const [random, more] of states) written.push([(await writeCheckout(tx, venueId, random)).id, more]);
          await tx.query('set local session_replication_role = replica');
          for (const [id, more] of written) await writeDetails(tx, id, more);
          const isLinked = states[0]?.[1].isLinked === true;
          await tx.query('update venues set name = $2, linked_at = case when $3 then now() end where venue_id = $1', [
            venueId,
            `The "Pier" \\ ${NOW}`,
            isLinked,
          ]);
          const { each, all } = await viewsOf(tx, [...written.map(([id]) => id), 'chk_none']);
          expect(each).toHaveLength(written.length);
          expect(all).toEqual(each);
          for (const { view } of all as { view: string }[]) {
            const { disputes, shares } = JSON.parse(view) as { disputes: unknown[]; shares: unknown[] };
            if (disputes.length > 0) seen.disputes++;
            if (shares.length > 0) seen.shares++;
          }
        });
      }),
      {
        ...runs(120, 10, 20),
        examples: [[EVERY_STATUS.map((status): [typeof status, Details] => [status, DISPUTED])]],
      },
    );
    expect(seen.disputes).toBeGreaterThan(0);
    expect(seen.shares).toBeGreaterThan(0);
  });
});

const DISPUTED: Details = {
  description: 'A "table"',
  location: null,
  offeringExternalId: null,
  cancelUrl: null,
  displayName: null,
  startsAt: null,
  refundedAmount: 200,
  failedRefundAmount: 300,
  metadata: '{}',
  isLinked: true,
  isCanceledForAReason: true,
  disputes: [
    { reason: 'fraudulent', amount: 100, openedAt: 1 },
    { reason: 'a "reason"', amount: 50, openedAt: 1 },
  ],
  frozenRefunds: [70, 30],
};
