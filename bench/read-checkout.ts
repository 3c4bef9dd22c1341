// Reading a checkout with its party against a bare Fastify route that returns the same JSON text: the cost of
// authentication, rate limit, checks and database.

import type { Bench, PreparedBench } from './bench.ts';
import { CHECKOUTS_PATH, createOnce, newBody } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';
import { makeReader, readOnce } from './read-load.ts';

const PARTY_SIZE = 6;

export const readCheckout: Bench = {
  name: 'read-checkout',
  floor: 0.4,
  goal: 0.65,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/checkouts/{id} of a checkout with 6 shares, with one key over 48 connections.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'our server', base: 'bare Fastify' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const { keys } = await fixture.makeVenue(1);
  const ours = await fixture.getServer();
  const path = await createCollectingCheckout(ours.port, keys[0] ?? '');
  const text = await readOnce(ours.port, path, keys[0] ?? '');
  if ((JSON.parse(text) as { shares: unknown[] }).shares.length !== PARTY_SIZE)
    throw new Error(`not ${PARTY_SIZE} shares`);
  const bare = await fixture.startBareRoute(path, text);
  if ((await readOnce(bare.port, path, '')) !== text) throw new Error('the two sides return different texts');
  const common = { path, keys, bodyBytes: Buffer.byteLength(text), warmSeconds: fixture.seconds.warmAlone };
  const oursReader = await makeReader(fixture, { ...common, port: ours.port, isCounted: true });
  const bareReader = await makeReader(fixture, { ...common, port: bare.port, isCounted: false });
  return {
    ours: () => oursReader.round(),
    base: () => bareReader.round(),
    async close() {
      await bare.stop();
      await ours.stop();
    },
  };
}

/** Creates a checkout that collects from its party of six; returns its path. */
export async function createCollectingCheckout(port: number, key: string): Promise<string> {
  const { id } = await createOnce(port, key, newBody(PARTY_SIZE));
  const response = await fetch(`http://127.0.0.1:${port}/v1/test_helpers/checkouts/${id}/collect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  if (response.status !== 200) throw new Error(`collect answered ${response.status}: ${await response.text()}`);
  return `${CHECKOUTS_PATH}/${id}`;
}
