// GET /v1/payouts: the venue's statement, in JSON with totals and in CSV, before and after refunds, page by page.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvOf } from '../../src/base/csv.ts';
import { changeFee } from '../../src/domain/venues/change-venue.ts';
import { wantsCsv } from '../../src/run/wants-csv.ts';
import { Sender } from '../fuzz/send.ts';
import { openTestVenue } from '../support/test-venue.ts';
import { openSharedWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let key: string;
let venueId: string;
const checkouts: string[] = [];

const bookings = ['bk-1', 'bk-2', 'bk-3', 'bk-4', 'bk-5'];

async function complete(booking: string, amount = 10_000): Promise<string> {
  const body = {
    amount,
    currency: 'usd',
    party_size: 3,
    pay_by: new Date(Date.now() + 86_400_000).toISOString(),
    description: 'Cabana',
    return_url: 'https://harbor.example/done',
    external_booking_id: booking,
  };
  const created = await world.call('POST', '/v1/checkouts', { key, body });
  expect(created.status, created.text).toBe(201);
  const completed = await world.call('POST', `/v1/test_helpers/checkouts/${created.json.id}/complete`, { key });
  expect(completed.json.status, completed.text).toBe('completed');
  return created.json.id;
}

beforeAll(async () => {
  world = await openSharedWorld();
  const { venue } = await world.venue({ origins: ['https://harbor.example'] });
  venueId = venue.id;
  await world.db.transaction((tx) => changeFee(tx, world.command(), venueId, 300, 1));
  ({ key } = await world.key(venueId, { writesPerHour: 5_000, readsPerHour: 5_000 }));
  for (const booking of bookings) checkouts.push(await complete(booking));
});
afterAll(() => world.close());

const list = async (query = '') => {
  const response = await world.call('GET', `/v1/payouts${query}`, { key });
  expect(response.status, response.text).toBe(200);
  return response.json;
};
const csv = (query = '', accept = 'text/csv') => world.call('GET', `/v1/payouts${query}`, { key, headers: { accept } });

const NET = 10_000 - 301;
/** What the processor charges for three shares of about 3,333. */
const COST = 3 * (97 + 30);

describe('a payout', () => {
  it('exists as soon as its checkout is completed, and is pending until its transfers are done', async () => {
    const { data, next_before, totals } = await list();
    expect(data.map((one: { external_booking_id: string }) => one.external_booking_id)).toEqual(bookings.toReversed());
    expect(next_before).toBeNull();
    const sums = {
      count: 5,
      amount: 5 * NET,
      fee_amount: 5 * 301,
      processor_fee_amount: 5 * COST,
      reversed_amount: 0,
      paid_amount: 0,
      offset_amount: 0,
      owed_amount: 0,
    };
    expect(totals).toEqual(sums);
    const last = data[0];
    expect(last).toMatchObject({
      object: 'payout',
      mode: 'test',
      checkout_id: checkouts[4],
      amount: NET,
      fee_amount: 301,
      processor_fee_amount: COST,
      reversed_amount: 0,
      paid_amount: 0,
      currency: 'usd',
      status: 'pending',
      paid_at: null,
    });
    expect(last.transfers.map(({ status }: { status: string }) => status)).toEqual(['pending', 'pending', 'pending']);
    expect(last.transfers.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(NET);
  });

  it('is reduced by a refund before it is sent', async () => {
    const refund = await world.call('POST', `/v1/checkouts/${checkouts[0]}/refund`, { key, body: { amount: 3_000 } });
    expect(refund.status, refund.text).toBe(200);
    const first = (await list()).data[4];
    // 3000 of 10000: the fee of 301 is divided 101, 100, 100 over the shares, and 30 of each is returned.
    expect(first).toMatchObject({ amount: NET, reversed_amount: 2_910, paid_amount: 0, status: 'pending' });
    expect(first.transfers.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0)).toBe(NET - 2_910);
  });

  it('is canceled when everything is refunded before a transfer is sent', async () => {
    const refund = await world.call('POST', `/v1/checkouts/${checkouts[1]}/refund`, { key });
    expect(refund.status, refund.text).toBe(200);
    const second = (await list()).data[3];
    expect(second).toMatchObject({ reversed_amount: NET, paid_amount: 0, status: 'canceled', paid_at: null });
    expect(second.transfers.map(({ status, amount }: { status: string; amount: number }) => [status, amount])).toEqual([
      ['dropped', 0],
      ['dropped', 0],
      ['dropped', 0],
    ]);
  });

  it('is paid when every transfer is done, with its time', async () => {
    await world.work();
    const { data, totals } = await list();
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['paid', 'paid', 'paid', 'canceled', 'paid']);
    expect(data[0].paid_at).toMatch(/^20\d\d-.*Z$/);
    expect(data[0].paid_amount).toBe(NET);
    expect(totals).toMatchObject({ reversed_amount: 2_910 + NET, paid_amount: 4 * NET - 2_910 });
    expect(totals.amount - totals.reversed_amount - totals.paid_amount).toBe(0);
  });

  it('shows what a later refund reverses', async () => {
    const refund = await world.call('POST', `/v1/checkouts/${checkouts[2]}/refund`, { key });
    expect(refund.status, refund.text).toBe(200);
    const decided = (await list()).data[2];
    expect(decided).toMatchObject({ reversed_amount: NET, paid_amount: NET, status: 'paid' });
    await world.work();
    const completed = (await list()).data[2];
    expect(completed).toMatchObject({ reversed_amount: NET, paid_amount: 0, status: 'paid' });
    const { totals } = await list();
    expect(totals.amount - totals.reversed_amount - totals.paid_amount).toBe(0);
  });

  it('is failed when one of its transfers is refused', async () => {
    const venue = await openTestVenue(world);
    await world.db.query(
      `insert into payout_accounts (venue_id, mode, account_id, transfers_status, check_at, created_at)
       values ($1, 'test', 'acct_nobody', 'active', now() + interval '1 day', now())`,
      [venue.venueId],
    );
    await venue.completed();
    expect((await venue.get('/v1/payouts')).json.data).toMatchObject([{ status: 'pending', paid_amount: 0 }]);
    await world.db.query("update movements set status = 'failed', due_at = null where venue_id = $1", [venue.venueId]);
    const { json } = await venue.get('/v1/payouts');
    expect(json.data).toMatchObject([{ status: 'failed', paid_at: null, paid_amount: 0 }]);
    expect(json.data[0].transfers.map(({ status }: { status: string }) => status)).toEqual([
      'failed',
      'failed',
      'failed',
    ]);
  });
});

