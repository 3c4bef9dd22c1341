// The limits of a rolling day on texts: codes for a phone, new phones of an organizer, invites of a venue. Two servers
// share them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldDailyUses, reserveDailyUses } from '../../src/domain/keys/daily-use-queries.ts';
import { sandboxSender, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { hashOfPhone } from '../../src/domain/members/phone.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { ageCalls } from '../support/age-calls.ts';
import { submitForm } from '../support/submit-form.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

/** The same for both servers, so that each accepts the other's tokens. */
const BASE = 'http://pay.example';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({ servers: 2, env: { TRUSTED_PROXIES: '127.0.0.1', BASE_URL: BASE } });
});
afterAll(() => fixture.world.close());

/** In minutes. */
const DAY = 24 * 60;

let numbers = 0;
const newPhone = (): string => `+1213555${String(numbers++).padStart(4, '0')}`;
const use = (subject: string, limit: number, uses: number) =>
  fixture.world.db.transaction((tx) => reserveDailyUses(tx, { subject, limit, uses, mayWait: true }));
const statuses = (responses: readonly HttpResponse[]): number[] => responses.map(({ status }) => status).sort();

/** As if this time had passed: the rolling hour and the rolling day move on. */
async function letPass(minutes: number): Promise<void> {
  const { db } = fixture.world;
  await ageCalls(db, minutes * 60_000);
  await db.query(`update daily_uses set at = at - $1 * interval '1 minute'`, [minutes]);
  await db.query(`update messages set due_at = due_at - $1 * interval '1 minute' where status = 'waiting'`, [minutes]);
}

