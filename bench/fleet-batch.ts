// Boats a second in fleets of 100 against boats a second in single posts, on the same server: the gain of a batch.

import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';

const CONCURRENCY = 4;
const FLEETS = { full: 12, quick: 8 };
const SINGLES = { full: 120, quick: 32 };

export const fleetBatch: Bench = {
  name: 'fleet-batch',
  floor: 15,
  goal: 25,
  unit: 'boats/s',
  better: 'more',
  note: 'POST /v1/boats, only new boats, four calls at the same time, each for another venue.',
  rounds: { full: 9, quick: 3 },
  sides: { ours: 'fleets of 100', base: 'one boat a call' },
  prepare,
};

let made = 0;

function boat(): object {
  made++;
  return {
    external_id: `boat-${made}`,
    name: 'Second Wind',
    type: 'catamaran',
    length_ft: 42,
    capacity: 12,
    captain: 'included',
    location: { city: 'Miami', region: 'FL', country: 'US' },
    pricing: [{ duration_hours: 4, amount: 120000, currency: 'usd', label: 'Half day' }],
    photo_urls: ['https://cdn.fleet.example/second-wind/1.jpg'],
  };
}

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const keys: string[] = [];
  while (keys.length < CONCURRENCY) keys.push(...(await fixture.makeVenue(1)).keys);
  const server = await fixture.getServer();
  const url = `http://127.0.0.1:${server.port}/v1/boats`;
  const fleet = (): object => ({ boats: Array.from({ length: 100 }, boat) });
  const run = async (calls: number, boats: number, body: () => object): Promise<number> => {
    const bodies = Array.from({ length: calls }, () => JSON.stringify(body()));
    const startedAt = performance.now();
    await Promise.all(
      keys.map((key, caller) =>
        postAll(
          url,
          key,
          bodies.filter((_, i) => i % CONCURRENCY === caller),
          boats,
        ),
      ),
    );
    return (calls * boats) / ((performance.now() - startedAt) / 1000);
  };
  await run(CONCURRENCY * 2, 100, fleet);
  await run(CONCURRENCY * 5, 1, boat);
  const size = fixture.isQuick ? 'quick' : 'full';
  return {
    ours: () => run(FLEETS[size], 100, fleet),
    base: () => run(SINGLES[size], 1, boat),
    close: () => server.stop(),
  };
}

async function postAll(url: string, key: string, bodies: readonly string[], boats: number): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const body of bodies) {
    const response = await fetch(url, { method: 'POST', headers, body });
    const result = (await response.json()) as { summary?: { created: number } };
    const created = boats === 1 ? Number(response.status === 201) : result.summary?.created;
    if (created !== boats) throw new Error(`POST /v1/boats created ${created} of ${boats}: ${response.status}`);
  }
}
