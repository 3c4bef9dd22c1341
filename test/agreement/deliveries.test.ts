// How long a webhook delivery is tried and when an endpoint is dead are rules of schedule.ts. The statements that dispatch,
// record and end deliveries repeat them: over random times both agree.

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
import { isDead, WINDOW_MS } from '../../src/domain/webhooks/deliveries/schedule.ts';
import { insertEndpoint } from '../../src/domain/webhooks/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { andRollBack, NOW } from './random-checkouts.ts';

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

/** An event that is dispatched at this time. Answers its id. */
async function dispatched(tx: Queryable, now: number): Promise<string> {
  const at = new Date(now).toISOString();
  const event = { venueId, mode: 'test', type: TYPE, subject: `chk_${now}`, data: {}, at } as const;
  const id = await recordEvent(tx, world.command(), event);
  expect(await dispatchEvents(tx, now, 10)).toBe(1);
  return id;
}

async function taken(tx: Queryable, now: number): Promise<EndpointQueue> {
  const [lane] = await claimQueues(tx, now, now + HOUR, { quick: 1, slow: 1, failing: 1, dead: 1 });
  if (lane === undefined) throw new Error('the endpoint has something due');
  return lane;
}

function attempt(delivery: DueDelivery, status: AttemptOutcome['status'], at: number): AttemptOutcome {
  const { createdAt, endsAt } = delivery;
  const answer = { httpStatus: status === 'delivered' ? 200 : 503, error: null, response: null, durationMs: 5 };
  return { createdAt, endsAt, status, ...answer, at, dueAt: status === 'pending' ? at : null };
}

const recorded = (tx: Queryable, lane: EndpointQueue, outcome: AttemptOutcome) =>
  recordAttempts(
    tx,
    lane,
    { now: outcome.at, availableAt: outcome.at, failures: 0, pace: 'quick', isReleased: false },
    [outcome],
  );

describe('a delivery', () => {
  it('ends WINDOW_MS after it was dispatched or sent again', async () => {
    await andRollBack(world.db, async (tx) => {
      const endpointId = await newEndpoint(tx);
      const eventId = await dispatched(tx, NOW);
      const lane = await taken(tx, NOW);
      const [first] = await dueDeliveries(tx, lane, NOW, 10, []);
      expect(first?.endsAt).toBe(NOW + WINDOW_MS);
      await redeliverOne(tx, venueId, endpointId, { id: eventId, createdAt: first?.createdAt ?? '' }, NOW + HOUR);
      const [again] = await dueDeliveries(tx, lane, NOW + HOUR, 10, []);
      expect(again?.endsAt).toBe(NOW + HOUR + WINDOW_MS);
    });
  });
});

describe('an endpoint', () => {
  // One delivery is dispatched and ends; another succeeded at some time before its end, or none has.
  const story = fc.record({
    successAt: fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -90 * HOUR, max: 70 * HOUR }))),
    isOutOfTime: fc.boolean(),
  });

  it('is dead when isDead says so, whether its delivery failed or ran out of time', { tags: ['slow'] }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(story, async ({ successAt, isOutOfTime }) => {
        await andRollBack(world.db, async (tx) => {
          await newEndpoint(tx);
          const began = NOW;
          if (successAt !== null) {
            await dispatched(tx, began + successAt);
            const lane = await taken(tx, began + successAt);
            const [one] = await dueDeliveries(tx, lane, began + successAt, 10, []);
            if (one === undefined) throw new Error('it is due');
            const done = {
              now: began + successAt,
              availableAt: 0,
              failures: 0,
              pace: 'quick',
              isReleased: true,
            } as const;
            await recordAttempts(tx, lane, done, [attempt(one, 'delivered', began + successAt)]);
          }
          await dispatched(tx, began + 1);
          const lane = await taken(tx, began + 70 * HOUR);
          const due = await dueDeliveries(tx, lane, began + 70 * HOUR, 10, []);
          const last = due.at(-1);
          if (last === undefined) throw new Error('it is due');
          const expected = isDead(successAt === null ? null : began + successAt, last.endsAt) ? 'dead' : 'kept';
          if (isOutOfTime) {
            await recorded(tx, lane, attempt(last, 'pending', began + 71 * HOUR));
            expect(await endDeliveries(tx, lane, last.endsAt, 10, [], null)).toBe(expected);
          } else {
            expect(await recorded(tx, lane, attempt(last, 'failed', began + 71 * HOUR))).toBe(expected);
          }
          seen.add(`${expected} ${isOutOfTime}`);
        });
      }),
      { numRuns: 100 },
    );
    expect(seen.size).toBe(4);
  });
});
