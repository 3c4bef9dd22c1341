// The ledger's guarantees: the chart of accounts is the same in TypeScript and in the database, an entry is between the
// accounts of its kind, and a stored entry never changes.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { ACCOUNTS, type AccountName, ENTRY_KINDS, type EntryKind } from '../../src/domain/ledger/accounts.ts';
import { accountBalances, postEntries } from '../../src/domain/ledger/queries.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openSharedWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

const accounts = Object.keys(ACCOUNTS) as AccountName[];
const kinds = Object.keys(ENTRY_KINDS) as EntryKind[];
const about = () => ({ venueId, mode: 'test', checkoutId: 'chk_1', currency: 'usd', now: Date.now() }) as const;

class RolledBack extends Error {}

/** Which of these the database accepts, each tried alone. Everything is rolled back. */
async function acceptedOf<T>(
  candidates: readonly T[],
  work: (tx: Queryable, candidate: T) => Promise<unknown>,
): Promise<T[]> {
  const passed: T[] = [];
  const all = world.db.transaction(async (tx) => {
    for (const candidate of candidates) {
      await tx.query('savepoint a_try');
      const ok = await work(tx, candidate).then(
        () => true,
        () => false,
      );
      await tx.query('rollback to savepoint a_try');
      if (ok) passed.push(candidate);
    }
    throw new RolledBack();
  });
  await expect(all).rejects.toBeInstanceOf(RolledBack);
  return passed;
}

interface Line {
  readonly kind: string;
  readonly debit: string;
  readonly credit: string;
  readonly amount: number;
}

const insert = (tx: Queryable, { kind, debit, credit, amount }: Line): Promise<unknown> =>
  tx.query(
    `insert into ledger_entries (venue_id, kind, subject, mode, checkout_id, debit, credit, amount, currency, at)
     values ($1, $2, gen_random_uuid()::text, 'test', 'chk_1', $3, $4, $5, 'usd', now())`,
    [venueId, kind, debit, credit, amount],
  );

/** Tries every kind with every pair of accounts. They are thousands, so the database makes the attempts by itself. */
async function acceptedPairs(triedKinds: readonly string[], triedAccounts: readonly string[]): Promise<object[]> {
  const accepted: object[] = [];
  const all = world.db.transaction(async (tx) => {
    await tx.query(
      `create function pg_temp.is_accepted(p_venue uuid, p_kind text, p_debit text, p_credit text) returns boolean
       language plpgsql as $$
       begin
         insert into ledger_entries (venue_id, kind, subject, mode, checkout_id, debit, credit, amount, currency, at)
           values (p_venue, p_kind, gen_random_uuid()::text, 'test', 'chk_1', p_debit, p_credit, 1, 'usd', now());
         return true;
       exception when integrity_constraint_violation then
         return false;
       end $$`,
    );
    // A statement for each kind: one for all of them takes longer than a statement may on a busy machine.
    for (const kind of [...triedKinds].sort())
      accepted.push(
        ...(await tx.query(
          `select $2::text as kind, debit, credit from unnest($3::text[]) as debit cross join unnest($3::text[]) as credit
           where pg_temp.is_accepted($1, $2, debit, credit)`,
          [venueId, kind, triedAccounts],
        )),
      );
    throw new RolledBack();
  });
  await expect(all).rejects.toBeInstanceOf(RolledBack);
  return accepted;
}

describe('the chart of accounts', () => {
  it('is the same in TypeScript and in the database', async () => {
    const rows = await world.db.query<{ account: string; side: string; meaning: string }>(
      'select * from ledger_accounts',
    );
    const theirs = Object.fromEntries(rows.map(({ account, side, meaning }) => [account, { side, meaning }]));
    expect(theirs).toEqual(ACCOUNTS);
  });

  it('has one pair of accounts for each kind of entry, and the database accepts no other', {
    tags: ['slow'],
  }, async () => {
    expect(await acceptedPairs([...kinds, 'gift', ''], [...accounts, 'pocket'])).toEqual(
      kinds.map((kind) => ({ kind, ...ENTRY_KINDS[kind] })).sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    );
  });

  it('moves money between two different accounts in each kind', () => {
    for (const kind of kinds) expect(ENTRY_KINDS[kind].debit).not.toBe(ENTRY_KINDS[kind].credit);
  });
});

describe('an entry', () => {
  it('of 0 or less is rejected', async () => {
    const lines = [0, -1, 1].map((amount) => ({ kind: 'capture', ...ENTRY_KINDS.capture, amount }));
    expect((await acceptedOf(lines, insert)).map(({ amount }) => amount)).toEqual([1]);
  });

  it('exists once for its kind and subject', async () => {
    await world.db.transaction((tx) => postEntries(tx, about(), [{ kind: 'capture', subject: 'once', amount: 5 }]));
    const again = world.db.transaction((tx) =>
      postEntries(tx, about(), [{ kind: 'capture', subject: 'once', amount: 5 }]),
    );
    await expect(again).rejects.toThrow('ledger_entries_pkey');
  });

  it('cannot be changed, deleted or truncated', async () => {
    await world.db.transaction((tx) => postEntries(tx, about(), [{ kind: 'fee', subject: 'for-good', amount: 5 }]));
    const candidates = [
      `update ledger_entries set amount = 6 where subject = 'for-good'`,
      `update ledger_entries set amount = amount`,
      `update ledger_entries set at = now()`,
      `delete from ledger_entries where subject = 'for-good'`,
      'delete from ledger_entries',
      'truncate ledger_entries',
      'truncate venues cascade',
    ];
    expect(await acceptedOf(candidates, (tx, text) => tx.query(text))).toEqual([]);
  });

  it('of 0 is not inserted', async () => {
    const entries = kinds.map((kind) => ({ kind, subject: 'nothing', amount: 0 }));
    await world.db.transaction((tx) => postEntries(tx, about(), entries));
    expect(await world.db.query(`select 1 from ledger_entries where subject = 'nothing'`)).toEqual([]);
  });
});

describe('the balances', () => {
  it('add up to zero for any entries, for a venue and for all', async () => {
    const entries = kinds.map((kind, place) => ({ kind, subject: `some-${place}`, amount: 17 * (place + 1) }));
    await world.db.transaction((tx) => postEntries(tx, about(), entries));
    for (const whose of [venueId, null]) {
      const balances = await accountBalances(world.db, whose);
      expect(balances.length).toBeGreaterThan(3);
      expect(balances.reduce((sum, { balance }) => sum + balance, 0)).toBe(0);
    }
  });
});
