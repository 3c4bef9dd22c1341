// Sign-in to the console: by a mailed code, alike for known and unknown addresses; sessions, and their end.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldAccountSignIns } from '../../src/domain/accounts/queries.ts';
import { sendDueMails } from '../../src/domain/mail/send.ts';
import { callConsole, mailedCode, signInToConsole, tokenOf } from '../support/console-client.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => world.close());

let people = 0;
const newEmail = (): string => `person${people++}@harbor.example`;
/** Each call comes from an address of its own, unless it names one. */
let callers = 0;
const fromNew = () => ({ 'x-forwarded-for': `198.51.${callers >> 8}.${callers++ & 255}` });
const ask = (email: string, headers: Record<string, string> = fromNew()): Promise<HttpResponse> =>
  callConsole(world, 'POST', '/console/api/sign_in', { body: { email }, headers });
const verify = (body: object, headers: Record<string, string> = fromNew()): Promise<HttpResponse> =>
  callConsole(world, 'POST', '/console/api/sign_in/verify', { body, headers });
const session = (token: string): Promise<HttpResponse> => callConsole(world, 'GET', '/console/api/session', { token });
const wrong = (code: string): string => (code === '123456' ? '654321' : '123456');

describe('a sign-up', () => {
  it('makes an account, a sandbox venue with role owner, and both test keys, which are shown once', async () => {
    const { token, json } = await signInToConsole(world, newEmail(), { name: 'Ada', venue_name: 'Harbor Club' });
    expect(json.account).toMatchObject({ name: 'Ada', email: expect.stringContaining('@harbor.example') });
    expect(json.venues).toEqual([{ id: json.keys.venue_id, name: 'Harbor Club', linked: false, role: 'owner' }]);
    const me = await world.call('GET', '/v1/me', { key: json.keys.secret_test });
    expect([me.json.data.venue.name, me.json.data.mode]).toEqual(['Harbor Club', 'test']);
    expect(json.keys.publishable_test).toMatch(/^pk_test_/);
    const again = await session(token);
    expect(again.json).toMatchObject({ account: json.account, venues: json.venues });
    expect(again.text).not.toContain('svc_test_');
    const audit = await world.db.query('select distinct actor from audit_log where venue_id = $1', [
      json.keys.venue_id,
    ]);
    expect(audit).toEqual([{ actor: `account ${json.account.id}` }]);
  });

  it('signs in to the same account the second time, in any case of the address, and makes nothing new', async () => {
    const email = newEmail();
    const first = await signInToConsole(world, email);
    const second = await signInToConsole(world, email.toUpperCase(), { name: 'Other', venue_name: 'Other' });
    expect(second.json.account).toEqual(first.json.account);
    expect(second.json.venues).toEqual(first.json.venues);
    expect(second.json.keys).toBe(null);
  });

  it('makes one account when two codes of one address are entered at the same time', async () => {
    const email = newEmail();
    const answers = [await ask(email), await ask(email)];
    const bodies = await Promise.all(
      answers.map(async ({ json: { challenge_id } }) => ({
        challenge_id,
        code: await mailedCode(world, challenge_id),
      })),
    );
    const signedIn = await Promise.all(bodies.map((body) => verify(body)));
    expect(signedIn.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(signedIn.map(({ json }) => json.account.id)).size).toBe(1);
    expect(signedIn.filter(({ json }) => json.keys !== null)).toHaveLength(1);
  });

  it('stores neither the address nor the code nor the cookie in clear', async () => {
    const email = newEmail();
    const { token } = await signInToConsole(world, email);
    const rows = await Promise.all(
      ['accounts', 'account_challenges', 'account_sessions', 'mails'].map((table) =>
        world.db.query(`select row_to_json(t)::text as text from ${table} t`),
      ),
    );
    const text = JSON.stringify(rows);
    expect(text).not.toContain(email);
    expect(text).not.toContain(Buffer.from(email).toString('hex'));
    expect(text).not.toContain(Buffer.from(token).toString('hex'));
  });
});

