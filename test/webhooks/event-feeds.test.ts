// What a server keeps of the log for its streams: a follower that remembers the last minute only and ends its first look on
// a busy venue, and a feed that is bounded in events, size and time.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/base/db.ts';
import { EventFeed, EventFeeds } from '../../src/domain/events/event-feeds.ts';
import { EventFollower } from '../../src/domain/events/follow-events.ts';
import type { EventView } from '../../src/domain/events/queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const newVenue = async (): Promise<string> => (await world.venue()).venue.id;

/** `count` events, a microsecond apart, from a time on. */
async function insertEvents(venueId: string, time: number, count = 1, data = '{"object":{}}'): Promise<void> {
  await world.db.query(
    `insert into events (venue_id, event_id, mode, type, subject, sequence, data, created_at)
     select $1, 'evt_' || $2::bigint || '_' || i, 'test', 'offering.approved', 'at ' || $2::bigint, i, $4::json,
       to_timestamp($2::bigint / 1000.0) + i * interval '1 microsecond'
     from generate_series(1, $3::integer) i`,
    [venueId, time, count, data],
  );
}

class AdjustableClock {
  aheadMs = 0;
  now = (): number => Date.now() + this.aheadMs;
}

/** Calls `before` with the values of each statement, then runs it. */
const withHook = (before: (values: readonly unknown[]) => Promise<void>): Queryable => ({
  query: async (text, values = []) => {
    await before(values);
    return world.db.query(text, values);
  },
});

describe('a follower of the log', () => {
  it('remembers the events of the last minute only, also if there are new ones at each read', async () => {
    const venueId = await newVenue();
    const clock = new AdjustableClock();
    let compared = 0;
    const db = withHook(async (values) => {
      compared = Math.max(compared, (values[3] as readonly unknown[] | undefined)?.length ?? 0);
    });
    const follower = await EventFollower.fromNow({ db, clock }, venueId, 'test');
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) {
      clock.aheadMs += 5_000;
      await insertEvents(venueId, clock.now());
      const page = await follower.next();
      expect(page).toHaveLength(1);
      ids.push(...page.map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(100);
    // Twelve events in a minute, and those since the last look back.
    expect(compared).toBeLessThanOrEqual(12 + 11);
  });

  it('returns an event that is committed late among new ones at each read', async () => {
    const venueId = await newVenue();
    const clock = new AdjustableClock();
    const follower = await EventFollower.fromNow({ db: world.db, clock }, venueId, 'test');
    await insertEvents(venueId, clock.now() - 50_000);
    const found: string[] = [];
    for (let n = 0; n < 12; n++) {
      clock.aheadMs += 100;
      if (n === 1) await insertEvents(venueId, clock.now() - 40_000);
      await insertEvents(venueId, clock.now());
      found.push(...(await follower.next()).map(({ id }) => id));
    }
    expect(new Set(found).size).toBe(14);
    expect(found).toHaveLength(14);
  });

  it('begins after one look, also if new events come all the time, and leaves out what was visible then', async () => {
    const venueId = await newVenue();
    let statements = 0;
    const db = withHook(async () => {
      if (++statements < 20) await insertEvents(venueId, Date.now() - 30_000 + statements);
    });
    const follower = await EventFollower.fromNow({ db, clock: world.context.clock }, venueId, 'test');
    expect(statements).toBe(1);
    expect(await follower.next()).toHaveLength(1);
  });
});

describe('the feed of a venue', () => {
  const openFeed = async (venueId: string, clock = new AdjustableClock()) =>
    EventFeed.open({ ...world.context.services, clock }, venueId, 'test');

  const allOf = (feed: EventFeed, position = 0): readonly EventView[] => feed.from(position) ?? [];

  it('keeps the newest 1,000 events, returns a page at a time, and tells a reader that is behind the oldest', {
    tags: ['slow'],
  }, async () => {
    const venueId = await newVenue();
    const feed = await openFeed(venueId);
    await insertEvents(venueId, Date.now(), 1_200);
    await waitFor('all events', () => feed.end === 1_200);
    expect([feed.from(0), feed.from(199)]).toEqual([null, null]);
    expect([feed.from(200)?.length, feed.from(1_150)?.length, feed.from(1_200)?.length]).toEqual([200, 50, 0]);
    await feed.close();
  });

  it('returns at most a million characters at once, and at least one event', async () => {
    const venueId = await newVenue();
    const feed = await openFeed(venueId);
    const data = JSON.stringify({ object: { description: 'x'.repeat(300_000) } });
    await insertEvents(venueId, Date.now(), 5, data);
    await waitFor('all events', () => feed.end === 5);
    expect(feed.from(0)).toHaveLength(3);
    await feed.close();
  });

  it('keeps an event for five minutes', async () => {
    const venueId = await newVenue();
    const clock = new AdjustableClock();
    const feed = await openFeed(venueId, clock);
    await insertEvents(venueId, clock.now());
    await waitFor('the event', () => feed.end === 1);
    clock.aheadMs += 4 * 60_000;
    await insertEvents(venueId, clock.now());
    await waitFor('another event', () => feed.end === 2);
    expect(feed.from(0)).toHaveLength(2);
    clock.aheadMs += 2 * 60_000;
    await waitFor('the end of the first', () => feed.from(0) === null);
    expect(feed.from(1)).toHaveLength(1);
    await feed.close();
  });

  it('goes on at the first event that another server may have sent later than the last one of the client', async () => {
    const venueId = await newVenue();
    const clock = new AdjustableClock();
    const feed = await openFeed(venueId, clock);
    const receive = async (count: number): Promise<void> => {
      clock.aheadMs += 20_000;
      const end = feed.end + count;
      await insertEvents(venueId, clock.now(), count);
      await waitFor('the events', () => feed.end === end);
    };
    await receive(1);
    await receive(2);
    await receive(1);
    const [first, , third, fourth] = allOf(feed) as [EventView, EventView, EventView, EventView];
    expect([first, third, fourth].map((last) => feed.positionAfter(last))).toEqual([0, 1, 3]);
    // What was visible before the feed opened is in the log alone.
    const beforeOpening = new Date(clock.now() - 60_000).toISOString();
    expect(feed.positionAfter({ ...first, createdAt: beforeOpening })).toBeNull();
    await feed.close();
  });

  it('does not open while the server stops', async () => {
    const venueId = await newVenue();
    const feeds = new EventFeeds(world.context.services);
    const { feed } = await feeds.use(venueId, 'test');
    await feeds.close();
    expect(feed.isClosed).toBe(true);
    await expect(feeds.use(venueId, 'test')).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
