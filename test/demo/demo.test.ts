// The demo's year: the same for the same seed, true to the ledger and to the processor, and only in an empty venue.

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { candidateFrom } from '../../src/base/schema/contract.ts';
import { rebuild } from '../../src/domain/analytics/rebuild.ts';
import { checkLedger } from '../../src/domain/checkouts/accounting/check-ledger.ts';
import { reconcile } from '../../src/domain/checkouts/accounting/reconcile.ts';
import {
  approvedOfferings,
  changedOffering,
  demoBoats,
  demoEvents,
  REJECTED_OFFERING,
  WAITING_OFFERING,
} from '../../src/domain/demo/catalogue-contents.ts';
import { type DemoOptions, type FilledVenue, fillVenue } from '../../src/domain/demo/fill-venue.ts';
import { factsFor } from '../../src/domain/venues/venue.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

// A busy machine needs a while for thousands of rows.
vi.setConfig({ hookTimeout: 180_000, testTimeout: 120_000 });

const UNTIL = Date.now();
const DAY_MS = 86_400_000;

function fill(world: TestWorld, options: Partial<DemoOptions> = {}): Promise<FilledVenue> {
  const usual = {
    venueId: null,
    seed: 7,
    until: UNTIL,
    mode: 'test',
    checkouts: 45,
    onProgress: () => undefined,
  } as const;
  return fillVenue(world.context.services, world.command(), { ...usual, ...options });
}

let world: TestWorld;
let filled: FilledVenue;
beforeAll(async () => {
  world = await openTestWorld();
  filled = await fill(world);
});
afterAll(() => world.close());

const get = (path: string) => world.call('GET', path, { key: filled.keys.secret });