describe('a code', () => {
  it('is asked for alike by known and unknown addresses, and is in the sandbox outbox', async () => {
    const known = newEmail();
    await signInToConsole(world, known);
    const [first, second] = await Promise.all([ask(known), ask(newEmail())]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const shape = ({ json }: HttpResponse) => ({ ...json, challenge_id: json.challenge_id.length });
    expect(shape(first)).toEqual(shape(second));
    const outbox = await world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
    const mail = outbox.json.mails.find(({ to }: { to: string }) => to === known);
    expect(mail).toMatchObject({ kind: 'code', text: expect.stringMatching(/^\d{6} is your code/) });
  });

  it('that is wrong is refused at /code with the tries that are left, and after five tries not accepted', async () => {
    const { challenge_id } = (await ask(newEmail())).json;
    const code = await mailedCode(world, challenge_id);
    for (const left of [
      '4 tries are left',
      '3 tries are left',
      '2 tries are left',
      '1 try is left',
      'No try is left',
    ]) {
      const { status, json } = await verify({ challenge_id, code: wrong(code) });
      expect([status, json.error.field]).toEqual([422, '/code']);
      expect(json.error.message).toContain(left);
    }
    const late = await verify({ challenge_id, code });
    expect([late.status, late.json.error.field]).toEqual([422, '/challenge_id']);
  });

  it('works once, and not after ten minutes', async () => {
    const used = (await ask(newEmail())).json.challenge_id;
    const body = { challenge_id: used, code: await mailedCode(world, used) };
    const both = await Promise.all([verify(body), verify(body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 422]);
    const old = (await ask(newEmail())).json.challenge_id;
    await world.db.query(
      "update account_challenges set expires_at = now() - interval '1 second' where challenge_id = $1",
      [old],
    );
    const late = await verify({ challenge_id: old, code: await mailedCode(world, old) });
    expect([late.status, late.json.error.field]).toEqual([422, '/challenge_id']);
  });

  it('is mailed five times an hour to an address, and thirty times for a network', async () => {
    const email = newEmail();
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push((await ask(email)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const from = { 'x-forwarded-for': '192.0.2.200' };
    const many = await Promise.all(Array.from({ length: 31 }, () => ask(newEmail(), from)));
    expect(many.filter(({ status }) => status === 200)).toHaveLength(30);
    const refused = many.find(({ status }) => status === 429);
    expect(refused?.json.error.code).toBe('rate_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('is mailed to a person at a network they have used, also when other callers have used up the hour and the day', async () => {
    const email = newEmail();
    const home = { 'x-forwarded-for': '192.0.2.77' };
    const first = (await ask(email, home)).json.challenge_id;
    expect((await verify({ challenge_id: first, code: await mailedCode(world, first) }, home)).status).toBe(200);
    for (let n = 0; n < 4; n++) expect((await ask(email)).status).toBe(200);
    expect((await ask(email)).status).toBe(429);
    // The day is used up too.
    await world.db.query(
      `insert into mails (mail_id, kind, subject, address, address_hash, content, status, created_at)
       select gen_random_uuid(), 'code', gen_random_uuid(), address, address_hash, content, 'stored', now()
       from (select * from mails where kind = 'code' and subject = $1) m, generate_series(1, 20)`,
      [first],
    );
    const { status, json } = await ask(email, home);
    expect(status).toBe(200);
    const code = await mailedCode(world, json.challenge_id);
    expect((await verify({ challenge_id: json.challenge_id, code }, home)).status).toBe(200);
  });

  it('says that mails are late while the mail server takes none, and is not sent after its ten minutes', async () => {
    expect((await ask(newEmail())).json.mail_delayed).toBe(false);
    const { challenge_id } = (await ask(newEmail())).json;
    await world.db.query("update mails set created_at = now() - interval '1 minute' where subject = $1", [
      challenge_id,
    ]);
    expect((await ask(newEmail())).json.mail_delayed).toBe(true);
    await world.db.query("update mails set created_at = now() - interval '11 minutes' where subject = $1", [
      challenge_id,
    ]);
    const sent: string[] = [];
    const { db, clock, log, seal } = world.context;
    const mailSender = {
      send: async ({ to }: { to: string }) => {
        sent.push(to);
        return 'sent' as const;
      },
    };
    await sendDueMails({ db, clock, log, seal, mailSender }, 1_000);
    const [mail] = await world.db.query<{ status: string }>('select status from mails where subject = $1', [
      challenge_id,
    ]);
    expect(mail?.status).toBe('failed');
    expect(sent.length).toBeGreaterThan(0);
  });

  it('is refused with what is wrong, for bodies that are not right', async () => {
    const bodies = [{}, { email: 'ada' }, { email: 'ada@harbor.example', more: 1 }, { email: 7 }];
    for (const body of bodies)
      expect((await callConsole(world, 'POST', '/console/api/sign_in', { body })).status).toBe(422);
    const bad = await verify({ challenge_id: 'x', code: '12', name: 'http://evil.example', venue_name: ' ' });
    expect(bad.json.errors.map(({ field }: { field: string }) => field)).toEqual(['/code', '/name', '/venue_name']);
  });
});

describe('a session', () => {
  it('has a cookie that scripts cannot read, of this site alone, and with the prefix __Host- over https', async () => {
    const { challenge_id } = (await ask(newEmail())).json;
    const answer = await verify({ challenge_id, code: await mailedCode(world, challenge_id) });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^everyshare_console=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(/^everyshare_device=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/),
    ]);
    const secure = await openTestWorld({ env: { BASE_URL: 'https://pay.example' } });
    try {
      const headers = { origin: 'https://pay.example' };
      const body = { email: newEmail() };
      const id = (await secure.call('POST', '/console/api/sign_in', { headers, body })).json.challenge_id;
      const signedIn = await secure.call('POST', '/console/api/sign_in/verify', {
        headers,
        body: { challenge_id: id, code: await mailedCode(secure, id) },
      });
      const [cookie = '', device] = signedIn.headers.getSetCookie();
      expect(device).toMatch(/^__Host-everyshare_device=[\w-]{43}; .*HttpOnly; SameSite=Lax; Secure$/);
      expect(cookie).toMatch(/^__Host-everyshare_console=[\w-]{43}; .*HttpOnly; SameSite=Lax; Secure$/);
      const withPrefix = { ...headers, cookie: cookie.split(';')[0] ?? '' };
      expect((await secure.call('GET', '/console/api/session', { headers: withPrefix })).status).toBe(200);
      const without = { ...headers, cookie: withPrefix.cookie.replace('__Host-', '') };
      expect((await secure.call('GET', '/console/api/session', { headers: without })).status).toBe(401);
    } finally {
      await secure.close();
    }
  });

  it('is over after a sign-out, and its cookie is deleted', async () => {
    const { token } = await signInToConsole(world, newEmail());
    const out = await callConsole(world, 'POST', '/console/api/sign_out', { token });
    expect([out.status, out.json.ended, tokenOf(out)]).toEqual([200, true, null]);
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await session(token)).status).toBe(401);
  });

  it('is over after 12 hours without a request, and after 7 days', async () => {
    const [idle, old] = [await signInToConsole(world, newEmail()), await signInToConsole(world, newEmail())];
    const set = (column: string, interval: string, id: string) =>
      world.db.query(`update account_sessions set ${column} = now() - interval '${interval}' where session_id = $1`, [
        id,
      ]);
    await set('last_used_at', '11 hours 59 minutes', idle.json.session.id);
    expect((await session(idle.token)).status).toBe(200);
    const [row] = await world.db.query<{ fresh: boolean }>(
      "select last_used_at > now() - interval '1 minute' as fresh from account_sessions where session_id = $1",
      [idle.json.session.id],
    );
    expect(row?.fresh, 'the request counts as a use').toBe(true);
    await set('last_used_at', '12 hours 1 second', idle.json.session.id);
    expect((await session(idle.token)).status).toBe(401);
    expect(Date.parse(old.json.session.expires_at) - Date.parse(old.json.session.created_at)).toBe(7 * 86_400_000);
    await set('expires_at', '1 second', old.json.session.id);
    expect((await session(old.token)).status).toBe(401);
  });

  it('is listed with the others of its account, and ends one of them, but none of another account', async () => {
    const email = newEmail();
    const [first, second] = [await signInToConsole(world, email), await signInToConsole(world, email)];
    const outsider = await signInToConsole(world, newEmail());
    const list = await callConsole(world, 'GET', '/console/api/sessions', { token: second.token });
    expect(list.json.data.map(({ id, is_current }: { id: string; is_current: boolean }) => [id, is_current])).toEqual([
      [second.json.session.id, true],
      [first.json.session.id, false],
    ]);
    const end = (id: string) => callConsole(world, 'DELETE', `/console/api/sessions/${id}`, { token: second.token });
    expect((await end(outsider.json.session.id)).status).toBe(404);
    expect((await end('nonsense')).status).toBe(404);
    expect(tokenOf(await end(first.json.session.id))).toBe(null);
    expect((await session(first.token)).status).toBe(401);
    expect((await session(second.token)).status).toBe(200);
    expect((await end(first.json.session.id)).status, 'it is ended already').toBe(404);
    expect((await end(second.json.session.id)).headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await session(second.token)).status).toBe(401);
  });

  it('and its code are deleted when they are old', async () => {
    const { json } = await signInToConsole(world, newEmail());
    await deleteOldAccountSignIns(world.db, Date.now() + 29 * 86_400_000, 10_000);
    const count = () => world.db.query('select 1 from account_sessions where session_id = $1', [json.session.id]);
    expect(await count()).toHaveLength(1);
    expect(await world.db.query('select 1 from account_challenges')).toHaveLength(0);
    await deleteOldAccountSignIns(world.db, Date.now() + 31 * 86_400_000, 10_000);
    expect(await count()).toHaveLength(0);
  });
});

describe('an installation without mail', () => {
  it('says that it sends no codes', async () => {
    const silent = await openTestWorld({
      env: {
        STRIPE_TEST_SECRET_KEY: 'sk_test_x',
        STRIPE_TEST_PUBLISHABLE_KEY: 'pk_test_x',
        STRIPE_LIVE_SECRET_KEY: 'sk_live_x',
        STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_x',
      },
    });
    try {
      const answer = await callConsole(silent, 'POST', '/console/api/sign_in', { body: { email: newEmail() } });
      expect([answer.status, answer.json.error.code]).toEqual([503, 'service_unavailable']);
      expect(answer.json.error.message).toContain('MAIL_URL');
    } finally {
      await silent.close();
    }
  });
});
