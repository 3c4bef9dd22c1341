// The organizer's page without a browser: the QR code, the text that guests get, and what is known of each invite.

import { encode } from 'uqr';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSeats } from '../../src/domain/checkouts/party/claim-seat.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { type GuestFixture, openGuestFixture, type Person } from '../guests/guest-fixture.ts';
import { submitForm } from '../support/submit-form.ts';
import type { HttpResponse } from '../support/test-world.ts';
import { zoneAt } from '../support/zone-at.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture();
});
afterAll(() => fixture.world.close());

const cookieOf = async ({ id }: Person): Promise<string> =>
  `everyshare_session=${await beginSession(fixture.world.context, id)}`;

async function open(path: string, person: Person, language = 'en'): Promise<string> {
  const headers = { cookie: await cookieOf(person), 'accept-language': language };
  const { status, text } = await fixture.world.call('GET', path, { headers });
  expect(status).toBe(200);
  return text;
}

const unescaped = (text: string): string =>
  text.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** Ada has invited Ben by phone, and left `seats` seats open. */
async function invite(overrides: Record<string, unknown> = {}, seats = 1) {
  const ada = await fixture.createPerson('Ada');
  const ben = await fixture.createPerson();
  const id = await fixture.checkout(overrides);
  const cookie = await cookieOf(ada);
  const form = new URLSearchParams({ do: 'send', split: 'equal', seats: String(seats), name: 'Ben', phone: ben.phone });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie };
  const sent = await fixture.world.call('POST', `/c/${id}/party`, { body: form.toString(), headers });
  expect([sent.status, sent.headers.get('location')]).toEqual([303, `/c/${id}`]);
  return { id, ada, ben, cookie };
}

describe('the QR code of the organizer’s page', () => {
  it('is the link of the group: dark modules on white, in a quiet zone of four modules', async () => {
    const { id, ada } = await invite();
    const text = await open(`/c/${id}`, ada);
    const link = /id="share-link" readonly value="([^"]+)"/.exec(text)?.[1] ?? '';
    expect(link.endsWith(`/c/${id}`)).toBe(true);
    const svg = /<svg class="qr-code".*?<\/svg>/.exec(text)?.[0] ?? '';
    const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
    expect(svg).toContain(`<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000"`);
    const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
    for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)\.5h(\d+)/g))
      for (let n = 0; n < Number(length); n++) (drawn[Number(y)] ?? [])[Number(x) + n] = true;
    expect(drawn).toEqual(encode(link, { ecc: 'M', border: 4 }).data);
    const isQuiet = (row: readonly boolean[] | undefined): boolean => row?.includes(true) === false;
    expect([0, 1, 2, 3, size - 4, size - 1].map((y) => isQuiet(drawn[y]))).toEqual(Array(6).fill(true));
    expect(isQuiet(drawn[4])).toBe(false);
  });

  it('is there only while a seat is open', async () => {
    const { id, ada } = await invite({}, 0);
    expect(await open(`/c/${id}`, ada)).not.toContain('qr-code');
  });
});

describe('the organizer’s page of a party of eight', () => {
  it('fits into the first flight of a connection, with the QR code', async () => {
    const ada = await fixture.createPerson('Ada');
    const id = await fixture.checkout({ party_size: 8 });
    const members = await Promise.all(
      ['Ben', 'Cleo', 'Dan', 'Eve', 'Fay', 'Gil'].map((name) => fixture.createPerson(name)),
    );
    const { db, ids } = fixture.world.context;
    const [seat] = await createSeats(db, { ids, now: Date.now() }, 1);
    await fixture.party(id, ada, [...members.map(({ phone }) => ({ phone })), { user_id: seat }]);
    const headers = { cookie: await cookieOf(ada), 'accept-encoding': 'br' };
    const response = await fetch(`${fixture.world.urls[0]}/c/${id}`, { headers });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(Number(response.headers.get('content-length'))).toBeLessThan(14 * 1024);
    expect(await response.text()).toContain('qr-code');
  });
});

