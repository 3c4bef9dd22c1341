// Deliveries in a process of their own, as a worker makes them: the real database, the guarded client, our two loops. And
// the raw loop that they are measured against: undici, keep-alive, bytes that were signed beforehand.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { systemClock } from '../src/base/clock.ts';
import { openDb } from '../src/base/db.ts';
import { makeIds } from '../src/base/ids.ts';
import { makeLog } from '../src/base/log.ts';
import { makeOutbound } from '../src/base/outbound/outbound.ts';
import { packageRoot } from '../src/base/package-root.ts';
import { systemRandom } from '../src/base/random.ts';
import { makeSeal } from '../src/base/seal.ts';
import { deliverUntilStopped, dispatchDue } from '../src/domain/webhooks/deliveries/deliver.ts';
import { DispatchSignal } from '../src/domain/webhooks/deliveries/dispatch-signal.ts';
import type { QueueServices } from '../src/domain/webhooks/deliveries/endpoint-queue.ts';
import { insertQueue } from '../src/domain/webhooks/deliveries/queries.ts';
import { secretRow, signatureOf } from '../src/domain/webhooks/deliveries/signature.ts';
import { insertEndpoint } from '../src/domain/webhooks/queries.ts';
import { answerOrders } from './asking.ts';
import type { DeliverOrder, Mail } from './deliveries.ts';

const { DATABASE_URL = '', CONNECTIONS, RECEIVER = '' } = process.env;
const MAX_DELIVER_MS = 600_000;
const SECRET = 'whsec_forthebenchforthebenchforthe';
const parts: QueueServices = {
  db: openDb({
    url: DATABASE_URL,
    connections: Number(CONNECTIONS),
    pooled: false,
    applicationName: 'everyshare-bench-deliver',
  }),
  clock: systemClock,
  ids: makeIds(systemClock, systemRandom),
  seal: makeSeal(Buffer.alloc(32, 7), systemRandom),
  log: makeLog('error', 'bench'),
  random: systemRandom,
  outbound: makeOutbound({ allowInsecureTargets: true }),
  dispatchSignal: new DispatchSignal(),
};
const { db } = parts;
let rawPool: Pool | null = null;

answerOrders(async (order: DeliverOrder): Promise<unknown> => {
  switch (order.do) {
    case 'open':
      return open(order.mail);
    case 'load':
      return load(order.mail);
    case 'deliver':
      return deliver(order.mail);
    case 'raw':
      return raw(order.mail, order.atOnce);
  }
});

/** The data of a real event: the example of a completed checkout that the contract publishes. */
function exampleData(): string {
  const file = join(packageRoot, 'schemas', 'v1', 'webhook_event.json');
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: { data: unknown }[] };
  return JSON.stringify(examples[0]?.data);
}

async function open({ venueIds, bad }: Mail): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [place, venueId] of venueIds.entries()) {
      const id = parts.ids.prefixed('whe');
      const url = `${RECEIVER}/${bad[place] ?? 'hooks'}/${place}`;
      const secret = parts.seal.seal(SECRET, secretRow(venueId, id));
      const wish = {
        venueId,
        id,
        mode: 'test',
        url,
        events: ['checkout.completed'],
        secret,
        now: systemClock.now(),
      } as const;
      await insertEndpoint(tx, wish);
      await insertQueue(tx, venueId, id);
    }
  });
}

async function load({ venueIds, each }: Mail): Promise<void> {
  await db.transaction(async (tx) => {
    // Of everybody: what another side's bad endpoint still has to get would be tried beside ours.
    await tx.query('delete from deliveries');
    await tx.query(
      `update endpoint_queues set failures = 0, pace = 'quick', available_at = '-infinity', due_at = null, lease_token = lease_token + 1`,
    );
    await tx.query(
      `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
       select v.id, 'evt_' || substr(md5(random()::text), 1, 26), 'test', 'checkout.completed', md5(random()::text), 1, $2::json,
         clock_timestamp() + i * interval '1 microsecond'
       from unnest($1::uuid[]) as v(id) cross join generate_series(1, $3::int) i`,
      [venueIds, exampleData(), each],
    );
  });
  for (const table of ['events', 'deliveries', 'undispatched_events']) await db.query(`analyze ${table}`);
}

async function deliver({ venueIds, each, bad }: Mail): Promise<number> {
  const stop = new AbortController();
  const healthy = venueIds.slice(bad.length);
  const began = performance.now();
  const running = [deliverUntilStopped(parts, stop.signal), dispatchUntil(stop.signal)];
  const left = async (): Promise<number> => {
    // A lane has a time as long as anything of it is due. The queue is looked at last: whoever looks for a row where
    // thousands were deleted reads them all.
    const rows = await db.query<{ left: number }>(
      `select case when exists (select 1 from endpoint_queues where venue_id = any($1) and due_at is not null) then 1
         when exists (select 1 from undispatched_events) then 1 else 0 end as left`,
      [healthy],
    );
    return rows[0]?.left ?? 0;
  };
  let seconds = 0;
  try {
    while ((await left()) > 0) {
      if (performance.now() - began > MAX_DELIVER_MS) throw new Error(`deliveries are left after ${MAX_DELIVER_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    seconds = (performance.now() - began) / 1000;
  } finally {
    stop.abort();
    await releaseHanging();
    await Promise.all(running);
  }
  const done = await db.query<{ done: number }>(
    `select count(*) as done from deliveries where venue_id = any($1) and status = 'delivered' and attempts = 1`,
    [healthy],
  );
  if (done[0]?.done !== healthy.length * each)
    throw new Error(`${done[0]?.done} of ${healthy.length * each} were delivered at once`);
  return (healthy.length * each) / seconds;
}

/** Whoever hangs is cut off by the receiver: a worker that stops would give them two seconds. */
async function releaseHanging(): Promise<void> {
  const pool = new Pool(RECEIVER, { connect: { rejectUnauthorized: false } });
  await (await pool.request({ method: 'POST', path: '/release' })).body.dump();
  await pool.close();
}

/** As the worker does it. */
async function dispatchUntil(signal: AbortSignal): Promise<number> {
  let taken = 0;
  while (!signal.aborted) {
    const done = await dispatchDue(parts, 500);
    taken += done;
    if (done < 500) await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return taken;
}

async function raw({ venueIds, each }: Mail, atOnce: number): Promise<number> {
  const rows = await db.query<{ body: string; url: string }>(
    `select event_json(e) as body, w.url from events e join webhook_endpoints w on w.venue_id = e.venue_id
     where e.venue_id = any($1) order by e.created_at desc limit $2`,
    [venueIds, venueIds.length * each],
  );
  const posts = rows.map(({ body, url }) => ({
    path: new URL(url).pathname,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'service-signature': signatureOf([SECRET], body, Date.now()),
    },
  }));
  // Its connections stay open from round to round, as ours do.
  rawPool ??= new Pool(RECEIVER, { connections: atOnce, pipelining: 1, connect: { rejectUnauthorized: false } });
  const pool = rawPool;
  const began = performance.now();
  const loop = async (): Promise<void> => {
    for (let post = posts.pop(); post !== undefined; post = posts.pop()) {
      const answer = await pool.request({ method: 'POST', ...post });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const seconds = (performance.now() - began) / 1000;
  return rows.length / seconds;
}