describe('the list', () => {
  it('has each payout once for every page size, with the same totals on every page', async () => {
    const whole = await list();
    const ids: string[] = [];
    for (let before = '', pages = 0; pages < 100; pages++) {
      const page = await list(`?limit=2${before}`);
      ids.push(...page.data.map(({ id }: { id: string }) => id));
      expect(page.totals).toEqual(whole.totals);
      if (page.next_before === null) break;
      before = `&before=${encodeURIComponent(page.next_before)}`;
    }
    expect(ids).toEqual(whole.data.map(({ id }: { id: string }) => id));
  });

  it('covers a period from `from`, inclusive, to `to`, exclusive', async () => {
    const { data } = await list();
    const [, second, third, fourth] = data;
    const { data: some, totals } = await list(`?from=${fourth.created_at}&to=${second.created_at}`);
    expect(some.map(({ id }: { id: string }) => id)).toEqual([third.id, fourth.id]);
    expect(totals).toMatchObject({ count: 2, amount: 2 * NET, fee_amount: 602 });
    const none = await list('?to=1999-01-01T00:00:00%2B02:00');
    expect(none).toEqual({
      data: [],
      next_before: null,
      totals: {
        count: 0,
        amount: 0,
        fee_amount: 0,
        processor_fee_amount: 0,
        reversed_amount: 0,
        paid_amount: 0,
        offset_amount: 0,
        owed_amount: 0,
      },
    });
  });

  it('refuses a period that ends before it begins, an invalid time, and an unknown filter', async () => {
    const wrong = async (query: string) => (await world.call('GET', `/v1/payouts${query}`, { key })).json.errors[0];
    const from = '2027-01-01T00:00:00.5Z';
    expect(await wrong(`?from=${from}&to=${from}`)).toMatchObject({ code: 'not_allowed', field: '/query/to' });
    expect(await wrong(`?from=${from}&to=2027-01-01T00:00:00Z`)).toMatchObject({ code: 'not_allowed' });
    expect(await wrong('?from=yesterday')).toMatchObject({ code: 'invalid_format', field: '/query/from' });
    expect(await wrong('?form=2027-01-01T00:00:00Z')).toMatchObject({ code: 'unknown_field', field: '/query/form' });
    expect((await world.call('GET', `/v1/payouts?from=${from}&to=2027-01-01T00:00:00.500001Z`, { key })).status).toBe(
      200,
    );
  });

  it('shows nothing of another venue or the other mode', async () => {
    const other = await world.venue();
    const otherVenue = await world.call('GET', '/v1/payouts', { key: other.secretTest });
    expect(otherVenue.json).toMatchObject({ data: [], totals: { count: 0 } });
    const live = await world.key(venueId, { mode: 'live', scopes: ['checkouts:read'] });
    expect((await world.call('GET', '/v1/payouts', { key: live.key })).json).toMatchObject({
      data: [],
      totals: { count: 0 },
    });
  });

  it('costs three statements, two of them sent together', async () => {
    await list();
    world.statements.length = 0;
    await list();
    expect(world.statements.filter((text) => /payouts|checkouts/.test(text))).toHaveLength(3);
  });
});

