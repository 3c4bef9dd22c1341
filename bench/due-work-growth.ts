// One idle look of every loop of the worker beside 1,000 living checkouts against 1,000,000: what a worker does when nothing
// is due must not grow with what lives in the tables.

import { sandboxMailSender } from '../src/domain/mail/send.ts';
import { sandboxSender } from '../src/domain/members/messages/send.ts';
import { deliverDue } from '../src/domain/webhooks/deliveries/deliver.ts';
import { readServicesOf } from '../src/run/context.ts';
import type { WorkerServices } from '../src/worker/loop.ts';
import { LOOPS } from '../src/worker/loops.ts';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { type GrowthSide, insertRows, openGrowthSide, vacuum } from './growth-side.ts';
import { LIVING_ROWS } from './living-rows.ts';

const ROWS = { few: 1_000, many: { full: 1_000_000, quick: 20_000 } };
/** Addresses that called in the last hour: a row for each in both tables of rolling hours. */
const WINDOWS = `insert into limit_windows (subject, total, last_at)
  select 'address ' || i || $1::uuid, 1, now() + interval '1 hour' from generate_series($2::integer, $3::integer) i`;
const CALLS = `insert into limit_calls (subject, at, calls, total)
  select 'address ' || i || $1::uuid, now() + interval '1 hour', 1, 1 from generate_series($2::integer, $3::integer) i`;
/** Checks of the books and a sweep run hours apart, whether anything is due or not; one loop writes that the worker is alive. */
const LEFT_OUT = ['reconcile', 'check-ledger', 'delete-idle-windows', 'record-alive'];
const TABLES = ['checkouts', 'shares', 'holds', 'events', 'deliveries', 'limit_windows', 'limit_calls'];

export const dueWorkGrowth: Bench = {
  name: 'due-work-growth',
  isExtra: true,
  floor: 0.9,
  goal: 1,
  unit: 'looks/s',
  better: 'more',
  note: 'Every loop of the worker once, one after the other, with nothing due: beside 1,000,000 living checkouts (each with a share, a hold, an event and a delivery) and as many addresses of callers, against 1,000 (20,000 with --quick).',
  rounds: { full: 9, quick: 2 },
  sides: { ours: '1,000,000 living checkouts', base: '1,000' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const many = await openSide(fixture, 'due-many', ROWS.many[fixture.isQuick ? 'quick' : 'full']);
  const few = await openSide(fixture, 'due-few', ROWS.few);
  const round = async (look: () => Promise<void>): Promise<number> => {
    const startedAt = performance.now();
    const until = startedAt + fixture.seconds.round * 1_000;
    let looks = 0;
    do {
      await look();
      looks += 1;
    } while (performance.now() < until);
    return (looks * 1_000) / (performance.now() - startedAt);
  };
  const [lookAtMany, lookAtFew] = [lookIn(many), lookIn(few)];
  for (let n = 0; n < 10; n++) {
    await lookAtMany();
    await lookAtFew();
  }
  return {
    ours: () => round(lookAtMany),
    base: () => round(lookAtFew),
    async close() {
      await many.db.close();
      await few.db.close();
    },
  };
}

async function openSide(fixture: BenchFixture, name: string, rows: number): Promise<GrowthSide> {
  const side = await openGrowthSide(fixture, name);
  await insertRows(side, [...LIVING_ROWS, WINDOWS, CALLS], rows);
  await vacuum(side, TABLES);
  return side;
}

/** One look of each loop; throws if a loop found something to do. */
function lookIn({ db, context }: GrowthSide): () => Promise<void> {
  const { services } = context;
  const worker: WorkerServices = {
    ...context,
    outbound: services.outbound,
    payments: services,
    hooks: context,
    reads: readServicesOf(context),
    deliveries: services,
    sender: sandboxSender,
    mailSender: sandboxMailSender,
    ledgerCheckHours: 24,
    countReconcile: () => undefined,
    db,
  };
  const never = new AbortController().signal;
  const ignore = (): void => undefined;
  const loops = LOOPS.filter(({ name }) => !LEFT_OUT.includes(name));
  return async () => {
    for (const { name, step, batchSize } of loops) {
      // Its step runs until the worker stops; this is one turn of it.
      const found =
        name === 'deliver-events'
          ? await deliverDue(services, never)
          : await step(worker, batchSize, never, ignore, ignore);
      if (found !== 0) throw new Error(`${name} found ${found} rows to work on`);
    }
  };
}
