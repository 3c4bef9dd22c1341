// A worker that is killed or suspended while it applies a delivery: nothing is applied in part or twice, and a worker
// that has lost the lock on the queue writes nothing.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Db, Queryable } from '../../src/base/db.ts';
import { applyDueDeliveries } from '../../src/domain/hooks/apply-due-deliveries.ts';
import { isDistributed } from '../support/distributed.ts';
import { SAIL } from '../support/provider-samples.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { octo } from '../support/venue-bodies.ts';
import { waitFor } from '../support/wait-for.ts';
import { connectVenueSystem, type VenueSystem } from './venue-system.ts';

// Waits until the lock of a suspended worker is lost.
vi.setConfig({ testTimeout: 60_000 });

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const BOAT = { kind: 'boat_day', timezone: 'America/New_York' };

/** A due peek booking of three for a known slot of ten. */
async function dueBooking(): Promise<VenueSystem> {
  const system = await connectVenueSystem(world, 'peek', BOAT);
  expect((await world.call('POST', '/v1/offerings', { key: system.key, body: SAIL })).status).toBe(201);
  await system.send(octo('booking_update'));
  return system;
}

async function stateOf({ venueId, key }: VenueSystem) {
  const { json } = await world.call('GET', `/v1/offerings/${SAIL.external_id}`, { key });
  const count = async (table: string): Promise<number> => {
    const rows = await world.db.query<{ count: number }>(`select count(*) as count from ${table} where venue_id = $1`, [
      venueId,
    ]);
    return rows[0]?.count ?? -1;
  };
  const [delivery] = await world.db.query('select status, attempts from inbound_deliveries where venue_id = $1', [
    venueId,
  ]);
  return {
    delivery,
    capacity: json.data.availability.slots[0].capacity,
    stored: [await count('hook_objects'), await count('hook_bookings'), await count('hook_slots')],
  };
}

const UNTOUCHED = { delivery: { status: 'pending', attempts: 0 }, capacity: 10, stored: [0, 0, 0] };
const APPLIED = { delivery: { status: 'applied', attempts: 0 }, capacity: 7, stored: [1, 1, 1] };

/** Runs a callback before the statement with this number in a transaction, counted from 1. */
function interrupted(number: number, before: (tx: Queryable) => Promise<unknown>): { db: Db; count: () => number } {
  let count = 0;
  const { db } = world.context;
  const transaction: Db['transaction'] = (applyAll) =>
    db.transaction((tx) =>
      applyAll({
        query: async (text, values) => {
          count++;
          if (count === number) await before(tx);
          return tx.query(text, values);
        },
      }),
    );
  return { db: { ...db, transaction }, count: () => count };
}

const KILL = 'select pg_terminate_backend(pg_backend_pid())';

describe('a worker that is killed', () => {
  it('between any two of its statements leaves no changes, and the next worker applies the delivery once', async () => {
    const whole = await dueBooking();
    const { db, count } = interrupted(0, async () => undefined);
    expect(await applyDueDeliveries({ ...world.context, db }, 10)).toBe(1);
    expect(await stateOf(whole)).toEqual(APPLIED);
    const statements = count();
    expect(statements).toBeGreaterThan(8);
    for (let number = 1; number <= statements; number++) {
      const system = await dueBooking();
      const dying = interrupted(number, (tx) => tx.query(KILL));
      // A killed process does not record its failure either.
      const killed: Db = { ...dying.db, query: onlyDueQueues(dying.db) };
      await expect(applyDueDeliveries({ ...world.context, db: killed }, 10)).rejects.toThrow();
      expect([number, await stateOf(system)]).toEqual([number, UNTOUCHED]);
      await applyDueDeliveries(world.context, 10);
      expect([number, await stateOf(system)]).toEqual([number, APPLIED]);
    }
  });
});

/** Allows only the query for due queues, and no writes. */
function onlyDueQueues(db: Db): Db['query'] {
  return async (text, values) => {
    if (!text.includes('from due_inbound_queues')) throw new Error('the process was killed');
    return db.query(text, values);
  };
}

describe('a worker that is suspended', () => {
  it.skipIf(isDistributed)(
    'keeps its queue while its session lives, delays no other, and writes nothing after it has lost the lock',
    async () => {
      const [system, other] = [await dueBooking(), await dueBooking()];
      let resume = (): void => undefined;
      let signalPaused = (): void => undefined;
      const paused = new Promise<void>((resolve) => {
        signalPaused = resolve;
      });
      let pid = 0;
      const { db } = interrupted(6, async (tx) => {
        const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
        pid = row?.pid ?? 0;
        signalPaused();
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      });
      const slow = applyDueDeliveries({ ...world.context, db }, 1);
      await paused;
      expect(await applyDueDeliveries(world.context, 10)).toBe(1);
      const states = [await stateOf(system), await stateOf(other)];
      expect(states.map(({ delivery }) => delivery?.status).sort()).toEqual(['applied', 'pending']);
      // PostgreSQL ends a transaction that is idle for 15 seconds.
      await world.db.query('select pg_terminate_backend($1)', [pid]);
      await waitFor(
        'the next worker applies the delivery',
        async () => (await applyDueDeliveries(world.context, 10)) > 0,
      );
      resume();
      await slow;
      expect([await stateOf(system), await stateOf(other)]).toEqual([APPLIED, APPLIED]);
    },
  );
});
