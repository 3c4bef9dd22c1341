// Reading against a bare Fastify route that returns the same JSON text: what authentication, the limit, the checks and
// the database cost.

import type { Bench, Prepared } from './bench.ts';
import { makeReader, readOnce } from './reads.ts';
import type { Stage } from './stage.ts';

const PATH = '/v1/me';

export const readCheckout: Bench = {
  name: 'read-checkout',
  floor: 0.35,
  goal: 0.55,
  unit: 'requests/s',
  better: 'more',
  note: 'Measured on GET /v1/me with one key over 48 connections until GET /v1/checkouts/{id} is there.',
  rounds: { full: 13, quick: 5 },
  sides: { ours: 'our server', base: 'bare Fastify' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const keys = await stage.makeKeys(1);
  const ours = await stage.startOurs();
  const text = await readOnce(ours.port, PATH, keys[0] ?? '');
  const bare = await stage.startBare(PATH, text);
  if ((await readOnce(bare.port, PATH, '')) !== text) throw new Error('the two sides do not answer the same');
  const common = { path: PATH, keys, length: Buffer.byteLength(text) };
  const oursReader = await makeReader(stage, { ...common, port: ours.port, counted: true });
  const bareReader = await makeReader(stage, { ...common, port: bare.port, counted: false });
  return {
    ours: () => oursReader.round(),
    base: () => bareReader.round(),
    async close() {
      await bare.stop();
      await ours.stop();
    },
  };
}
