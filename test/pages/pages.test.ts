// The hosted pages without a browser: what anonymous guests and link previews see, headers and cookies, languages, what
// other sites cannot do, and rate limits.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePhone } from '../../schemas/rules/phone.ts';
import { packageRoot } from '../../src/base/package-root.ts';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { deleteOldDrafts } from '../../src/domain/checkouts/party/draft-queries.ts';
import { countSharedCalls } from '../../src/domain/keys/queries.ts';
import { openPhone } from '../../src/domain/members/phone.ts';
import { addFriends } from '../../src/domain/members/queries.ts';
import { html } from '../../src/http/pages/html.ts';
import { parseAmount } from '../../src/http/pages/party-form.ts';
import { createPerson, type Person } from '../support/create-person.ts';
import { submitForm } from '../support/submit-form.ts';
import { CARDS, type Json, ORIGIN, TestVenue } from '../support/test-venue.ts';
import { type HttpResponse, openTestWorld, type TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let venue: TestVenue;

beforeAll(async () => {
  world = await openTestWorld();
  const opened = await world.venue({ name: 'Harbor <Club>', origins: [ORIGIN] });
  const { key } = await world.key(opened.venue.id, { writesPerHour: 100_000, readsPerHour: 100_000 });
  venue = new TestVenue(world, opened.venue.id, key, 'test');
});
afterAll(() => world.close());

const get = (path: string, headers: Record<string, string> = {}): Promise<HttpResponse> =>
  world.call('GET', path, { headers });

const post = (
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<HttpResponse> =>
  world.call('POST', path, {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });

/** Sends a form and opens the page that follows. */
const submit = (
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<HttpResponse> => submitForm(world, path, form, headers);

async function createGroup(): Promise<{
  readonly checkout: Json;
  readonly ada: Person;
  readonly ben: Person;
  readonly invites: Json;
}> {
  const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
  const checkout = await venue.create({ amount: 8_000, party_size: 4, description: 'Cabana <3>' });
  const response = await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, {
    key: ada.token,
    body: { members: [{ user_id: ben.id }], split: 'equal' },
  });
  expect(response.status, response.text).toBe(200);
  return { checkout, ada, ben, invites: response.json.shares };
}

const pathOf = (url: string): string => new URL(url).pathname;

describe('a page', () => {
  it('carries strict headers, and loads nothing from other origins', async () => {
    const { invites } = await createGroup();
    const { headers, text, status } = await get(pathOf(invites[1].url));
    expect(status).toBe(200);
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(text).not.toMatch(/ style=| on[a-z]+=|<style|<script(?! type="module" src="\/guest\/)/);
  });

  it('has the venue’s colour, its terms, privacy and contact, and times in its zone with the name of the zone', async () => {
    const { checkout, ada } = await createGroup();
    await world.db.query(
      `update venues set accent_color = '#aa3366', terms_url = 'https://harbor.example/terms', timezone = 'America/New_York',
         privacy_url = 'https://harbor.example/privacy', support_email = 'help@harbor.example' where venue_id = $1`,
      [venue.venueId],
    );
    try {
      const { text } = await get(`/c/${checkout.id}?pay=own`, { cookie: ada.cookie });
      const theme = /href="(\/guest\/theme\/aa3366\.css[^"]*)"/.exec(text)?.[1] ?? '';
      const { text: css } = await get(theme);
      expect(css).toMatch(/--venue:#[0-9a-f]{6};/);
      for (const link of [
        'https://harbor.example/terms',
        'https://harbor.example/privacy',
        'mailto:help@harbor.example',
      ])
        expect(text).toContain(`href="${link}"`);
      expect(text).toMatch(/<time class="nowrap" datetime="[^"]+">[^<]+ E[SD]T<\/time>/);
    } finally {
      await world.db.query(
        `update venues set accent_color = null, terms_url = null, privacy_url = null, support_email = null, timezone = 'UTC'
         where venue_id = $1`,
        [venue.venueId],
      );
    }
    expect((await get('/guest/theme/nothing.css')).status).toBe(404);
  });

  it('says “booked” only while the booking stands, and what went back otherwise', async () => {
    const { checkout, ben, invites } = await createGroup();
    for (const invite of invites) await venue.pay(checkout.id, invite.id, '4242424242424242');
    await world.work();
    const page = async (): Promise<string> => (await get(pathOf(invites[1].url), { cookie: ben.cookie })).text;
    expect(await page()).toContain('It’s booked. Everyone’s in.');
    await venue.post(`/v1/checkouts/${checkout.id}/refund`, { amount: 3_000 });
    await world.work();
    expect(await page()).toContain('$15.00 of your $40.00 is on its way back.');
    await venue.post(`/v1/checkouts/${checkout.id}/refund`, {});
    await world.work();
    const whole = await page();
    expect(whole).toContain('Your $40.00 is on its way back.');
    expect(whole).toMatch(/You paid<\/dt><dd><bdi>\$0\.00/);
    expect(whole).not.toContain('booked');
  });

  it('escapes the text of venues and guests', async () => {
    const { checkout, ada } = await createGroup();
    const { text } = await get(`/c/${checkout.id}`, { cookie: ada.cookie });
    expect(text).toContain('Cabana &lt;3&gt;');
    expect(text).toContain('Harbor &lt;Club&gt;');
    expect(html`<a title="${`"'<>&`}">${[html`<b>`, 'x<', null, false, 0]}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&gt;&amp;"><b>x&lt;0</a>',
    );
  });

  it('says that the browser blocks cookies when a code was sent and its cookie does not come back', async () => {
    const { checkout } = await createGroup();
    const sent = await post(`/c/${checkout.id}/sign-in`, { phone: '+15550100163' });
    const location = sent.headers.get('location') ?? '';
    const cookie = (sent.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    expect([sent.status, location]).toEqual([303, expect.stringMatching(/\?sent=\d+$/)]);
    expect((await get(location, { cookie })).text).not.toContain('blocks the cookie');
    expect((await get(location)).text).toContain('Your browser blocks the cookie that signing in needs.');
    // Not on a page that is opened again later, or by someone who got its address.
    const old = location.replace(/\d+$/, String(Math.floor(Date.now() / 1000) - 31));
    expect((await get(old)).text).not.toContain('blocks the cookie');
  });

  it('does not ask a guest to pay who has paid and opens the link on another device', async () => {
    const { checkout, invites } = await createGroup();
    const before = (await get(pathOf(invites[1].url))).text;
    expect(before).toContain('to pay your share');
    await venue.pay(checkout.id, invites[1].id, '4242424242424242');
    const { text } = await get(pathOf(invites[1].url));
    expect(text).toMatch(/\$40\.00(<\/bdi>)? is held\. Nothing is charged yet\./);
    expect(text).not.toContain('to pay your share');
    expect(text).not.toContain('class="promise');
  });

  it('shows a link preview the venue and the title, but no names and no amounts', async () => {
    const { invites } = await createGroup();
    const { text } = await get(pathOf(invites[1].url));
    const head = text.slice(0, text.indexOf('</head>'));
    expect(head).toContain('<meta property="og:title" content="Cabana &lt;3&gt;">');
    expect(head).not.toMatch(/Ada|Ben|\$/);
  });

  it('shows an anonymous guest who organizes and who is in, and everything but payment', async () => {
    const { checkout, invites } = await createGroup();
    const anonymous = await get(`/c/${checkout.id}`);
    expect(anonymous.text).toContain('Ada invited you.');
    expect(anonymous.text).not.toMatch(/data-pay|\+1555/);
    const invited = await get(pathOf(invites[1].url));
    expect(invited.text).toContain('Ada invited you');
    expect(invited.text).not.toContain('data-pay');
    expect(invited.text).not.toMatch(/\+1555/);
  });

  it('names each row that a guest can open, by which the script keeps it open when the page changes', async () => {
    const folder = join(packageRoot, 'src', 'http', 'pages');
    const sources = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const summaries = sources.join('\n').match(/<summary[^>]*>/g) ?? [];
    expect(summaries.length).toBeGreaterThan(2);
    expect(summaries.filter((tag) => !/ id="[^"]+"/.test(tag))).toEqual([]);
    const { checkout, ben } = await createGroup();
    const { text } = await get(`/c/${checkout.id}`, { cookie: ben.cookie });
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(expect.arrayContaining(['whos-in', 'about-holds']));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('answers 304 while it is unchanged, and 200 after a payment', async () => {
    const { checkout, ben, invites } = await createGroup();
    const path = pathOf(invites[1].url);
    const first = await get(path, { cookie: ben.cookie });
    const etag = first.headers.get('etag') ?? '';
    expect((await get(path, { cookie: ben.cookie, 'if-none-match': etag })).status).toBe(304);
    await venue.pay(checkout.id, invites[1].id, '4242424242424242');
    const changed = await get(path, { cookie: ben.cookie, 'if-none-match': etag });
    expect([changed.status, changed.text.includes('Nothing is charged yet.')]).toEqual([200, true]);
  });

  it('uses the language of the query, of an earlier choice, or of the browser', async () => {
    const { invites } = await createGroup();
    const path = pathOf(invites[1].url);
    const german = await get(path, { 'accept-language': 'de-AT, en;q=0.5' });
    expect(german.text).toContain('<html lang="de" dir="ltr">');
    const chosen = await get(`${path}?locale=es`, { 'accept-language': 'de' });
    expect(chosen.text).toContain('<html lang="es" dir="ltr">');
    const cookie = chosen.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await get(path, { cookie, 'accept-language': 'de' })).text).toContain('<html lang="es" dir="ltr">');
    expect((await get(`${path}?locale=xx`)).text).toContain('<html lang="en" dir="ltr">');
  });

  it('answers 404 with a readable page for every unknown address', async () => {
    const malformed = ['/c/%00', '/s/%00', '/c/%FF', `/c/chk_${'x'.repeat(5_000)}`, '/c/', '/s/a/b/c'];
    for (const path of ['/s/nothing', '/c/chk_nothing', '/c/shr_x', `/s/${'x'.repeat(500)}`, ...malformed]) {
      const { status, text, headers } = await get(path);
      expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8']);
      expect(text).toContain('Nothing here');
    }
    expect((await post('/s/nothing/code', { code: '1' })).status).toBe(404);
  });

  it('accepts forms only from its own origin', async () => {
    const { checkout, ada } = await createGroup();
    const path = `/c/${checkout.id}/sign-out`;
    const otherSite = { cookie: ada.cookie, origin: 'https://evil.example' };
    expect((await post(path, {}, otherSite)).status).toBe(403);
    expect((await post(path, {}, { cookie: ada.cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post('/session/token', {}, otherSite)).status).toBe(403);
    expect((await get(`/c/${checkout.id}`, { cookie: ada.cookie })).text).toContain('Signed in as Ada');
  });

  it('accepts forms without an Origin header, as browsers send them over plain http', async () => {
    const { checkout, ada } = await createGroup();
    const response = await post(`/c/${checkout.id}/sign-out`, {}, { cookie: ada.cookie, origin: 'null' });
    expect(response.status).toBe(303);
  });

  it('exchanges the cookie for a member’s token only for its own script', async () => {
    const { ada, checkout } = await createGroup();
    const response = await post('/session/token', {}, { cookie: ada.cookie, 'sec-fetch-site': 'same-origin' });
    expect(response.json.expires_in).toBe(3_600);
    const view = await world.call('GET', `/v1/public/checkouts/${checkout.id}`, { key: response.json.token });
    expect(view.json.my_share_id).toBe(view.json.shares[0].id);
    expect((await post('/session/token', {}, { accept: 'application/json' })).status).toBe(401);
  });

  it('answers a member 3,600 times an hour, and then with a readable limit page', async () => {
    const { ada, checkout } = await createGroup();
    const subject = `page looks member ${ada.id}`;
    await countSharedCalls(world.db, 3_600, [{ subject, calls: 3_600 }]);
    const response = await get(`/c/${checkout.id}`, { cookie: ada.cookie });
    expect([response.status, response.text.includes('A little too fast')]).toEqual([429, true]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('signing in on a page', () => {
  it('sets cookies that scripts cannot read, and sign-out ends the session for good', async () => {
    const { checkout } = await createGroup();
    const page = `/c/${checkout.id}`;
    const response = await post(`${page}/sign-in`, { phone: '(555) 010-0007' });
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(new RegExp(`^${page}\\?sent=\\d+$`)),
    ]);
    const pending = response.headers.get('set-cookie') ?? '';
    expect(pending).toMatch(/HttpOnly; SameSite=Lax/);
    expect(pending).not.toContain('0100007');
    const wrongCode = await submit(`${page}/code`, { code: '12 34' }, { cookie: pending.split(';')[0] ?? '' });
    expect(wrongCode.text).toContain('aria-invalid="true"');
    const completed = await post(`${page}/code`, { code: '000 000' }, { cookie: pending.split(';')[0] ?? '' });
    const session = /everyshare_session=[^;]+/.exec(completed.headers.get('set-cookie') ?? '')?.[0] ?? '';
    expect((await get(page, { cookie: session })).text).toContain('What should the group call you?');
    expect((await submit(`${page}/name`, { name: '   ' }, { cookie: session })).text).toContain(
      'Type a name of 1 to 80',
    );
    expect((await post(`${page}/name`, { name: 'Eve' }, { cookie: session })).status).toBe(303);
    await post(`${page}/sign-out`, {}, { cookie: session });
    expect((await get(page, { cookie: session })).text).not.toContain('Signed in as');
    expect(world.logs.join('')).not.toContain('0100007');
  });

  it('answers a form with a very long value with a page, and keeps the beginning of the value', async () => {
    const { checkout } = await createGroup();
    const { text } = await submit(`/c/${checkout.id}/sign-in`, { phone: '9'.repeat(30_000) });
    expect(text).toContain('We can’t text this number.');
    expect(text).toContain(`value="${'9'.repeat(100)}"`);
  });

  it('stores the language of the sign-in for later texts', async () => {
    const { checkout } = await createGroup();
    const page = `/c/${checkout.id}`;
    const response = await post(`${page}/sign-in`, { phone: '+15550100011' }, { 'accept-language': 'es' });
    const pending = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    await post(`${page}/code`, { code: '000000' }, { cookie: pending, 'accept-language': 'es' });
    const rows = await world.db.query<{ language: string }>(
      `select language from members where language = 'es' and joined_at > now() - interval '1 minute'`,
    );
    expect(rows).toHaveLength(1);
  });

  it('redirects a guest who was signed out meanwhile to the page, to sign in again', async () => {
    const { checkout } = await createGroup();
    const response = await post(`/c/${checkout.id}/party`, { do: 'send', split: 'equal' });
    expect([response.status, response.headers.get('location')]).toEqual([303, `/c/${checkout.id}`]);
  });

  it('starts over with an unknown cookie', async () => {
    const { checkout } = await createGroup();
    const response = await get(`/c/${checkout.id}`, { cookie: 'everyshare_sign_in=AAAA; everyshare_session=x' });
    expect([response.status, response.text.includes('Phone number')]).toEqual([200, true]);
  });

  it('uses __Host- cookies over https', async () => {
    const secure = await openTestWorld({ env: { BASE_URL: 'https://pay.example' } });
    try {
      const { venue } = await secure.venue({ origins: [ORIGIN] });
      const other = new TestVenue(secure, venue.id, (await secure.key(venue.id)).key, 'test');
      const { id } = await other.create();
      const response = await secure.call('POST', `/c/${id}/sign-in`, {
        body: 'phone=%2B15550100009',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://pay.example' },
      });
      expect(response.headers.get('set-cookie')).toMatch(/^__Host-everyshare_sign_in=.*; Secure$/);
      const page = await secure.call('GET', `/c/${id}`);
      expect(page.headers.get('strict-transport-security')).toContain('max-age');
    } finally {
      await secure.close();
    }
  });
});

describe('choosing the party on a page', () => {
  it('understands phone numbers and amounts as people write them', () => {
    const [sandbox, real] = [
      { isSandbox: true, countries: null },
      { isSandbox: false, countries: null },
    ];
    expect(
      ['(555) 010-0042', '+44 7400 123 456', '555.010.0042', '0042', 'Ben', ''].map((typed) =>
        parsePhone(typed, sandbox),
      ),
    ).toEqual(['+15550100042', '+447400123456', '+15550100042', null, null, null]);
    expect(parsePhone('555 010 0042', real)).toBe(null);
    expect(parsePhone('(415) 555-2671', real)).toBe('+14155552671');
    expect(parsePhone('07400 123456', { isSandbox: false, countries: ['GB', 'IE'] })).toBe('+447400123456');
    expect(['40', '40.5', '40,50', '$40.00', ' 40 € ', '-3', '1.234,00', 'x', '', '0'].map(parseAmount)).toEqual([
      4_000,
      4_050,
      4_050,
      4_000,
      4_000,
      null,
      null,
      null,
      null,
      0,
    ]);
  });

  it('keeps the input after an error, and shows the error beside the field', async () => {
    const ada = await createPerson(world, 'Ada');
    const checkout = await venue.create({ party_size: 3 });
    const response = await submit(
      `/c/${checkout.id}/party`,
      { name: 'Ben', phone: '12', seats: '1', split: 'custom', do: 'next' },
      { cookie: ada.cookie },
    );
    expect(response.text).toMatch(
      /<textarea id="people"[^>]*aria-invalid="true" data-focus aria-describedby="people-error people-hint">\s*Ben 12<\/textarea>/,
    );
    expect(response.text).toMatch(/id="people-error" role="alert">We can’t text “Ben 12”\./);
    expect(response.text).toMatch(/value="custom" checked/);
  });

  it('refuses too many people, an amount below the card minimum, and a second organizer, and changes nothing', async () => {
    const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
    const checkout = await venue.create({ amount: 8_000, party_size: 2 });
    const send = (form: Record<string, string>, person = ada): Promise<HttpResponse> =>
      submit(`/c/${checkout.id}/party`, { do: 'send', split: 'equal', ...form }, { cookie: person.cookie });
    expect((await send({ seats: '2' })).text).toContain('This booking is for up to 2 people. Leave some out.');
    const tooSmall = { split: 'custom', seats: '1', 'amount:organizer': '79.80', 'amount:seat-1': '0.20' };
    expect((await send(tooSmall)).text).toContain('A card cannot pay less than $0.50.');
    expect((await venue.read(checkout.id)).status).toBe('open');
    expect((await send({ seats: '1' })).text).toContain('Your link is ready.');
    expect((await send({ seats: '1' }, ben)).text).toContain('Another guest has chosen the group already.');
  });
});

describe('a party that was typed and not sent', () => {
  const typed = { name: 'Ben', phone: '+12155550123', seats: '1', split: 'custom' };

  it('is there after a reload, after going back and in another language, for its organizer alone', async () => {
    const [ada, eve] = [await createPerson(world, 'Ada'), await createPerson(world, 'Eve')];
    const { id } = await venue.create({ party_size: 4 });
    const page = (person: Person, query = ''): Promise<HttpResponse> =>
      get(`/c/${id}${query}`, { cookie: person.cookie });
    expect((await submit(`/c/${id}/party`, { ...typed, do: 'next' }, { cookie: ada.cookie })).text).toContain(
      'Set the amounts',
    );
    expect((await page(ada)).text).toContain('Set the amounts');
    expect((await page(ada, '?locale=de')).text).toContain('value="+12155550123"');
    await submit(`/c/${id}/party`, { ...typed, do: 'back' }, { cookie: ada.cookie });
    expect((await page(ada)).text).toContain('name="name" value="Ben"');
    expect((await page(eve)).text).not.toContain('Ben');
    await world.db.query(`update party_drafts set updated_at = now() - interval '25 hours' where checkout_id = $1`, [
      id,
    ]);
    expect((await page(ada)).text).not.toContain('Ben');
    expect(await deleteOldDrafts(world.db, Date.now(), 100)).toBeGreaterThan(0);
  });

  it('is kept when the language changes before anything is sent, on the same step', async () => {
    const ada = await createPerson(world, 'Ada');
    const { id } = await venue.create({ party_size: 4 });
    const opened = (await get(`/c/${id}`, { cookie: ada.cookie })).text;
    expect(opened).toContain('form="party-form" name="language" value="people de"');
    // The Enter key presses the first button of the form.
    const [first] = opened.match(/<button[^>]*(?:form="party-form")[^>]*>/) ?? [];
    expect(first).toContain('name="do" value="next"');
    const fields = { ...typed, people: 'Zoe +1215', language: 'people de' };
    const german = await submit(`/c/${id}/party`, fields, { cookie: ada.cookie });
    expect(german.text).toContain('lang="de"');
    expect(german.text).toContain('value="+12155550123"');
    expect(german.text).toContain('Zoe +1215');
    const { people, ...rest } = fields;
    const split = await submit(`/c/${id}/party`, { ...rest, language: 'split fr' }, { cookie: ada.cookie });
    expect(split.text).toContain('value="split en"');
  });

  it('of a change that was given up does not come back', async () => {
    const { checkout, ada, ben } = await createGroup();
    const path = `/c/${checkout.id}`;
    const opened = await get(`${path}?edit=party`, { cookie: ada.cookie });
    const seen = /name="seen" value="([^"]*)"/.exec(opened.text)?.[1] ?? '';
    const fields = { seen, seats: '1', split: 'equal' };
    const changed = await submit(`${path}/party`, { ...fields, do: 'next' }, { cookie: ada.cookie });
    expect(changed.text).toContain('You have not sent this change of the group yet.');
    const again = await get(`${path}?edit=party`, { cookie: ada.cookie });
    expect(again.text).toContain('You have not sent this change of the group yet.');
    await submit(`${path}/party`, { ...fields, do: 'keep' }, { cookie: ada.cookie });
    const after = await get(`${path}?edit=party`, { cookie: ada.cookie });
    expect(after.text).not.toContain('not sent this change');
    expect(after.text).toMatch(new RegExp(`value="${ben.id}"[^>]*checked`));
  });

  it('is kept sealed, and deleted when it is sent', async () => {
    const ada = await createPerson(world, 'Ada');
    const { id } = await venue.create({ party_size: 3 });
    const drafts = (): Promise<{ draft: Buffer }[]> =>
      world.db.query('select draft from party_drafts where checkout_id = $1', [id]);
    await submit(`/c/${id}/party`, { ...typed, split: 'equal', do: 'next' }, { cookie: ada.cookie });
    expect((await drafts()).map(({ draft }) => draft.includes('2155550123'))).toEqual([false]);
    await submit(`/c/${id}/party`, { ...typed, split: 'equal', do: 'send' }, { cookie: ada.cookie });
    expect(await drafts()).toEqual([]);
  });

  it('begins with every seat open, which people who are named take, and asks before one guest pays alone', async () => {
    const ada = await createPerson(world, 'Ada');
    const { id } = await venue.create({ party_size: 4, amount: 8_000 });
    const opened = (await get(`/c/${id}`, { cookie: ada.cookie })).text;
    expect(opened).toMatch(/id="seats"[^>]*value="3"/);
    expect(opened).toContain('name="proposed" value="3"');
    const form = { split: 'equal', seats: '3', proposed: '3', do: 'next' };
    const named = await submit(
      `/c/${id}/party`,
      { ...form, phone: '+12155550124', name: 'Ben' },
      { cookie: ada.cookie },
    );
    expect(named.text.match(/Open seat/g)).toHaveLength(2);
    // Ben is left out again: his seat is open again, too.
    const left = await submit(`/c/${id}/party`, { ...form, seats: '2', proposed: '2' }, { cookie: ada.cookie });
    expect(left.text.match(/Open seat/g)).toHaveLength(3);
    const alone = await submit(`/c/${id}/party`, { ...form, seats: '0' }, { cookie: ada.cookie });
    expect(alone.text).toContain('You are the only one in this group: $80.00 is held on your card alone.');
    expect(alone.text).toContain('Yes, I pay it all');
  });

  it('with one number in two rows is refused beside the second', async () => {
    const ada = await createPerson(world, 'Ada');
    const { id } = await venue.create({ party_size: 4 });
    const body = new URLSearchParams({ split: 'equal', seats: '0', do: 'next' });
    for (const name of ['Ben', 'Cleo']) {
      body.append('name', name);
      body.append('phone', '+1 215 555 0125');
    }
    const sent = await world.call('POST', `/c/${id}/party`, {
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: ada.cookie },
    });
    const cookie = [ada.cookie, ...sent.headers.getSetCookie().map((one) => one.split(';')[0])].join('; ');
    const { text } = await get(sent.headers.get('location') ?? '', { cookie });
    expect(text).toMatch(/id="phone-1-error" role="alert">This person is in the group twice/);
  });
});

describe('the address of a form', () => {
  it('leads to the page that it belongs to when it is opened', async () => {
    const { checkout, invites } = await createGroup();
    for (const page of [`/c/${checkout.id}`, pathOf(invites[1].url)]) {
      for (const form of ['sign-in', 'code', 'party', 'seat', 'name']) {
        const { status, headers } = await get(`${page}/${form}`);
        expect([form, status, headers.get('location')]).toEqual([form, 303, page]);
      }
    }
    expect((await get('/c/chk_nothing/code')).status).toBe(404);
  });
});

describe('choosing the party again', () => {
  const edit = (checkout: Json, person: Person): Promise<HttpResponse> =>
    get(`/c/${checkout.id}?edit=party`, { cookie: person.cookie });
  const partyVersion = (response: HttpResponse): string => /name="seen" value="([^"]+)"/.exec(response.text)?.[1] ?? '';

  it('starts from the current party: its members, its seats, and the amount of each share', async () => {
    const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
    const checkout = await venue.create({ amount: 8_000, party_size: 3 });
    const friend = await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, {
      key: ada.token,
      body: { members: [{ user_id: ben.id }], split: 'equal' },
    });
    expect(friend.status).toBe(200);
    const version = partyVersion(await edit(checkout, ada));
    const form = { do: 'send', split: 'custom', seats: '1', member: ben.id, seen: version };
    const amounts = { 'amount:organizer': '50', [`amount:${ben.id}`]: '20', 'amount:seat-1': '10' };
    expect((await post(`/c/${checkout.id}/party`, { ...form, ...amounts }, { cookie: ada.cookie })).status).toBe(303);
    const { text } = await edit(checkout, ada);
    expect(text).toMatch(new RegExp(`value="${ben.id}" checked`));
    expect(text).toMatch(/id="seats"[^>]*value="1"/);
    expect(text).toMatch(/value="custom" checked/);
    expect(text).toMatch(new RegExp(`name="amount:${ben.id}" value="20.00"`));
    expect(text).not.toContain('Guest 3');
  });

  it('never removes a guest who claimed a seat meanwhile, and names the holds that it would release', async () => {
    const [ada, dan] = [await createPerson(world, 'Ada'), await createPerson(world, 'Dan')];
    const checkout = await venue.create({ amount: 9_000, party_size: 3 });
    const party = (form: Record<string, string>): Promise<HttpResponse> =>
      submit(`/c/${checkout.id}/party`, { split: 'equal', ...form }, { cookie: ada.cookie });
    await party({ do: 'send', seats: '2' });
    const version = partyVersion(await edit(checkout, ada));
    await post(`/c/${checkout.id}/seat`, {}, { cookie: dan.cookie });
    const stale = await party({ do: 'send', seats: '1', seen: version });
    expect(stale.text).toContain('The group has changed while you were choosing.');
    const { shares } = await venue.read(checkout.id);
    const share = shares.find(({ display_name }: Json) => display_name === 'Dan');
    await venue.pay(checkout.id, share.id, '4242424242424242');
    const current = partyVersion(await edit(checkout, ada));
    const response = await party({ do: 'next', seats: '0', member: dan.id, seen: current });
    expect(response.text).toContain('Dan’s hold of $30.00 will be released');
    const withoutChange = await party({ do: 'next', seats: '1', member: dan.id, seen: current });
    expect(withoutChange.text).not.toContain('will be released');
    await party({ do: 'send', seats: '1', member: dan.id, seen: current });
    expect((await venue.read(checkout.id)).shares.map(({ status }: Json) => status)).toEqual([
      'invited',
      'held',
      'invited',
    ]);
  });

  it('reports a person who is in the group twice beside the phone number', async () => {
    const ada = await createPerson(world, 'Ada');
    const checkout = await venue.create({ party_size: 3 });
    const rows = await world.db.query<{ phone: Buffer; hash: Buffer }>(
      'select phone, phone_hash as hash from members where member_id = $1',
      [ada.id],
    );
    const phone = openPhone(world.context.seal, {
      phone: rows[0]?.phone as Buffer,
      phoneHash: rows[0]?.hash as Buffer,
    });
    const response = await submit(
      `/c/${checkout.id}/party`,
      { do: 'send', split: 'equal', phone, name: 'Me' },
      { cookie: ada.cookie },
    );
    expect(response.text).toMatch(/id="phone-0-error" role="alert">This person is in the group twice/);
    expect(response.text).toContain('<title>Error: ');
  });

  it('keeps typed amounts when the organizer goes back', async () => {
    const ada = await createPerson(world, 'Ada');
    const checkout = await venue.create({ party_size: 3 });
    const form = { do: 'back', split: 'custom', seats: '1', 'amount:organizer': '12.34' };
    const response = await submit(`/c/${checkout.id}/party`, form, { cookie: ada.cookie });
    expect(response.text).toContain('name="amount:organizer" value="12.34"');
  });
});

describe('what a page says about payments', () => {
  it('is correct for a share of zero, a covered share, and the member who covered it', async () => {
    const [ada, ben, cleo] = [
      await createPerson(world, 'Ada'),
      await createPerson(world, 'Ben'),
      await createPerson(world, 'Cleo'),
    ];
    const coverShare = async (): Promise<{ id: string; shares: Json }> => {
      const { id } = await venue.create({ amount: 9_000, party_size: 3 });
      const response = await world.call('POST', `/v1/public/checkouts/${id}/party`, {
        key: ada.token,
        body: {
          members: [{ user_id: ben.id }, { user_id: cleo.id }],
          split: { custom: { organizer: 4_000, [ben.id]: 5_000, [cleo.id]: 0 } },
        },
      });
      expect(response.status, response.text).toBe(200);
      const { shares } = response.json;
      const hold = await world.call('POST', `/v1/public/shares/${shares[1].id}/hold`, { key: ada.token });
      await venue.confirm(
        { clientSecret: hold.json.client_secret, publishableKey: hold.json.publishable_key },
        '4242424242424242',
      );
      await post(`/c/${id}/look`, { share: shares[1].id }, { cookie: ada.cookie });
      return { id, shares };
    };
    const pageText = async (id: string, person: Person): Promise<string> =>
      (await get(`/c/${id}`, { cookie: person.cookie })).text;
    const open = await coverShare();
    expect(await pageText(open.id, cleo)).toContain('You have nothing to pay.');
    expect(await pageText(open.id, cleo)).not.toContain('is held');
    expect(await pageText(open.id, ben)).toContain('Ada covered your share.');
    await venue.runTestHelper(open.id, 'expire');
    expect(await pageText(open.id, ben)).not.toContain('Your hold');
    expect(await pageText(open.id, cleo)).not.toContain('Your hold');
    expect(await pageText(open.id, ada)).toMatch(/Your hold, released<\/p><p class="amount"><bdi>\$50\.00/);
    const completed = await coverShare();
    await venue.pay(completed.id, completed.shares[0].id, '4242424242424242');
    await world.work();
    expect(await pageText(completed.id, ada)).toMatch(/You paid<\/dt><dd><bdi>\$90\.00/);
    expect(await pageText(completed.id, ben)).toContain('Ada covered your share of $50.00.');
    expect(await pageText(completed.id, cleo)).toContain('You have nothing to pay.');
  });

  it('says on a canceled booking whose returned charge has not arrived, and not that it went back', async () => {
    const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
    const { id } = await venue.create({ amount: 10_000, party_size: 2 });
    const body = { members: [{ user_id: ben.id }], split: 'equal' };
    const { json } = await world.call('POST', `/v1/public/checkouts/${id}/party`, { key: ada.token, body });
    const refundFails = '4000000000005126';
    await venue.pay(id, json.shares[0].id, refundFails);
    await venue.pay(id, json.shares[1].id, CARDS.captureFailsForGood);
    await world.work();
    await venue.finishDueWork(id);
    const pageOf = async (): Promise<string> => (await get(`/c/${id}`, { cookie: ada.cookie })).text;
    expect(await pageOf()).toMatch(/Your (<bdi>)?\$50\.00(<\/bdi>)? went back to your card/);
    world.processorClock.aheadMs += 31_000;
    await venue.finishDueWork(id);
    expect((await venue.read(id)).failed_refund_amount).toBe(5_000);
    const text = await pageOf();
    expect(text).toMatch(/Your (<bdi>)?\$50\.00(<\/bdi>)? has not reached you yet\./);
    expect(text).not.toMatch(/went back|stays charged/);
  });

  it('names few of the people who have not paid and counts the others, and open seats are one row', async () => {
    const people = await Promise.all(
      ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn', 'Gus'].map((name) => createPerson(world, name)),
    );
    const [ada, ...others] = people as [Person, ...Person[]];
    const pageOf = async (seatCount: number, language = 'en'): Promise<string> => {
      const { id } = await venue.create({ amount: 100_000, party_size: 10 });
      const seats = await createSeats(world.db, { ids: world.context.ids, now: Date.now() }, seatCount);
      const members = [...(seatCount === 0 ? others.map((person) => person.id) : []), ...seats];
      const body = { members: members.map((user_id) => ({ user_id })), split: 'equal' };
      const { json } = await world.call('POST', `/v1/public/checkouts/${id}/party`, { key: ada.token, body });
      await venue.pay(id, json.shares[0].id, '4242424242424242');
      return (await get(`/c/${id}?pay=own`, { cookie: ada.cookie, 'accept-language': language })).text;
    };
    await world.db.transaction((tx) =>
      addFriends(
        tx,
        ada.id,
        others.map(({ id }) => id),
        Date.now(),
      ),
    );
    expect(await pageOf(0)).toContain('<h2>Ben, Cleo, Dan, and 3 more have not paid yet.</h2>');
    expect(await pageOf(0, 'de')).toContain('<h2>Ben, Cleo, Dan und 3 weitere haben noch nicht bezahlt.</h2>');
    const four = await pageOf(4);
    expect(four.match(/<li class="open">/g)).toHaveLength(1);
    expect(four).toMatch(
      /4 open seats(<span hidden data-share[^>]*><\/span>){4}<\/span><span class="sum">\$200\.00 each</,
    );
    expect(four).toContain('When they are taken and paid, it’s booked.');
    const one = await pageOf(1);
    expect(one).toMatch(/One seat is still open\.<\/h2>\s*<p class="rest">When it is taken and paid, it’s booked\./);
    expect(one).toMatch(/1 open seat<span[^>]*><\/span><\/span><span class="sum"><bdi>\$500\.00</);
  });

  it('is not “booked” for an anonymous guest before the checkout completes', async () => {
    const { checkout, invites } = await createGroup();
    await venue.pay(checkout.id, invites[0].id, '4000000000700023');
    await venue.pay(checkout.id, invites[1].id, '4242424242424242');
    expect((await venue.read(checkout.id)).status).toBe('funded');
    const { text } = await get(pathOf(invites[1].url));
    expect(text).toContain('Everyone has paid');
    expect(text).not.toContain('booked');
  });
});

describe('a seat', () => {
  it('goes to the first guest, and the second gets a readable page', async () => {
    const [ada, ben, cleo] = [
      await createPerson(world, 'Ada'),
      await createPerson(world, 'Ben'),
      await createPerson(world, 'Cleo'),
    ];
    const checkout = await venue.create({ amount: 8_000, party_size: 2 });
    await post(`/c/${checkout.id}/party`, { do: 'send', split: 'equal', seats: '1' }, { cookie: ada.cookie });
    const pages = await Promise.all([ben, cleo].map(({ cookie }) => submit(`/c/${checkout.id}/seat`, {}, { cookie })));
    expect(pages.filter(({ text }) => text.includes('Another guest was quicker'))).toHaveLength(1);
    expect(pages.filter(({ text }) => text.includes('data-pay'))).toHaveLength(1);
  });
});

describe('the scripts', () => {
  it('are cached for a year under the hash of their content, and revalidated without it', async () => {
    const { invites } = await createGroup();
    const { text } = await get(pathOf(invites[1].url));
    const scriptUrl = /src="(\/guest\/guest\.js\?v=[^"]+)"/.exec(text)?.[1] ?? '';
    expect((await get(scriptUrl)).headers.get('cache-control')).toContain('immutable');
    expect((await get('/guest/guest.js?v=old')).headers.get('cache-control')).toBe('public, no-cache');
    expect((await get('/guest/nothing.js')).status).toBe(404);
  });

  it('and a venue’s stylesheet have the hash of their content in their address: a change of the colours gets another', async () => {
    const { checkout } = await createGroup();
    const withColor = (color: string | null): Promise<unknown> =>
      world.db.query('update venues set accent_color = $2 where venue_id = $1', [venue.venueId, color]);
    await withColor('#aa3366');
    try {
      const { text } = await get(`/c/${checkout.id}`);
      const [, url = '', hash] = /href="(\/guest\/theme\/aa3366\.css\?v=([^"]+))"/.exec(text) ?? [];
      const theme = await get(url);
      expect(hash).toBe(createHash('sha256').update(theme.text).digest('base64url').slice(0, 12));
      expect(theme.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const etag = theme.headers.get('etag') ?? '';
      expect((await get(url, { 'if-none-match': etag })).status).toBe(304);
      for (const other of ['', '?v=old'])
        expect((await get(`/guest/theme/aa3366.css${other}`)).headers.get('cache-control')).toBe('public, no-cache');
    } finally {
      await withColor(null);
    }
  });

  it('and the page of a party of eight are small enough for the first flight of a connection', async () => {
    const [ada, ben] = [await createPerson(world, 'Ada'), await createPerson(world, 'Ben')];
    const checkout = await venue.create({ amount: 8_000, party_size: 8 });
    const seats = await createSeats(world.db, { ids: world.context.ids, now: Date.now() }, 6);
    const members = [ben.id, ...seats].map((id) => ({ user_id: id }));
    const body = { members, split: 'equal' };
    await world.call('POST', `/v1/public/checkouts/${checkout.id}/party`, { key: ada.token, body });
    for (const encoding of ['br', 'gzip']) {
      const headers = { cookie: ben.cookie, 'accept-encoding': encoding };
      const response = await fetch(`${world.urls[0]}/c/${checkout.id}`, { headers });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('vary')).toContain('accept-encoding');
      expect(Number(response.headers.get('content-length'))).toBeLessThan(14 * 1024);
      const text = await response.text();
      expect(text).toContain('data-pay');
      // The script of the card form loads beside the others, not after them.
      const driver = /data-driver="([^"]+)"/.exec(text)?.[1] ?? '';
      expect(text).toContain(`<link rel="modulepreload" href="${driver}">`);
    }
    const plain = await get(`/c/${checkout.id}`, { cookie: ben.cookie, 'accept-encoding': 'br;q=0, identity' });
    expect(plain.headers.get('content-encoding')).toBe(null);
  });

  it('of the page on which a guest pays are at most 15 KB', () => {
    const folder = join(packageRoot, 'web', 'guest');
    const bytes = readdirSync(folder)
      .filter((name) => name.endsWith('.js') && name !== 'pay-stripe.js' && name !== 'party.js')
      .map((name) => gzipSync(readFileSync(join(folder, name))).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(15 * 1024);
  });
});
