// Deliveries a second to the healthy endpoints while one in a hundred hangs, against none hanging.

import type { Bench, Prepared } from './bench.ts';
import type { Stage } from './stage.ts';

const ENDPOINTS = 100;

export const deliverBesideHanging: Bench = {
  name: 'deliver-beside-hanging',
  floor: 0.9,
  goal: 0.98,
  unit: 'deliveries/s',
  better: 'more',
  note: '100 endpoints of one host with 60 events each (20 with --quick), one of which takes every post and never answers; until every healthy endpoint has all of its own.',
  rounds: { full: 7, quick: 3 },
  sides: { ours: 'one in a hundred hangs', base: 'none hangs' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const deliveries = await stage.deliveries();
  const side = async (hanging: number): Promise<() => Promise<number>> => {
    const venueIds: string[] = [];
    while (venueIds.length < ENDPOINTS) venueIds.push((await stage.makeVenue(0)).id);
    const mail = { venueIds, each: stage.quick ? 20 : 60, hanging };
    await deliveries.open(mail);
    // Each time the one that hangs begins as good as the others: it must be found out anew.
    return async () => {
      await deliveries.load(mail);
      return deliveries.deliver(mail);
    };
  };
  const [ours, base] = [await side(1), await side(0)];
  await base();
  return { ours, base, close: async () => undefined };
}