describe('the preview of the text', () => {
  const previewOf = (page: string): string => unescaped(/<p class="bubble">([^<]*)<\/p>/.exec(page)?.[1] ?? '');

  it('is the text that was sent, with the link shortened, in the organizer’s language', async () => {
    const { id, ada, ben } = await invite();
    const [sent] = await fixture.outbox(ben.phone, 'invite');
    const shortened = (sent?.text ?? '').replace(/\/s\/[A-Za-z0-9_-]+/, '/s/…');
    expect(shortened).toContain('Ada asks you to pay your share of Cabana 3');
    expect(previewOf(await open(`/c/${id}`, ada))).toBe(shortened);
    expect(previewOf(await open(`/c/${id}`, ada, 'de'))).toContain('Ada bittet dich um deinen Anteil an Cabana 3');
  });

  it('is shown before the invites are sent too', async () => {
    const ada = await fixture.createPerson('Ada');
    const ben = await fixture.createPerson();
    const id = await fixture.checkout({ amount: 9_000 });
    const body = new URLSearchParams({ do: 'next', split: 'equal', seats: '1', phone: ben.phone }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: await cookieOf(ada) };
    await fixture.world.call('POST', `/c/${id}/party`, { body, headers });
    expect(previewOf(await open(`/c/${id}`, ada))).toContain('Ada asks you to pay your share of Cabana 3');
    expect(await fixture.outbox(ben.phone)).toEqual([]);
  });

  it('is the shared message while no guest is invited by text', async () => {
    const ada = await fixture.createPerson('Ada');
    const id = await fixture.checkout();
    const body = new URLSearchParams({ do: 'send', split: 'equal', seats: '2' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: await cookieOf(ada) };
    await fixture.world.call('POST', `/c/${id}/party`, { body, headers });
    const page = await open(`/c/${id}`, ada);
    expect(previewOf(page)).toMatch(new RegExp(`^Pay your share: Cabana 3 http\\S+/c/${id}$`));
    expect(unescaped(page)).toContain('data-share-text="Pay your share: Cabana 3"');
  });
});

/** The invite of Ben is in this state. */
const setInvite = (shareId: string, set: string): Promise<unknown> =>
  fixture.world.db.query(`update messages set ${set} where kind = 'invite' and subject = $1`, [shareId]);

const SENT = "status = 'sent', due_at = null";

describe('the row of an invited person', () => {
  async function inviteWithShare() {
    const group = await invite();
    const { shares } = await fixture.view(group.id, group.ada);
    return { ...group, share: shares[1].id as string };
  }
  /** The text of the row. */
  const rowOf = (page: string, share: string): string =>
    (page.match(new RegExp(`<li[^>]*data-share="${share}".*?</li>`, 's'))?.[0] ?? '').replaceAll(/<[^>]+>/g, ' ');

  it('says when the person was texted, in the organizer’s language, without a script', async () => {
    const { id, ada, share } = await inviteWithShare();
    const row = async (language = 'en'): Promise<string> => rowOf(await open(`/c/${id}`, ada, language), share);
    expect(await row()).toContain('The text is on its way');
    await setInvite(share, `${SENT}, sent_at = now() - interval '1 second'`);
    expect(await row()).toContain('Texted just now');
    await setInvite(share, `sent_at = now() - interval '3 minutes'`);
    expect(await row()).toContain('Texted 3 min. ago');
    expect(await row('de')).toContain('SMS vor 3 Min. gesendet');
    expect(await row('ja')).toContain('3 分前にSMSを送信');
    await setInvite(share, `sent_at = now() - interval '26 hours'`);
    expect(await row()).toContain('Texted 1 day ago');
  });

  it('says that a text could not be delivered, with the link to send and a way to change the number', async () => {
    const { id, ada, ben, share } = await inviteWithShare();
    await setInvite(share, `status = 'failed', due_at = null, last_error = 'Twilio answered 400 (21211)'`);
    const page = await open(`/c/${id}`, ada);
    expect(rowOf(page, share)).toContain('Could not be delivered');
    expect(page).not.toContain(`id="remind-${share}"`);
    const link = /<input readonly value="([^"]+\/s\/[^"]+)" aria-label="Link for Ben">/.exec(page)?.[1] ?? '';
    expect(await open(new URL(link).pathname, ben)).toContain('Ada invited you.');
    const fix = unescaped(/href="([^"]+)">Change the number/.exec(page)?.[1] ?? '').replace(/#.*/, '');
    const form = await open(fix, ada);
    expect(form).toMatch(/<textarea id="people"[^>]*>\s*Ben <\/textarea>/);
    expect(form).not.toMatch(/name="member" value="[^"]+" checked/);
  });

  it('says the same for every reason why a text was not sent, and nothing of a text that became useless', async () => {
    const { id, ada, share } = await inviteWithShare();
    const row = async (): Promise<string> => rowOf(await open(`/c/${id}`, ada), share);
    const drop = (reason: string): Promise<unknown> =>
      setInvite(share, `status = 'dropped', due_at = null, last_error = '${reason}'`);
    for (const reason of ['the phone has opted out', 'too many for this phone', 'the phone gets no texts']) {
      await drop(reason);
      expect(await row()).toContain('Could not be delivered');
    }
    await drop('too late');
    expect(await row()).not.toMatch(/delivered|Texted/);
  });

  it('says when the guest opened the invite, and is silent after the guest has paid', async () => {
    const { id, ada, ben, share } = await inviteWithShare();
    await setInvite(share, `${SENT}, sent_at = now() - interval '3 minutes'`);
    await fixture.view(id, ben);
    expect(rowOf(await open(`/c/${id}`, ada), share)).toContain('Opened just now');
    await fixture.pay(await fixture.hold(share, ben));
    const paid = rowOf(await open(`/c/${id}`, ada), share);
    expect(paid).toContain('In');
    expect(paid).not.toMatch(/Opened|Texted/);
  });

  it('is known to the organizer alone, and never holds a phone', async () => {
    const { id, ada, ben, share } = await inviteWithShare();
    await setInvite(share, `status = 'failed', due_at = null, last_error = 'refused'`);
    const dan = await fixture.createPerson('Dan');
    for (const person of [ben, dan]) expect(await open(`/c/${id}`, person)).not.toMatch(/delivered|Texted|Opened/);
    expect(await open(`/c/${id}`, ada)).not.toContain(ben.phone.slice(-4));
  });
});

