// What the database itself rejects: a transition that is not in the table, a changed amount, a party that does not add
// up, an ended checkout that still holds a card. The transitions in TypeScript and in SQL are the same.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import type { Transitions } from '../../src/base/transitions.ts';
import { CHECKOUT_TRANSITIONS, SHARE_TRANSITIONS } from '../../src/domain/checkouts/transitions.ts';
import { HOLD_TRANSITIONS, MOVEMENT_TRANSITIONS } from '../../src/domain/payments/transitions.ts';
import { isDistributed } from '../support/distributed.ts';
import { type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let done: Json;
beforeAll(async () => {
  world = await openSharedWorld();
  venue = await openTestVenue(world);
  done = await venue.completed({ party_size: 2 });
});
afterAll(() => world.close());

class RolledBack extends Error {}

/** The database's error; null: it accepts the statement. Always rolled back. */
async function refusalOf(work: (tx: Queryable) => Promise<unknown>): Promise<string | null> {
  try {
    await world.db.transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    });
  } catch (error) {
    return error instanceof RolledBack ? null : (error as Error).message;
  }
  return null;
}

/** The same with a commit, so that deferred constraints are checked. */
/** A node that refuses to commit logs why, and the coordinator of a distributed database says only that it did. */
const DOES_NOT_ADD_UP = isDistributed ? /add up|could not commit transaction for shard/ : /add up/;

async function refusalAtCommit(work: (tx: Queryable) => Promise<unknown>): Promise<string | null> {
  try {
    await world.db.transaction(work);
  } catch (error) {
    return (error as Error).message;
  }
  return null;
}

interface Machine {
  readonly name: string;
  readonly table: string;
  readonly transitions: Transitions<string>;
  readonly first: string;
  /** Which row, and the columns that a row in a state needs. */
  readonly where: string;
  readonly columns: (status: string) => string;
}

const MACHINES: readonly Machine[] = [
  {
    name: 'checkout',
    table: 'checkouts',
    transitions: CHECKOUT_TRANSITIONS,
    first: 'open',
    where: 'checkout_id = $1',
    columns: (status) =>
      `completed_at = ${status === 'completed' ? 'now()' : 'null'}, capture_due_at = ${status === 'funded' ? 'now()' : 'null'}`,
  },
  {
    name: 'share',
    table: 'shares',
    transitions: SHARE_TRANSITIONS,
    first: 'invited',
    where: 'checkout_id = $1 and is_organizer',
    columns: () => 'held_at = now()',
  },
  {
    name: 'hold',
    table: 'holds',
    transitions: HOLD_TRANSITIONS,
    first: 'requested',
    where: 'hold_id = (select min(h.hold_id::text)::uuid from holds h where h.checkout_id = $1)',
    columns: () => 'due_at = now()',
  },
  {
    name: 'movement',
    table: 'movements',
    transitions: MOVEMENT_TRANSITIONS,
    first: 'waiting',
    where: 'movement_id = (select min(m.movement_id::text)::uuid from movements m where m.checkout_id = $1)',
    columns: (status) =>
      `due_at = ${['waiting', 'sending', 'pending'].includes(status) ? 'now()' : 'null'}, done_at = ${status === 'done' ? 'now()' : 'null'}, owed_amount = ${status === 'owed' ? 'amount' : '0'}, kind = ${status === 'closed' ? "'refund'" : 'kind'}`,
  },
];

