// The console's list of checkouts and its first page: filters, search, order, counts and figures, over real checkouts in
// every state. A row is made of the partner's own view.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countByStatus } from '../../src/domain/checkouts/overview/list-queries.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { disputeTools } from '../support/disputes.ts';
import {
  CARDS,
  DAY,
  HOUR,
  inFuture,
  type Json,
  openTestVenue,
  type TestVenue,
  withNewKey,
} from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let token: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  venue = await openTestVenue(world);
  const account = await createAccount(world.context, 'lists@harbor.example', [[venue.venueId, 'viewer']]);
  ({ token } = await createSession(world.context, account));
  await fill();
});
afterAll(() => world.close());

const at = (path: string, headers: Record<string, string> = {}, of = venue): Promise<HttpResponse> =>
  callConsole(world, 'GET', path, { token, venue: of.venueId, headers });
async function list(query = ''): Promise<Json> {
  const response = await at(`/console/api/checkouts${query}`);
  expect(response.status, response.text).toBe(200);
  return response.json;
}
const ids = ({ data }: Json): string[] => data.map(({ id }: Json) => id);

/** One checkout in each state, by its description. */
const made: Record<string, Json> = {};
async function fill(): Promise<void> {
  made.open = await venue.create({
    description: 'Sunset sail',
    external_booking_id: 'bk-100',
    pay_by: inFuture(5 * DAY),
  });
  made.soon = await venue.collecting({
    description: 'Daybed for two',
    external_booking_id: 'bk-101',
    pay_by: inFuture(2 * HOUR),
    party_size: 2,
  });
  await venue.pay(made.soon.id, made.soon.shares[0].id, CARDS.good);
  made.declined = await venue.collecting({
    description: 'Chef’s table 100%',
    external_booking_id: 'xy-7',
    pay_by: inFuture(3 * DAY),
    party_size: 3,
    amount: 90_000,
  });
  await venue.pay(made.declined.id, made.declined.shares[1].id, CARDS.good);
  await venue.loseHold(made.declined.shares[1].id);
  const other = await withNewKey(venue, 'test');
  made.completed = await other.completed({
    description: 'Poolside cabana',
    external_booking_id: 'bk-102',
    party_size: 2,
  });
  made.canceled = await venue.create({ description: 'Rooftop yoga', external_booking_id: 'bk-103' });
  await venue.post(`/v1/checkouts/${made.canceled.id}/cancel`);
  made.expired = await venue.collecting({ description: 'Old sail', external_booking_id: 'bk-104', party_size: 2 });
  await venue.runTestHelper(made.expired.id, 'expire');
}

