// How long a venue system waits for the answer to a delivery while the worker is busy: the 99th percentile at a steady
// 50 deliveries a second, each sent when it is due. Toast gives an answer 2 seconds in all.

import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, PreparedBench } from './bench.ts';
import { expectCount } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';
import { connectSystem, type Delivery, makeDelivery, makeToastOrder, type VenueSystem } from './hook-intake.ts';

const PER_SECOND = 50;
/** Several hundred samples, so that the percentile is not the one slowest. */
const SECONDS = { full: 10, quick: 3 };
const SYSTEMS = 16;
/** A body of the usual size, not of the largest. */
const SLOTS = 40;
/** One delivery in this many is an order of Toast, which has the shortest deadline and large bodies. */
const TOAST_EVERY = 10;
/** Waiting deliveries at the start, more than the worker applies in a round. */
const BACKLOG = { full: 4_000, quick: 800 };
const FILL_CONNECTIONS = 16;
const MAX_WAIT_MS = 60_000;

export const hookIntakeP99: Bench = {
  name: 'hook-intake-p99',
  isExtra: true,
  floor: 1_000,
  goal: 100,
  unit: 'ms',
  better: 'less',
  isSize: true,
  note: 'The 99th percentile of the time from the moment at which a delivery is due (a custom offering.upsert with 40 slots, one in ten an order of Toast of 600 KB, signed) to its whole answer, at 50 deliveries a second that do not wait for each other, of 16 venues, while a worker applies thousands that wait. The other side is the same without a worker.',
  rounds: { full: 5, quick: 1 },
  sides: { ours: 'beside a busy worker', base: 'without a worker' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const systems: VenueSystem[] = [];
  while (systems.length < SYSTEMS) systems.push(await connectSystem(fixture, server.port));
  const toast = await connectSystem(fixture, server.port, 'toast');
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const size = fixture.isQuick ? 'quick' : 'full';
  const measure = (seconds: number): Promise<number> => sendSteadily(agent, server.port, systems, toast, seconds);
  await measure(1);
  const ours = async (): Promise<number> => {
    await fillQueues(fixture, server.port, systems, BACKLOG[size]);
    const worker = fixture.startWorker();
    try {
      await untilApplying(fixture);
      const before = await countApplied(fixture);
      const percentile = await measure(SECONDS[size]);
      if ((await countApplied(fixture)) === before) throw new Error('the worker applied nothing meanwhile');
      if ((await countWaiting(fixture)) === 0) throw new Error('the worker was done before the end: raise BACKLOG');
      return percentile;
    } finally {
      await worker.stop();
      await fixture.db.query('truncate inbound_deliveries');
    }
  };
  return {
    ours,
    base: () => measure(SECONDS[size]),
    async close() {
      agent.destroy();
      await server.stop();
      await fixture.db.query('truncate inbound_deliveries');
    },
  };
}

/** Sends deliveries at a steady rate for some seconds; returns the 99th percentile of their times in milliseconds. */
async function sendSteadily(
  agent: Agent,
  port: number,
  systems: readonly VenueSystem[],
  toast: VenueSystem,
  seconds: number,
): Promise<number> {
  const count = seconds * PER_SECOND;
  const deliveries = Array.from({ length: count }, (_, at) =>
    at % TOAST_EVERY === 0 ? makeToastOrder(toast) : newDelivery(systems, at),
  );
  const start = performance.now();
  const times = deliveries.map(async (delivery, at) => {
    // Measured from here, so that a sender that is late does not hide its own wait.
    const dueAt = start + (at * 1000) / PER_SECOND;
    await delay(dueAt - performance.now());
    await answered(agent, port, delivery);
    return performance.now() - dueAt;
  });
  const sorted = (await Promise.all(times)).sort((a, b) => a - b);
  return sorted[Math.ceil(count * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
}

const newDelivery = (systems: readonly VenueSystem[], at: number): Delivery =>
  makeDelivery(systems[at % systems.length] as VenueSystem, SLOTS);

function answered(agent: Agent, port: number, { path, headers, body }: Delivery): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, method: 'POST', path, headers }, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`a delivery was answered with ${answer.statusCode}`));
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function fillQueues(
  fixture: BenchFixture,
  port: number,
  systems: readonly VenueSystem[],
  count: number,
): Promise<void> {
  const requests = Array.from({ length: count }, (_, at) => newDelivery(systems, at).text);
  const before = await countWaiting(fixture);
  await fixture.load.send({ port, requests, connections: FILL_CONNECTIONS, count, status: 200, bodyBytes: null });
  expectCount('deliveries that wait', (await countWaiting(fixture)) - before, count);
}

async function untilApplying(fixture: BenchFixture): Promise<void> {
  const before = await countApplied(fixture);
  const until = Date.now() + MAX_WAIT_MS;
  while ((await countApplied(fixture)) === before) {
    if (Date.now() > until) throw new Error('the worker applies no delivery');
    await delay(50);
  }
}

async function count({ db }: BenchFixture, condition: string): Promise<number> {
  const rows = await db.query<{ total: number }>(`select count(*) as total from inbound_deliveries where ${condition}`);
  return rows[0]?.total ?? 0;
}

const countWaiting = (fixture: BenchFixture): Promise<number> => count(fixture, 'due_at is not null');
const countApplied = (fixture: BenchFixture): Promise<number> => count(fixture, "status = 'applied'");
