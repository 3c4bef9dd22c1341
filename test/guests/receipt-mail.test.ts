// A receipt by mail: over a real SMTP server, once for each asking, at most three times, sealed in the database, and tried
// again while the server is busy.

import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/base/config.ts';
import { deleteOldMails } from '../../src/domain/mail/queries.ts';
import { sendDueMails } from '../../src/domain/mail/send.ts';
import { makeSmtpSender } from '../../src/domain/mail/smtp.ts';
import { beginSession } from '../../src/domain/members/sessions.ts';
import { mailSender } from '../../src/main/mail-sender.ts';
import { submitForm } from '../support/submit-form.ts';
import { DAY } from '../support/test-venue.ts';
import { runUntilIdle } from '../support/wait-for.ts';
import { type GuestFixture, openGuestFixture, type Person } from './guest-fixture.ts';

let fixture: GuestFixture;
let server: SMTPServer;
let port: number;
let received: { readonly from: string; readonly to: readonly string[]; readonly text: string }[] = [];
let refusal: { readonly code: number; readonly message: string } | null = null;

beforeAll(async () => {
  server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_, __, callback) =>
      callback(refusal === null ? null : Object.assign(new Error(refusal.message), { responseCode: refusal.code })),
    onData: (stream, session, callback) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        received.push({ from, to: rcptTo.map(({ address }) => address), text: Buffer.concat(parts).toString('utf8') });
        callback();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.server.address() as AddressInfo);
  fixture = await openGuestFixture();
});
afterAll(async () => {
  await fixture.world.close();
  await new Promise<void>((resolve) => server.close(resolve));
});
beforeEach(() => {
  received = [];
  refusal = null;
});

async function paidBooking(
  overrides: Record<string, string> = {},
): Promise<{ readonly id: string; readonly ada: Person; readonly ben: Person }> {
  const [ada, ben] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
  const id = await fixture.checkout({ party_size: 2, amount: 8_000, description: 'Cabana\n3', ...overrides });
  const { json } = await fixture.party(id, ada, [{ user_id: ben.id }]);
  await fixture.pay(await fixture.hold(json.shares[0].id, ada));
  await fixture.pay(await fixture.hold(json.shares[1].id, ben));
  await fixture.world.work();
  return { id, ada, ben };
}

const ask = (id: string, { token }: Person, email: string) =>
  fixture.world.call('POST', `/v1/public/checkouts/${id}/receipt`, { key: token, body: { email } });

const send = (now = Date.now()): Promise<number> => {
  const sender = makeSmtpSender({ url: `smtp://127.0.0.1:${port}`, from: 'Everyshare <pay@example.com>' });
  const { services } = fixture.world.context;
  return runUntilIdle('sending mails', () =>
    sendDueMails({ ...services, clock: { now: () => now }, mailSender: sender }, 20),
  );
};

const mailsOf = (id: string): Promise<{ status: string; error: string | null }[]> =>
  fixture.world.db.query(
    `select status, last_error as error from mails where starts_with(subject, $1) order by created_at`,
    [id],
  );

