// Deliveries a second to the healthy endpoints beside bad ones, against none that is bad: while one in a hundred hangs, and
// while one hangs and one answers noise.

import type { Bench, Prepared } from './bench.ts';
import type { Bad } from './deliveries.ts';
import type { Stage } from './stage.ts';

const ENDPOINTS = 100;
const SHARED = {
  floor: 0.9,
  goal: 0.98,
  unit: 'deliveries/s',
  better: 'more',
  rounds: { full: 13, quick: 2 },
} as const;

export const deliverBesideHanging: Bench = {
  ...SHARED,
  name: 'deliver-beside-hanging',
  note: '100 endpoints of one host with 150 events each (20 with --quick), one of which takes every post and never answers; until every healthy endpoint has all of its own.',
  sides: { ours: 'one in a hundred hangs', base: 'none hangs' },
  prepare: (stage) => prepare(stage, ['hang']),
};

export const deliverBesideGarbage: Bench = {
  ...SHARED,
  name: 'deliver-beside-garbage',
  isExtra: true,
  note: 'The same beside two: one never answers, one answers noise, in turn bytes that are no HTTP and a 500 with 64 KB.',
  sides: { ours: 'one hangs, one answers noise', base: 'all answer' },
  prepare: (stage) => prepare(stage, ['hang', 'garbage']),
};

async function prepare(stage: Stage, bad: readonly Bad[]): Promise<Prepared> {
  const deliveries = await stage.deliveries();
  const side = async (these: readonly Bad[]): Promise<() => Promise<number>> => {
    const venues = await Promise.all(Array.from({ length: ENDPOINTS }, () => stage.makeVenue(0)));
    const mail = { venueIds: venues.map(({ id }) => id), each: stage.quick ? 20 : 150, bad: these };
    await deliveries.open(mail);
    // Each time the bad ones begin as good as the others: they must be found out anew.
    return async () => {
      await deliveries.load(mail);
      return deliveries.deliver(mail);
    };
  };
  const [ours, base] = [await side(bad), await side([])];
  await ours();
  await base();
  return { ours, base, close: async () => undefined };
}