describe('the demo’s year', () => {
  it('adds up in the ledger', async () => {
    const report = await checkLedger(world.db);
    expect(report.problems).toEqual([]);
    const accounts = report.balances.map(({ account }) => account);
    expect(accounts).toEqual(expect.arrayContaining(['fee_income', 'processor_fees', 'venue_payable']));
  });

  it('agrees with the card processor', async () => {
    const since = UNTIL - 400 * DAY_MS;
    const report = await reconcile(world.context.services, { mode: 'test', since, apply: null });
    expect(report.differences).toEqual([]);
    expect(report.compared).toBeGreaterThan(60);
  });

  it('can be read over the API, with its venue’s keys', async () => {
    const checkouts = (await get('/v1/checkouts?limit=100')).json;
    expect(checkouts.data.length).toBe(filled.checkouts);
    const statuses = new Set(checkouts.data.map(({ status }: { status: string }) => status));
    expect(statuses).toEqual(new Set(['open', 'collecting', 'completed', 'expired', 'canceled']));
    for (const path of ['/v1/events', '/v1/payouts', '/v1/offerings', '/v1/experiences', '/v1/boats', '/v1/me']) {
      const { status, json } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      if (Array.isArray(json.data)) expect([path, json.data.length > 2]).toEqual([path, true]);
    }
    const offerings = (await get('/v1/offerings?limit=100')).json.data;
    const reviewed = new Set(offerings.map(({ status }: { status: string }) => status));
    expect(reviewed).toEqual(new Set(['approved', 'pending', 'rejected']));
  });

  it('has an open and a lost dispute', async () => {
    const rows = await world.db.query('select status from disputes where venue_id = $1 order by status', [
      filled.venueId,
    ]);
    expect(rows).toEqual([{ status: 'lost' }, { status: 'needs_response' }]);
  });

  it('has an endpoint that recovered from an outage, and one that was disabled', async () => {
    const { data } = (await get('/v1/webhook_endpoints')).json;
    const statuses = data.map(({ status }: { status: string }) => status).sort();
    expect(statuses).toEqual(['active', 'disabled']);
    const active = data.find(({ status }: { status: string }) => status === 'active');
    const deliveries = (await get(`/v1/webhook_endpoints/${active.id}/deliveries?limit=100`)).json.data;
    expect(deliveries.length).toBeGreaterThan(20);
    expect(deliveries.every(({ status }: { status: string }) => status === 'delivered')).toBe(true);
  });

  it('has pictures of its catalogue that load', async () => {
    const rows = await world.db.query<{ hash: string; due: boolean }>(
      `select encode(file_hash, 'hex') as hash, due_at is not null as due from images where venue_id = $1`,
      [filled.venueId],
    );
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ due }) => due)).toEqual([]);
    const { status, headers } = await world.call('GET', `/guest/images/${rows[0]?.hash}.webp`);
    expect([status, headers.get('content-type')]).toEqual([200, 'image/webp']);
  });

  it('has a venue system with deliveries and their outcomes', async () => {
    const integrations = (await get('/v1/integrations')).json.data;
    expect(integrations.map(({ provider }: { provider: string }) => provider).sort()).toEqual(['custom', 'fareharbor']);
    const { id } = integrations.find(({ provider }: { provider: string }) => provider === 'fareharbor');
    const { data } = (await get(`/v1/integrations/${id}/deliveries?limit=100`)).json;
    const statuses = new Set(data.map(({ status }: { status: string }) => status));
    expect(statuses).toEqual(new Set(['applied', 'ignored', 'superseded', 'unmapped', 'needs_api_read']));
    expect(data.find(({ status }: { status: string }) => status === 'unmapped').reason).toMatch(/POST \/v1\/offerings/);
  });

  it('has figures that a recount of the activity does not change', async () => {
    const from = new Date(UNTIL - 120 * DAY_MS).toISOString();
    const read = async () => (await get(`/v1/analytics?from=${from}&to=${new Date(UNTIL).toISOString()}`)).json.data;
    const before = await read();
    expect(before.totals.views).toBeGreaterThan(20);
    await rebuild(world.db, filled.venueId);
    expect(await read()).toEqual(before);
  });

  it('has lines in the request log, a refused one with what was wrong, and a key that was used', async () => {
    const venue = [filled.venueId];
    const [{ lines, refused } = {}] = await world.db.query<{ lines: number; refused: number }>(
      `select (select count(*) from request_log where venue_id = $1) + (select sum(line_count) from request_blocks where venue_id = $1) as lines,
         (select count(failure) from request_log where venue_id = $1) as refused`,
      venue,
    );
    expect(lines).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(0);
    const keys = await world.db.query('select name from keys where venue_id = $1 and last_used_at is not null', venue);
    expect(keys).toEqual([{ name: 'Booking server' }]);
  });

  it('lets an old checkout be refunded, and the processor agrees', async () => {
    const { data } = (await get('/v1/checkouts?limit=100&status=completed')).json;
    const old = data.findLast((one: { refunded_amount: number }) => one.refunded_amount === 0);
    const answer = await world.call('POST', `/v1/checkouts/${old.id}/refund`, {
      key: filled.keys.secret,
      body: { amount: 500, reason: 'a test' },
    });
    expect(answer.json).toMatchObject({ refunded_amount: 500, failed_refund_amount: 0 });
    await world.work();
    const since = UNTIL - 400 * DAY_MS;
    expect((await reconcile(world.context.services, { mode: 'test', since, apply: null })).differences).toEqual([]);
    expect((await checkLedger(world.db)).problems).toEqual([]);
  });

  it('writes a completed checkout as guests and workers do: the same rows with the same columns', async () => {
    const { data } = (await get('/v1/checkouts?limit=100&status=completed')).json;
    const unusual = await world.db.query<{ id: string }>(
      `select checkout_id as id from holds where refusal is not null
       union all select checkout_id from disputes union all select checkout_id from movements where status <> 'done'`,
    );
    const written = data.find(
      ({ id, refunded_amount }: { id: string; refunded_amount: number }) =>
        refunded_amount === 0 && !unusual.some((one) => one.id === id),
    );
    const driven = (
      await world.call('POST', '/v1/checkouts', {
        key: filled.keys.secret,
        body: {
          amount: written.amount,
          currency: 'usd',
          party_size: written.party_size,
          pay_by: new Date(UNTIL + DAY_MS).toISOString(),
          description: written.description,
          starts_at: written.starts_at,
          ends_at: written.ends_at,
          location: written.location,
          external_booking_id: 'driven',
          offering_external_id: written.offering_external_id,
          return_url: written.return_url,
        },
      })
    ).json;
    await world.call('POST', `/v1/test_helpers/checkouts/${driven.id}/complete`, { key: filled.keys.secret });
    await world.db.query("update movements set due_at = now() - interval '1 second' where checkout_id = $1", [
      driven.id,
    ]);
    await world.work();
    expect(await shapeOf(written.id)).toEqual(await shapeOf(driven.id));
  });
});

