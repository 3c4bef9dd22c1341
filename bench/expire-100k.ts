// 100,000 checkouts that expire at the same moment: the worker's expiry, in batches with an event for each checkout,
// against one bare update and one bare insert for as many other checkouts.

import pg from 'pg';
import type { Bench, PreparedBench } from './bench.ts';
import { insertCheckoutRows } from './checkout-rows.ts';
import { expectCount } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';

export const expire100k: Bench = {
  name: 'expire-100k',
  floor: 0.4,
  goal: 0.7,
  unit: 'checkouts/s',
  better: 'more',
  note: '100,000 open checkouts of one venue with one pay_by (1,000 with --quick), new ones for each round and side: the worker’s step until nothing is due, against one transaction that updates the status and inserts prepared rows of the same events into the same tables.',
  rounds: { full: 5, quick: 2 },
  sides: { ours: 'our expiry', base: 'the bare SQL' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const rows = fixture.isQuick ? 1_000 : 100_000;
  const ours = await makeExpiry(fixture);
  const base = async (count: number): Promise<number> => {
    const venueId = await createDueCheckouts(fixture, count);
    const seconds = await prepareAndExpireBare(fixture.url, venueId);
    await expectExpired(fixture, venueId, count);
    return count / seconds;
  };
  await ours(500);
  await base(500);
  return { ours: () => ours(rows), base: () => base(rows), close: async () => undefined };
}

/** Our side: expires so many new checkouts, checks them, and returns checkouts a second. */
export async function makeExpiry(fixture: BenchFixture): Promise<(count: number) => Promise<number>> {
  const payments = await fixture.payments();
  return async (count) => {
    const venueId = await createDueCheckouts(fixture, count);
    const { seconds, expired } = await payments.expire();
    expectCount('checkouts expired', expired, count);
    await expectExpired(fixture, venueId, count);
    return count / seconds;
  };
}

/** Creates open checkouts of a new venue that are due; returns the venue. */
export async function createDueCheckouts(fixture: BenchFixture, count: number): Promise<string> {
  const { id } = await fixture.makeVenue(0);
  await insertCheckoutRows(fixture, { venueId: id, rows: count, payBy: Date.now() - 60_000, withEvents: true });
  await settleRows(fixture);
  return id;
}

/** Analyzes the prepared rows and syncs them to the disk, so that neither happens during the measurement. */
async function settleRows({ db }: BenchFixture): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local synchronous_commit = on');
    await tx.query('analyze checkouts');
  });
}

/**
 * Prepares the rows of the events, then measures one transaction, on a connection without the program's time limits.
 */
async function prepareAndExpireBare(url: string, venueId: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `create temporary table prepared_events as
       select c.venue_id, 'evt_1' || substr(c.checkout_id, 6) as event_id, c.mode, 'checkout.expired' as type,
         c.checkout_id as subject, 2 as sequence,
         replace('{"object":' || checkout_object(c)::text || '}', '"status":"open"', '"status":"expired"')::json as data,
         now() + row_number() over () * interval '1 microsecond' as created_at
       from checkouts c where c.venue_id = '${venueId}'`,
    );
    return await expireBare(client, venueId);
  } finally {
    await client.end();
  }
}

async function expireBare(client: pg.Client, venueId: string): Promise<number> {
  const startedAt = performance.now();
  await client.query('begin');
  await client.query(
    `update checkouts set status = 'expired'
     where venue_id = $1 and status in ('open', 'collecting') and expires_at <= now()`,
    [venueId],
  );
  await client.query(
    `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
     select venue_id, event_id, mode, type, subject, sequence, data, created_at from prepared_events`,
  );
  await client.query('commit');
  return (performance.now() - startedAt) / 1000;
}

/** Every checkout is expired, and has one event of it, with sequence 2. */
export async function expectExpired({ db }: BenchFixture, venueId: string, count: number): Promise<void> {
  const rows = await db.query<{ expired: number; events: number }>(
    `select (select count(*) from checkouts where venue_id = $1 and status = 'expired') as expired,
       (select count(*) from events e where e.venue_id = $1 and e.type = 'checkout.expired' and e.sequence = 2
          and e.data -> 'object' ->> 'status' = 'expired' and e.data -> 'object' ->> 'id' = e.subject) as events`,
    [venueId],
  );
  expectCount('checkouts that are expired', rows[0]?.expired ?? 0, count);
  expectCount('checkout.expired events', rows[0]?.events ?? 0, count);
}
