// Expiry has one rule, decideExpire, and one statement that repeats it for many checkouts at once. Over random states
// both leave the same rows and record the same events. Every statement that checks for overdue checkouts agrees with
// isOverdue.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { applySteps } from '../../src/domain/checkouts/apply-steps.ts';
import { decideExpire } from '../../src/domain/checkouts/decide-expire.ts';
import { expireCheckouts, hasOverdue, venuesWithOverdue } from '../../src/domain/checkouts/expire-queries.ts';
import { viewForGuest } from '../../src/domain/checkouts/guests/guest-queries.ts';
import { fundedAmount, isOverdue, type LockedCheckout } from '../../src/domain/checkouts/locked-checkout.ts';
import {
  insertCheckout,
  listCheckoutViews,
  lockCheckout,
  readCheckout,
  viewCheckout,
} from '../../src/domain/checkouts/queries.ts';
import { writeSteps } from '../../src/domain/checkouts/write-steps.ts';
import { hashOfKey } from '../../src/domain/keys/key.ts';
import { admitKeys } from '../../src/domain/keys/queries.ts';
import { runs } from '../support/random-runs.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import {
  createRequest,
  EVERY_STATUS,
  inRolledBackTransaction,
  NOW,
  type RandomCheckout,
  randomCheckout,
  type WrittenCheckout,
  withSavepoint,
  writeCheckout,
} from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
const keys = { test: '', live: '' };
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
  for (const mode of ['test', 'live'] as const) {
    keys[mode] = (await world.key(venueId, { mode, scopes: ['checkouts:read'], readsPerHour: 1_000_000 })).key;
  }
});
afterAll(() => world.close());

const checkouts = fc.array(randomCheckout, { minLength: 1, maxLength: 4 });

/**
 * Every row of the venue that expiry may change. Events are without their id and time, which differ between both ways.
 */
async function rows(tx: Queryable): Promise<unknown> {
  const all = (text: string): Promise<unknown[]> => tx.query(text, [venueId]);
  return Promise.all([
    all('select to_jsonb(c) as row from checkouts c where venue_id = $1 order by checkout_id'),
    all('select to_jsonb(s) as row from shares s where venue_id = $1 order by share_id'),
    all('select to_jsonb(h) as row from holds h where venue_id = $1 order by hold_id'),
    all(
      `select to_jsonb(e) - 'event_id' - 'created_at' as row, data::text as bytes from events e
       where venue_id = $1 order by subject, sequence`,
    ),
  ]);
}

function writeAll(tx: Queryable, states: readonly RandomCheckout[]): Promise<WrittenCheckout[]> {
  return Promise.all(states.map((state) => writeCheckout(tx, venueId, state)));
}

async function stateOf(tx: Queryable, { id }: WrittenCheckout): Promise<LockedCheckout> {
  const state = await readCheckout(tx, venueId, id);
  if (state === null) throw new Error(`checkout ${id} does not exist`);
  return state;
}

/** Expires an overdue checkout under its lock, as a request does. Returns whether it was overdue. */
async function expireByDecision(tx: Queryable, { id }: WrittenCheckout): Promise<boolean> {
  const checkout = await lockCheckout(tx, venueId, id);
  if (checkout === null) throw new Error(`checkout ${id} does not exist`);
  const steps = decideExpire(checkout, NOW);
  await writeSteps(tx, { ids: world.command().ids, now: NOW }, checkout, steps);
  // applySteps predicts the state that the database has after the write.
  expect(await readCheckout(tx, venueId, id)).toEqual(applySteps(checkout, steps));
  return steps.length > 0;
}

