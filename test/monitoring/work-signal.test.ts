// The signal that there may be work: a loop looks at once instead of at its next turn, also in another process.

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Db, openDb, type Queryable } from '../../src/base/db.ts';
import { pollInterval, readPollInterval } from '../../src/base/distribution/poll-interval.ts';
import { listenForWork, WorkSignal } from '../../src/base/work-signal.ts';
import type { Loop, WorkerServices } from '../../src/worker/loop.ts';
import { runLoops } from '../../src/worker/worker.ts';
import { CARDS, intentIdOf, openTestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

/** A database of another process. */
function openOther(pooled = false): Db {
  const url = world.context.config.databaseUrl ?? '';
  const other = openDb({ url, connections: 2, pooled, applicationName: 'everyshare-other' });
  onTestFinished(() => other.close());
  return other;
}

/** Runs loops that look once an hour by themselves; returns how often each has looked. */
function runHourly(
  signal: WorkSignal,
  loops: Record<string, Partial<Loop>>,
  services: Partial<WorkerServices> = {},
): Record<string, number> {
  const looks: Record<string, number> = {};
  const worker = runLoops(
    Object.entries(loops).map(([name, loop]) => ({
      name,
      intervalSeconds: 3_600,
      batchSize: 10,
      ...loop,
      step: async (...given) => {
        looks[name] = (looks[name] ?? 0) + 1;
        return (await loop.step?.(...given)) ?? 0;
      },
    })),
    { log: world.context.log, workSignal: signal, ...services } as WorkerServices,
  );
  onTestFinished(() => worker.close());
  return looks;
}

describe('the work signal', () => {
  it('makes a loop that may be woken look at once, and leaves the others asleep', async () => {
    const signal = new WorkSignal();
    const looks = runHourly(signal, { woken: { wakeMs: 1 }, hourly: {} });
    await waitFor('both have looked', async () => looks.woken === 1 && looks.hourly === 1);
    signal.notify();
    await waitFor('the loop looks again', async () => looks.woken === 2);
    expect(looks.hourly).toBe(1);
  });

  it('makes a loop look at once twice in a row, and then as often as the loop may', async () => {
    const signal = new WorkSignal();
    const looks = runHourly(signal, { woken: { wakeMs: 60_000 } });
    for (let round = 1; round <= 3; round++) {
      await waitFor('the loop looks', async () => looks.woken === round);
      signal.notify();
    }
    await delay(100);
    expect(looks.woken).toBe(3);
  });

  it('makes a loop that yields look after the others', async () => {
    const signal = new WorkSignal();
    const order: string[] = [];
    const noting = (name: string) => async () => {
      order.push(name);
      return 0;
    };
    runHourly(signal, {
      yielding: { wakeMs: 1, yieldMs: 20, step: noting('yielding') },
      first: { wakeMs: 1, step: noting('first') },
    });
    await waitFor('both have looked', async () => order.length === 2);
    signal.notify();
    await waitFor('both have looked again', async () => order.length === 4);
    expect(order.slice(2)).toEqual(['first', 'yielding']);
  });

  it('is remembered while a step runs: what comes due then is looked for after it', async () => {
    const signal = new WorkSignal();
    let end: (rows: number) => void = () => undefined;
    const ended = new Promise<number>((resolve) => {
      end = resolve;
    });
    const looks = runHourly(signal, { slow: { wakeMs: 1, step: () => ended } });
    await waitFor('the step has begun', async () => looks.slow === 1);
    signal.notify();
    end(0);
    await waitFor('the loop looks again', async () => looks.slow === 2);
  });

  it('wakes the other loops after a step that processed rows', async () => {
    const signal = new WorkSignal();
    let rows = 0;
    const first = { intervalSeconds: 0.01, step: async () => rows };
    const looks = runHourly(signal, { first, next: { wakeMs: 1 } });
    await waitFor('both have looked', async () => looks.first !== undefined && looks.next === 1);
    rows = 1;
    await waitFor('the next looks again', async () => (looks.next ?? 0) >= 2);
  });

  it('does not hurry a loop whose step failed', async () => {
    const signal = new WorkSignal();
    const looks = runHourly(signal, {
      failing: { wakeMs: 1, step: () => Promise.reject(new Error('not now')) },
      witness: { wakeMs: 5 },
    });
    await waitFor('both have looked', async () => looks.failing === 1 && looks.witness === 1);
    for (let round = 2; round <= 4; round++) {
      signal.wake();
      await waitFor('the witness looks', async () => looks.witness === round);
    }
    expect(looks.failing).toBe(1);
  });

  it('reaches the loops of another process, again after its connection was lost, and few notifications are sent for many calls', async () => {
    const sending = openOther();
    const listening = openOther();
    const received = new WorkSignal();
    let count = 0;
    received.subscribe(() => count++);
    listenForWork(listening, received);
    await waitFor('it listens', async () => count === 1);
    const signal = new WorkSignal({ db: sending, log: world.context.log });
    for (let call = 0; call < 200; call++) signal.notify();
    await waitFor('the first and the last are heard', async () => count >= 3);
    expect(count).toBeLessThan(20);
    let before = count;
    await world.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'everyshare-other' and query like 'listen%'`,
    );
    await waitFor('it listens again', async () => count > before);
    before = count;
    signal.notify();
    await waitFor('it hears again', async () => count > before);
  });

  it('sends four notifications at once after a rest, and then one every 25 ms', async () => {
    let sent = 0;
    let now = 0;
    const db: Queryable = {
      query: async () => {
        sent++;
        return [];
      },
    };
    const signal = new WorkSignal({ db, log: world.context.log }, { now: () => now });
    const notify = (): number => {
      for (let call = 0; call < 200; call++) signal.notify();
      return sent;
    };
    expect(notify()).toBe(4);
    await waitFor('the fifth is sent by its timer', async () => sent === 5);
    now = 50; // The fifth was sent at 0, as this clock says: it counts until 125.
    expect(notify()).toBe(6);
    await waitFor('the seventh is sent by its timer', async () => sent === 7);
    now = 1_000;
    expect(notify()).toBe(11);
  });

  it('is not sent behind a pooler, where no session can listen', () => {
    expect(openOther(true).listen).toBeUndefined();
  });

  it('is given by a server after a call that may leave work, and not after a read or a refused call', async () => {
    const venue = await openTestVenue(world);
    let count = 0;
    world.context.workSignal.subscribe(() => count++);
    expect((await world.call('GET', '/v1/checkouts', { key: venue.key })).status).toBe(200);
    expect((await venue.post('/v1/checkouts', { amount: 1 })).status).toBe(422);
    await venue.create();
    await waitFor('the signal of the create', async () => count > 0);
    expect(count).toBe(1);
  });

  it('is given after an event of the processor about an open hold, and not about one that is captured', async () => {
    const venue = await openTestVenue(world);
    const checkout = await venue.collecting({ party_size: 2 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const secret = await venue.secretFor(checkout.id, checkout.shares[1].id);
    await venue.confirm(secret, CARDS.good);
    const { data } = await venue.stripe.events.list({ limit: 100 });
    const about = data.find(({ data: { object } }) => 'id' in object && object.id === intentIdOf(secret));
    const body = JSON.stringify(about);
    let count = 0;
    world.context.workSignal.subscribe(() => count++);
    const notice = async (): Promise<void> => {
      const headers = { 'stripe-signature': world.processor.api.webhooks.sign({ mode: 'test', body }) };
      expect((await world.call('POST', '/processor/notices/test', { body, headers })).status).toBe(200);
    };
    await notice();
    await waitFor('the signal of the event', async () => count === 1);
    await venue.settleHold(secret.holdId);
    expect((await venue.read(checkout.id)).status).toBe('completed');
    await notice();
    await venue.create();
    await waitFor('the signal of the create', async () => count > 1);
    expect(count).toBe(2);
  });
});

describe('a loop of a distributed database', () => {
  const often = { intervalSeconds: 0.01 };

  it('looks rarely after three looks in vain, and at its interval again when there may be work', async () => {
    const signal = new WorkSignal();
    const looks = runHourly(signal, { often }, { pollInterval: { idleSeconds: 3_600, wakeMs: 1 } });
    await waitFor('it has looked', async () => looks.often === 3);
    await delay(100);
    expect(looks.often).toBe(3);
    signal.notify();
    await waitFor('it looks again', async () => (looks.often ?? 0) >= 5);
    await delay(100);
    expect(looks.often).toBeLessThanOrEqual(6);
  });

  it('keeps its interval while it finds work, or fails', async () => {
    const failing = { ...often, step: () => Promise.reject(new Error('no database')) };
    const busy = { ...often, step: async () => 1 };
    const looks = runHourly(new WorkSignal(), { failing, busy }, { pollInterval: { idleSeconds: 3_600, wakeMs: 1 } });
    await waitFor('both look on', async () => (looks.failing ?? 0) > 6 && (looks.busy ?? 0) > 6);
  });

  it('has a pace by the number of shards, within bounds', () => {
    expect([2, 32, 10_000].map(pollInterval)).toEqual([
      { idleSeconds: 0.3, wakeMs: 4 },
      { idleSeconds: 4.8, wakeMs: 64 },
      { idleSeconds: 30, wakeMs: 250 },
    ]);
  });

  it('has none on a plain PostgreSQL', async () => {
    expect(await readPollInterval(world.db)).toBeNull();
  });
});
