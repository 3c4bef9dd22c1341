// Pictures on guest pages: fetched once by the worker through the guarded client, encoded anew, and served from here.

import type { IncomingMessage, ServerResponse } from 'node:http';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeOutbound, type Outbound } from '../../src/base/outbound/outbound.ts';
import { deleteOldImages, fetchDueImages } from '../../src/domain/images/fetch-images.ts';
import { type CheckoutImages, findImages, imageSources } from '../../src/domain/images/find-images.ts';
import { claimDueImages, recordFetched } from '../../src/domain/images/image-queries.ts';
import { offeringForGuests } from '../../src/domain/offerings/queries.ts';
import { findVenue } from '../../src/domain/venues/queries.ts';
import { changeVenueProfile } from '../../src/domain/venues/venue-profile.ts';
import { type Listening, startHttpsReceiver } from '../support/test-receivers.ts';
import { checkoutBody, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';

const DAY = 24 * 3_600_000;

let world: TestWorld;
let outbound: Outbound;
let server: Listening;
let requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
let answer: (response: ServerResponse) => void;
let venue: TestVenue;
let count = 0;
/** Short only where an address is to be too slow: a busy machine must not fail the others. */
let fetchTimeoutMs = 10_000;

beforeAll(async () => {
  world = await openTestWorld();
  outbound = makeOutbound({ allowInsecureTargets: true });
  server = await startHttpsReceiver((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    answer(response);
  });
});
afterAll(async () => {
  await server.close();
  await outbound.close();
  await world.close();
});
beforeEach(async () => {
  requests = [];
  fetchTimeoutMs = 10_000;
  venue = await openTestVenue(world);
  // Small, because each size that is served takes processor time.
  answer = await serving(photo(320, 180));
});

const picture = (width: number, height: number, background = '#3366cc') =>
  sharp({ create: { width, height, channels: 4, background } });
const photo = (width: number, height: number) => picture(width, height).jpeg();
/** Black: to encode as many pixels in colour takes two seconds. */
const hugePicture = (width: number, height: number) =>
  sharp(Buffer.alloc(width * height), { raw: { width, height, channels: 1 } }).png({ compressionLevel: 1 });
const serving = async (image: Sharp): Promise<typeof answer> => {
  const body = await image.toBuffer();
  return (response) => void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(body);
};
const addressOf = (name = `${count++}.jpg`): string => `https://localhost:${server.port}/${name}`;

async function offering(media: unknown, external_id = `cabana-${count++}`): Promise<string> {
  const tiers = [{ amount: 1, currency: 'usd', unit: 'per_group' }];
  const body = { external_id, kind: 'cabana', title: 'Cabana', tiers, media };
  const response = await venue.post('/v1/offerings', body);
  expect(response.status, response.text).toBeLessThan(300);
  return external_id;
}

async function find(externalId: string | null, now = Date.now()): Promise<CheckoutImages> {
  const { venueId } = venue;
  const found = externalId === null ? null : await offeringForGuests(world.db, venueId, 'test', externalId);
  const logoUrl = (await findVenue(world.db, venueId))?.logo_url ?? null;
  return findImages(world.db, venueId, imageSources(found, logoUrl), now);
}
const fetchAll = (now = Date.now() + 1_000): Promise<number> =>
  runUntilIdle('fetching pictures', () =>
    fetchDueImages({ db: world.db, outbound, clock: { now: () => now } as never, fetchTimeoutMs }, 8),
  );
const NOTHING: CheckoutImages = { cover: null, thumbnail: null, logo: null };

async function load(path: string | null): Promise<{ readonly response: Response; readonly bytes: Buffer }> {
  const response = await fetch(`${world.urls[0]}${path}`);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function setLogo(logo_url: string | null): Promise<void> {
  await world.db.transaction((tx) => changeVenueProfile(tx, world.command(), venue.venueId, { logo_url }));
}

const stored = (): Promise<{ kind: string; error: string | null; wait: number }[]> =>
  world.db.query(
    `select kind, error, extract(epoch from due_at - failed_at)::int as wait from images where venue_id = $1 order by kind`,
    [venue.venueId],
  );

describe('the cover of an offering', () => {
  it('is wanted when a page asks, fetched by the worker, and then served in two sizes as WebP', async () => {
    answer = await serving(photo(1600, 900));
    const name = await offering([{ url: addressOf() }, { url: addressOf() }]);
    expect(await find(name)).toEqual(NOTHING);
    expect(requests).toEqual([]);
    await fetchAll();
    const images = await find(name);
    const sizes = [];
    for (const path of [images.cover, images.thumbnail]) {
      expect(path).toMatch(/^\/guest\/images\/[0-9a-f]{64}\.webp$/);
      const { response, bytes } = await load(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/webp');
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const { format, width, height } = await sharp(bytes).metadata();
      sizes.push([format, width, height]);
    }
    expect(sizes).toEqual([
      ['webp', 1280, 720],
      ['webp', 112, 112],
    ]);
  });

  it('is fetched once, also when many pages ask at once', async () => {
    const name = await offering([{ url: addressOf() }]);
    await Promise.all(Array.from({ length: 20 }, () => find(name)));
    await Promise.all([fetchAll(), fetchAll()]);
    await find(name, Date.now() + 2 * DAY);
    await fetchAll(Date.now() + 3 * DAY);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.headers['user-agent']).toBe('Everyshare');
  });

  it('is the first picture, not a video, and follows a change of the offering', async () => {
    const [video, first, second] = [addressOf('v.mp4'), addressOf(), addressOf()];
    const name = await offering([
      { url: video, type: 'video' },
      { url: first, type: 'image' },
    ]);
    await find(name);
    await fetchAll();
    expect(requests.map(({ path }) => path)).toEqual([new URL(first).pathname]);
    const before = await find(name);
    await offering([{ url: second }], name);
    expect((await find(name)).cover).toBeNull();
    await fetchAll();
    expect((await find(name)).cover).not.toBe(before.cover);
  });

  it('is wanted by a new checkout that names the offering, before any page asks', async () => {
    const name = await offering([{ url: addressOf() }]);
    await venue.create({ offering_external_id: name });
    await venue.create({ offering_external_id: name });
    await venue.create();
    await fetchAll();
    expect(requests).toHaveLength(1);
    expect((await find(name)).cover).not.toBeNull();
    expect(await world.db.query('select 1 from image_requests where venue_id = $1', [venue.venueId])).toEqual([]);
  });

  it('is none without media, without an offering, and of a rejected offering', async () => {
    const rejected = await offering([{ url: addressOf() }]);
    const { json } = await venue.get(`/v1/offerings/${rejected}`);
    const review = { id: json.data.id, status: 'rejected', review_note: 'Not yours.' };
    expect((await venue.post('/v1/test_helpers/review', review)).status).toBe(200);
    for (const name of [rejected, await offering([]), null, 'unknown']) expect(await find(name)).toEqual(NOTHING);
    await fetchAll();
    expect(requests).toEqual([]);
  });

  it('is upright, without metadata, not enlarged, and on white where it is transparent', async () => {
    answer = await serving(
      picture(400, 200, '#ff000000')
        .png()
        .withExif({ IFD0: { Copyright: 'Ada’s home' } })
        .withMetadata({ orientation: 6 }),
    );
    const name = await offering([{ url: addressOf() }]);
    await find(name);
    await fetchAll();
    const { bytes } = await load((await find(name)).cover);
    const { width, height, exif, hasAlpha } = await sharp(bytes).metadata();
    expect([width, height, exif, hasAlpha]).toEqual([200, 400, undefined, false]);
    const { dominant } = await sharp(bytes).stats();
    expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240);
  });
});

describe('the logo of a venue', () => {
  it('fits into 112 pixels and keeps its transparent parts', async () => {
    answer = await serving(picture(500, 250, '#ff000080').png());
    await setLogo(addressOf('logo.png'));
    await find(null);
    await fetchAll();
    const { logo, cover } = await find(null);
    expect(cover).toBeNull();
    const { format, width, height, hasAlpha } = await sharp((await load(logo)).bytes).metadata();
    expect([format, width, height, hasAlpha]).toEqual(['webp', 112, 56, true]);
    await setLogo(null);
    expect((await find(null)).logo).toBeNull();
  });
});

describe('a picture that cannot be used', () => {
  const cases: [what: string, respond: () => Promise<typeof answer> | typeof answer, error: RegExp][] = [
    ['is not there', () => (response) => void response.writeHead(404).end(), /answered 404/],
    [
      'redirects',
      () => (response) => void response.writeHead(302, { location: `https://localhost:${server.port}/x` }).end(),
      /answered 302/,
    ],
    ['is HTML', () => (response) => void response.end('<html></html>'), /no JPEG, PNG, WebP or AVIF/],
    [
      'is SVG',
      () => (response) => void response.end('<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"/>'),
      /no JPEG, PNG, WebP or AVIF/,
    ],
    ['is a GIF', () => serving(picture(50, 50).gif()), /no JPEG, PNG, WebP or AVIF/],
    [
      'is cut',
      async () => {
        const body = await photo(800, 600).toBuffer();
        return (response) => void response.end(body.subarray(0, body.length / 2));
      },
      /cannot be read as a picture/,
    ],
    ['is tiny', () => serving(picture(1, 1).png()), /smaller than 16 by 16/],
    [
      'has too many pixels',
      () => serving(hugePicture(9_000, 9_000)),
      /cannot be read as a picture, or it is too large|pixels/,
    ],
    [
      'has too many bytes',
      () => (response) => void response.end(Buffer.alloc(10 * 1_048_576 + 1, 'x')),
      /too large|too long|larger/i,
    ],
    [
      'hangs',
      () => {
        fetchTimeoutMs = 300;
        return () => undefined;
      },
      /took too long/,
    ],
    [
      'drips',
      () => {
        fetchTimeoutMs = 300;
        return (response) => {
          response.writeHead(200, { 'content-type': 'image/png' });
          const timer = setInterval(() => response.write('x'), 50);
          response.on('close', () => clearInterval(timer));
        };
      },
      /took too long/,
    ],
  ];
  it.each(cases)(
    'because it %s leaves the page without it, and is tried again after a day',
    { tags: ['slow'] },
    async (_, respond, error) => {
      answer = await respond();
      const name = await offering([{ url: addressOf() }]);
      await find(name);
      await fetchAll();
      expect(await find(name)).toEqual(NOTHING);
      const [row] = await stored();
      expect(row?.error).toMatch(error);
      expect(row?.wait).toBe(86_400);
      const before = requests.length;
      await fetchAll(Date.now() + DAY - 60_000);
      expect(requests).toHaveLength(before);
      answer = await serving(photo(320, 200));
      fetchTimeoutMs = 10_000;
      await fetchAll(Date.now() + DAY + 60_000);
      expect((await find(name)).cover).not.toBeNull();
      expect(await stored()).toEqual([{ kind: 'cover', error: null, wait: null }]);
    },
  );

  it.each([
    'https://10.0.0.1/1.jpg',
    'https://169.254.169.254/latest/meta-data',
    'https://[fd00::1]/1.jpg',
    'https://192.168.1.1/1.jpg',
  ])('because it is at %s is never asked for', async (url) => {
    const name = await offering([{ url }]);
    await find(name);
    await fetchAll();
    const [row] = await stored();
    expect(row?.error).toMatch(/private|not allowed|public|reach/i);
    expect(requests).toEqual([]);
  });

  it('because it is on this machine is refused unless insecure targets are allowed', async () => {
    const guarded = makeOutbound({ allowInsecureTargets: false });
    await find(await offering([{ url: addressOf() }]));
    const clock = { now: () => Date.now() + 1_000 } as never;
    await runUntilIdle('fetching pictures', () => fetchDueImages({ db: world.db, outbound: guarded, clock }, 8));
    await guarded.close();
    expect(requests).toEqual([]);
    expect((await stored())[0]?.error).not.toBeNull();
  });
});

describe('the worker', () => {
  it('records nothing after its lease has run out', async () => {
    await find(await offering([{ url: addressOf() }]));
    const now = Date.now() + 1_000;
    const claim = async (at: number, isRepeated: boolean) => {
      const claimed = await claimDueImages(world.db, { now: at, leasedUntil: at + 60_000, limit: 100, isRepeated });
      return claimed.find(({ venueId }) => venueId === venue.venueId);
    };
    const [stale, current] = [await claim(now, false), await claim(now + 61_000, true)];
    if (stale === undefined || current === undefined) throw new Error('nothing was claimed');
    const file = { type: 'image/webp', content: Buffer.from('x') } as const;
    const files = { file, thumbnail: file, preview: file };
    expect(await recordFetched(world.db, stale, files)).toBe(false);
    expect(await recordFetched(world.db, current, files)).toBe(true);
  });

  it('claims one picture of a venue at a time, so that another venue’s is not delayed', async () => {
    for (let i = 0; i < 3; i++) await find(await offering([{ url: addressOf() }]));
    const slow = venue;
    venue = await openTestVenue(world);
    await find(await offering([{ url: addressOf() }]));
    const both = [slow.venueId, venue.venueId];
    const claim = { now: Date.now() + 1_000, leasedUntil: Date.now() + 60_000, limit: 100, isRepeated: false };
    const claimed = (await claimDueImages(world.db, claim)).map(({ venueId }) => venueId);
    expect(claimed.filter((id) => both.includes(id)).sort()).toEqual(both.sort());
  });

  it('deletes pictures that no page has asked for in 90 days, with their files', async () => {
    const [kept, unused] = [await offering([{ url: addressOf() }]), await offering([{ url: addressOf() }])];
    await find(kept);
    await find(unused);
    await fetchAll();
    const gone = await find(unused);
    await find(kept, Date.now() + 30 * DAY);
    expect(await deleteOldImages(world.db, Date.now() + 91 * DAY, 100)).toBeGreaterThanOrEqual(1);
    expect((await load(gone.cover)).response.status).toBe(404);
    expect((await load((await find(kept)).cover)).response.status).toBe(200);
  });
});

describe('GET /guest/images', () => {
  it('answers 404 for anything that is not the hash of a picture', async () => {
    const hash = 'a'.repeat(64);
    for (const name of [
      `${hash}.webp`,
      `${hash}.jpg`,
      hash,
      `${hash.toUpperCase()}.webp`,
      '..%2fguest.css',
      '%00.webp',
    ]) {
      expect([name, (await load(`/guest/images/${name}`)).response.status]).toEqual([name, 404]);
    }
  });
});

describe('the preview of a checkout', () => {
  const previewOf = (id: string) => load(`/c/${id}/preview.jpg`);

  it('is the cover as a JPEG of 1200 by 630', async () => {
    answer = await serving(photo(1600, 900));
    const name = await offering([{ url: addressOf() }]);
    const { id } = await venue.create({ offering_external_id: name });
    await fetchAll();
    const { response, bytes } = await previewOf(id);
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
    const { format, width, height } = await sharp(bytes).metadata();
    expect([format, width, height]).toEqual(['jpeg', 1200, 630]);
    const { dominant } = await sharp(bytes).stats();
    expect(dominant.b).toBeGreaterThan(dominant.r + 50);
    const etag = response.headers.get('etag') ?? '';
    const again = await fetch(`${world.urls[0]}/c/${id}/preview.jpg`, { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  it('is a drawing in the venue’s colour where there is no cover yet, and says so to caches', async () => {
    const { id } = await venue.create();
    const { response, bytes } = await previewOf(id);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    const { format, width, height } = await sharp(bytes).metadata();
    expect([format, width, height]).toEqual(['jpeg', 1200, 630]);
    await world.db.transaction((tx) =>
      changeVenueProfile(tx, world.command(), venue.venueId, { accent_color: '#c02020' }),
    );
    const red = await previewOf(id);
    expect(red.bytes.equals(bytes)).toBe(false);
    const { channels } = await sharp(red.bytes).stats();
    expect(channels[0]?.mean).toBeGreaterThan((channels[2]?.mean ?? 0) + 20);
  });

  it('is the same for every amount and party: it shows neither names nor amounts', async () => {
    const [one, other] = [await venue.create({ amount: 100 }), await venue.collecting({ amount: 99_999 })];
    expect((await previewOf(one.id)).bytes.equals((await previewOf(other.id)).bytes)).toBe(true);
  });

  it('is 404 for an unknown checkout', async () => {
    expect((await previewOf('chk_01jz3k8q7v5m2n9t4w6x8y0abc')).response.status).toBe(404);
    expect((await previewOf('x')).response.status).toBe(404);
  });
});

it('a checkout that names an offering is created with as many statements as one without', async () => {
  const name = await offering([{ url: addressOf() }]);
  const statementsOf = async (overrides: Record<string, unknown>): Promise<number> => {
    world.statements.length = 0;
    expect((await venue.post('/v1/checkouts', checkoutBody(overrides))).status).toBe(201);
    return world.statements.length;
  };
  expect(await statementsOf({ offering_external_id: name })).toBe(await statementsOf({}));
});