describe('CSV', () => {
  it('has a line of names and a line for each payout, as a file', async () => {
    const response = await csv();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="payouts.csv"');
    expect(response.headers.get('vary')).toMatch(/accept/i);
    expect(response.headers.get('link')).toBeNull();
    expect(response.headers.get('x-ratelimit-remaining')).not.toBeNull();
    const lines = response.text.split('\r\n');
    expect(lines[0]).toBe(
      'id,mode,checkout_id,external_booking_id,amount,reversed_amount,paid_amount,offset_amount,owed_amount,fee_amount,processor_fee_amount,currency,status,created_at,paid_at',
    );
    const { data } = await list();
    expect(lines).toHaveLength(data.length + 2);
    expect(lines.at(-1)).toBe('');
    const last = data[1];
    const cells = [
      last.id,
      'test',
      last.checkout_id,
      'bk-4',
      NET,
      0,
      NET,
      0,
      0,
      301,
      COST,
      'usd',
      'paid',
      last.created_at,
      last.paid_at,
    ];
    expect(lines[2]).toBe(cells.join(','));
  });

  it('links to the next page in its Link header, except from the last page', async () => {
    const whole = (await csv()).text.split('\r\n').slice(1, -1);
    const ids: string[] = [];
    let path: string | null = '/v1/payouts?limit=2&from=2020-01-01T00:00:00Z';
    while (path !== null && ids.length <= whole.length) {
      const page = await world.call('GET', path, { key, headers: { accept: 'text/csv' } });
      ids.push(...page.text.split('\r\n').slice(1, -1));
      const link = page.headers.get('link');
      const target = link === null ? undefined : /^<([^<>]+)>; rel="next"$/.exec(link)?.[1];
      expect(target === undefined).toBe(link === null);
      path = target === undefined ? null : target.slice(world.urls[0]?.length);
    }
    expect(ids).toEqual(whole);
  });

  it('links to the next page at our own address, also when the request target has another origin', async () => {
    const base = world.urls[0] ?? '';
    const sender = new Sender(base);
    const path = 'http://evil.example/v1/payouts?limit=2';
    const headers = { authorization: `Bearer ${key}`, accept: 'text/csv' };
    const response = await sender.send({ number: 0, label: '', method: 'GET', path, headers, body: null });
    sender.close();
    expect(response.status, response.text).toBe(200);
    expect(response.headers.link).toMatch(new RegExp(`^<${base}/v1/payouts\\?limit=2&before=[^<>]+>; rel="next"$`));
  });

  it('has errors in JSON', async () => {
    const response = await csv('?limit=0');
    expect([response.status, response.json.error.field]).toEqual([422, '/query/limit']);
  });

  it('exists only where it is documented: checkouts are JSON for every Accept header', async () => {
    const response = await world.call('GET', '/v1/checkouts', { key, headers: { accept: 'text/csv' } });
    expect(response.headers.get('content-type')).toContain('application/json');
  });

  it('is in the OpenAPI document beside the JSON', async () => {
    const { json } = await world.call('GET', '/v1/openapi.json');
    const response = json.paths['/v1/payouts'].get.responses['200'];
    expect(Object.keys(response.content)).toEqual(['application/json', 'text/csv']);
    expect(Object.keys(response.headers)).toContain('Link');
    expect(Object.keys(json.paths['/v1/checkouts'].get.responses['200'].content)).toEqual(['application/json']);
  });
});

describe('the Accept header', () => {
  it.each([
    ['text/csv', true],
    ['TEXT/CSV; charset=utf-8', true],
    ['text/csv, */*', true],
    ['text/csv;q=0.5, application/json;q=0.4', true],
    ['text/*', true],
    ['text/*, application/json;q=0.9', true],
    ['*/*;q=0.1, text/csv;q=0.2', true],
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/json', false],
    ['application/json, text/csv', false],
    ['text/csv, application/json', false],
    ['text/csv;q=0.5, application/json', false],
    ['text/csv;q=0', false],
    ['text/csv;q=0, */*', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['text/csvx', false],
    [', ;;, */', false],
  ])('%s: CSV is %s', (accept, expected) => {
    expect(wantsCsv(accept)).toBe(expected);
  });
});

describe('cells', () => {
  it('are quoted as RFC 4180 requires, and never become formulas', () => {
    const row = ['a,b', 'say "hi"', 'two\r\nlines', '=1+1', '+1', '-1', '@x', '\tx', '=a,"b"', null, -5, 'plain'];
    expect(csvOf(['x'], [row])).toBe(
      `x\r\n"a,b","say ""hi""","two\r\nlines",'=1+1,'+1,'-1,'@x,'\tx,"'=a,""b""",,-5,plain\r\n`,
    );
  });
});
