// How long single requests take: the tail of creates and reads at 70 % of the rate that the server can do, a read beside
// fifteen others with the same key, and a guest's page beside a busy API. Times count from the moment at which a request is
// due, so that a server that stalls cannot hide it by delaying the load (coordinated omission).

import type { Bench, PreparedBench } from './bench.ts';
import { CHECKOUTS_PATH, createOnce, getVenueKeys, newBody, newRequest, type VenueKey } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';
import { createSharePage } from './guest-page.ts';
import { measuredTogether, percentile } from './latency.ts';
import { getRequest, type LoadJob } from './load.ts';
import { readOnce } from './read-load.ts';

const PART_OF_RATE = 0.7;
const CONNECTIONS = 48;
/** So long that a percentile of 99 is not the one slowest. */
const SECONDS = { full: 4, quick: 0.4 };

export const p99At70Percent: Bench = {
  name: 'p99-at-70-percent',
  floor: 0.7,
  goal: 1,
  unit: 'ms',
  better: 'less',
  note: 'POST /v1/checkouts of 96 venues and GET /v1/checkouts/{id} of 16 checkouts, one kind after the other, at 70 % of the rate that 48 connections reach in a closed loop just before, each request sent when it is due. The 99th percentile against five times the median; of the two kinds the worse one counts.',
  rounds: { full: 7, quick: 1 },
  sides: { ours: '99th percentile', base: 'five times the median' },
  prepare: prepareTail,
};

async function prepareTail(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.getServer();
  const { port } = server;
  const venueKeys = await getVenueKeys(fixture);
  const reads = await makeReads(fixture, port, venueKeys[0] as VenueKey);
  const creates = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => newRequest(venueKeys[index % venueKeys.length] as VenueKey));
  const kinds: ((count: number) => LoadJob)[] = [
    (count) => ({ port, requests: creates(count), connections: CONNECTIONS, count, status: 201, bodyBytes: null }),
    (count) => ({ port, requests: reads, connections: CONNECTIONS, count, status: 200, bodyBytes: null }),
  ];
  const seconds = fixture.isQuick ? SECONDS.quick : SECONDS.full;
  for (const jobOf of kinds) await fixture.load.send(jobOf(fixture.isQuick ? 200 : 2_000));
  const tailOf = async (jobOf: (count: number) => LoadJob): Promise<{ ours: number; base: number }> => {
    const rate = await fixture.load.send(jobOf(fixture.isQuick ? 200 : 1_000));
    const perSecond = rate * PART_OF_RATE;
    const times = await fixture.load.sendTimed({ ...jobOf(Math.ceil(perSecond * seconds)), perSecond });
    return { ours: percentile(times, 0.99), base: 5 * percentile(times, 0.5) };
  };
  const sides = measuredTogether(async () => {
    const tails = [await tailOf(kinds[0] as never), await tailOf(kinds[1] as never)];
    return tails.sort((a, b) => a.base / a.ours - b.base / b.ours)[0] as { ours: number; base: number };
  });
  return { ...sides, close: () => server.stop() };
}

const READERS = 16;

export const readLatency: Bench = {
  name: 'read-latency',
  isExtra: true,
  floor: 0.2,
  goal: 0.5,
  unit: 'ms',
  better: 'less',
  note: 'The median of GET /v1/checkouts/{id} of 16 checkouts with 6 shares each, with one key over 16 connections in a closed loop; against its parts: the same over a bare Fastify route that returns one of the texts, and the median of the one statement of a read, sent alone.',
  rounds: { full: 7, quick: 1 },
  sides: { ours: 'our server', base: 'its parts' },
  prepare: prepareReads,
};

