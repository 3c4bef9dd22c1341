// Races of the last hold. Two concurrent last holds fund the checkout, because the decision is made under the row lock.
// The last hold, a cancel and an expiry at the same moment have one winner, at the processor too. RACES=10000 runs ten
// thousand races (--reporter=verbose prints how many each side won); the default is fewer.

import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Problem } from '../../src/base/errors.ts';
import { cancelCheckout } from '../../src/domain/checkouts/cancel.ts';
import { expireOne } from '../../src/domain/checkouts/expire.ts';
import { decideFromFacts } from '../../src/domain/checkouts/holds/decide-hold.ts';
import { settleDueHolds, settleHoldNow } from '../../src/domain/checkouts/holds/settle-hold.ts';
import type { PaymentServices } from '../../src/domain/checkouts/payment-services.ts';
import { readCheckout } from '../../src/domain/checkouts/queries.ts';
import { writeSteps } from '../../src/domain/checkouts/write-steps.ts';
import type { Caller } from '../../src/domain/keys/caller.ts';
import { makeStripeProcessor } from '../../src/domain/payments/stripe.ts';
import { isDistributed } from '../support/distributed.ts';
import { repetitions } from '../support/random-runs.ts';
import { CARDS, HOUR, intentIdOf, type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { openTestWorld, PROCESSOR_KEYS, type TestWorld } from '../support/test-world.ts';
import { runUntilIdle, waitFor } from '../support/wait-for.ts';

// Repeats races many times.
vi.setConfig({ testTimeout: 120_000 });

const RACES = Number(process.env.RACES ?? repetitions(100, 300));
const CONCURRENT_RACES = 6;
const MAX_DELAY_MS = 10;

let world: TestWorld;
let venue: TestVenue;
let stripe: Stripe;
let services: PaymentServices;
beforeAll(async () => {
  world = await openTestWorld();
  venue = await openTestVenue(world);
  const { secret, publishable } = PROCESSOR_KEYS.test;
  const httpClient = inProcess();
  stripe = new Stripe(secret, { httpClient, telemetry: false, maxNetworkRetries: 0 });
  const near = makeStripeProcessor({ mode: 'test', secretKey: secret, publishableKey: publishable, httpClient });
  services = { ...world.context.services, processors: { test: near } };
});
afterAll(() => world.close());

/** The official client, calling the processor in this process: no sockets, the same answers. */
function inProcess(): Stripe.HttpClient {
  return {
    getClientName: () => 'in-process',
    makeRequest: async (_host, _port, path, method, sent, body) => {
      const headers = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)]);
      const answer = await world.processor.api.handle({ method, path, headers: Object.fromEntries(headers), body });
      if (answer.fault !== undefined) throw Stripe.HttpClient.makeTimeoutError();
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => ({ ...answer.headers }),
        getRawResponse: () => ({}),
        toStream: () => null,
        toJSON: async () => JSON.parse(answer.body),
      };
    },
  };
}

