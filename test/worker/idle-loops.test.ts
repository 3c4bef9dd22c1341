// What a loop of the worker reads when nothing is due does not grow with what lives in the tables: with thousands of
// checkouts, holds, shares, events and deliveries that are not due, each of its statements still reads a few pages.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIVING_ROWS } from '../../bench/living-rows.ts';
import type { Db, Queryable } from '../../src/base/db.ts';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
import { deleteExpiredCalls } from '../../src/domain/keys/queries.ts';
import { refreshDuePayoutAccounts } from '../../src/domain/payments/refresh-payout-accounts.ts';
import { settleDueMovements } from '../../src/domain/payments/settle-movements.ts';
import { dispatchDue } from '../../src/domain/webhooks/deliveries/deliver.ts';
import { claimQueues } from '../../src/domain/webhooks/deliveries/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

const LIVING = 5_000;
/** Pages of 8 KB. The tables have hundreds; an index is three or four pages deep. */
const MAX_PAGES = 40;

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
  const { venue } = await world.venue();
  await world.db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`set local statement_timeout = '60s'`);
    for (const text of LIVING_ROWS) await tx.query(text, [venue.id, 1, LIVING]);
  });
  // As after hours of calls: today's are where those of the hours before were deleted.
  for (const [at, isExpired] of [
    ["now() - interval '2 hours'", true],
    ['now()', false],
  ]) {
    await world.db.query(
      `insert into limit_calls select 'living ' || i, ${at} + i * interval '1 microsecond', 1, 1
       from generate_series(1, 4 * $1::integer) i`,
      [LIVING],
    );
    if (isExpired) await world.db.query("delete from limit_calls where at < now() - interval '1 hour'");
    await world.db.query('vacuum analyze limit_calls');
  }
  for (const table of ['checkouts', 'shares', 'holds', 'events', 'deliveries'])
    await world.db.query(`analyze ${table}`);
});
afterAll(() => world.close());

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A database that records the statements that it is sent. */
function recording(real: Db, statements: Statement[]): Db {
  const record = (target: Queryable): Queryable => ({
    query: (text, values = []) => {
      statements.push({ text, values });
      return target.query(text, values);
    },
  });
  return { ...real, ...record(real), transaction: (work) => real.transaction((tx) => work(record(tx))) };
}

/** Pages that the statement reads when its plan is known: the first time, planning reads the catalogue. It is rolled back. */
async function pagesOf(statement: Statement): Promise<number> {
  let pages = 0;
  const read = world.db.transaction(async (tx) => {
    await explain(tx, statement);
    pages = await explain(tx, statement);
    throw new RolledBack();
  });
  await read.catch((error: unknown) => {
    if (!(error instanceof RolledBack)) throw error;
  });
  return pages;
}

async function explain(tx: Queryable, { text, values }: Statement): Promise<number> {
  const [row] = await tx.query<Record<string, unknown>>(`explain (analyze, buffers, format json) ${text}`, values);
  const [{ Plan: top }] = Object.values(row ?? {})[0] as [{ Plan: Record<string, number> }];
  return (top['Shared Hit Blocks'] ?? 0) + (top['Shared Read Blocks'] ?? 0);
}

class RolledBack extends Error {}

type Services = TestWorld['context']['services'];

const STEPS: Readonly<Record<string, (services: Services) => Promise<number>>> = {
  'expire-checkouts': (services) => expireDue(services, 1_000),
  'settle-holds': (services) => settleDueHolds(services, 100),
  'capture-funded': (services) => captureDue(services, 50),
  'settle-movements': (services) => settleDueMovements(services, 100),
  'refresh-payout-accounts': (services) => refreshDuePayoutAccounts(services, 20),
  'notify-guests': (services) => notifyDueGuests(services, 100),
  'dispatch-events': (services) => dispatchDue(services, 500),
  'delete-expired-calls': ({ db }) => deleteExpiredCalls(db, 5_000),
  'deliver-events': async ({ db, clock }) => {
    const maxRuns = { quick: 64, slow: 32, failing: 16, dead: 16 };
    return (await claimQueues(db, clock.now(), clock.now() + 30_000, maxRuns)).length;
  },
};

describe('an idle loop', () => {
  it.each(Object.keys(STEPS))('%s reads a few pages beside thousands of living checkouts', async (name) => {
    const statements: Statement[] = [];
    const services = { ...world.context.services, db: recording(world.db, statements) };
    expect(await STEPS[name]?.(services)).toBe(0);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) expect(await pagesOf(statement), statement.text).toBeLessThan(MAX_PAGES);
  });

  it('would be seen if it read a whole table', async () => {
    const text = 'select count(*) from holds where lower(status) = $1';
    expect(await pagesOf({ text, values: ['open'] })).toBeGreaterThan(MAX_PAGES);
  });
});
