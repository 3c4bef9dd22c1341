// Deliveries a second, from the event log to acknowledged and written down, against a raw loop that posts the same bytes.

import type { Bench, Prepared } from './bench.ts';
import type { Stage } from './stage.ts';

const ENDPOINTS = 16;
/** As many as we have under way at the most: eight for each endpoint. */
const AT_ONCE = ENDPOINTS * 8;

export const deliverEvents: Bench = {
  name: 'deliver-events',
  floor: 0.5,
  goal: 0.8,
  unit: 'deliveries/s',
  better: 'more',
  note: `16 endpoints with 1,000 events each (150 with --quick), of 2 KB, over TLS: dispatched, signed, posted, written down; against ${AT_ONCE} keep-alive loops that post the same bytes, signed beforehand, to the same receiver, over connections that stay open from round to round, as ours do.`,
  rounds: { full: 7, quick: 2 },
  sides: { ours: 'our two loops', base: 'a raw loop' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const deliveries = await stage.deliveries();
  const venueIds: string[] = [];
  while (venueIds.length < ENDPOINTS) venueIds.push((await stage.makeVenue(0)).id);
  const mail = { venueIds, each: stage.quick ? 150 : 1_000, bad: [] };
  await deliveries.open(mail);
  const ours = async (): Promise<number> => {
    await deliveries.load(mail);
    return deliveries.deliver(mail);
  };
  // The events that have just been delivered, once more.
  const base = (): Promise<number> => deliveries.raw(mail, AT_ONCE);
  await ours();
  await base();
  return { ours, base, close: async () => undefined };
}