describe('two concurrent last holds', () => {
  /** One of three shares is held. The cards of the other two are held at the processor, but not polled yet. */
  async function almostFundedCheckout(): Promise<{ checkout: Json; holds: string[]; intents: string[] }> {
    const checkout = await venue.collecting({ party_size: 3 });
    await venue.pay(checkout.id, checkout.shares[0].id, CARDS.good);
    const secrets = await Promise.all(
      [1, 2].map((position) => venue.secretFor(checkout.id, checkout.shares[position].id)),
    );
    for (const secret of secrets) await venue.confirm(secret, CARDS.good);
    return { checkout, holds: secrets.map(({ holdId }) => holdId), intents: secrets.map(intentIdOf) };
  }

  const statusOf = async (id: string): Promise<string | undefined> =>
    (await readCheckout(world.db, venue.venueId, id))?.status;

  it.skipIf(isDistributed)('wait for the row lock, see each other, and fund and complete the checkout', async () => {
    for (let round = 0; round < 5; round++) {
      const { checkout, holds } = await almostFundedCheckout();
      const { looking } = await world.db.transaction(async (tx) => {
        // This lock must come first, so that both holds wait for it.
        await tx.query('select 1 from checkouts where venue_id = $1 and checkout_id = $2 for no key update', [
          venue.venueId,
          checkout.id,
        ]);
        const looking = Promise.all(holds.map((holdId) => venue.settleHold(holdId)));
        await waitFor('both wait for the row', async () => {
          const rows = await world.db.priority.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rows.length === 2;
        });
        return { looking };
      });
      await looking;
      expect(await statusOf(checkout.id)).toBe('completed');
      expect((await venue.eventTypes(checkout.id)).filter((type) => type === 'checkout.funded')).toHaveLength(1);
      expect(await venue.chargedAtProcessor(checkout.id)).toBe(checkout.amount);
    }
  });

  it('without the lock each see the other share unpaid, and neither funds the checkout', async () => {
    const { checkout, holds, intents } = await almostFundedCheckout();
    let waiting = 0;
    let bothHaveRead = (): void => undefined;
    const barrier = new Promise<void>((resolve) => {
      bothHaveRead = resolve;
    });
    const facts = await Promise.all(intents.map((intent) => services.processors.test?.retrieveHold(intent)));
    const transactions = holds.map((holdId, position) =>
      world.db.transaction(async (tx) => {
        const unlockedCheckout = await readCheckout(tx, venue.venueId, checkout.id);
        if (++waiting === 2) bothHaveRead();
        await barrier;
        const current = facts[position];
        if (unlockedCheckout === null || current === undefined)
          throw new Error('there is no checkout, or the processor does not know its hold');
        // Without the events, whose sequence would reject the second transaction: this test is about the transitions.
        const steps = decideFromFacts(unlockedCheckout, holdId, current, Date.now()).filter(
          ({ step }) => step !== 'record event',
        );
        await writeSteps(tx, { ids: services.ids, now: Date.now() }, unlockedCheckout, steps);
      }),
    );
    await Promise.all(transactions);
    expect(await statusOf(checkout.id)).toBe('collecting');
    expect((await venue.read(checkout.id)).shares.map(({ status }: Json) => status)).toEqual(Array(3).fill('held'));
  });
});

interface Racer {
  readonly id: string;
  readonly lastHold: string;
  /** A venue for each batch: events of one venue in one millisecond must search ever longer for a free timestamp. */
  readonly payBy: number;
}

/** Without the client library, which is slower than the processor. */
async function holdAtProcessor(
  checkoutId: string,
  share: { id: string; holdId: string },
): Promise<{ id: string; latest_charge: string }> {
  const body = new URLSearchParams({
    amount: '5000',
    currency: 'usd',
    capture_method: 'manual',
    payment_method: 'pm_card_visa',
    confirm: 'true',
    'metadata[venue_id]': venue.venueId,
    'metadata[checkout_id]': checkoutId,
    'metadata[share_id]': share.id,
    'metadata[hold_id]': share.holdId,
  });
  const headers = { authorization: `Bearer ${PROCESSOR_KEYS.test.secret}` };
  const answer = await world.processor.api.handle({
    method: 'POST',
    path: '/v1/payment_intents',
    headers,
    body: body.toString(),
  });
  if (answer.fault !== undefined || answer.status !== 200) throw new Error('the processor does not hold a good card');
  return JSON.parse(answer.body);
}