async function prepareReads(fixture: BenchFixture): Promise<PreparedBench> {
  const { id: venueId, keys } = await fixture.makeVenue(1);
  const server = await fixture.startServer();
  const key = keys[0] ?? '';
  const requests = await makeReads(fixture, server.port, { venueId, key });
  const path = requests[0]?.split(' ')[1] ?? '';
  const bare = await fixture.startBareRoute(path, await readOnce(server.port, path, key));
  const count = fixture.isQuick ? 400 : 4_000;
  const medianOf = async (port: number, texts: readonly string[]): Promise<number> => {
    const job = { port, requests: texts, connections: READERS, count, status: 200, bodyBytes: null } as const;
    return percentile(await fixture.load.sendTimed(job), 0.5);
  };
  const statementMs = async (): Promise<number> => {
    const times: number[] = [];
    for (let n = 0; n < 100; n++) {
      const startedAt = performance.now();
      await fixture.db.query(
        'select checkout_object(c)::text from checkouts c where c.venue_id = $1 and c.checkout_id = $2',
        [venueId, path.slice(CHECKOUTS_PATH.length + 1)],
      );
      times.push(performance.now() - startedAt);
    }
    return percentile(times, 0.5);
  };
  const ours = (): Promise<number> => medianOf(server.port, requests);
  const base = async (): Promise<number> => (await medianOf(bare.port, requests.slice(0, 1))) + (await statementMs());
  await ours();
  await base();
  return {
    ours,
    base,
    async close() {
      await bare.stop();
      await server.stop();
    },
  };
}

/** Creates checkouts that collect from their parties; returns the requests that read them. */
async function makeReads({ isQuick }: BenchFixture, port: number, { key }: VenueKey): Promise<string[]> {
  const requests: string[] = [];
  while (requests.length < (isQuick ? 4 : READERS)) {
    const { id } = await createOnce(port, key, newBody(6));
    const response = await fetch(`http://127.0.0.1:${port}/v1/test_helpers/checkouts/${id}/collect`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    if (response.status !== 200) throw new Error(`collect answered ${response.status}: ${await response.text()}`);
    requests.push(getRequest(`${CHECKOUTS_PATH}/${id}`, key));
  }
  return requests;
}

export const guestPageFirstByte: Bench = {
  name: 'guest-page-first-byte',
  isExtra: true,
  floor: 0.3,
  goal: 0.7,
  unit: 'ms',
  better: 'less',
  note: 'The median of GET /s/{token}, the page on which a guest pays, one request at a time, to its whole answer (a page is one write); beside reads of checkouts at 70 % of the rate that 48 connections reach in a closed loop, sent by another process, against the same page at rest.',
  rounds: { full: 7, quick: 1 },
  sides: { ours: 'beside a busy API', base: 'at rest' },
  prepare: preparePage,
};

async function preparePage(fixture: BenchFixture): Promise<PreparedBench> {
  const server = await fixture.startServer();
  const { port } = server;
  const { id: venueId, keys } = await fixture.makeVenue(1);
  const reads = await makeReads(fixture, port, { venueId, key: keys[0] ?? '' });
  const { page, cookie } = await createSharePage(fixture, port);
  const request = `GET ${new URL(page).pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncookie: ${cookie}\r\n\r\n`;
  const views = fixture.isQuick ? 20 : 100;
  const pageJob: LoadJob = { port, requests: [request], connections: 1, count: views, status: 200, bodyBytes: null };
  const readJob = { port, requests: reads, connections: CONNECTIONS, status: 200, bodyBytes: null } as const;
  const pages = fixture.startLoad();
  const median = async (): Promise<number> => percentile(await pages.sendTimed(pageJob), 0.5);
  const perSecond = PART_OF_RATE * (await fixture.load.send({ ...readJob, count: fixture.isQuick ? 400 : 4_000 }));
  const ours = async (): Promise<number> => {
    // Longer than the pages take: each read is due from the first on, and the rest are sent after the last page.
    const busy = fixture.load.send({
      ...readJob,
      perSecond,
      count: Math.ceil(perSecond * (fixture.isQuick ? 0.5 : 3)),
    });
    const [time] = await Promise.all([median(), busy]);
    return time;
  };
  await median();
  return { ours, base: median, close: () => server.stop() };
}