describe('the button that reminds', () => {
  async function inviteAtNoon() {
    const group = await invite({ offering_external_id: await fixture.offering(zoneAt(12)) });
    const { shares } = await fixture.view(group.id, group.ada);
    const [, ben, seat] = shares.map(({ id }: { id: string }) => id) as [string, string, string];
    return { ...group, share: ben, seat };
  }
  const press = async (id: string, share: string, person: Person): Promise<HttpResponse> =>
    submitForm(fixture.world, `/c/${id}/remind`, { share }, { cookie: await cookieOf(person) });

  it('sends one text, and rests with the time at which it can be pressed again', async () => {
    const { id, ada, ben, share } = await inviteAtNoon();
    expect(await open(`/c/${id}`, ada)).toContain(`id="remind-${share}"`);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', cookie: await cookieOf(ada) };
    const body = `share=${share}`;
    const sent = await fixture.world.call('POST', `/c/${id}/remind`, { body, headers });
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `/c/${id}#person-${share}`]);
    await press(id, share, ada);
    expect(await fixture.outbox(ben.phone, 'reminder')).toHaveLength(1);
    await fixture.world.db.query(
      `update messages set ${SENT}, sent_at = now() - interval '1 second' where kind = 'reminder' and subject like $1`,
      [`${share} %`],
    );
    const page = await open(`/c/${id}`, ada);
    expect(page).toContain(`id="person-${share}"`);
    expect(page.replaceAll(/<[^>]+>/g, '')).toContain('Reminded just now. Again in 3 hours.');
    expect(page).not.toContain(`id="remind-${share}"`);
    expect((await open(`/c/${id}`, ada, 'fr')).replaceAll(/<[^>]+>/g, '')).toContain(
      'Rappel envoyé à l’instant. De nouveau dans 3 heures.',
    );
  });

  it('is there for unpaid people alone, and a form for another share is refused with a reason', async () => {
    const { id, ada, ben, share, seat } = await inviteAtNoon();
    expect(await open(`/c/${id}`, ben)).not.toContain('/remind');
    expect((await press(id, seat, ada)).text).toContain('This seat has no guest yet. Share the link.');
    const signedOut = await submitForm(fixture.world, `/c/${id}/remind`, { share });
    expect(signedOut.text).toContain('Sign in with your phone');
    expect((await press(id, 'x', ada)).text).toContain('This is not there any more.');
    expect((await press(id, share, ben)).text).toContain('Another guest has chosen the group already.');
    await fixture.pay(await fixture.hold(share, ben));
    expect(await open(`/c/${id}`, ada)).not.toContain('/remind');
    expect((await press(id, share, ada)).text).toContain('This share is paid already.');
    expect(await fixture.outbox(ben.phone, 'reminder')).toEqual([]);
  });
});
