// Reading a checkout with its party against a bare Fastify route that returns the same JSON text: what authentication,
// the limit, the checks and the database cost.

import type { Bench, Prepared } from './bench.ts';
import { createOnce, newBody, PATH } from './creates.ts';
import { makeReader, readOnce } from './reads.ts';
import type { Stage } from './stage.ts';

const PARTY = 6;

export const readCheckout: Bench = {
  name: 'read-checkout',
  floor: 0.35,
  goal: 0.55,
  unit: 'requests/s',
  better: 'more',
  note: 'GET /v1/checkouts/{id} of a checkout with 6 shares, with one key over 48 connections.',
  rounds: { full: 13, quick: 3 },
  sides: { ours: 'our server', base: 'bare Fastify' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const { keys } = await stage.makeVenue(1);
  const ours = await stage.serveOurs();
  const path = await makeParty(ours.port, keys[0] ?? '');
  const text = await readOnce(ours.port, path, keys[0] ?? '');
  if ((JSON.parse(text) as { shares: unknown[] }).shares.length !== PARTY) throw new Error(`not ${PARTY} shares`);
  const bare = await stage.startBare(path, text);
  if ((await readOnce(bare.port, path, '')) !== text) throw new Error('the two sides do not answer the same');
  const common = { path, keys, length: Buffer.byteLength(text), warm: stage.seconds.warmAlone };
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

/** The path of a new checkout that collects from its party. */
async function makeParty(port: number, key: string): Promise<string> {
  const { id } = await createOnce(port, key, newBody(PARTY));
  const answer = await fetch(`http://127.0.0.1:${port}/v1/test_helpers/checkouts/${id}/collect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  if (answer.status !== 200) throw new Error(`collect answered ${answer.status}: ${await answer.text()}`);
  return `${PATH}/${id}`;
}
