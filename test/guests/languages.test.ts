// The language and the content of text messages.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { languages } from '../../src/base/translations.ts';
import { textOf } from '../../src/domain/checkouts/notifications/message-text.ts';
import { changeVenueProfile } from '../../src/domain/venues/venue-profile.ts';
import { commandContext } from '../../src/run/context.ts';
import { type GuestFixture, openGuestFixture } from './guest-fixture.ts';

let fixture: GuestFixture;
beforeAll(async () => {
  fixture = await openGuestFixture({});
});
afterAll(() => fixture.world.close());

const outbox = (phone: string, kind: string) => fixture.outbox(phone, kind);

async function signIn(phone: string, language: string, name?: string): Promise<{ id: string; token: string }> {
  const headers = { 'accept-language': language };
  const challenge = await fixture.world.call('POST', '/v1/public/sign_in', { body: { phone }, headers });
  const body = { challenge_id: challenge.json.challenge_id, code: '000000', ...(name === undefined ? {} : { name }) };
  const response = await fixture.world.call('POST', '/v1/public/sign_in/verify', { body, headers });
  expect(response.status, response.text).toBe(200);
  return { id: response.json.member.id, token: response.json.token };
}

describe('a text message', () => {
  it('is in the language of the recipient’s browser, or in the organizer’s until the recipient signs in', async () => {
    const ada = { ...(await signIn('+15550100101', 'es-MX,es;q=0.9', 'Ada')), phone: '+15550100101' };
    expect((await outbox(ada.phone, 'code'))[0]?.text).toMatch(/^000000 es tu código[^@]+@127\.0\.0\.1 #000000$/);
    const newcomer = '+15550100102';
    await fixture.party(await fixture.checkout(), ada, [{ phone: newcomer }]);
    expect((await outbox(newcomer, 'invite'))[0]?.text).toContain('Ada te pide que pagues tu parte de Cabana 3');
    await signIn(newcomer, 'de');
    await fixture.party(await fixture.checkout(), ada, [{ phone: newcomer }]);
    expect((await outbox(newcomer, 'invite'))[0]?.text).toContain('Ada bittet dich um deinen Anteil');
  });

  it('has the organizer, the booking, the amount, the deadline in the venue’s time, the link, and how to opt out', async () => {
    const ada = await fixture.createPerson('Ada');
    const offering = await fixture.offering('America/New_York');
    const phone = '+12125559001';
    const payBy = new Date(Date.now() + 5 * 86_400_000);
    const id = await fixture.checkout({ offering_external_id: offering, pay_by: payBy.toISOString() });
    const { shares } = (await fixture.party(id, ada, [{ phone }])).json;
    const text = (await outbox(phone, 'invite'))[0]?.text ?? '';
    expect(text).toMatch(/^Ada asks you to pay your share of Cabana 3 at Harbor Club: \$50\.00, by \w{3}, \w{3} \d+/);
    expect(text).toMatch(/ E[SD]T\. /);
    expect(text).toContain('When you pay, your card is only held; it is charged when everyone has paid.');
    expect(text).toContain(shares[1].url);
    expect(text).toMatch(/Reply STOP to get no more messages\.$/);
    // No character that doubles the price of the message.
    expect(text).not.toMatch(/[\u00a0\u202f]/);
  });

  it('has the deadline in the venue’s own time zone where the offering has none', async () => {
    const ada = await fixture.createPerson('Ada');
    const command = commandContext(fixture.world.context, { name: 'ada', via: 'cli', address: null, requestId: null });
    const setZone = (timezone: string) =>
      fixture.world.db.transaction((tx) => changeVenueProfile(tx, command, fixture.venueId, { timezone }));
    const deadlineIn = async (phone: string, overrides: Record<string, unknown>): Promise<string> => {
      const pay_by = new Date(Date.now() + 5 * 86_400_000).toISOString();
      await fixture.party(await fixture.checkout({ pay_by, ...overrides }), ada, [{ phone }]);
      return (await outbox(phone, 'invite'))[0]?.text ?? '';
    };
    const offering_external_id = await fixture.offering('America/New_York');
    expect(await deadlineIn('+12125559011', {})).toContain(' UTC. ');
    await setZone('America/Chicago');
    expect(await deadlineIn('+12125559012', {})).toMatch(/ C[SD]T\. /);
    expect(await deadlineIn('+12125559013', { offering_external_id })).toMatch(/ E[SD]T\. /);
    await setZone('UTC');
  });

  it('carries no link but ours, for any names of members', () => {
    const about = { description: 'A\nB', venue: 'V', zone: 'UTC', currency: 'usd', payBy: 0 };
    const textsFor = (organizer: string | null) =>
      textOf('text.invite', 'en', { ...about, organizer }, { amount: 5_000, link: 'https://x.example/s/1' });
    for (const name of ['http://evil.example', 'Bank evil.example now', 'www.evil', null, '  ', '\u0007']) {
      expect(textsFor(name), String(name)).toMatch(/^A friend asks you/);
    }
    expect(textsFor('Ada\nLovelace Jr.')).toMatch(/^Ada Lovelace Jr\. asks you to pay your share of A B at V: /);
    expect(textsFor('x'.repeat(80))).toContain(`${'x'.repeat(37)}... asks`);
  });

  it('has a neutral word for a venue, a title or a payer with a link or a number, in every language and kind of text', () => {
    const facts = { zone: 'UTC', currency: 'usd', payBy: 0 };
    const values = { amount: 5_000, link: 'https://x.example/s/1' };
    const keys = Object.keys(JSON.parse(readFileSync(join(packageRoot, 'locales/en.json'), 'utf8')).text);
    const kinds = keys.filter((key) => !['code', 'a_friend', 'a_booking', 'the_venue', 'stop'].includes(key));
    expect(kinds.length).toBeGreaterThan(10);
    for (const hostile of ['evil\u3002com', 'Call 555 0100 42', 'evil dot com']) {
      const names = { description: hostile, venue: hostile, organizer: hostile };
      for (const language of languages()) {
        for (const kind of kinds) {
          const text = textOf(`text.${kind}`, language, { ...facts, ...names }, { ...values, payer: hostile });
          expect(text, kind).not.toMatch(/evil|555/);
          expect(text, kind).not.toMatch(/text\.|\{|\bnull\b|undefined/);
        }
      }
    }
    const plain = { description: 'Tee time 2027-06-01 14:00', venue: 'St. James Club', organizer: 'Ada' };
    expect(textOf('text.completed', 'en', { ...facts, ...plain }, values)).toContain(
      'Tee time 2027-06-01 14:00 at St. James Club is paid.',
    );
    const hidden = { description: 'evil.com', venue: 'evil.com', organizer: null };
    expect(textOf('text.canceled_unpaid', 'de', { ...facts, ...hidden }, values)).toMatch(
      /^Gruppenbuchung bei dem Anbieter wurde abgesagt\./,
    );
  });
});