describe('the list of checkouts', () => {
  it('has newest first, with counts by status and what the view says of each', async () => {
    const page = await list();
    expect(ids(page)).toEqual(
      [made.expired, made.canceled, made.completed, made.declined, made.soon, made.open].map(({ id }) => id),
    );
    expect(page.counts).toEqual({ all: 6, open: 1, collecting: 2, funded: 0, completed: 1, expired: 1, canceled: 1 });
    const row = page.data.find(({ id }: Json) => id === made.soon.id);
    const view = await venue.read(made.soon.id);
    expect(row).toMatchObject({
      status: 'collecting',
      organizer: view.shares[0].display_name,
      amount: view.amount,
      held_amount: view.shares[0].amount,
      party: { size: 2, is_chosen: true, held: 1, invited: 1, failed: 0 },
      key: { name: null },
    });
    expect(page.data.find(({ id }: Json) => id === made.open.id).party).toMatchObject({ is_chosen: false, held: 0 });
    expect(JSON.stringify(page)).not.toMatch(/phone|card|@/);
  });

  it('orders by what is due next, and pages without a gap in both orders', async () => {
    const due = [made.soon, made.declined, made.open, made.expired, made.canceled, made.completed].map(({ id }) => id);
    expect(ids(await list('?sort=due'))).toEqual(due);
    for (const sort of ['due', 'newest']) {
      const whole = ids(await list(`?sort=${sort}`));
      const seen: string[] = [];
      let before: string | null = null;
      for (let pages = 0; pages < 10; pages++) {
        const from: string = before === null ? '' : `&before=${encodeURIComponent(before)}`;
        const page: Json = await list(`?sort=${sort}&limit=1${from}`);
        seen.push(...ids(page));
        before = page.next_before;
        if (before === null) break;
      }
      expect(seen, sort).toEqual(whole);
    }
  });

  it('finds by id, also of a share or a payout, the beginning of a booking id, words of the description and the name of the organizer', async () => {
    const find = async (q: string): Promise<string[]> => ids(await list(`?q=${encodeURIComponent(q)}`)).sort();
    expect(await find(made.open.id)).toEqual([made.open.id]);
    expect(await find('bk-101')).toEqual([made.soon.id]);
    expect(await find('bk-10')).toHaveLength(5);
    expect(await find('SAIL')).toEqual([made.open.id, made.expired.id].sort());
    expect(await find('sunset sail')).toEqual([made.open.id]);
    expect(await find('100%')).toEqual([made.declined.id]);
    expect(await find('%')).toEqual([made.declined.id]);
    const organizer = (await venue.read(made.soon.id)).shares[0].display_name;
    expect(organizer).toBeTruthy();
    expect(await find(organizer)).toContain(made.soon.id);
    // The ids of a share and of a payout lead to their checkout, and to none of another venue.
    expect(await find(made.soon.shares[1].id)).toEqual([made.soon.id]);
    const { data: payouts } = (await venue.get('/v1/payouts')).json;
    expect(await find(payouts[0].id)).toEqual([payouts[0].checkout_id]);
    const other = await openTestVenue(world);
    const foreign = await other.collecting({ party_size: 2 });
    expect(await find(foreign.shares[0].id)).toEqual([]);
    const counted = await list('?q=sail&status=open');
    expect([ids(counted), counted.counts.all, counted.searched_since]).toEqual([[made.open.id], 2, null]);
  });

  it('narrows by status, time, amount, offering and key', async () => {
    expect(ids(await list('?status=completed'))).toEqual([made.completed.id]);
    expect(ids(await list('?min_amount=50000'))).toEqual([made.declined.id]);
    expect(ids(await list('?max_amount=100'))).toEqual([]);
    const { created_at } = made.declined;
    expect(ids(await list(`?from=${created_at}`))).not.toContain(made.soon.id);
    expect(ids(await list(`?to=${created_at}`)).sort()).toEqual([made.open.id, made.soon.id].sort());
    const key = (await list('?status=completed')).data[0].key.id;
    expect(ids(await list(`?key=${key}`))).toEqual([made.completed.id]);
    expect(ids(await list('?offering=nothing'))).toEqual([]);
  });

  it('looks through 20,000 checkouts for a page, says since when and goes on after them, and counts up to 10,000', async () => {
    const large = await openTestVenue(world);
    const account = await createAccount(world.context, 'large@harbor.example', [[large.venueId, 'viewer']]);
    const { token } = await createSession(world.context, account);
    await world.db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(
        `insert into checkouts (venue_id, checkout_id, mode, status, amount, currency, fee_amount, party_size, pay_by,
           expires_at, description, external_booking_id, url, return_url, metadata, fingerprint, created_at)
         select $1::uuid, 'chk_' || lpad(i::text, 26, '0'), 'test', 'expired', case i when 1 then 77700 else 1000 end, 'usd', 0, 2,
           now(), now(), case i when 2 then 'Whale watching' else 'Cabana' end, 'large-' || i, 'http://127.0.0.1/c/' || i,
           'https://harbor.example/', '{}', '\\x00', now() - interval '1 day' + i * interval '1 millisecond'
         from generate_series(1, 20050) i`,
        [large.venueId],
      );
    });
    const page = async (query: string): Promise<Json> =>
      (await callConsole(world, 'GET', `/console/api/checkouts${query}`, { token, venue: large.venueId })).json;
    for (const query of ['min_amount=70000', 'q=whale', 'sort=due&q=whale']) {
      const first = await page(`?${query}`);
      expect([first.data, typeof first.searched_since], query).toEqual([[], 'string']);
      const next = await page(`?${query}&before=${encodeURIComponent(first.next_before)}`);
      expect([next.data.length, next.next_before, next.searched_since], query).toEqual([1, null, null]);
    }
    const found = await page(`?q=chk_${'1'.padStart(26, '0')}`);
    expect(found.data).toHaveLength(1);
    expect((await page('?limit=1')).counts).toMatchObject({ all: 10_000, expired: 10_000, open: 0 });
  });

  it('refuses what it does not understand at its field', async () => {
    const cases = [
      ['before=yesterday', '/query/before'],
      ['before=due%202027-99-99T00:00:00Z%20chk_1&sort=due', '/query/before'],
      ['q=', '/query/q'],
      ['q=%00', '/query/q'],
      ['sort=name', '/query/sort'],
      ['min_amount=-1', '/query/min_amount'],
      ['status=lost', '/query/status'],
    ] as const;
    for (const [query, field] of cases) {
      const { status, json } = await at(`/console/api/checkouts?${query}`);
      expect([status, json.errors?.[0]?.field], query).toEqual([422, field]);
    }
  });

  it('is CSV for a spreadsheet', async () => {
    const { text, headers } = await at('/console/api/checkouts?limit=2', { accept: 'text/csv' });
    expect(headers.get('content-type')).toContain('text/csv');
    expect(text.split('\r\n').filter((line) => line !== '')).toHaveLength(3);
    expect(headers.get('link')).toContain('before=');
  });

  it('expires what is overdue before it is shown', async () => {
    const late = await openTestVenue(world);
    const account = await createAccount(world.context, 'late-list@harbor.example', [[late.venueId, 'owner']]);
    const session = await createSession(world.context, account);
    const { id } = await late.create({ pay_by: inFuture(2 * HOUR) });
    // What one sweep leaves overdue is counted as expired.
    const all = { status: null, search: null, from: null, to: null, minAmount: null, maxAmount: null, offering: null };
    const filter = { ...all, key: null, venueId: late.venueId, mode: 'test' } as const;
    expect(await countByStatus(world.db, filter, Date.now())).toMatchObject({ open: 1, expired: 0 });
    expect(await countByStatus(world.db, filter, Date.now() + DAY)).toMatchObject({ open: 0, expired: 1 });
    await world.db.query(`update checkouts set expires_at = now() - interval '1 second' where checkout_id = $1`, [id]);
    const { json } = await callConsole(world, 'GET', '/console/api/checkouts', {
      token: session.token,
      venue: late.venueId,
    });
    expect([json.data[0].status, json.counts.expired, json.counts.open]).toEqual(['expired', 1, 0]);
  });
});