describe.each(MACHINES)('the transitions of a $name', ({ name, table, transitions, first, where, columns }) => {
  const states = Object.keys(transitions);

  it('are the same in TypeScript and in the database', async () => {
    const rows = await world.db.query<{ from_status: string; to_status: string }>(
      'select from_status, to_status from state_transitions where machine = $1',
      [name],
    );
    const ours = states.flatMap((from) => (transitions[from] ?? []).map((to) => `${from} > ${to}`));
    expect(rows.map(({ from_status, to_status }) => `${from_status} > ${to_status}`).sort()).toEqual(
      [...ours, ` > ${first}`].sort(),
    );
  });

  it('are the only ones that the database accepts, of every pair of states', async () => {
    const passed: string[] = [];
    const wanted = states.flatMap((from) => (transitions[from] ?? []).map((to) => `${from} > ${to}`));
    for (const from of states) {
      for (const to of states) {
        if (from === to) continue;
        const refusal = await refusalOf(async (tx) => {
          // Triggers are off, because a row cannot otherwise return to an earlier state.
          await tx.query('set local session_replication_role = replica');
          await tx.query(`update ${table} set status = '${from}', ${columns(from)} where ${where}`, [done.id]);
          await tx.query('set local session_replication_role = origin');
          const rows = await tx.query(
            `update ${table} set status = '${to}', ${columns(to)} where ${where} returning 1`,
            [done.id],
          );
          expect(rows).toHaveLength(1);
        });
        if (refusal === null) passed.push(`${from} > ${to}`);
        else expect(refusal).toBe(`a ${name} cannot move from "${from}" to "${to}"`);
      }
    }
    expect(passed.sort()).toEqual(wanted.sort());
  });

  it('begin in one state', async () => {
    for (const state of states) {
      if (state === first) continue;
      const refusal = await refusalOf((tx) =>
        tx.query(
          `insert into ${table} select (jsonb_populate_record(t, jsonb_build_object('status', $2::text))).*
           from ${table} t where ${where}`,
          [done.id, state],
        ),
      );
      expect(refusal).toBe(`a ${name} cannot move from "" to "${state}"`);
    }
  });
});

it('the database has no state machine that TypeScript does not have', async () => {
  const rows = await world.db.query<{ machine: string }>('select distinct machine from state_transitions');
  expect(rows.map(({ machine }) => machine).sort()).toEqual(MACHINES.map(({ name }) => name).sort());
});

describe('amounts', () => {
  const fixed = [
    ['checkouts', 'amount', 'amount + 1'],
    ['checkouts', 'currency', "'eur'"],
    ['checkouts', 'fee_amount', '0'],
    ['checkouts', 'mode', "'live'"],
    ['shares', 'amount', 'amount + 1'],
    ['holds', 'amount', 'amount - 1'],
    ['holds', 'currency', "'eur'"],
    ['holds', 'mode', "'live'"],
  ];
  it.each(fixed)('of %s never change: %s', async (table, column, value) => {
    const refusal = await refusalOf((tx) =>
      tx.query(`update ${table} set ${column} = ${value} where checkout_id = $1`, [done.id]),
    );
    expect(refusal).toBe(`amounts, currency and mode of ${table} never change`);
  });

  it('refunded never exceed the amount paid, of a share or of a checkout', async () => {
    for (const table of ['checkouts', 'shares']) {
      const refusal = await refusalOf((tx) =>
        tx.query(`update ${table} set refunded_amount = amount + 1 where checkout_id = $1`, [done.id]),
      );
      expect(refusal).toMatch(/refund_is_within_the_amount/);
    }
  });

  it('of a share are 0 or at least the minimum charge', async () => {
    for (const amount of [1, 49, -1]) {
      const refusal = await refusalOf((tx) => addShare(tx, done.id, amount));
      expect(refusal).toMatch(/share_amount_is_nothing_or_a_charge/);
    }
  });
});

function addShare(tx: Queryable, checkoutId: string, amount: number): Promise<unknown> {
  return tx.query(
    `insert into shares (venue_id, share_id, checkout_id, position, amount, status, is_organizer, member_id, invited_at)
     values ($1, 'shr_' || gen_random_uuid(), $2, 9, $3, 'invited', false, gen_random_uuid(), now())`,
    [venue.venueId, checkoutId, amount],
  );
}

