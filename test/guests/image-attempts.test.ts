// The worker's turns at fetching pictures: what a death in the middle of one costs, how many are encoded at once, what it
// gives back when it stops, how many new checkouts it looks at, and how many covers a venue has.

import { randomUUID } from 'node:crypto';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Outbound } from '../../src/base/outbound/outbound.ts';
import { fetchDueImages } from '../../src/domain/images/fetch-images.ts';
import { claimDueImages, MAX_COVERS_PER_VENUE, wantImages } from '../../src/domain/images/image-queries.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { waitFor } from '../support/wait-for.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let world: TestWorld;
let photo: Buffer;
let requested: string[] = [];
/** The answer to each request; by default a photo. */
let answer: () => Promise<Buffer>;
beforeAll(async () => {
  world = await openTestWorld();
  photo = await sharp({ create: { width: 2_400, height: 1_600, channels: 3, background: '#3366cc' } })
    .jpeg()
    .toBuffer();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.db.query('delete from images');
  requested = [];
  answer = async () => photo;
});

const outbound: Outbound = {
  request: async ({ url }) => {
    requested.push(url);
    return { status: 200, headers: {}, body: await answer(), truncated: false } as never;
  },
  refusal: async () => null,
  close: async () => undefined,
};

/** One step of the worker, at a time after now. */
const step = (afterMs: number, stop?: AbortSignal): Promise<number> =>
  fetchDueImages({ db: world.db, outbound, clock: { now: () => Date.now() + afterMs } }, 8, stop);

/** A cover of a new venue. */
async function want(): Promise<string> {
  const venueId = randomUUID();
  await wantImages(world.db, venueId, [{ kind: 'cover', url: `https://pictures.example/${venueId}.jpg` }], Date.now());
  return venueId;
}

/** A worker that claims what is due, and dies. */
async function claimAndDie(afterMs: number, isRepeated: boolean): Promise<number> {
  const now = Date.now() + afterMs;
  const leasedUntil = now + (isRepeated ? DAY : 5 * MINUTE);
  return (await claimDueImages(world.db, { now, leasedUntil, limit: isRepeated ? 1 : 8, isRepeated })).length;
}

const stored = (): Promise<{ attempts: number; error: string | null; isFetched: boolean }[]> =>
  world.db.query(`select attempts, error, file_hash is not null as "isFetched" from images order by error, attempts`);

it('a picture that ends the worker twice is tried again a day later, and its error says why', async () => {
  await want();
  expect(await claimAndDie(1_000, false)).toBe(1);
  expect(await step(4 * MINUTE)).toBe(0);
  expect(await claimAndDie(6 * MINUTE, true)).toBe(1);
  expect(await stored()).toEqual([
    { attempts: 2, error: 'The service stopped twice while it read it.', isFetched: false },
  ]);
  for (const minutes of [12, 60, 23 * 60]) expect(await step(minutes * MINUTE)).toBe(0);
  expect(requested).toEqual([]);
  expect(await step(DAY + 7 * MINUTE)).toBe(1);
  expect(await stored()).toEqual([{ attempts: 0, error: null, isFetched: true }]);
});

it('the pictures that a dead worker had claimed are tried one in each step, beside new ones', async () => {
  for (let n = 0; n < 3; n++) await want();
  expect(await claimAndDie(1_000, false)).toBe(3);
  await want();
  const tried = [];
  for (let n = 0; n < 4; n++) tried.push(await step(6 * MINUTE));
  expect(tried).toEqual([2, 1, 1, 0]);
  expect(requested).toHaveLength(4);
  expect((await stored()).every(({ attempts, isFetched }) => attempts === 0 && isFetched)).toBe(true);
});

/** Of this file alone: sharp itself counts the tasks of all files that run in this process. */
function countEncodings(): { running: number; most: number; total: number } {
  const counts = { running: 0, most: 0, total: 0 };
  const { prototype } = sharp as unknown as { prototype: { toBuffer(this: Sharp): Promise<Buffer> } };
  const { toBuffer } = prototype;
  const spy = vi.spyOn(prototype, 'toBuffer').mockImplementation(async function (this: Sharp) {
    counts.total++;
    counts.running++;
    counts.most = Math.max(counts.most, counts.running);
    try {
      return await toBuffer.call(this);
    } finally {
      counts.running--;
    }
  });
  onTestFinished(() => spy.mockRestore());
  return counts;
}

it('pictures are fetched together and encoded one at a time', async () => {
  for (let n = 0; n < 4; n++) await want();
  let waiting = 0;
  let isReleased = false;
  answer = async () => {
    waiting++;
    await waitFor('all requests', () => isReleased);
    return photo;
  };
  const encoded = countEncodings();
  const running = step(1_000);
  await waitFor('four requests at once', () => waiting === 4);
  isReleased = true;
  expect(await running).toBe(4);
  // The thumbnail and the preview are made of the small cover together.
  expect(encoded).toEqual({ running: 0, most: 2, total: 12 });
});

it('a worker that stops gives back what it has not encoded, as if it had not begun', async () => {
  await want();
  const stop = new AbortController();
  answer = async () => {
    stop.abort();
    return photo;
  };
  await step(1_000, stop.signal);
  expect(await stored()).toEqual([{ attempts: 0, error: null, isFetched: false }]);
  answer = async () => photo;
  expect(await step(2_000)).toBe(1);
  expect(await stored()).toEqual([{ attempts: 0, error: null, isFetched: true }]);
});

it('a step takes the requests of 1,000 new checkouts and says so, so that the next step follows at once', async () => {
  const { venue } = await world.venue();
  await world.db.query(
    `insert into image_requests (venue_id, checkout_id, mode, offering_external_id)
     select $1, 'chk_' || i, 'test', 'cabana-' || i % 3 from generate_series(1, 1500) i`,
    [venue.id],
  );
  expect([await step(1_000), await step(1_000), await step(1_000)]).toEqual([1_000, 500, 0]);
});

it('a venue has at most 200 covers, and always its logo', async () => {
  const venueId = randomUUID();
  const cover = (n: number) => ({ kind: 'cover', url: `https://pictures.example/${n}.jpg` }) as const;
  expect(MAX_COVERS_PER_VENUE).toBe(200);
  for (let n = 0; n < 200; n++) await wantImages(world.db, venueId, [cover(n)], Date.now());
  const logo = { kind: 'logo', url: 'https://pictures.example/logo.png' } as const;
  await wantImages(world.db, venueId, [cover(200), logo], Date.now());
  await wantImages(world.db, venueId, [cover(0)], Date.now());
  const counts = await world.db.query<{ kind: string; count: number }>(
    'select kind, count(*)::integer as count from images where venue_id = $1 group by kind order by kind',
    [venueId],
  );
  expect(counts).toEqual([
    { kind: 'cover', count: 200 },
    { kind: 'logo', count: 1 },
  ]);
});
