// 100,000 checkouts whose time is up at the same moment: the whole expiry, batch by batch with an event for each, against
// one bare update and one bare insert on as many others.

import pg from 'pg';
import type { Bench, Prepared } from './bench.ts';
import { loadCheckouts } from './checkout-rows.ts';
import { insist } from './creates.ts';
import type { Stage } from './stage.ts';

export const expire100k: Bench = {
  name: 'expire-100k',
  floor: 0.33,
  goal: 0.7,
  unit: 'checkouts/s',
  better: 'more',
  note: '100,000 open checkouts of one venue with one pay_by (1,000 with --quick), new ones for each round and side: the worker’s step until nothing is due, against one transaction that updates the status and inserts the rows of the same events, which lie ready, in the same tables.',
  rounds: { full: 5, quick: 2 },
  sides: { ours: 'our expiry', base: 'the bare SQL' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const rows = stage.quick ? 1_000 : 100_000;
  const money = await stage.money();
  const due = async (count: number): Promise<string> => {
    const { id } = await stage.makeVenue(0);
    await loadCheckouts(stage, { venueId: id, rows: count, payBy: Date.now() - 60_000, withEvents: true });
    await settled(stage);
    return id;
  };
  const ours = async (count: number): Promise<number> => {
    const venueId = await due(count);
    const { seconds, expired } = await money.expire();
    insist('checkouts expired', expired, count);
    await insistOnExpiry(stage, venueId, count);
    return count / seconds;
  };
  const base = async (count: number): Promise<number> => {
    const venueId = await due(count);
    const seconds = await bareExpiry(stage.url, venueId);
    await insistOnExpiry(stage, venueId, count);
    return count / seconds;
  };
  await ours(500);
  await base(500);
  return { ours: () => ours(rows), base: () => base(rows), close: async () => undefined };
}

/** The rows are counted, and on the disk: what was laid ready is nobody's work later. */
async function settled({ db }: Stage): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local synchronous_commit = on');
    await tx.query('analyze checkouts');
  });
}

/** Over a connection without the program's time limits: it is all one transaction. The rows of the events lie ready. */
async function bareExpiry(url: string, venueId: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `create temporary table ready as
       select c.venue_id, 'evt_1' || substr(c.checkout_id, 6) as event_id, c.mode, 'checkout.expired' as type,
         c.checkout_id as subject, 2 as sequence,
         replace('{"object":' || checkout_view(c)::text || '}', '"status":"open"', '"status":"expired"')::json as data,
         now() + row_number() over () * interval '1 microsecond' as created_at
       from checkouts c where c.venue_id = '${venueId}'`,
    );
    return await expireBarely(client, venueId);
  } finally {
    await client.end();
  }
}

async function expireBarely(client: pg.Client, venueId: string): Promise<number> {
  const began = performance.now();
  await client.query('begin');
  await client.query(
    `update checkouts set status = 'expired'
     where venue_id = $1 and status in ('open', 'collecting') and expires_at <= now()`,
    [venueId],
  );
  await client.query(
    `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
     select venue_id, event_id, mode, type, subject, sequence, data, created_at from ready`,
  );
  await client.query('commit');
  return (performance.now() - began) / 1000;
}

/** All are expired, and each has told of it once, as its second event. */
async function insistOnExpiry({ db }: Stage, venueId: string, count: number): Promise<void> {
  const rows = await db.query<{ expired: number; told: number }>(
    `select (select count(*) from checkouts where venue_id = $1 and status = 'expired') as expired,
       (select count(*) from events e where e.venue_id = $1 and e.type = 'checkout.expired' and e.sequence = 2
          and e.data -> 'object' ->> 'status' = 'expired' and e.data -> 'object' ->> 'id' = e.subject) as told`,
    [venueId],
  );
  insist('checkouts that are expired', rows[0]?.expired ?? 0, count);
  insist('events that tell of it', rows[0]?.told ?? 0, count);
}
