// Statements of the console: the lines of days, weeks and checkouts add up, to one another, to the partner's list of payouts
// and to the ledger, also after refunds, disputes, payouts and debts.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db, Queryable } from '../../src/base/db.ts';
import type { Input } from '../../src/base/operation.ts';
import { getCheckoutMoney } from '../../src/domain/checkouts/accounting/checkout-money.ts';
import type { Caller } from '../../src/domain/keys/caller.ts';
import { callConsole, createAccount, createSession } from '../support/console-client.ts';
import { disputeTools } from '../support/disputes.ts';
import { type Json, openTestVenue, type TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;
let token: string;
const made: Json[] = [];
let dispute: string;
beforeAll(async () => {
  world = await openTestWorld({ env: { PAYOUT_DELAY_HOURS: '24' } });
  venue = await openTestVenue(world);
  const account = await createAccount(world.context, 'money@harbor.example', [[venue.venueId, 'finance']]);
  ({ token } = await createSession(world.context, account));
  await venue.setFee(300, 10);
  // Refunded in part, all refunded, lost to a dispute after it was paid out, paid out, and not paid out yet.
  for (const amount of [10_001, 8_000, 9_999, 12_000, 7_777])
    made.push(await venue.completed({ amount, party_size: 3 }));
  await venue.post(`/v1/checkouts/${made[0].id}/refund`, { amount: 1_001 });
  await venue.finishDueWork(made[0].id);
  await venue.post(`/v1/checkouts/${made[1].id}/refund`, {});
  await venue.finishDueWork(made[1].id);
  await venue.finishDueWork(made[2].id);
  const [intent] = await venue.intents(made[2].id);
  const tools = disputeTools(world, venue);
  dispute = await tools.open(intent?.id ?? '', 2_000);
  await tools.close(dispute, 'lost');
  await tools.deliverEvents(intent?.id ?? '');
  await venue.finishDueWork(made[2].id);
  await venue.finishDueWork(made[3].id);
  // Two weeks ago, on another day of that week than the others.
  await world.db.query(
    `update payouts set created_at = (created_at at time zone 'UTC' - interval '14 days') at time zone 'UTC' where venue_id = $1 and checkout_id = any($2)`,
    [venue.venueId, [made[0].id, made[3].id]],
  );
});
afterAll(() => world.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
  callConsole(world, 'GET', path, { token, venue: venue.venueId, headers });
async function read(path: string): Promise<Json> {
  const { status, json, text } = await get(path);
  expect(status, text).toBe(200);
  return json;
}

const FIGURES = ['paid', 'fee', 'refunded', 'lost_to_disputes', 'kept', 'paid_out', 'to_come', 'settled_debts', 'owed'];
const sumOf = (lines: readonly Json[], field: string): number => lines.reduce((sum, line) => sum + line[field], 0);
function expectAddsUp(line: Json): void {
  expect(line.kept).toBe(line.paid - line.fee - line.refunded - line.lost_to_disputes);
  expect(line.kept).toBe(line.paid_out + line.to_come + line.settled_debts - line.owed);
}

describe('statements', () => {
  it('have lines that add up, by week, by day and by checkout', async () => {
    const weeks = await read('/console/api/payouts?period=week');
    const days = await read('/console/api/payouts?period=day');
    const checkouts = await read('/console/api/payouts/checkouts');
    expect([weeks.data.length, sumOf(weeks.data, 'checkouts'), checkouts.data.length]).toEqual([2, 5, 5]);
    for (const line of [...weeks.data, ...days.data, ...checkouts.data, ...weeks.totals]) expectAddsUp(line);
    for (const field of [...FIGURES, 'guests']) {
      const sum = sumOf(checkouts.data, field);
      expect([field, sumOf(weeks.data, field), sumOf(days.data, field)]).toEqual([field, sum, sum]);
      expect(weeks.totals[0][field]).toBe(sum);
    }
    expect(weeks.data[0].from > weeks.data[1].from).toBe(true);
    expect(new Date(weeks.data[0].from).getUTCDay()).toBe(1);
    const week = weeks.data[1];
    const ofWeek = await read(`/console/api/payouts/checkouts?from=${week.from}&to=${week.to}`);
    expect(ofWeek.data.map(({ checkout_id }: Json) => checkout_id).sort()).toEqual([made[0].id, made[3].id].sort());
    expect(sumOf(ofWeek.data, 'kept')).toBe(week.kept);
  });

  it('name the real first and last day of a week that from and to cut, and say that it is a part', async () => {
    const whole = (await read('/console/api/payouts?period=week')).data;
    expect(whole.map(({ is_partial }: Json) => is_partial)).toEqual([false, false]);
    const [day] = (await read('/console/api/payouts?period=day')).data;
    const after = new Date(Date.parse(day.from) + 86_400_000).toISOString().slice(0, 10);
    const cut = await read(`/console/api/payouts?period=week&from=${day.from}&to=${after}`);
    expect(cut.data).toMatchObject([{ from: day.from, to: after, is_partial: true, kept: day.kept }]);
    const sameDay = await read(`/console/api/payouts?period=day&from=${day.from}&to=${after}`);
    expect(sameDay.data).toMatchObject([{ from: day.from, to: after, is_partial: false }]);
    const { text } = await get(`/console/api/payouts?period=week&from=${day.from}&to=${after}`, { accept: 'text/csv' });
    expect(text).toMatch(new RegExp(`^${day.from},${after},.*,true\\r$`, 'm'));
  });

  it('equal the ledger and the partner’s list of payouts', async () => {
    const { totals } = await read('/console/api/payouts');
    const [sums] = totals;
    const balances = new Map<string, number>();
    for (const { id } of made) {
      for (const [account, balance] of Object.entries(await venue.allBalances(id)))
        balances.set(account, (balances.get(account) ?? 0) + balance);
    }
    expect(sums.fee).toBe(0 - (balances.get('fee_income') ?? 0));
    expect(sums.to_come).toBe(0 - (balances.get('venue_payable') ?? 0));
    expect(sums.owed - sums.settled_debts).toBe(balances.get('venue_debts') ?? 0);
    const partner = (await venue.get('/v1/payouts')).json.totals;
    expect(sums.paid_out).toBe(partner.paid_amount);
    expect([sums.owed, sums.settled_debts]).toEqual([partner.owed_amount, partner.offset_amount]);
    expect(sums.kept).toBe(partner.amount - partner.reversed_amount);
    expect(sums.paid).toBe(partner.amount + partner.fee_amount);
  });

  it('say what is to come, and name the state of each checkout with its transfers', async () => {
    const { balance } = await read('/console/api/payouts');
    const { data } = await read('/console/api/payouts/checkouts');
    const of = (checkout: Json): Json => data.find(({ checkout_id }: Json) => checkout_id === checkout.id);
    expect(balance).toMatchObject([{ currency: 'usd', on_its_way: of(made[4]).kept, held_back: 0, failed: 0 }]);
    expect(Date.parse(balance[0].next_at)).toBeGreaterThan(Date.now());
    expect(made.map((checkout) => of(checkout).status)).toEqual(['paid', 'canceled', 'paid', 'paid', 'pending']);
    expect(of(made[3])).toMatchObject({ external_booking_id: made[3].external_booking_id, guests: 3 });
    expect(of(made[3]).transfers).toHaveLength(3);
    expect(sumOf(of(made[3]).transfers, 'amount')).toBe(of(made[3]).kept);
    const money = await read(`/console/api/checkouts/${made[2].id}/money`);
    expect([of(made[2]).kept, of(made[2]).lost_to_disputes]).toEqual([money.kept, money.lost_to_disputes]);
  });

  it('page by period, and are CSV for a spreadsheet', async () => {
    const first = await read('/console/api/payouts?limit=1');
    const second = await read(`/console/api/payouts?limit=1&before=${first.next_before}`);
    expect(second.next_before).toBeNull();
    const whole = await read('/console/api/payouts');
    expect([...first.data, ...second.data]).toEqual(whole.data);
    for (const path of ['/console/api/payouts', '/console/api/payouts/checkouts', '/console/api/disputes']) {
      const { text, headers } = await get(path, { accept: 'text/csv' });
      expect(headers.get('content-type'), path).toContain('text/csv');
      expect(text.split('\r\n').length, path).toBeGreaterThan(2);
    }
    const page = await read('/console/api/payouts/checkouts?limit=2');
    expect((await read(`/console/api/payouts/checkouts?limit=100&before=${page.next_before}`)).data).toHaveLength(3);
  });

  it('refuse a period that ends before it begins, and a day that is none', async () => {
    const reversed = await get('/console/api/payouts?from=2027-06-14&to=2027-06-07');
    expect([reversed.status, reversed.json.errors[0].field]).toEqual([422, '/query/to']);
    expect((await get('/console/api/payouts?from=2027-02-30')).json.errors[0].field).toBe('/query/from');
    expect((await get('/console/api/payouts?before=soon')).json.errors[0].field).toBe('/query/before');
  });
});

describe('disputes', () => {
  it('are listed with their booking, outcome and what they cost the venue', async () => {
    const { data, counts } = await read('/console/api/disputes');
    expect(counts).toEqual({ open: 0, won: 0, lost: 1 });
    expect(data).toMatchObject([
      { id: dispute, checkout_id: made[2].id, outcome: 'lost', amount: 2_000, description: made[2].description },
    ]);
    expect(data[0].venue_part + data[0].fee_part).toBe(2_000);
    expect((await read('/console/api/disputes?status=open')).data).toEqual([]);
    const after = encodeURIComponent(`${data[0].opened_at} ${dispute}`);
    expect((await read(`/console/api/disputes?before=${after}`)).data).toEqual([]);
    expect((await get('/console/api/disputes?before=soon')).json.errors[0].field).toBe('/query/before');
  });
});

describe('the figures', () => {
  it('of one checkout are read at one moment: a refund that commits meanwhile changes all of them or none', async () => {
    const checkout = await venue.completed({ amount: 6_000, party_size: 2 });
    let refund: Promise<HttpResponse> | undefined;
    /** Refunds after the first statement that reads the checkout. */
    const refunding = (to: Queryable): Queryable => ({
      query: async <R extends object>(text: string, values?: readonly unknown[]) => {
        const rows = await to.query<R>(text, values);
        if (!text.includes('from checkouts')) return rows;
        refund ??= venue.post(`/v1/checkouts/${checkout.id}/refund`, { amount: 1_500 });
        await refund;
        return rows;
      },
    });
    const db: Db = {
      ...world.db,
      ...refunding(world.db),
      transaction: (work) => world.db.transaction((tx) => work(refunding(tx))),
    };
    const caller = { venue: { id: venue.venueId }, mode: 'test' } as unknown as Caller;
    const { body } = await getCheckoutMoney(db, caller, {
      params: { id: checkout.id },
      query: {},
      body: {},
    } as unknown as Input);
    expect((await refund)?.status).toBe(200);
    const money = body as Json;
    expect([money.left_to_refund, money.refunded]).toEqual([6_000, 0]);
    expect(await read(`/console/api/checkouts/${checkout.id}/money`)).toMatchObject({
      left_to_refund: 4_500,
      refunded: 1_500,
    });
  });
});