describe('a receipt by mail', () => {
  it('arrives with amount, card, number and link, and its address is nowhere in the database as text', async () => {
    const { id, ben } = await paidBooking();
    const response = await ask(id, ben, 'ben@mail.example');
    expect([response.status, response.json]).toEqual([
      202,
      {
        object: 'receipt',
        number: expect.stringMatching(/^ES-[0-9A-Z]{6}-[0-9A-Z]{4}$/),
        amount: 4_000,
        refunded_amount: 0,
        currency: 'usd',
      },
    ]);
    const stored = await fixture.world.db.query<{ row: string }>('select mails::text as row from mails');
    expect(stored.map(({ row }) => row).join()).not.toContain('ben@mail');
    await send();
    expect(received).toHaveLength(1);
    const [mail] = received;
    expect([mail?.from, mail?.to]).toEqual(['pay@example.com', ['ben@mail.example']]);
    const text = decoded(mail?.text ?? '');
    expect(text).toContain(`Test mode: no real money - Receipt ${response.json.number}: Cabana 3`);
    expect(text).toContain('Your share of Cabana 3: $40.00');
    expect(text).toContain('Card: Visa ···· 4242');
    expect(text).toContain('You paid: $40.00');
    expect(text).toContain(`/c/${id}`);
    expect(await mailsOf(id)).toEqual([{ status: 'sent', error: null }]);
  });

  it('carries no link of the partner, and no error names the address', async () => {
    const { id, ben } = await paidBooking({ description: 'Pay at evil.example', location: 'https://evil.example/x' });
    await ask(id, ben, 'grey@mail.example');
    refusal = { code: 451, message: '<grey@mail.example> is grey-listed' };
    await send();
    refusal = null;
    await send(Date.now() + 60_000);
    expect(decoded(received[0]?.text ?? '')).toContain('Your share of Group booking: $40.00');
    expect(received[0]?.text).not.toContain('evil');
    refusal = { code: 550, message: '<gone@mail.example> is unknown' };
    await ask(id, ben, 'gone@mail.example');
    await send();
    expect(await mailsOf(id)).toEqual([
      { status: 'sent', error: null },
      { status: 'dropped', error: 'the mail server refused the recipient with 550' },
    ]);
    const cookie = `everyshare_session=${await beginSession(fixture.world.context, ben.id)}`;
    const { text } = await fixture.world.call('GET', `/c/${id}`, { headers: { cookie } });
    expect(text).toContain('Your receipt could not be delivered.');
  });

  it('is sent at most three times', async () => {
    const { id, ben } = await paidBooking();
    for (const name of ['a', 'b', 'c']) expect((await ask(id, ben, `${name}@three.example`)).status).toBe(202);
    const fourth = await ask(id, ben, 'd@three.example');
    expect([fourth.status, fourth.json.error.code]).toEqual([429, 'rate_limited']);
  });

  it('needs a completed booking that the guest has paid for, and an address', async () => {
    const [ada, ben] = [await fixture.createPerson('Ada'), await fixture.createPerson('Ben')];
    const open = await fixture.checkout({ party_size: 2, amount: 8_000 });
    await fixture.party(open, ada, [{ user_id: ben.id }]);
    const early = await ask(open, ben, 'ben@mail.example');
    expect([early.status, early.json.error.reason]).toEqual([409, 'checkout_not_completed']);
    const { id } = await paidBooking();
    const other = await ask(id, ben, 'ben@mail.example');
    expect([other.status, other.json.error.reason]).toEqual([409, 'nothing_paid']);
    for (const wrong of ['ben', 'ben@mail', 'a@b.c\nx@y.zz', 'ben@mail.example, cleo@mail.example']) {
      const response = await ask(id, ben, wrong);
      expect([wrong, response.status, response.json.errors?.[0]?.field]).toEqual([wrong, 422, '/email']);
    }
  });

  it('to an address that takes no mails is dropped; while the server is busy it is tried again', async () => {
    const { id, ben } = await paidBooking();
    await ask(id, ben, 'gone@mail.example');
    refusal = { code: 451, message: 'try later' };
    await send();
    expect(await mailsOf(id)).toEqual([{ status: 'waiting', error: null }]);
    refusal = { code: 550, message: 'no such mailbox' };
    await send(Date.now() + 60_000);
    expect(await mailsOf(id)).toEqual([{ status: 'dropped', error: 'the mail server refused the recipient with 550' }]);
    expect(received).toEqual([]);
  });

  it('is in the outbox of the sandbox, and deleted after 30 days', async () => {
    const { id, ben } = await paidBooking();
    await ask(id, ben, 'outbox@mail.example');
    const { json } = await fixture.world.call('GET', '/sandbox/outbox', { headers: { accept: 'application/json' } });
    expect(json.mails[0]).toMatchObject({ to: 'outbox@mail.example', kind: 'receipt', status: 'waiting' });
    const page = await fixture.world.call('GET', '/sandbox/outbox', { headers: { accept: 'text/html' } });
    expect(page.text).toContain('outbox@mail.example');
    await deleteOldMails(fixture.world.db, Date.now() + 31 * DAY, 1_000);
    expect(await mailsOf(id)).toEqual([]);
  });
});

describe('the page of a completed booking', () => {
  it('sends the receipt, says so, and keeps an address that cannot be right', async () => {
    const { id, ben } = await paidBooking();
    const cookie = `everyshare_session=${await beginSession(fixture.world.context, ben.id)}`;
    const wrong = await submitForm(fixture.world, `/c/${id}/receipt`, { email: 'ben@' }, { cookie });
    expect(wrong.text).toContain('This is not a mail address.');
    expect(wrong.text).toContain('value="ben@"');
    const right = await submitForm(fixture.world, `/c/${id}/receipt`, { email: ' ben@mail.example ' }, { cookie });
    expect(right.text).toContain('Your receipt is on its way.');
    expect(await mailsOf(id)).toHaveLength(1);
  });
});

describe('the settings of mail', () => {
  const read = (env: Record<string, string>) => readConfig(env);

  it('belong together, and without them live mode sends none', async () => {
    expect(() => read({ MAIL_URL: 'smtp://mail.example' })).toThrow(ConfigError);
    expect(() => read({ MAIL_FROM: 'pay@example.com' })).toThrow(ConfigError);
    expect(() => read({ MAIL_URL: 'https://mail.example', MAIL_FROM: 'pay@example.com' })).toThrow(ConfigError);
    const set = read({ MAIL_URL: 'smtps://u:p@mail.example:465', MAIL_FROM: 'Pay <pay@example.com>' });
    expect([set.mail?.from, set.sandboxMail]).toEqual(['Pay <pay@example.com>', false]);
    expect(read({}).sandboxMail).toBe(true);
    const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'twilio-token-for-tests', TWILIO_FROM: '+15550100' };
    expect(read(twilio).sandboxMail).toBe(false);
    const unset = mailSender({ mail: null, sandboxMail: false });
    await expect(unset.send({ to: 'a@b.example', title: '', text: '' })).rejects.toThrow(
      'no sender of mails is set up',
    );
  });
});

/** The mail as a person reads it: quoted-printable and soft line breaks undone. */
function decoded(raw: string): string {
  const bytes = raw
    .replaceAll('\r\n', '\n')
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ');
}