describe('the sweep and decideExpire', () => {
  it('leave the same checkouts, shares, holds, due times and events in every state', { timeout: 60_000 }, async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(checkouts, async (states) => {
        await inRolledBackTransaction(world.db, async (tx) => {
          const all = await writeAll(tx, states);
          const swept = await withSavepoint(tx, async () => {
            const eventIds = all.map(() => world.command().ids.prefixed('evt'));
            const expired = await expireCheckouts(tx, venueId, NOW, eventIds);
            return { expired, rows: await rows(tx) };
          });
          let expired = 0;
          for (const checkout of all) {
            const { status } = await stateOf(tx, checkout);
            const isExpired = await expireByDecision(tx, checkout);
            if (isExpired) expired++;
            outcomes.add(`${status} ${isExpired ? 'expires' : 'stays'}`);
          }
          expect({ expired, rows: await rows(tx) }).toEqual(swept);
        });
      }),
      { ...runs(120, 10, 20), examples: [[[...EVERY_STATUS]]] },
    );
    expect([...outcomes].sort()).toEqual([
      'canceled stays',
      'collecting expires',
      'collecting stays',
      'completed stays',
      'expired stays',
      'funded stays',
      'open expires',
      'open stays',
    ]);
  });
});

describe('every statement that checks whether a checkout is overdue', () => {
  it('agrees with isOverdue, to the microsecond', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(checkouts, async (states) => {
        await inRolledBackTransaction(world.db, async (tx) => {
          const all = await writeAll(tx, states);
          let overdue = 0;
          for (const checkout of all) {
            const state = await stateOf(tx, checkout);
            const expected = isOverdue(state, NOW);
            if (expected) overdue++;
            expect(await overdueAnswers(tx, checkout, state)).toEqual({
              partner: expected,
              guest: expected,
              admission: expected,
              list: expected,
              isListedByStatus: !expected,
              create: outcomeOf(state.status, expected),
            });
          }
          expect(await hasOverdue(tx, venueId, NOW)).toBe(overdue > 0);
          expect(await venuesWithOverdue(tx, NOW, 100)).toEqual(overdue > 0 ? [{ venueId, due: overdue }] : []);
        });
      }),
      { ...runs(120, 10, 20), examples: [[[...EVERY_STATUS]]] },
    );
  });

  it('has the funded amount that the shares add up to', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(randomCheckout, async (random) => {
        await inRolledBackTransaction(world.db, async (tx) => {
          const [checkout] = await writeAll(tx, [random]);
          if (checkout === undefined) return;
          const state = await stateOf(tx, checkout);
          // An open checkout has no party yet, so the views read no shares of it.
          const expected = state.status === 'open' ? 0 : fundedAmount(state);
          const views = await Promise.all([
            viewCheckout(tx, venueId, checkout.mode, checkout.id, NOW),
            viewForGuest(tx, venueId, checkout.id, null, NOW),
          ]);
          expect(views.map((view) => JSON.parse(view?.json ?? '{}').funded_amount)).toEqual([expected, expected]);
        });
      }),
      runs(80, 10, 20),
    );
  });
});

/** The outcome of a second, different create for the same booking. */
function outcomeOf(status: LockedCheckout['status'], overdue: boolean): string {
  if (status === 'expired' || status === 'canceled') return 'created';
  return overdue ? 'overdue' : 'key_reused';
}

async function overdueAnswers(tx: Queryable, { id, mode, content }: WrittenCheckout, { status }: LockedCheckout) {
  const page = { before: null, limit: 100, status: null };
  const listed = await listCheckoutViews(tx, venueId, mode, page, NOW);
  const ofStatus = await listCheckoutViews(tx, venueId, mode, { ...page, status }, NOW);
  const admission = { hash: hashOfKey(keys[mode]), effect: 'read', calls: 1, checkoutId: id } as const;
  const [admitted] = await admitKeys(tx, [admission], NOW);
  const repeated = await withSavepoint(tx, () =>
    insertCheckout(tx, {
      ...createRequest(venueId, { amount: 1_000, mode }),
      content,
      fingerprint: Buffer.alloc(32, 1),
    }),
  );
  return {
    partner: (await viewCheckout(tx, venueId, mode, id, NOW))?.overdue,
    guest: (await viewForGuest(tx, venueId, id, null, NOW))?.overdue,
    admission: admitted?.prefetched?.overdue,
    list: listed.find((view) => view.id === id)?.overdue,
    isListedByStatus: ofStatus.some((view) => view.id === id),
    create: repeated.outcome,
  };
}