describe('the codes of a phone', () => {
  let asked = 0;
  const ask = (phone: string): Promise<HttpResponse> => {
    const headers = { 'x-forwarded-for': `198.51.${100 + (asked >> 8)}.${asked & 255}` };
    return fixture.world.call('POST', '/v1/public/sign_in', { body: { phone }, headers, server: asked++ % 2 });
  };

  it('are ten a day, exactly, also when many addresses ask two servers at once', async () => {
    const phone = newPhone();
    for (let n = 0; n < 5; n++) expect((await ask(phone)).status).toBe(200);
    const sixth = await ask(phone);
    expect(sixth.json.error.message).toMatch(/^A phone gets at most 5 codes an hour; .+ Try again in \d+ seconds\.$/);
    await letPass(61);
    for (let n = 0; n < 3; n++) expect((await ask(phone)).status).toBe(200);
    await letPass(61);
    const responses = await Promise.all(Array.from({ length: 12 }, () => ask(phone)));
    expect(statuses(responses)).toEqual([...Array(2).fill(200), ...Array(10).fill(429)]);
    await letPass(61);
    const over = await ask(phone);
    expect(statusAndError(over).slice(0, 2)).toEqual([429, 'rate_limited']);
    const [, at = ''] =
      /^A phone gets at most 10 codes a day; one that was sent in the last ten minutes still works\. Try again at (\S+) or later\.$/.exec(
        over.json.error.message,
      ) ?? [];
    const seconds = Number(over.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(20 * 3_600);
    expect(Math.abs(Date.parse(at) - Date.now() - seconds * 1_000)).toBeLessThan(60_000);
    expect((await ask(newPhone())).status).toBe(200);
  });

  it('are free again a day after they were sent, and a refused request counts nowhere', async () => {
    const phone = newPhone();
    const { seal } = fixture.world.context.services;
    const hash = hashOfPhone(seal, phone).toString('hex');
    await use(`codes ${hash}`, 10, 10);
    for (let n = 0; n < 7; n++) expect((await ask(phone)).json.error.message).toMatch(/10 codes a day/);
    const counted = await fixture.world.db.query('select 1 from limit_calls where subject = $1', [
      `sign-in phone ${hash}`,
    ]);
    expect(counted).toEqual([]);
    await letPass(DAY - 1);
    expect((await ask(phone)).status).toBe(429);
    await letPass(1);
    expect((await ask(phone)).status).toBe(200);
  });
});

describe('the new phones of an organizer', () => {
  const subjectOf = ({ id }: Person): string => `new phones ${id}`;

  it('are a hundred a day; phones named before do not count, and a refused party counts nothing', async () => {
    const ada = await fixture.createPerson('Ada');
    const named = [newPhone(), newPhone(), newPhone()].map((phone) => ({ phone }));
    const id = await fixture.checkout();
    expect((await fixture.party(id, ada, named, { custom: {} })).status).toBe(422);
    expect((await fixture.party(id, ada, named)).status).toBe(200);
    await use(subjectOf(ada), 100, 96);
    const two = [{ phone: newPhone() }, { phone: newPhone() }];
    const refused = await fixture.party(await fixture.checkout(), ada, two);
    expect(statusAndError(refused).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(refused.json.error.message).toMatch(
      /^An organizer can name at most 100 new phones in a day\. .+ Try again at \S+Z or later\.$/,
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600);
    expect((await fixture.party(await fixture.checkout(), ada, two.slice(0, 1))).status).toBe(200);
    expect((await fixture.party(await fixture.checkout(), ada, [...named.slice(1), ...two.slice(0, 1)])).status).toBe(
      200,
    );
    expect((await fixture.party(await fixture.checkout(), ada, two.slice(1))).status).toBe(429);
    const sam = await fixture.createPerson('Sam');
    expect((await fixture.party(await fixture.checkout(), ada, [{ user_id: sam.id }])).status).toBe(200);
    await letPass(DAY);
    expect((await fixture.party(await fixture.checkout(), ada, two.slice(1))).status).toBe(200);
  });

  it('count the same whether or not a member has the phone', async () => {
    const [ada, sam] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
    await use(subjectOf(ada), 100, 100);
    const answers = [];
    for (const phone of [sam.phone, newPhone()]) {
      const { status, json } = await fixture.party(await fixture.checkout(), ada, [{ phone }]);
      answers.push([status, json.error.code, json.error.message]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(429);
  });

  it('are counted exactly when two servers are asked at once', { tags: ['slow'] }, async () => {
    const ada = await fixture.createPerson('Ada');
    await use(subjectOf(ada), 100, 97);
    const ids = await Promise.all(Array.from({ length: 8 }, () => fixture.checkout()));
    const responses = await Promise.all(
      ids.map((id, n) =>
        fixture.world.call('POST', `/v1/public/checkouts/${id}/party`, {
          key: ada.token,
          body: { members: [{ phone: newPhone() }], split: 'equal' },
          server: n % 2,
        }),
      ),
    );
    expect(statuses(responses)).toEqual([...Array(3).fill(200), ...Array(5).fill(429)]);
  });

  it('are refused on the page with a way out', async () => {
    const ada = await fixture.createPerson('Ada');
    await use(subjectOf(ada), 100, 100);
    const id = await fixture.checkout();
    const fields = { phone: newPhone(), name: 'Kim', seats: '0', split: 'equal', do: 'send' };
    const cookie = `everyshare_session=${await beginSession(fixture.world.context, ada.id)}`;
    const response = await submitForm(fixture.world, `/c/${id}/party`, fields, { origin: BASE, cookie });
    expect(response.text).toContain('Leave seats open and share the link');
  });
});

describe('the invites of a venue', () => {
  const outcomes = async (phones: readonly string[]) => {
    const { seal } = fixture.world.context.services;
    const hashes = phones.map((phone) => hashOfPhone(seal, phone));
    const rows = await fixture.world.db.query<{ status: string; hours: number }>(
      `select status, round(coalesce(extract(epoch from due_at - now()) / 3600, 0))::int as hours from messages
       where kind = 'invite' and phone_hash = any($1) order by status, hours`,
      [hashes],
    );
    return rows.map(({ status, hours }) => `${status} ${hours}`);
  };
  const send = (): Promise<unknown> => {
    const { services } = fixture.world.context;
    return runUntilIdle('sending messages', () => sendDueMessages({ ...services, sender: sandboxSender }, 100));
  };

  it('are two thousand a day; further ones wait until the day has room, and their links work', async () => {
    const ada = await fixture.createPerson('Ada');
    await use(`invites ${fixture.venueId}`, 2_000, 1_000);
    await letPass(10 * 60);
    const [row] = await fixture.world.db.query<{ used: number }>(
      "select count(*)::int as used from daily_uses where subject = $1 and at > now() - interval '1 day'",
      [`invites ${fixture.venueId}`],
    );
    await use(`invites ${fixture.venueId}`, 2_000, 1_999 - (row?.used ?? 0));
    const phones = [newPhone(), newPhone(), newPhone()];
    const response = await fixture.party(
      await fixture.checkout(),
      ada,
      phones.map((phone) => ({ phone })),
    );
    expect(response.status, response.text).toBe(200);
    await send();
    expect(await outcomes(phones)).toEqual(['sent 0', 'waiting 14', 'waiting 14']);
    for (const { url } of response.json.shares)
      expect((await fixture.world.call('GET', new URL(url).pathname)).status).toBe(200);
    await letPass(14 * 60);
    await letPass(1);
    await send();
    expect(await outcomes(phones)).toEqual(['sent 0', 'sent 0', 'sent 0']);
  });

  it('are counted exactly when parties are chosen at once', { tags: ['slow'] }, async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => fixture.createPerson()));
    await letPass(2 * DAY);
    await use(`invites ${fixture.venueId}`, 2_000, 1_995);
    const phones = people.flatMap(() => [newPhone(), newPhone()]);
    const ids = await Promise.all(people.map(() => fixture.checkout()));
    const responses = await Promise.all(
      people.map((person, n) =>
        fixture.world.call('POST', `/v1/public/checkouts/${ids[n]}/party`, {
          key: person.token,
          body: { members: phones.slice(2 * n, 2 * n + 2).map((phone) => ({ phone })), split: 'equal' },
          server: n % 2,
        }),
      ),
    );
    expect(statuses(responses)).toEqual(Array(4).fill(200));
    await send();
    expect(await outcomes(phones)).toEqual([...Array(5).fill('sent 0'), ...Array(3).fill('waiting 24')]);
  });
});

it('no day has more uses than the limit, in any order of requests, and old uses are deleted without changing that', async () => {
  const { db } = fixture.world;
  const subject = 'a subject of its own';
  const limit = 7;
  for (let round = 0; round < 25; round++) {
    await use(subject, limit, 1 + (round % 4));
    await letPass((round * 37) % 300);
    if (round % 5 === 4) await deleteOldDailyUses(db, 1_000);
  }
  await use(subject, limit, 30);
  const rows = await db.query<{ ms: number }>(
    'select (extract(epoch from at) * 1000)::float8 as ms from daily_uses where subject = $1 order by at',
    [subject],
  );
  const times = rows.map(({ ms }) => ms);
  expect(times.length).toBeGreaterThan(30);
  for (const [index, at] of times.entries()) {
    const earlier = times[index - limit];
    if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(86_400_000 - 1);
  }
});
