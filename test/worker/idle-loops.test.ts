// What a loop of the worker reads when nothing is due does not grow with what lives in the tables: with thousands of
// checkouts, holds, shares, events and deliveries that are not due, each of its statements still reads a few pages.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../../src/base/db.ts';
import { captureDue } from '../../src/domain/checkouts/capture/capture.ts';
import { expireDue } from '../../src/domain/checkouts/expire.ts';
import { settleDueHolds } from '../../src/domain/checkouts/holds/settle-hold.ts';
import { notifyDueGuests } from '../../src/domain/checkouts/notifications/notify-guests.ts';
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
    for (const text of LIVING_ROWS) await tx.query(text, [venue.id, LIVING]);
  });
  for (const table of ['checkouts', 'shares', 'holds', 'events', 'deliveries'])
    await world.db.query(`analyze ${table}`);
});
afterAll(() => world.close());

const IDS = `from generate_series(1, $2::integer) i`;
const CHECKOUT_ID = `'chk_' || lpad(i::text, 26, '0')`;
const LIVING_ROWS = [
  `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by, expires_at,
     description, external_booking_id, url, return_url, metadata, fingerprint, created_at, organizer_id, notify_at)
   select $1::uuid, ${CHECKOUT_ID}, 'test', 'collecting', 48000, 'usd', 0, 2, now() + interval '2 days',
     now() + interval '2 days' + i * interval '1 second', 'A table', i::text, 'https://pay.example/', 'https://harbor.example/', '{}',
     '\\x00', now() - i * interval '1 second', $1::uuid, now() + interval '1 day' ${IDS}`,
  `insert into shares (venue_id, share_id, checkout_id, position, amount, status, is_organizer, member_id, invited_at)
   select $1::uuid, 'shr_' || i, ${CHECKOUT_ID}, 0, 48000, 'invited', true, $1::uuid, now() ${IDS}`,
  `insert into holds (venue_id, hold_id, checkout_id, share_id, mode, status, amount, currency, intent_id, charge_id, saves_card, due_at,
     created_at, held_at)
   select $1::uuid, gen_random_uuid(), ${CHECKOUT_ID}, 'shr_' || i, 'test', 'held', 48000, 'usd', 'pi_' || i, 'ch_' || i, false,
     now() + interval '1 day', now(), now() ${IDS}`,
  `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
   select $1::uuid, 'evt_' || i, 'test', 'checkout.created', ${CHECKOUT_ID}, 1, '{}', now() - i * interval '1 second' ${IDS}`,
  `insert into deliveries (venue_id, endpoint_id, event_id, type, status, attempts, due_at, ends_at, created_at)
   select $1::uuid, 'whe_1', 'evt_' || i, 'checkout.created', case when i % 2 = 0 then 'pending' else 'delivered' end, 1,
     case when i % 2 = 0 then now() + interval '1 hour' end, now() + interval '2 days', now() - i * interval '1 second' ${IDS}`,
];

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
