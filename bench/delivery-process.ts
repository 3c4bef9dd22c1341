// Delivers in a separate process, as a worker does: with the real database, the guarded client and our two loops. Also
// the raw loop for comparison: undici, keep-alive, bytes signed beforehand.

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
import { handleJobs } from './child-jobs.ts';
import type { DeliveryJob, DeliveryLoad } from './deliveries.ts';

const { DATABASE_URL = '', CONNECTIONS, RECEIVER = '' } = process.env;
const MAX_DELIVER_MS = 600_000;
const DISPATCH_BATCH = 500;
const SECRET = 'whsec_forthebenchforthebenchforthe';
const services: QueueServices = {
  db: openDb({
    url: DATABASE_URL,
    connections: Number(CONNECTIONS),
    pooled: false,
    applicationName: 'everyshare-bench-deliver',
  }),
  clock: systemClock,
  ids: makeIds(systemClock, systemRandom),
  seal: makeSeal([Buffer.alloc(32, 7)], systemRandom),
  log: makeLog('error', 'bench'),
  random: systemRandom,
  outbound: makeOutbound({ allowInsecureTargets: true }),
  dispatchSignal: new DispatchSignal(),
};
const { db } = services;
let rawPool: Pool | null = null;

handleJobs(async (job: DeliveryJob): Promise<unknown> => {
  switch (job.do) {
    case 'create endpoints':
      return createEndpoints(job.load);
    case 'create events':
      return createEvents(job.load);
    case 'deliver':
      return deliver(job.load);
    case 'post directly':
      return postDirectly(job.load, job.concurrency);
  }
});

/** The data of a realistic event: the completed checkout that the contract has as an example. */
function exampleData(): string {
  const file = join(packageRoot, 'schemas', 'v1', 'webhook_event.json');
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: { data: unknown }[] };
  return JSON.stringify(examples[0]?.data);
}

async function createEndpoints({ venueIds, faults }: DeliveryLoad): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [index, venueId] of venueIds.entries()) {
      const id = services.ids.prefixed('whe');
      const url = `${RECEIVER}/${faults[index] ?? 'hooks'}/${index}`;
      const secret = services.seal.seal(SECRET, secretRow(venueId, id));
      const endpoint = {
        venueId,
        id,
        mode: 'test',
        url,
        events: ['checkout.created', 'checkout.completed'],
        secret,
        now: systemClock.now(),
      } as const;
      await insertEndpoint(tx, endpoint);
      await insertQueue(tx, venueId, id);
    }
  });
}

async function createEvents({ venueIds, eventsPerEndpoint, hasTwoTypes = false }: DeliveryLoad): Promise<void> {
  const types = hasTwoTypes ? ['checkout.created', 'checkout.completed'] : ['checkout.completed'];
  await db.transaction(async (tx) => {
    // Of all endpoints: the worker would otherwise retry the other side's bad endpoints during this round.
    await tx.query('delete from deliveries');
    await tx.query(
      `update endpoint_queues set failures = 0, pace = 'quick', available_at = '-infinity', due_at = null, lease_token = lease_token + 1`,
    );
    await tx.query(
      `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
       select v.id, 'evt_' || substr(md5(random()::text), 1, 26), 'test', t.type, md5(random()::text), 1, $2::json,
         now() + (2 * i + t.number) * interval '1 microsecond'
       from unnest($1::uuid[]) as v(id) cross join generate_series(1, $3::int) i
       cross join unnest($4::text[]) with ordinality as t(type, number)`,
      [venueIds, exampleData(), eventsPerEndpoint, types],
    );
  });
  for (const table of ['events', 'deliveries', 'undispatched_events']) await db.query(`analyze ${table}`);
}

async function deliver(load: DeliveryLoad): Promise<number> {
  const { venueIds, eventsPerEndpoint, faults, hasTwoTypes = false } = load;
  const stop = new AbortController();
  const healthy = hasTwoTypes ? venueIds : venueIds.slice(faults.length);
  const expected = healthy.length * eventsPerEndpoint;
  const startedAt = performance.now();
  const loops = [deliverUntilStopped(services, stop.signal), dispatchUntilStopped(stop.signal)];
  const hasWork = async (): Promise<boolean> => {
    // A queue has a due time as long as it has due deliveries; with two types, only untried ones count.
    // undispatched_events is read last, because a query of a table with thousands of deleted rows reads them all.
    const waiting = hasTwoTypes
      ? 'from deliveries where venue_id = any($1) and least(attempts, 1) = 0 and due_at is not null'
      : 'from endpoint_queues where venue_id = any($1) and due_at is not null';
    const rows = await db.query<{ has_work: boolean }>(
      `select case when exists (select 1 ${waiting}) then true
         else exists (select 1 from undispatched_events) end as has_work`,
      [healthy],
    );
    return rows[0]?.has_work ?? false;
  };
  let seconds = 0;
  try {
    while (await hasWork()) {
      if (performance.now() - startedAt > MAX_DELIVER_MS)
        throw new Error(`deliveries are left after ${MAX_DELIVER_MS} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    seconds = (performance.now() - startedAt) / 1000;
  } finally {
    stop.abort();
    await releaseHanging();
    await Promise.all(loops);
  }
  const rows = await db.query<{ delivered: number }>(
    `select count(*) as delivered from deliveries
     where venue_id = any($1) and type = 'checkout.completed' and status = 'delivered' and attempts = 1`,
    [healthy],
  );
  const delivered = rows[0]?.delivered;
  if (delivered !== expected)
    throw new Error(`${delivered} of ${expected} events were delivered with the first attempt`);
  return expected / seconds;
}

/** Makes the receiver close the connections that hang; a stopping worker would wait two seconds for them. */
async function releaseHanging(): Promise<void> {
  const pool = new Pool(RECEIVER, { connect: { rejectUnauthorized: false } });
  await (await pool.request({ method: 'POST', path: '/release' })).body.dump();
  await pool.close();
}

/** Dispatches in batches, as the worker does. */
async function dispatchUntilStopped(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const dispatched = await dispatchDue(services, DISPATCH_BATCH);
    if (dispatched < DISPATCH_BATCH) await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function postDirectly({ venueIds, eventsPerEndpoint }: DeliveryLoad, concurrency: number): Promise<number> {
  const rows = await db.query<{ body: string; url: string }>(
    `select event_object(e.event_id, e.type, e.mode, e.created_at, e.sequence, e.data) as body, w.url from events e join webhook_endpoints w on w.venue_id = e.venue_id
     where e.venue_id = any($1) order by e.created_at desc limit $2`,
    [venueIds, venueIds.length * eventsPerEndpoint],
  );
  const posts = rows.map(({ body, url }) => ({
    path: new URL(url).pathname,
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'service-signature': signatureOf([SECRET], body, Date.now()),
    },
  }));
  // The pool's connections stay open from round to round, as ours do.
  rawPool ??= new Pool(RECEIVER, { connections: concurrency, pipelining: 1, connect: { rejectUnauthorized: false } });
  const pool = rawPool;
  const startedAt = performance.now();
  const loop = async (): Promise<void> => {
    for (let post = posts.pop(); post !== undefined; post = posts.pop()) {
      const response = await pool.request({ method: 'POST', ...post });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`the receiver answered ${response.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const seconds = (performance.now() - startedAt) / 1000;
  return rows.length / seconds;
}