describe('a party', () => {
  it('that does not add up to the amount is rejected at commit, even by one minor unit', async () => {
    const open = await venue.create({ amount: 10_000, party_size: 2 });
    for (const amounts of [[5_000, 4_999], [5_000, 5_001], [10_000, 100], [9_999]]) {
      const refusal = await refusalAtCommit(async (tx) => {
        await tx.query(
          `update checkouts set status = 'collecting', organizer_id = '00000000-0000-7000-8000-000000000001' where checkout_id = $1`,
          [open.id],
        );
        for (const amount of amounts) await addShare(tx, open.id, amount);
      });
      expect(refusal).toMatch(/add up to \d+, not to 10000/);
    }
    expect((await venue.read(open.id)).status).toBe('open');
  });

  it('without shares cannot be collecting', async () => {
    const open = await venue.create();
    const refusal = await refusalAtCommit((tx) =>
      tx.query(
        `update checkouts set status = 'collecting', organizer_id = '00000000-0000-7000-8000-000000000001' where checkout_id = $1`,
        [open.id],
      ),
    );
    expect(refusal).toMatch(/add up to 0/);
  });

  it('can neither lose a share, dropped or deleted, nor gain one', async () => {
    const { id, shares } = await venue.collecting();
    expect(await refusalAtCommit((tx) => addShare(tx, id, 100))).toMatch(DOES_NOT_ADD_UP);
    const drop = await refusalAtCommit((tx) =>
      tx.query('update shares set dropped_at = now() where venue_id = $1 and share_id = $2', [
        venue.venueId,
        shares[1].id,
      ]),
    );
    expect(drop).toMatch(DOES_NOT_ADD_UP);
    expect(
      await refusalAtCommit((tx) => tx.query('delete from shares where share_id = $1', [shares[1].id])),
    ).not.toBeNull();
    expect(await venue.read(id)).toMatchObject({ shares });
  });

  it('of an ended checkout holds no card, and of a completed one has every share captured', async () => {
    const { id, shares } = await venue.collecting();
    await venue.runTestHelper(id, 'hold', { share_id: shares[0].id });
    for (const end of ['expired', 'canceled']) {
      const refusal = await refusalAtCommit((tx) =>
        tx.query('update checkouts set status = $2 where checkout_id = $1', [id, end]),
      );
      expect(refusal).toBe(`${id} is ${end} and still holds a card`);
    }
    const completed = await refusalAtCommit(async (tx) => {
      await tx.query(`update shares set status = 'released' where share_id = $1`, [shares[0].id]);
      await tx.query(`update checkouts set status = 'funded', capture_due_at = now() where checkout_id = $1`, [id]);
      await tx.query(
        `update checkouts set status = 'completed', capture_due_at = null, completed_at = now() where checkout_id = $1`,
        [id],
      );
    });
    expect(completed).toBe(`${id} is completed and a share is not captured`);
  });

  it('has one live hold for a share, and each member once', async () => {
    const twice = await refusalOf((tx) =>
      tx.query(
        `insert into holds select (jsonb_populate_record(h,
           jsonb_build_object('hold_id', gen_random_uuid(), 'status', 'requested', 'due_at', now()))).*
         from holds h where h.checkout_id = $1`,
        [done.id],
      ),
    );
    expect(twice).toMatch(/holds_one_for_a_share/);
    const member = await refusalOf((tx) =>
      tx.query(
        `insert into shares select (jsonb_populate_record(s, jsonb_build_object('share_id', 'shr_x', 'status', 'invited'))).*
         from shares s where s.checkout_id = $1 and s.is_organizer`,
        [done.id],
      ),
    );
    expect(member).toMatch(/shares_by_member/);
  });

  it('of a live checkout has no own clock', async () => {
    const live = await openTestVenue(world, { mode: 'live' });
    const created = await live.create();
    const refusal = await refusalOf((tx) =>
      tx.query(`update checkouts set clock_ahead = '1 hour' where checkout_id = $1`, [created.id]),
    );
    expect(refusal).toMatch(/clock_moves_in_test_mode_only/);
  });
});
