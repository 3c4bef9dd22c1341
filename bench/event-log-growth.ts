// A page of the event log and the dispatch of new events, beside 10,000,000 events and deliveries against 10,000, while the
// large tables are vacuumed.

import { listEventViews } from '../src/domain/events/queries.ts';
import { dispatchDue } from '../src/domain/webhooks/deliveries/deliver.ts';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { type GrowthSide, insertRows, openGrowthSide, vacuum } from './growth-side.ts';

const ROWS = { few: 10_000, many: { full: 10_000_000, quick: 100_000 } };
const DISPATCHED = 100;
const PAGE = { type: null, subject: null, before: null, limit: 100 };
const IDS = 'from generate_series($2::integer, $3::integer) i';
/** From one time for all statements: the clock goes on between them, and no two events of a venue may have the same time. */
const AT = `(select created_at from venues where venue_id = $1::uuid) - interval '1 hour' - i * interval '1 millisecond'`;
const DATA = `json_build_object('object', json_build_object('id', 'chk_' || i, 'description', repeat('A table by the water. ', 8)))`;
const OLD_ROWS = [
  `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
   select $1::uuid, 'evt_' || lpad(i::text, 26, '0'), 'test', 'checkout.created', 'chk_' || i, 1, ${DATA}, ${AT} ${IDS}`,
  `insert into deliveries (venue_id, endpoint_id, event_id, type, status, attempts, ends_at, delivered_at, created_at)
   select $1::uuid, 'whe_1', 'evt_' || lpad(i::text, 26, '0'), 'checkout.created', 'delivered', 1, now(), now(), ${AT} ${IDS}`,
];

export const eventLogGrowth: Bench = {
  name: 'event-log-growth',
  isExtra: true,
  floor: 0.9,
  goal: 1,
  unit: 'looks/s',
  better: 'more',
  note: `The newest 100 events of a venue, then the dispatch of ${DISPATCHED} new ones to an endpoint, beside 10,000,000 events with their deliveries against 10,000 (100,000 with --quick), while both large tables are vacuumed. Recording the new events is not measured.`,
  rounds: { full: 9, quick: 2 },
  sides: { ours: '10,000,000 events', base: '10,000' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const many = await openSide(fixture, 'events-many', ROWS.many[fixture.isQuick ? 'quick' : 'full']);
  const few = await openSide(fixture, 'events-few', ROWS.few);
  let isClosing = false;
  // Both sides are measured beside it, so that it takes the same share of the machine from both.
  const vacuuming = (async () => {
    while (!isClosing) await vacuum(many, ['events', 'deliveries'], 'disable_page_skipping');
  })();
  vacuuming.catch(() => undefined); // close() reports it.
  const round = (side: GrowthSide) => async (): Promise<number> => {
    const until = performance.now() + 2 * fixture.seconds.round * 1_000;
    let [looks, milliseconds] = [0, 0];
    do {
      await recordEvents(side);
      milliseconds += await look(side);
      looks += 1;
    } while (performance.now() < until);
    return (looks * 1_000) / milliseconds;
  };
  const [ours, base] = [round(many), round(few)];
  await ours();
  await base();
  return {
    ours,
    base,
    async close() {
      isClosing = true;
      await vacuuming;
      await many.db.close();
      await few.db.close();
    },
  };
}

async function openSide(fixture: BenchFixture, name: string, rows: number): Promise<GrowthSide> {
  const side = await openGrowthSide(fixture, name);
  await insertRows(side, OLD_ROWS, rows);
  await vacuum(side, ['events', 'deliveries']);
  await side.db.query(
    `insert into webhook_endpoints (venue_id, endpoint_id, mode, url, events, status, secret, created_at)
     values ($1, 'whe_1', 'test', 'https://receiver.example/', '{checkout.created}', 'active', '\\x00', now())`,
    [side.venueId],
  );
  await side.db.query('insert into endpoint_queues (venue_id, endpoint_id) values ($1, $2)', [side.venueId, 'whe_1']);
  return side;
}

async function recordEvents({ db, venueId }: GrowthSide): Promise<void> {
  await db.query(
    `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
     select $1::uuid, 'evt_' || md5(random()::text), 'test', 'checkout.created', md5(random()::text), 1, ${DATA},
       clock_timestamp() + i * interval '1 microsecond' from generate_series(1, ${DISPATCHED}) i`,
    [venueId],
  );
}

/** Returns how long it took, in milliseconds. */
async function look({ db, venueId, context }: GrowthSide): Promise<number> {
  const startedAt = performance.now();
  const page = await listEventViews(db, venueId, 'test', PAGE);
  const dispatched = await dispatchDue(context.services, DISPATCHED);
  const milliseconds = performance.now() - startedAt;
  if (page.length !== PAGE.limit || dispatched !== DISPATCHED)
    throw new Error(`a page has ${page.length} events, and ${dispatched} were dispatched`);
  return milliseconds;
}
