// Parties of 8 from collecting to completed, with the embedded processor, against their SQL alone: the cost of the
// calls to the processor and of our decisions.

import { systemClock } from '../src/base/clock.ts';
import { makeIds } from '../src/base/ids.ts';
import { systemRandom } from '../src/base/random.ts';
import type { Bench, PreparedBench } from './bench.ts';
import { expectCount } from './create-load.ts';
import type { BenchFixture } from './fixture.ts';
import type { Party, Recording } from './payments.ts';
import { replayFor } from './recorder.ts';

const PARTY_SIZE = 8;
const VENUES = 8;
/** Parties at the same time; a round has this many, times BATCHES_PER_ROUND. */
const CONCURRENCY = { full: 16, quick: 6 };
const BATCHES_PER_ROUND = { full: 3, quick: 1 };

export const completePartyOf8: Bench = {
  name: 'complete-party-of-8',
  floor: 0.5,
  goal: 0.75,
  unit: 'parties/s',
  better: 'more',
  note: 'Eight holds created, recorded, verified and captured through the commands of the program, the stripe adapter and the embedded processor in its own process, 16 parties at the same time (6 with --quick); against the recorded statements of one such completion, replayed for other parties, equally many at the same time. The guests’ payments at the processor are not timed.',
  rounds: { full: 7, quick: 2 },
  sides: { ours: 'our commands', base: 'their SQL alone' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const payments = await fixture.payments();
  const sql = fixture.sql();
  const ids = makeIds(systemClock, systemRandom);
  const concurrency = fixture.isQuick ? CONCURRENCY.quick : CONCURRENCY.full;
  const venueIds: string[] = [];
  while (venueIds.length < VENUES) venueIds.push((await fixture.makeVenue(0)).id);
  // A fee, so that completion writes every kind of ledger entry.
  await fixture.db.query('update venues set fee_bps = 250, fee_fixed = 30 where venue_id = any($1)', [venueIds]);
  const createParties = (parties: number): Promise<Party[]> => payments.createParties(venueIds, parties, PARTY_SIZE);
  const ours = async (count: number): Promise<number> => {
    const parties = await createParties(count);
    const seconds = await payments.complete(parties, concurrency);
    await expectCompleted(fixture, parties);
    return count / seconds;
  };
  const base = async (recording: Recording, count: number): Promise<number> => {
    const parties = await createParties(count);
    const chains = parties.map((party) => replayFor(recording, party, ids));
    const job = { texts: recording.texts, concurrency };
    const opened = await sql.run({ ...job, chains: chains.map(({ openUnits }) => openUnits) });
    const settled = await sql.run({ ...job, chains: chains.map(({ settleUnits }) => settleUnits) });
    await expectCompleted(fixture, parties);
    return count / (opened.seconds + settled.seconds);
  };
  const count = concurrency * (fixture.isQuick ? BATCHES_PER_ROUND.quick : BATCHES_PER_ROUND.full);
  await ours(concurrency);
  // Record only after the warm-up, when the program runs as in the measured rounds.
  const [party] = await createParties(1);
  const recording = await payments.record(party as Party);
  await expectCompleted(fixture, [party as Party]);
  await base(recording, concurrency);
  return {
    ours: () => ours(count),
    base: () => base(recording, count),
    // The worker of another bench must not send these transfers: its processor has never heard of their charges.
    close: async () => {
      await fixture.db.query(`update movements set due_at = due_at + interval '1 year' where venue_id = any($1)`, [
        venueIds,
      ]);
    },
  };
}

/** Rows that one completed party must have. */
const ROWS_PER_PARTY = {
  completed: 1,
  shares: PARTY_SIZE,
  holds: PARTY_SIZE,
  // Of each share: the capture, the processor's fee for it, the venue's part and ours.
  entries: 4 * PARTY_SIZE,
  transfers: PARTY_SIZE,
  payouts: 1,
  events: 4 + PARTY_SIZE,
};

async function expectCompleted({ db }: BenchFixture, parties: readonly Party[]): Promise<void> {
  const rows = await db.query<Record<keyof typeof ROWS_PER_PARTY, number>>(
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
  for (const [what, each] of Object.entries(ROWS_PER_PARTY)) {
    expectCount(
      `${what} of ${parties.length} parties`,
      rows[0]?.[what as keyof typeof ROWS_PER_PARTY] ?? 0,
      each * parties.length,
    );
  }
}
