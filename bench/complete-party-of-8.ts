// Parties of 8 from collecting to completed, with the real processor, against their SQL alone: what asking the processor
// and deciding cost beside writing it down.

import { systemClock } from '../src/base/clock.ts';
import { makeIds } from '../src/base/ids.ts';
import { systemRandom } from '../src/base/random.ts';
import type { Bench, Prepared } from './bench.ts';
import { insist } from './creates.ts';
import type { Party, Recording } from './money.ts';
import { forParty } from './recorder.ts';
import type { Stage } from './stage.ts';

const SIZE = 8;
const VENUES = 8;
/** Parties at once, and in a round so many times that. */
const AT_ONCE = { full: 16, quick: 6 };
const TIMES = { full: 3, quick: 1 };

export const completePartyOf8: Bench = {
  name: 'complete-party-of-8',
  floor: 0.4,
  goal: 0.7,
  unit: 'parties/s',
  better: 'more',
  note: 'Eight holds asked for, recorded, verified and captured through the commands of the program, the stripe adapter and the embedded processor in its own process, 16 parties at once (6 with --quick); against the statements of one such completion, written down and sent again for other parties, equally many at once. What a guest does at the processor (giving a card) is not timed.',
  rounds: { full: 7, quick: 2 },
  sides: { ours: 'our commands', base: 'their SQL alone' },
  prepare,
};

async function prepare(stage: Stage): Promise<Prepared> {
  const money = await stage.money();
  const sql = stage.sql();
  const ids = makeIds(systemClock, systemRandom);
  const atOnce = stage.quick ? AT_ONCE.quick : AT_ONCE.full;
  const venueIds: string[] = [];
  while (venueIds.length < VENUES) venueIds.push((await stage.makeVenue(0)).id);
  // With a fee, so that nothing is left out of the books.
  await stage.db.query('update venues set fee_bps = 250, fee_fixed = 30 where venue_id = any($1)', [venueIds]);
  const seated = (parties: number): Promise<Party[]> => money.seat(venueIds, parties, SIZE);
  const ours = async (count: number): Promise<number> => {
    const parties = await seated(count);
    const seconds = await money.complete(parties, atOnce);
    await insistOnCompletion(stage, parties);
    return count / seconds;
  };
  const base = async (recording: Recording, count: number): Promise<number> => {
    const parties = await seated(count);
    const chains = parties.map((party) => forParty(recording, party, ids));
    const order = { texts: recording.texts, atOnce };
    const opened = await sql.run({ ...order, chains: chains.map(({ opening }) => opening) });
    const settled = await sql.run({ ...order, chains: chains.map(({ settling }) => settling) });
    await insistOnCompletion(stage, parties);
    return count / (opened.seconds + settled.seconds);
  };
  const count = atOnce * (stage.quick ? TIMES.quick : TIMES.full);
  await ours(atOnce);
  // The statements of a warm program: the first time each is sent differs in nothing, but let it be ordinary.
  const [party] = await seated(1);
  const recording = await money.record(party as Party);
  await insistOnCompletion(stage, [party as Party]);
  await base(recording, atOnce);
  return { ours: () => ours(count), base: () => base(recording, count), close: async () => undefined };
}

/** What the books must say about a completed party, each count for one. */
const WANTED = {
  completed: 1,
  shares: SIZE,
  holds: SIZE,
  entries: 3 * SIZE,
  transfers: SIZE,
  payouts: 1,
  events: 4 + SIZE,
};

async function insistOnCompletion({ db }: Stage, parties: readonly Party[]): Promise<void> {
  const rows = await db.query<Record<keyof typeof WANTED, number>>(
    `with mine as (select * from unnest($1::uuid[], $2::text[]) as m(venue_id, checkout_id))
     select
       (select count(*) from checkouts join mine using (venue_id, checkout_id) where status = 'completed') as completed,
       (select count(*) from shares join mine using (venue_id, checkout_id) where status = 'captured') as shares,
       (select count(*) from holds join mine using (venue_id, checkout_id) where status = 'captured') as holds,
       (select count(*) from ledger_entries join mine using (venue_id, checkout_id)) as entries,
       (select count(*) from movements join mine using (venue_id, checkout_id) where kind = 'transfer') as transfers,
       (select count(*) from payouts join mine using (venue_id, checkout_id)) as payouts,
       (select count(*) from events e join mine m on m.venue_id = e.venue_id and m.checkout_id = e.subject) as events`,
    [parties.map(({ venueId }) => venueId), parties.map(({ checkoutId }) => checkoutId)],
  );
  for (const [what, each] of Object.entries(WANTED)) {
    insist(`${what} of ${parties.length} parties`, rows[0]?.[what as keyof typeof WANTED] ?? 0, each * parties.length);
  }
}
