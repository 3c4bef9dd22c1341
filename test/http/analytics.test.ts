// GET /v1/analytics and POST /internal/activity as partners and the operator's app see them: windows, isolation, CSV,
// refused requests, and no answer or log that identifies a member.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/base/command-context.ts';
import type { Queryable } from '../../src/base/db.ts';
import { reopen, review } from '../../src/domain/review/review.ts';
import {
  type ActivityEvent,
  createApprovedExperience,
  expectedAnalytics,
  openTestActivity,
  reportActivity,
  type TestActivity,
} from '../support/test-activity.ts';
import { openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let app: TestActivity;
let events: ActivityEvent[];

const DAY = 86_400_000;
const ID = '01970c3e-5f5e-7a3b-8c1d-2e3f4a5b6c7d';
const SECRET_MEMBER = 'member-nobody-may-see-7731';
const SECRET_EVENT = 'event-of-nobody-4452';

const view = (id: string, overrides: Partial<ActivityEvent> = {}): ActivityEvent => ({
  id,
  type: 'view',
  experience_id: app.experiences[0]?.id ?? '',
  member_id: SECRET_MEMBER,
  at: '2023-03-01T10:00:00Z',
  mode: 'live',
  ...overrides,
});

const takeDown = (tx: Queryable, command: CommandContext, id: string) =>
  review(tx, command, id, { status: 'rejected', note: 'The boat sank.' }, null);

beforeAll(async () => {
  world = await openTestWorld();
  app = await openTestActivity(world, 2, 'live');
  const second = { experience_id: app.experiences[1]?.id ?? '' };
  events = [
    view(SECRET_EVENT),
    view('e2', { at: '2023-03-03T10:00:00.123456Z' }),
    view('e3', { at: '2023-03-02T01:30:00+02:00', ...second }),
    view('e4', { member_id: 'other', type: 'booking_start' }),
    view('e5', { type: 'booking', guests: 3, amount: 19_95 }),
    view('e6', { type: 'booking', amount: 10 }),
    view('e7', { type: 'check_in' }),
    view('e8', { type: 'save' }),
    view('e9', { type: 'booking', amount: 99_999, mode: 'test' }),
    {
      id: 'e10',
      type: 'venue_page_view',
      venue_id: app.venueId,
      member_id: 'm',
      at: '2023-03-01T00:00:00Z',
      mode: 'live',
    },
  ];
  const { status, json } = await reportActivity(world, events);
  expect([status, json]).toEqual([200, { accepted: 10, duplicates: 0, rejected: [] }]);
});
afterAll(() => world.close());

const MARCH = { from: '2023-03-01T00:00:00Z', to: '2023-04-01T00:00:00Z' };
const data = async (query: Record<string, string>) => {
  const response = await app.get(query);
  expect(response.status, response.text).toBe(200);
  return response.json.data;
};

describe('the figures', () => {
  it('are exactly those of the specification, without test activity', async () => {
    const all = await data(MARCH);
    expect(all).toEqual(expectedAnalytics(app, events, MARCH.from, MARCH.to));
    expect(all).toMatchObject({ from: MARCH.from, to: MARCH.to });
    expect(all.totals).toEqual({
      experiences: 2,
      views: 3,
      unique_viewers: 1,
      booking_starts: 1,
      saves: 1,
      bookings: 2,
      guests: 4,
      booked_value: 20.05,
      checked_in: 1,
      view_to_booking_rate: 1,
      show_rate: 0.5,
      venue_page_views: 1,
    });
    expect(all.daily).toHaveLength(31);
    expect(all.daily.slice(0, 3)).toEqual([
      { date: '2023-03-01', views: 2, bookings: 2 },
      { date: '2023-03-02', views: 0, bookings: 0 },
      { date: '2023-03-03', views: 1, bookings: 0 },
    ]);
    expect(all.experiences.map(({ title }: { title: string }) => title)).toEqual(['Night 1', 'Night 0']);
  });

  it('can be filtered by one experience, except the views of the venue’s page', async () => {
    const [, second] = app.experiences;
    const one = await data({ ...MARCH, experience_id: second?.id.toUpperCase() ?? '' });
    expect(one.totals).toMatchObject({ experiences: 1, views: 1, unique_viewers: 1, bookings: 0, venue_page_views: 1 });
    expect(one.experiences).toHaveLength(1);
    expect(one.daily[0]).toEqual({ date: '2023-03-01', views: 1, bookings: 0 });
  });

  it('include `from` and exclude `to`, to the microsecond', async () => {
    const at = '2023-03-03T10:00:00.123456Z';
    expect((await data({ from: at, to: '2023-03-03T10:00:00.123457Z' })).totals.views).toBe(1);
    expect((await data({ from: '2023-03-03T00:00:00Z', to: at })).totals.views).toBe(0);
    const part = await data({ from: '2023-03-01T10:00:00.001Z', to: at });
    expect(part.totals).toMatchObject({ views: 1, unique_viewers: 1, venue_page_views: 0 });
    expect(part.daily.map(({ date }: { date: string }) => date)).toEqual(['2023-03-01', '2023-03-02', '2023-03-03']);
  });

  it('include activity at once, and cover the last 30 days by default', async () => {
    const now = Date.now();
    await reportActivity(world, [
      view('n1', { at: new Date(now - 1000).toISOString(), member_id: 'fresh' }),
      view('n2', { at: new Date(now - 30 * DAY + 60_000).toISOString(), member_id: 'fresh' }),
      view('n3', { at: new Date(now - 30 * DAY - 60_000).toISOString(), member_id: 'fresh' }),
    ]);
    const all = await data({});
    expect(all.totals).toMatchObject({ views: 2, unique_viewers: 1 });
    expect(Date.parse(all.to) - Date.parse(all.from)).toBe(30 * DAY);
    expect(all.daily).toHaveLength(31);
  });

  it('are all zero for a venue without experiences', async () => {
    const empty = await openTestActivity(world, 0);
    const { json } = await empty.get(MARCH);
    expect(json.data.totals).toMatchObject({ experiences: 0, views: 0, view_to_booking_rate: 0, show_rate: 0 });
    expect(json.data.experiences).toEqual([]);
  });

  it('of a test key are those of its test experiences, without the live views of the venue’s page', async () => {
    const test = await world.key(app.venueId, { mode: 'test' });
    const { json } = await world.call('GET', `/v1/analytics?${new URLSearchParams(MARCH)}`, { key: test.key });
    expect(json.data.totals).toMatchObject({ experiences: 0, views: 0, unique_viewers: 0, venue_page_views: 0 });
  });
});

describe('a wrong request', () => {
  const wrong = async (query: Record<string, string>) => {
    const { status, json } = await app.get(query);
    return [status, json.error.code, json.error.field];
  };

  it('is refused at its parameter', async () => {
    expect(await wrong({ from: '2023-03-01T00:00:00' })).toEqual([422, 'invalid_format', '/query/from']);
    expect(await wrong({ to: 'tomorrow' })).toEqual([422, 'invalid_format', '/query/to']);
    expect(await wrong({ experience_id: 'x' })).toEqual([422, 'invalid_format', '/query/experience_id']);
    expect(await wrong({ form: '2023-03-01T00:00:00Z' })).toEqual([422, 'unknown_field', '/query/form']);
    expect(await wrong({ from: MARCH.from, to: MARCH.from })).toEqual([422, 'not_allowed', '/query/to']);
    expect(await wrong({ from: '2999-01-01T00:00:00Z' })).toEqual([422, 'not_allowed', '/query/from']);
    expect(await wrong({ from: '2001-01-01T00:00:00Z' })).toEqual([422, 'out_of_range', '/query/from']);
  });

  it('is a window of more than 366 days by a millisecond', async () => {
    const to = (overrides: number): string => new Date(Date.parse(MARCH.from) + 366 * DAY + overrides).toISOString();
    expect((await data({ from: MARCH.from, to: to(0) })).daily).toHaveLength(366);
    expect(await wrong({ from: MARCH.from, to: to(1) })).toEqual([422, 'out_of_range', '/query/to']);
    const half = '2023-03-01T12:00:00.5Z';
    expect((await data({ from: half, to: '2024-03-01T12:00:00.5Z' })).daily).toHaveLength(367);
    expect(await wrong({ from: half, to: '2024-03-01T12:00:00.500001Z' })).toEqual([422, 'out_of_range', '/query/to']);
  });

  it('gets the same 404 for an experience of another venue, a pending one, one of another mode and an unknown one', async () => {
    const foreign = await openTestActivity(world, 1, 'live');
    const testKey = (await world.key(app.venueId, { mode: 'test' })).key;
    const otherMode = await createApprovedExperience(world, testKey, 'Rehearsal');
    const body = { title: 'Not yet', starts_at: new Date(Date.now() + DAY).toISOString() };
    const pending = (await world.call('POST', '/v1/experiences', { key: app.key, body })).json.data.id;
    const bodies = new Set<string>();
    for (const id of [foreign.experiences[0]?.id ?? '', otherMode.id, pending, ID]) {
      const { status, text, headers } = await app.get({ ...MARCH, experience_id: id });
      expect(status).toBe(404);
      bodies.add(text.replaceAll(headers.get('x-request-id') ?? '?', 'REQUEST'));
    }
    expect(bodies.size).toBe(1);
  });
});

describe('CSV', () => {
  it('has a line for each experience and day, with the visitors of that day, and no formulas', async () => {
    const formula = await createApprovedExperience(world, app.key, '=HYPERLINK("x"), "quoted"');
    const response = await app.get(
      { from: '2023-03-01T00:00:00Z', to: '2023-03-03T12:00:00Z' },
      { accept: 'text/csv' },
    );
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="analytics.csv"');
    const lines = response.text.split('\r\n');
    const window = '2023-03-01T00:00:00Z,2023-03-03T12:00:00Z';
    expect(lines[0]).toBe(
      'experience_id,title,starts_at,date,views,unique_viewers,booking_starts,saves,bookings,guests,booked_value,checked_in,from,to',
    );
    expect(lines).toHaveLength(1 + 3 * 3 + 1);
    expect(lines[1]).toBe(
      `${formula.id},"'=HYPERLINK(""x""), ""quoted""",${formula.startsAt},2023-03-01,0,0,0,0,0,0,0,0,${window}`,
    );
    const [first] = app.experiences;
    expect(lines[7]).toBe(`${first?.id},Night 0,${first?.startsAt},2023-03-01,1,1,1,1,2,4,20.05,1,${window}`);
    expect(lines[9]).toBe(`${first?.id},Night 0,${first?.startsAt},2023-03-03,1,1,0,0,0,0,0,0,${window}`);
    expect((await app.get({ from: 'x' }, { accept: 'text/csv' })).json.error.field).toBe('/query/from');
  });
});

describe('a venue with very many experiences', () => {
  let many: TestActivity;
  beforeAll(async () => {
    many = await openTestActivity(world, 1, 'live');
    await world.db.query(
      `with made as (
         insert into experiences (venue_id, submission_id, mode, form, status, content, experience_id, created_at, reviewed_at)
         select venue_id, gen_random_uuid(), mode, form, status, content, gen_random_uuid(), created_at - i * interval '1 second',
           reviewed_at
         from experiences cross join generate_series(1, 5000) i where venue_id = $1 returning experience_id, venue_id, mode
       )
       insert into experience_routes select experience_id, venue_id, mode from made`,
      [many.venueId],
    );
  });

  it('must name one of them beyond 5,000 in JSON', async () => {
    const { status, json } = await many.get(MARCH);
    expect([status, json.error.code, json.error.field]).toEqual([422, 'out_of_range', '/query/experience_id']);
    expect(json.error.message).toContain('more than 5000 approved experiences');
    expect((await many.get({ ...MARCH, experience_id: json.errors[0].example_fix })).json.data.totals.experiences).toBe(
      1,
    );
  });

  it('must ask for fewer days beyond 20,000 lines of CSV', async () => {
    const csv = (days: number) =>
      many.get({ from: MARCH.from, to: `2023-03-0${1 + days}T00:00:00Z` }, { accept: 'text/csv' });
    const { status, json } = await csv(4);
    expect([status, json.error.code, json.error.field]).toEqual([422, 'out_of_range', '/query/experience_id']);
    expect(json.error.message).toContain('more than 20000 lines');
    const response = await csv(3);
    expect([response.status, response.text.split('\r\n').length]).toEqual([200, 1 + 5001 * 3 + 1]);
  });
});

describe('an experience that was taken down', () => {
  it('is not found, not counted, and its activity is rejected, until it is approved again', async () => {
    const own = await openTestActivity(world, 2, 'live');
    const id = own.experiences[0]?.id ?? '';
    const [submission] = await world.db.query<{ id: string }>(
      'select submission_id as id from experiences where experience_id = $1',
      [id],
    );
    const decide = (work: typeof takeDown) =>
      world.db.transaction((tx) => work(tx, world.command(), submission?.id ?? ''));
    const look = async (event: string) => {
      const { rejected } = (await reportActivity(world, [view(event, { experience_id: id })])).json;
      const [one, all] = [await own.get({ experience_id: id }), await own.get()];
      return [one.status, all.json.data.totals.experiences, rejected];
    };
    await decide(takeDown);
    expect(await look('d1')).toEqual([404, 1, [{ id: 'd1', reason: 'unknown_experience' }]]);
    await decide(reopen);
    expect(await look('d2')).toEqual([404, 1, [{ id: 'd2', reason: 'unknown_experience' }]]);
    await decide((tx, command, submissionId) =>
      review(tx, command, submissionId, { status: 'approved', note: null }, null),
    );
    expect(await look('d3')).toEqual([200, 2, []]);
  });
});

describe('the people of an experience that was taken down', () => {
  it('do not count, for any window, unless they were seen elsewhere in it', async () => {
    const own = await openTestActivity(world, 3, 'live');
    const [down, ...shown] = own.experiences.map(({ id }) => id);
    const types = ['view', 'booking_start', 'booking'] as const;
    // Each person in another set of the three experiences, over three days, with parts of hours at the ends of windows.
    const sent = Array.from({ length: 240 }, (_, n) =>
      view(`t${n}`, {
        type: types[n % 3] ?? 'view',
        experience_id: [down, ...shown][Math.floor(n / 3) % 3] ?? '',
        member_id: `person-${(n * n) % 23}`,
        at: new Date(Date.parse('2023-05-01T00:00:00Z') + n * 17 * 60_000 + (n % 7) * 1_000).toISOString(),
      }),
    );
    // Seen elsewhere in a part of an hour alone; another person just before the window.
    for (const [at, experience, member_id] of [
      ['06:10', shown[0], 'early'],
      ['06:40', shown[0], 'edge'],
      ['07:10', down, 'edge'],
    ] as const)
      sent.push(
        view(`edge-${at}`, {
          experience_id: experience ?? '',
          member_id,
          at: `2023-05-06T${at}:00Z`,
        }),
      );
    expect((await reportActivity(world, sent)).json.rejected).toEqual([]);
    const [submission] = await world.db.query<{ id: string }>(
      'select submission_id as id from experiences where experience_id = $1',
      [down],
    );
    await world.db.transaction((tx) => takeDown(tx, world.command(), submission?.id ?? ''));
    const visible = { ...own, experiences: own.experiences.slice(1) };
    for (const [from, to] of [
      ['2023-05-01T00:00:00Z', '2023-05-05T00:00:00Z'],
      ['2023-05-01T06:30:00Z', '2023-05-03T06:30:00Z'],
      ['2023-05-01T09:10:00Z', '2023-05-01T09:50:00Z'],
      ['2023-05-02T03:00:00Z', '2023-05-02T17:45:10Z'],
      ['2023-05-06T06:30:00Z', '2023-05-06T08:00:00Z'],
    ] as const) {
      const { data } = (await own.get({ from, to })).json;
      expect(data, `${from} to ${to}`).toEqual(expectedAnalytics(visible, sent, from, to));
    }
  });
});

describe('activity', () => {
  it('of unknown experiences and venues is rejected and not counted; it counts once they are known', async () => {
    const sent = [
      view('u1', { experience_id: ID }),
      view('u2', { member_id: 'late' }),
      { ...view('u3'), type: 'venue_page_view', experience_id: undefined, venue_id: ID } as never,
      view('u2', { member_id: 'late' }),
    ];
    expect((await reportActivity(world, sent)).json).toEqual({
      accepted: 1,
      duplicates: 1,
      rejected: [
        { id: 'u1', reason: 'unknown_experience' },
        { id: 'u3', reason: 'unknown_venue' },
      ],
    });
    expect((await reportActivity(world, [view('u1')])).json).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
  });

  it('counts once by its id, also when it is repeated with another time, years apart', async () => {
    expect((await reportActivity(world, [view('t1')])).json.accepted).toBe(1);
    const repeated = [view('t1', { at: '2022-07-01T00:00:00Z' }), view('t1', { at: '1971-01-01T00:00:00Z' })];
    expect((await reportActivity(world, repeated)).json).toEqual({ accepted: 0, duplicates: 2, rejected: [] });
  });

  it('counts on its own day, also in the future', async () => {
    const inAYear = new Date(Date.now() + 365 * DAY).toISOString();
    expect((await reportActivity(world, [view('ahead', { at: inAYear })])).json).toEqual({
      accepted: 1,
      duplicates: 0,
      rejected: [],
    });
    const figures = await data({ from: inAYear, to: new Date(Date.parse(inAYear) + DAY).toISOString() });
    expect(figures.totals).toMatchObject({ views: 1, unique_viewers: 1 });
  });

  it('is refused as a whole when it is invalid, with every problem, and none of it is counted', async () => {
    const sent = [view('w1'), view('w2', { at: '2023-03-01T10:00:00' }), { ...view('w3'), experience_id: undefined }];
    const { status, json } = await reportActivity(world, sent as never);
    expect(status).toBe(422);
    expect(json.errors.map(({ code, field }: { code: string; field: string }) => `${code} ${field}`)).toEqual([
      'invalid_format /events/1/at',
      'missing_field /events/2/experience_id',
    ]);
    const call = (body: unknown) => world.call('POST', '/internal/activity', { key: world.operatorToken, body });
    const many = (count: number) => ({ events: Array.from({ length: count }, (_, i) => view(`many-${i}`)) });
    expect((await call(many(1001))).json.error).toMatchObject({ code: 'too_many_items', field: '/events' });
    expect((await call({ events: [] })).json.error.code).toBe('too_few_items');
    expect((await call('[')).json.error.code).toBe('invalid_json');
    expect((await call(' '.repeat(1_048_577))).status).toBe(413);
    world.statements.length = 0;
    expect((await call(many(1000))).json).toEqual({ accepted: 1000, duplicates: 0, rejected: [] });
    // One statement finds the venues; the transaction is begin, count, commit.
    expect(world.statements.filter((text) => !/limit|key_routes/.test(text)).length).toBeLessThanOrEqual(5);
    expect((await reportActivity(world, [view('w1')])).json.accepted).toBe(1);
  });

  it('of many venues in one call counts for each venue', async () => {
    const apps = await Promise.all(Array.from({ length: 5 }, () => openTestActivity(world, 1, 'live')));
    const sent = apps.flatMap((one, i) =>
      Array.from({ length: i + 1 }, (_, n) =>
        view(`v${n}`, { experience_id: one.experiences[0]?.id ?? '', at: '2023-03-05T00:00:00Z' }),
      ),
    );
    expect((await reportActivity(world, sent)).json).toEqual({ accepted: 15, duplicates: 0, rejected: [] });
    for (const [i, one] of apps.entries()) {
      expect((await one.get(MARCH)).json.data.totals).toMatchObject({ views: i + 1, unique_viewers: 1 });
    }
  });
});

describe('a member', () => {
  it('cannot be identified: no answer or log has the id of a member or an event, or its hash', async () => {
    const { seal } = world.context;
    const hashes = [
      seal.fingerprint(SECRET_MEMBER, `activity member ${app.venueId}`),
      seal.fingerprint(SECRET_EVENT, 'activity event'),
    ].map((hash) => hash.toString('hex', 0, 16));
    const rows = await world.db.query<{ person: string }>(
      `select replace(person::text, '-', '') as person from activity where venue_id = $1`,
      [app.venueId],
    );
    expect(rows.map(({ person }) => person)).toContain(hashes[0]);
    const rejected = await reportActivity(world, [view(SECRET_EVENT, { experience_id: ID })]);
    expect(rejected.text).not.toContain(SECRET_MEMBER);
    const responses = [
      ...(await Promise.all([app.get(MARCH), app.get({}), app.get(MARCH, { accept: 'text/csv' })])),
      await app.get({ ...MARCH, experience_id: app.experiences[0]?.id ?? '' }),
      await reportActivity(world, [view('x', { member_id: SECRET_MEMBER, at: 'never' })]),
    ].map(({ text }) => text);
    for (const text of [...responses, ...world.logs]) {
      for (const secret of [SECRET_MEMBER, SECRET_EVENT, ...new Set(rows.map(({ person }) => person)), ...hashes]) {
        expect(text.replaceAll('-', '')).not.toContain(secret.replaceAll('-', ''));
      }
    }
  });

  it('has a different hash at every venue', async () => {
    const other = await openTestActivity(world, 1, 'live');
    await reportActivity(world, [view('f1'), view('f2', { experience_id: other.experiences[0]?.id ?? '' })]);
    const hashes = await world.db.query<{ person: string }>(
      'select distinct person from activity where venue_id = $1',
      [other.venueId],
    );
    const found = await world.db.query('select from activity where venue_id = $1 and person = $2', [
      app.venueId,
      hashes[0]?.person,
    ]);
    expect([hashes.length, found.length]).toEqual([1, 0]);
  });
});