/** The rows of a checkout in every table, without values: which columns are set, and the words that name a state. */
async function shapeOf(checkoutId: string): Promise<unknown> {
  const words = ['status', 'kind', 'type', 'debit', 'credit', 'sequence', 'position', 'is_organizer', 'drop_reason'];
  // When a worker looks again depends on how long ago it is, and so does whether a card had to be saved.
  const varying = ['due_at', 'lease_token', 'first_due_at', 'customer_id', 'saves_card', 'capture_before'];
  const shape: Record<string, unknown> = {};
  for (const table of ['checkouts', 'shares', 'holds', 'movements', 'payouts', 'ledger_entries', 'events']) {
    const column = table === 'events' ? 'subject' : 'checkout_id';
    const rows = await world.db.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from ${table} t where ${column} = $1`,
      [checkoutId],
    );
    const shapes = rows.map(({ row }) =>
      JSON.stringify(
        Object.entries(row)
          .filter(([name]) => !varying.includes(name))
          .map(([name, value]) => [name, words.includes(name) ? value : value === null ? 'null' : 'set'])
          .sort(),
      ),
    );
    shape[table] = shapes.sort();
  }
  return shape;
}

it('is the same for the same seed and the same end, on another database', async () => {
  const other = await openTestWorld();
  try {
    const again = await fill(other);
    const sums = ({ db }: TestWorld, { venueId }: FilledVenue) =>
      Promise.all([
        db.query(
          `select status, count(*), sum(amount) as amount, sum(refunded_amount) as refunded, sum(fee_amount) as fee
           from checkouts where venue_id = $1 and external_booking_id <> 'driven' group by 1 order by 1`,
          [venueId],
        ),
        db.query(
          `select count(*), min(c.created_at), max(c.completed_at) from checkouts c
           where venue_id = $1 and external_booking_id <> 'driven'`,
          [venueId],
        ),
      ]);
    const [statuses, times] = await sums(other, again);
    const [earlier, earlierTimes] = await sums(world, filled);
    // The first year had a refund of 500 since.
    const withoutRefund = (rows: object[]) => rows.map((row) => ({ ...row, refunded: null }));
    expect(withoutRefund(statuses)).toEqual(withoutRefund(earlier));
    expect(times).toEqual(earlierTimes);
  } finally {
    await other.close();
  }
});

describe('the demo is refused', () => {
  it('for a venue that has checkouts', async () => {
    await expect(fill(world, { venueId: filled.venueId })).rejects.toThrow('has checkouts');
  });
  it('for a venue that is not there, or is not linked', async () => {
    await expect(fill(world, { venueId: '019a9062-5c80-7000-a831-06ddcd709bee' })).rejects.toThrow('there is no venue');
    const { venue } = await world.venue({ sandbox: true });
    await expect(fill(world, { venueId: venue.id })).rejects.toThrow('is not linked');
  });
  it('with a real card processor', async () => {
    const services = { ...world.context.services, processors: {} };
    const options = { venueId: null, seed: 1, until: UNTIL, mode: 'test', checkouts: 20, onProgress: () => undefined };
    await expect(fillVenue(services, world.command(), { ...options, mode: 'test' })).rejects.toThrow(
      'sandbox processor',
    );
  });
});

it('the catalogue of the demo is what the API accepts', () => {
  const { contract } = world.context;
  const facts = factsFor(UNTIL, { id: '', name: '', linked: true, origins: ['https://harbor-club.example'] });
  const begins = UNTIL - 366 * DAY_MS;
  const contents = [
    ...[...approvedOfferings(begins), changedOffering(begins), WAITING_OFFERING, REJECTED_OFFERING].map(
      (one) => ['offering', one] as const,
    ),
    ...demoEvents(UNTIL).map((one) => ['event', one] as const),
    ...demoBoats().map((one) => ['boat', one] as const),
  ];
  for (const [schema, content] of contents) {
    const value = JSON.parse(JSON.stringify(content));
    const { problems } = contract.validate(schema, candidateFrom(value), facts);
    expect(problems.map(({ field, message }) => `${content.external_id} ${field}: ${message}`)).toEqual([]);
  }
});