/** Checkouts of two shares: one is held; the card of the other is held at the processor, but not polled yet. */
async function createRacers(count: number, payBy: number): Promise<Racer[]> {
  const created = Array.from({ length: count }, (_, position) => ({
    id: services.ids.prefixed('chk'),
    position,
    shares: [0, 1].map(() => ({ id: services.ids.prefixed('shr'), holdId: randomUUID(), intentId: '', chargeId: '' })),
  }));
  for (const { id, shares } of created) {
    for (const share of shares) {
      const intent = await holdAtProcessor(id, share);
      share.intentId = intent.id;
      share.chargeId = intent.latest_charge;
    }
  }
  const all = created.flatMap(({ id, shares }) =>
    shares.map((share, position) => ({ ...share, checkoutId: id, position })),
  );
  await world.db.transaction(async (tx) => {
    await tx.query(
      `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by, expires_at,
         description, external_booking_id, url, return_url, metadata, fingerprint, created_at)
       select $1, n.id, 'test', 'open', 10000, 'usd', 300, 2, at.pay_by, at.pay_by, 'A race',
         n.id, 'https://x.example', 'https://x.example', '{}', '', now() + n.position * interval '1 microsecond'
       from unnest($2::text[]) with ordinality as n(id, position)
         cross join lateral (select to_timestamp(($3 + n.position - 1) / 1000.0) as pay_by) at`,
      [venue.venueId, created.map(({ id }) => id), payBy],
    );
    const columns = [
      all.map(({ id }) => id),
      all.map(({ checkoutId }) => checkoutId),
      all.map(({ position }) => position),
      all.map(({ holdId }) => holdId),
      all.map(({ intentId }) => intentId),
      all.map(({ chargeId }) => chargeId),
    ];
    const rows = `unnest($2::text[], $3::text[], $4::smallint[], $5::uuid[], $6::text[], $7::text[])
      as n(share_id, checkout_id, position, hold_id, intent_id, charge_id)`;
    const of = [venue.venueId, ...columns];
    await tx.query(
      `update checkouts set status = 'collecting', organizer_id = '00000000-0000-7000-8000-000000000001' where checkout_id = any($1)`,
      [created.map(({ id }) => id)],
    );
    await tx.query(
      `with n as (select * from ${rows}), s as (
         insert into shares (venue_id, share_id, checkout_id, position, amount, status, is_organizer, member_id, invited_at)
         select $1, n.share_id, n.checkout_id, n.position, 5000, 'invited', n.position = 0, gen_random_uuid(), now() from n)
       select 1`,
      of,
    );
    await tx.query(
      `insert into holds (venue_id, hold_id, checkout_id, share_id, mode, status, amount, currency, saves_card, intent_id,
         charge_id, due_at, created_at)
       select $1, n.hold_id, n.checkout_id, n.share_id, 'test', 'requested', 5000, 'usd', false, n.intent_id, n.charge_id,
         now() + interval '1 hour', now() from ${rows}`,
      of,
    );
    await tx.query(
      `with n as (select * from ${rows})
       update holds h set status = case n.position when 0 then 'held' else 'open' end from n
       where h.venue_id = $1 and h.hold_id = n.hold_id`,
      of,
    );
    await tx.query(
      `with n as (select * from ${rows})
       update shares s set status = 'held', held_at = now() from n
       where s.venue_id = $1 and s.share_id = n.share_id and n.position = 0`,
      of,
    );
  });
  return created.map(({ id, shares, position }) => ({
    id,
    lastHold: shares[1]?.holdId ?? '',
    payBy: payBy + position,
  }));
}

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Of ten races, three begin with one side alone, so that each side wins some on a machine of any speed. */
const SIDES_OF_TEN = ['hold', 'cancel', 'expiry'] as const;

/** Runs the three at once, each with a clock that allows it. Returns whether the cancel was accepted. */
async function race({ id, lastHold, payBy }: Racer, number: number): Promise<boolean> {
  const caller = {
    ...world.command(),
    venue: { id: venue.venueId },
    mode: 'test',
    now: payBy - 1,
  } as unknown as Caller;
  const input = { params: { id }, query: {}, body: undefined, whenNew: [] } as never;
  const first = SIDES_OF_TEN[number % 10];
  let hasEnded: () => void = () => undefined;
  const start = first === undefined ? Promise.resolve() : new Promise<void>((resolve) => (hasEnded = resolve));
  const run = async <T>(side: (typeof SIDES_OF_TEN)[number], delayMs: number, act: () => Promise<T>): Promise<T> => {
    if (side !== first) await start.then(() => soon(delayMs));
    return act().finally(() => side === first && hasEnded());
  };
  const cancel = (): Promise<boolean> =>
    world.db
      .transaction((tx) => cancelCheckout(tx, caller, input))
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem && error.detail.reason === 'checkout_not_cancelable') return false;
          throw error;
        },
      );
  const seen = await readCheckout(world.db, venue.venueId, id);
  const [, canceled] = await Promise.all([
    run('hold', 0, () => settleHoldNow(services, venue.venueId, lastHold, seen)),
    run('cancel', Math.random() * MAX_DELAY_MS, cancel),
    run('expiry', Math.random() * MAX_DELAY_MS, () =>
      expireOne(world.db, { ids: services.ids, now: payBy }, venue.venueId, id),
    ),
  ]);
  return canceled;
}

