// schedule.ts has the rules of how long a webhook delivery is retried and when an endpoint is dead. The statements that
// dispatch, record and end deliveries repeat these rules; over random times both agree.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { recordEvent } from '../../src/domain/events/record.ts';
import {
  type AttemptOutcome,
  claimQueues,
  type DueDelivery,
  dispatchEvents,
  dueDeliveries,
  type EndpointQueue,
  endDeliveries,
  insertQueue,
  recordAttempts,
  redeliverOne,
} from '../../src/domain/webhooks/deliveries/queries.ts';
import { isDead, RETRY_WINDOW_MS } from '../../src/domain/webhooks/deliveries/schedule.ts';
import { insertEndpoint } from '../../src/domain/webhooks/queries.ts';
import { runs } from '../support/random-runs.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { inRolledBackTransaction, NOW } from './random-checkouts.ts';

let world: TestWorld;
let venueId: string;
beforeAll(async () => {
  world = await openTestWorld();
  venueId = (await world.venue()).venue.id;
});
afterAll(() => world.close());

const TYPE = 'checkout.created';
const HOUR = 3_600_000;

async function newEndpoint(tx: Queryable): Promise<string> {
  const id = world.command().ids.prefixed('whe');
  const [url, secret] = ['https://partner.example/hooks', Buffer.alloc(32)];
  await insertEndpoint(tx, { venueId, id, mode: 'test', url, events: [TYPE], secret, now: NOW });
  await insertQueue(tx, venueId, id);
  return id;
}

/** Records an event, dispatches it at this time, and returns its id. */
async function dispatchEvent(tx: Queryable, now: number): Promise<string> {
  const at = new Date(now).toISOString();
  const event = { venueId, mode: 'test', type: TYPE, subject: `chk_${now}`, data: {}, at } as const;
  const id = await recordEvent(tx, world.command(), event);
  expect(await dispatchEvents(tx, now, 10)).toBe(1);
  return id;
}

async function claimQueue(tx: Queryable, now: number): Promise<EndpointQueue> {
  const [queue] = await claimQueues(tx, now, now + HOUR, { quick: 1, slow: 1, failing: 1, dead: 1 });
  if (queue === undefined) throw new Error('the endpoint has nothing due');
  return queue;
}

function attempt(delivery: DueDelivery, status: AttemptOutcome['status'], at: number): AttemptOutcome {
  const { createdAt, endsAt } = delivery;
  const answer = { httpStatus: status === 'delivered' ? 200 : 503, error: null, response: null, durationMs: 5 };
  return { createdAt, endsAt, status, ...answer, at, dueAt: status === 'pending' ? at : null };
}

const record = (tx: Queryable, queue: EndpointQueue, outcome: AttemptOutcome) =>
  recordAttempts(
    tx,
    queue,
    { now: outcome.at, availableAt: outcome.at, unanswered: 0, pace: 'quick', isReleased: false },
    [outcome],
  );

describe('a delivery', () => {
  it('ends RETRY_WINDOW_MS after it was dispatched or redelivered', async () => {
    await inRolledBackTransaction(world.db, async (tx) => {
      const endpointId = await newEndpoint(tx);
      const eventId = await dispatchEvent(tx, NOW);
      const queue = await claimQueue(tx, NOW);
      const [first] = await dueDeliveries(tx, queue, NOW, 10, []);
      expect(first?.endsAt).toBe(NOW + RETRY_WINDOW_MS);
      await redeliverOne(tx, venueId, endpointId, { id: eventId, createdAt: first?.createdAt ?? '' }, NOW + HOUR);
      const [repeated] = await dueDeliveries(tx, queue, NOW + HOUR, 10, []);
      expect(repeated?.endsAt).toBe(NOW + HOUR + RETRY_WINDOW_MS);
    });
  });
});

describe('an endpoint', () => {
  // One delivery is dispatched and ends; another one may have succeeded before its end.
  const scenario = fc.record({
    successAt: fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -90 * HOUR, max: 70 * HOUR }))),
    isOutOfTime: fc.boolean(),
  });

  it('is dead exactly when isDead is true, whether its delivery failed or ran out of time', {
    timeout: 60_000,
  }, async () => {
    const outcomes = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async ({ successAt, isOutOfTime }) => {
        await inRolledBackTransaction(world.db, async (tx) => {
          await newEndpoint(tx);
          const start = NOW;
          if (successAt !== null) {
            await dispatchEvent(tx, start + successAt);
            const queue = await claimQueue(tx, start + successAt);
            const [delivery] = await dueDeliveries(tx, queue, start + successAt, 10, []);
            if (delivery === undefined) throw new Error('no delivery is due');
            const release = {
              now: start + successAt,
              availableAt: 0,
              unanswered: 0,
              pace: 'quick',
              isReleased: true,
            } as const;
            await recordAttempts(tx, queue, release, [attempt(delivery, 'delivered', start + successAt)]);
          }
          await dispatchEvent(tx, start + 1);
          const queue = await claimQueue(tx, start + 70 * HOUR);
          const due = await dueDeliveries(tx, queue, start + 70 * HOUR, 10, []);
          const last = due.at(-1);
          if (last === undefined) throw new Error('no delivery is due');
          const expected = isDead(successAt === null ? null : start + successAt, last.endsAt) ? 'dead' : 'recorded';
          if (isOutOfTime) {
            await record(tx, queue, attempt(last, 'pending', start + 71 * HOUR));
            expect(await endDeliveries(tx, queue, last.endsAt, 10, [], null)).toBe(expected);
          } else {
            expect(await record(tx, queue, attempt(last, 'failed', start + 71 * HOUR))).toBe(expected);
          }
          outcomes.add(`${expected} ${isOutOfTime}`);
        });
      }),
      runs(100),
    );
    expect(outcomes.size).toBe(4);
  });
});
