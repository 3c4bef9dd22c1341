// Admission of keys whose rolling hour is full of calls, beside those of thousands of other keys, against an empty table:
// counting a call must not take longer after a day at full rate.

import { systemClock } from '../src/base/clock.ts';
import { hashTextOfKey } from '../src/domain/keys/key.ts';
import { makeAdmission } from '../src/run/admission.ts';
import type { Bench, PreparedBench } from './bench.ts';
import type { BenchFixture } from './fixture.ts';
import { type GrowthSide, insertRows, openGrowthSide, vacuum } from './growth-side.ts';

const KEYS = 96;
const CALLERS = 48;
/** Of a key, in its hour. */
const CALLS_PER_KEY = { full: 5_000, quick: 500 };
/** Other subjects, with a call each. */
const OTHERS = { full: 1_000_000, quick: 20_000 };
const ROUND_CALLS = { full: 12_000, quick: 1_000 };

export const rollingHourGrowth: Bench = {
  name: 'rolling-hour-growth',
  isExtra: true,
  floor: 0.9,
  goal: 1,
  unit: 'calls/s',
  better: 'more',
  note: `Admission of ${KEYS} keys by ${CALLERS} callers at the same time, each key with 5,000 calls in its hour, beside 1,000,000 subjects with a call each, against empty tables (500 and 20,000 with --quick).`,
  rounds: { full: 9, quick: 2 },
  sides: { ours: 'after a day at full rate', base: 'empty' },
  prepare,
};

async function prepare(fixture: BenchFixture): Promise<PreparedBench> {
  const size = fixture.isQuick ? 'quick' : 'full';
  const full = await openGrowthSide(fixture, 'hour-full', KEYS);
  const empty = await openGrowthSide(fixture, 'hour-empty', KEYS);
  await fillHour(full, CALLS_PER_KEY[size], OTHERS[size]);
  const [ours, base] = [rounds(full, ROUND_CALLS[size]), rounds(empty, ROUND_CALLS[size])];
  await ours();
  await base();
  // The calls of the warm-up count as history too: the empty side starts again.
  return {
    ours,
    base: async () => {
      await empty.db.query('truncate limit_windows, limit_calls');
      return base();
    },
    async close() {
      await full.db.close();
      await empty.db.close();
    },
  };
}

/** Calls evenly over the last hour, as at full rate: during the run some leave the hour and are deleted. */
async function fillHour(side: GrowthSide, callsPerKey: number, others: number): Promise<void> {
  const spread = (all: number): string => `now() - interval '1 hour' * (1 - i::float8 / ${all + 1})`;
  const subject = `'key ' || k.key_id || ' read'`;
  const ids = 'from generate_series($2::integer, $3::integer) i';
  await insertRows(
    side,
    [
      `insert into limit_calls (subject, at, calls, total) select 'address ' || i || $1::uuid, ${spread(others)}, 1, 1 ${ids}`,
      `insert into limit_windows (subject, total, last_at) select 'address ' || i || $1::uuid, 1, ${spread(others)} ${ids}`,
    ],
    others,
  );
  await insertRows(
    side,
    [
      `insert into limit_calls (subject, at, calls, total)
       select ${subject}, ${spread(callsPerKey)}, 1, i ${ids} cross join keys k where k.venue_id = $1`,
    ],
    callsPerKey,
  );
  await side.db.query(
    `insert into limit_windows (subject, total, last_at) select ${subject}, $2, now() from keys k where k.venue_id = $1`,
    [side.venueId, callsPerKey],
  );
  await vacuum(side, ['limit_calls', 'limit_windows']);
}

function rounds({ db, keys }: GrowthSide, calls: number): () => Promise<number> {
  const admit = makeAdmission(db, systemClock);
  const hashes = keys.map(hashTextOfKey);
  return async () => {
    let next = 0;
    const startedAt = performance.now();
    const caller = async (): Promise<void> => {
      while (next < calls) {
        const hash = hashes[next++ % KEYS] ?? '';
        const { key, rateLimit } = await admit({ hash, effect: 'read', address: '127.0.0.1', origin: '' });
        if (key === null || rateLimit.retryAfter !== null) throw new Error('a call was not admitted');
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return calls / ((performance.now() - startedAt) / 1000);
  };
}