describe('the first page', () => {
  it('sums what is held, completed and on its way, and says how bookings became money', async () => {
    const { status, json, text } = await at('/console/api/home');
    expect(status, text).toBe(200);
    const soon = await venue.read(made.soon.id);
    expect(json.held).toEqual([{ currency: 'usd', amount: soon.shares[0].amount, shares: 1, checkouts: 1 }]);
    const { amount, fee_amount } = made.completed;
    expect(json.completed_today).toEqual([{ currency: 'usd', amount, checkouts: 1, guests: 2 }]);
    expect(json.completed_30_days).toEqual([{ currency: 'usd', amount, checkouts: 1 }]);
    expect(json.on_its_way).toMatchObject([{ currency: 'usd', amount: amount - fee_amount, payouts: 1 }]);
    expect(Date.parse(json.on_its_way[0].next_at)).toBeGreaterThan(Date.now());
    expect([json.paid_today, json.paid_30_days]).toEqual([[], []]);
    expect(json.funnel).toMatchObject({
      created: 6,
      party_chosen: 4,
      all_held: 1,
      completed: 1,
      still_open: 1,
      never_chosen: 1,
      collecting: 2,
      ended_before_held: 1,
      charging: 0,
      refused: 0,
    });
    expect(json.daily).toHaveLength(30);
    expect(json.daily.at(-1)).toEqual({ date: json.today, currency: 'usd', amount, checkouts: 1 });
    await venue.finishDueWork(made.completed.id);
    expect((await at('/console/api/home')).json).toMatchObject({
      paid_today: [{ currency: 'usd', amount: amount - fee_amount, payouts: 1 }],
      paid_30_days: [{ currency: 'usd', amount: amount - fee_amount, payouts: 1 }],
      on_its_way: [],
    });
    const paid = async () => {
      const { paid_today, paid_30_days } = (await at('/console/api/home')).json;
      return [paid_today.length, paid_30_days.length];
    };
    const move = (days: number) =>
      world.db.query(
        `update movements set done_at = now() - make_interval(days => $2) where venue_id = $1 and done_at is not null`,
        [venue.venueId, days],
      );
    await move(10);
    expect(await paid()).toEqual([0, 1]);
    await move(40);
    expect(await paid()).toEqual([0, 0]);
    await move(0);
  });

  it('counts the guests whose cards were charged, as statements do, and not those for whom another paid', async () => {
    const other = await openTestVenue(world);
    const { token } = await createSession(
      world.context,
      await createAccount(world.context, 'guests@harbor.example', [[other.venueId, 'viewer']]),
    );
    const { id } = await other.completed({ amount: 6_000, party_size: 3 });
    await world.db.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`update shares set amount = case position when 0 then 6000 else 0 end where checkout_id = $1`, [
        id,
      ]);
      await tx.query(
        `delete from holds where checkout_id = $1 and share_id <> (select share_id from shares where checkout_id = $1 and position = 0)`,
        [id],
      );
    });
    const read = async (path: string): Promise<Json> =>
      (await callConsole(world, 'GET', path, { token, venue: other.venueId })).json;
    const home = (await read('/console/api/home')).completed_today[0].guests;
    expect([home, (await read('/console/api/payouts')).data[0].guests]).toEqual([1, 1]);
  });

  it('lists what needs a person, the most urgent first', async () => {
    const [intent] = await venue.intents(made.completed.id);
    const tools = disputeTools(world, venue);
    await tools.open(intent?.id ?? '', 100);
    await tools.deliverEvents(intent?.id ?? '');
    await world.db.query(
      `update checkouts set created_at = (created_at at time zone 'UTC' - interval '25 hours') at time zone 'UTC' where checkout_id = $1`,
      [made.open.id],
    );
    const offering = await venue.post('/v1/offerings', {
      external_id: 'salt-scrub',
      kind: 'spa_treatment',
      title: 'Salt scrub',
      tiers: [{ amount: 14_000, currency: 'usd', unit: 'per_person' }],
    });
    const rejected = await venue.post('/v1/test_helpers/review', {
      id: offering.json.data.id,
      status: 'rejected',
      review_note: 'Photo 2 shows another venue’s logo.',
    });
    expect(rejected.status, rejected.text).toBe(200);
    const { attention } = (await at('/console/api/home')).json;
    expect(attention.data.map(({ kind, checkout, subject_id }: Json) => [kind, checkout?.id ?? subject_id])).toEqual([
      ['share_missing', made.soon.id],
      ['dispute_open', made.completed.id],
      ['hold_not_renewed', made.declined.id],
      ['party_not_chosen', made.open.id],
      ['offering_rejected', 'salt-scrub'],
    ]);
    expect(attention.count).toBe(5);
    expect(attention.data[0]).toMatchObject({ shares: 1, checkout: { party: { held: 1, size: 2 } } });
    expect(attention.data[4]).toMatchObject({ name: 'Salt scrub', reason: 'Photo 2 shows another venue’s logo.' });
  });

  it('shows the latest events with what they are about', async () => {
    const { activity } = (await at('/console/api/home')).json;
    expect(activity.length).toBeLessThanOrEqual(20);
    const held = activity.find(({ type, checkout_id }: Json) => type === 'share.held' && checkout_id === made.soon.id);
    expect(held).toMatchObject({
      title: 'Daybed for two',
      share_id: made.soon.shares[0].id,
      amount: made.soon.shares[0].amount,
    });
    expect(activity[0]).toMatchObject({ type: 'offering.rejected', title: 'Salt scrub', checkout_id: null });
  });

  it('counts days in the time zone of the venue', async () => {
    const far = await openTestVenue(world);
    const account = await createAccount(world.context, 'far@harbor.example', [[far.venueId, 'owner']]);
    const session = await createSession(world.context, account);
    const { id } = await far.completed({ party_size: 2 });
    const home = async (timezone: string): Promise<Json> => {
      await world.db.query('update venues set timezone = $2 where venue_id = $1', [far.venueId, timezone]);
      return (await callConsole(world, 'GET', '/console/api/home', { token: session.token, venue: far.venueId })).json;
    };
    // Completed a moment before midnight in one zone, which is the same day in another.
    await world.db.query(
      `update checkouts set completed_at = date_trunc('day', now() at time zone 'Pacific/Auckland') at time zone 'Pacific/Auckland' - interval '1 second'
       where checkout_id = $1`,
      [id],
    );
    const auckland = await home('Pacific/Auckland');
    expect(auckland.completed_today).toEqual([]);
    expect(auckland.daily.at(-2)).toMatchObject({ checkouts: 1 });
    expect(auckland.completed_30_days).toMatchObject([{ checkouts: 1 }]);
  });
});