/** The outcome of one race in our rows. */
interface Outcome {
  readonly id: string;
  readonly status: string;
  readonly ends: string[];
  readonly shares: string[];
  readonly holds: string[];
  readonly posted: number;
}

/** Of every race, a thousand at a time, because of the statement time-out. */
async function outcomes(): Promise<Outcome[]> {
  const all: Outcome[] = [];
  for (let page: Outcome[] | null = null; page?.length !== 0; ) {
    page = await world.db.query<Outcome>(
      `with c as materialized (
         select venue_id, checkout_id, status from checkouts
         where venue_id = $1 and checkout_id > $2 and description = 'A race' order by checkout_id limit 1000),
       s as materialized (
         select checkout_id, array_agg(status order by position) as shares from shares
         where venue_id = $1 and checkout_id in (select checkout_id from c) group by checkout_id)
       select c.checkout_id as id, c.status, coalesce(s.shares, '{}') as shares,
         array(select replace(e.type, 'checkout.', '') from events e where e.venue_id = $1 and e.subject = c.checkout_id
           and e.type in ('checkout.completed', 'checkout.canceled', 'checkout.expired')) as ends,
         array(select distinct h.status from holds h where h.venue_id = $1 and h.checkout_id = c.checkout_id) as holds,
         (select coalesce(sum(l.amount), 0)::integer from ledger_entries l where l.venue_id = $1
           and l.checkout_id = c.checkout_id and l.kind = 'capture') as posted
       from c left join s using (checkout_id) order by c.checkout_id`,
      [venue.venueId, all.at(-1)?.id ?? ''],
    );
    all.push(...page);
  }
  return all;
}

describe('the last hold, a cancel and an expiry', () => {
  it(`have one winner in each of ${RACES} races, and the processor agrees`, { timeout: 3_600_000 }, async ({
    annotate,
  }) => {
    const payBy = Date.now() + HOUR;
    const field: Racer[] = [];
    for (let left = RACES; left > 0; left -= 500)
      field.push(...(await createRacers(Math.min(left, 500), payBy + left)));
    const accepted = new Set<string>();
    const queue = [...field];
    const runRaces = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
        if (await race(next, queue.length)) accepted.add(next.id);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_RACES }, runRaces));
    // The releases of the cancel and the expiry are due by their own clocks, later than the wall clock.
    await world.db.query(
      `update holds set due_at = now() - interval '1 second' where venue_id = $1 and status = 'releasing'`,
      [venue.venueId],
    );
    await soon(5);
    await runUntilIdle('settling holds', () => settleDueHolds(services, 100));
    // The planner has no statistics of so many new rows; without this the query takes too long.
    await world.db.query('analyze checkouts, shares, holds, events, ledger_entries');

    const rows = await outcomes();
    expect(rows).toHaveLength(RACES);
    const won: Record<string, number> = { completed: 0, canceled: 0, expired: 0 };
    for (const { id, status, ends, shares, holds, posted } of rows) {
      won[status] = (won[status] ?? 0) + 1;
      expect([id, ends]).toEqual([id, [status]]);
      expect([id, accepted.has(id)]).toEqual([id, status === 'canceled']);
      const isDone = status === 'completed';
      expect([id, holds, posted]).toEqual([id, isDone ? ['captured'] : ['released'], isDone ? 10_000 : 0]);
      expect(shares).toEqual(isDone ? ['captured', 'captured'] : ['released', 'invited']);
    }
    await annotate(JSON.stringify(won));
    expect(Object.keys(won).sort()).toEqual(['canceled', 'completed', 'expired']);
    expect(Math.min(...Object.values(won)), JSON.stringify(won)).toBeGreaterThan(RACES / 100);
    await expectProcessorAgrees(new Map(rows.map(({ id, status }) => [id, status])));
  });

  async function expectProcessorAgrees(statuses: ReadonlyMap<string, string>): Promise<void> {
    let current = 0;
    for await (const { metadata, status } of stripe.paymentIntents.list({ limit: 100 })) {
      const end = statuses.get(metadata.checkout_id ?? '');
      if (end === undefined) continue;
      current++;
      if (status !== (end === 'completed' ? 'succeeded' : 'canceled')) {
        throw new Error(`checkout ${metadata.checkout_id} is ${end} and its hold at the processor is ${status}`);
      }
    }
    expect(current).toBe(2 * RACES);
  }
});
