// The Twilio sender: what is sent, what is retried and what is not, and opting out both ways. Twilio here is a server
// that answers as its API does.

import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { SmsRefused, sendDueMessages } from '../../src/domain/members/messages/send.ts';
import { isFromTwilio } from '../../src/domain/members/messages/twilio.ts';
import { smsSender } from '../../src/main/sms-sender.ts';
import { type GuestFixture, openGuestFixture, type Person, statusAndError } from './guest-fixture.ts';

interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string;
  readonly form: URLSearchParams;
}

type Reply = { readonly status: number; readonly body: unknown } | 'hang up';

let fixture: GuestFixture;
let twilio: Server;
const received: ReceivedRequest[] = [];
let replies: Reply[] = [];
const SENT: Reply = { status: 201, body: { sid: 'SM1', status: 'queued' } };
const AUTH = 'token-of-the-account';

beforeAll(async () => {
  twilio = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        authorization: request.headers.authorization ?? '',
        form: new URLSearchParams(Buffer.concat(parts).toString()),
      });
      const reply = replies.shift() ?? SENT;
      if (reply === 'hang up') return request.socket.destroy();
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body));
    });
  });
  await new Promise<void>((resolve) => twilio.listen(0, '127.0.0.1', resolve));
  const { port } = twilio.address() as AddressInfo;
  fixture = await openGuestFixture({
    env: {
      TWILIO_ACCOUNT_SID: 'AC123',
      TWILIO_AUTH_TOKEN: AUTH,
      TWILIO_FROM: '+15005550006',
      TWILIO_BASE_URL: `http://127.0.0.1:${port}`,
    },
  });
});
afterAll(async () => {
  await fixture.world.close();
  await new Promise((resolve) => twilio.close(resolve));
});
beforeEach(async () => {
  received.length = 0;
  replies = [];
  await fixture.world.db.query(`delete from messages`);
});

const due = () => fixture.world.db.query("update messages set due_at = to_timestamp(0) where status = 'waiting'");

async function send(): Promise<void> {
  const { services, config } = fixture.world.context;
  await due();
  await sendDueMessages({ ...services, sender: smsSender(config) }, 100);
}

async function invited(): Promise<Person> {
  const [ada, sam] = [await fixture.createPerson('Ada'), await fixture.createPerson('Sam')];
  await fixture.party(await fixture.checkout(), ada, [{ user_id: sam.id }]);
  return sam;
}

const states = () => fixture.world.db.query('select status, last_error, provider_id from messages');
const stopped = async (person: Person): Promise<boolean> => {
  const rows = await fixture.world.db.query<{ is: boolean }>(
    'select exists (select 1 from opted_out_phones p join members m using (phone_hash) where m.member_id = $1) as "is"',
    [person.id],
  );
  return rows[0]?.is === true;
};

describe('a message', () => {
  it.each([
    ['cannot be sent', new SmsRefused('no such number')],
    ['is to be tried again', new Error('not now')],
  ])('is not changed by a worker with a stale lease token, which finds that it %s', async (_, why) => {
    await invited();
    const { services } = fixture.world.context;
    const responses: { sent: (id: string) => void; failed: (error: Error) => void }[] = [];
    const send = () => new Promise<string>((sent, failed) => void responses.push({ sent, failed }));
    const begin = async (): Promise<{ over: Promise<unknown> }> => {
      await due();
      const [before, over] = [responses.length, sendDueMessages({ ...services, sender: { send } }, 100)];
      await expect.poll(() => responses.length, { timeout: 60_000 }).toBe(before + 1);
      return { over };
    };
    const rows = () => fixture.world.db.query<{ due_at: Date }>('select status, lease_token, due_at from messages');
    const [stale, now] = [await begin(), await begin()];
    const claimed = await rows();
    responses[0]?.failed(why);
    await stale.over;
    expect(await rows()).toEqual(claimed);
    responses[1]?.sent('SM2');
    await now.over;
    expect(await states()).toEqual([{ status: 'sent', last_error: null, provider_id: 'SM2' }]);
  });

  it('is sent once, with its validity period', async () => {
    const sam = await invited();
    await Promise.all([send(), send()]);
    expect(received).toHaveLength(1);
    const [{ path, authorization, form }] = received as [ReceivedRequest];
    expect(path).toBe('/2010-04-01/Accounts/AC123/Messages.json');
    expect(authorization).toBe(`Basic ${Buffer.from(`AC123:${AUTH}`).toString('base64')}`);
    expect(Object.fromEntries(form)).toMatchObject({ To: sam.phone, From: '+15005550006', ValidityPeriod: '36000' });
    expect(form.get('Body')).toContain('Ada asks you to pay');
    expect(await states()).toEqual([{ status: 'sent', last_error: null, provider_id: 'SM1' }]);
    await send();
    expect(received).toHaveLength(1);
  });

  it('is retried while Twilio is too busy, dropped when the number gets no texts, and fails when Twilio refuses it for another reason', async () => {
    await invited();
    replies = [
      { status: 429, body: { code: 20429 } },
      { status: 503, body: {} },
      { status: 429, body: { code: 20429 } },
    ];
    for (let times = 0; times < 4; times++) await send();
    expect(await states()).toMatchObject([{ status: 'sent' }]);
    await fixture.world.db.query('delete from messages');
    const sam = await invited();
    replies = [{ status: 400, body: { code: 21211, message: `The number ${sam.phone} is not valid` } }];
    await send();
    expect(await states()).toEqual([
      { status: 'dropped', last_error: 'Twilio answered 400 (21211)', provider_id: null },
    ]);
    expect(fixture.world.logs.join('')).not.toContain(sam.phone);
    expect(fixture.world.logs.join('')).not.toContain(AUTH);
    await fixture.world.db.query('delete from messages');
    await invited();
    replies = [{ status: 400, body: { code: 21606 } }];
    await send();
    expect(await states()).toMatchObject([{ status: 'failed', last_error: 'Twilio answered 400 (21606)' }]);
  });

  it('that may have been sent is tried once more and never a third time', async () => {
    await invited();
    replies = ['hang up', 'hang up', 'hang up'];
    for (let times = 0; times < 4; times++) await send();
    expect(received).toHaveLength(2);
    expect(await states()).toMatchObject([{ status: 'failed', last_error: expect.stringContaining('did not answer') }]);
  });

  it('to a phone that opted out at Twilio is dropped, and the phone gets nothing from then on', async () => {
    const sam = await invited();
    replies = [{ status: 400, body: { code: 21610, message: 'Attempt to send to unsubscribed recipient' } }];
    await send();
    expect(await states()).toMatchObject([{ status: 'dropped', last_error: 'the phone has opted out' }]);
    expect(await stopped(sam)).toBe(true);
  });
});

describe('a reply', () => {
  const url = () => `${fixture.world.urls[0]}/texts/twilio`;
  function signed(fields: Record<string, string>, token = AUTH): string {
    const text = Object.keys(fields)
      .sort()
      .reduce((sum, name) => `${sum}${name}${fields[name]}`, url());
    return createHmac('sha1', token).update(text).digest('base64');
  }
  const post = (fields: Record<string, string>, signature: string | null = signed(fields)) =>
    fixture.world.call('POST', '/texts/twilio', {
      body: new URLSearchParams(fields).toString(),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(signature === null ? {} : { 'x-twilio-signature': signature }),
      },
    });

  it('of STOP opts out and START opts in again; any other text changes nothing', async () => {
    const sam = await invited();
    const reply = (Body: string) => post({ From: sam.phone, To: '+15005550006', Body, MessageSid: 'SM2' });
    const response = await reply(' Stop. ');
    expect([response.status, response.headers.get('content-type'), response.text]).toEqual([
      200,
      'text/xml',
      '<?xml version="1.0" encoding="UTF-8"?><Response></Response>',
    ]);
    expect(await stopped(sam)).toBe(true);
    await send();
    expect(received).toEqual([]);
    expect(await states()).toMatchObject([{ status: 'dropped', last_error: 'the phone has opted out' }]);
    await reply('Why should I stop');
    await reply('');
    expect(await stopped(sam)).toBe(true);
    await reply('START');
    expect(await stopped(sam)).toBe(false);
    for (const word of ['stopall', 'UNSUBSCRIBE', 'Cancel', 'END', 'quit', 'REVOKE', 'OptOut']) {
      await reply('UNSTOP');
      await reply(word);
      expect(await stopped(sam), word).toBe(true);
    }
    expect(fixture.world.logs.join('')).not.toContain(sam.phone);
  });

  it('is accepted only with Twilio’s signature over exactly these fields', async () => {
    const sam = await invited();
    const fields = { From: sam.phone, Body: 'STOP' };
    for (const signature of [null, '', 'x', signed(fields, 'another'), signed({ ...fields, Body: 'START' })]) {
      expect(statusAndError(await post(fields, signature)).slice(0, 2)).toEqual([401, 'unauthorized']);
    }
    expect(await stopped(sam)).toBe(false);
  });

  it('is verified as Twilio’s documentation shows, with or without the port', () => {
    // The example of https://www.twilio.com/docs/usage/security
    const fields = new URLSearchParams({
      CallSid: 'CA1234567890ABCDE',
      Caller: '+12349013030',
      Digits: '1234',
      From: '+12349013030',
      To: '+18005551212',
    });
    const good = '0/KCTR6DLpKmkAf8muzZqo1nDgQ=';
    const at = 'https://mycompany.com/myapp.php?foo=1&bar=2';
    expect(isFromTwilio('12345', at, fields, good)).toBe(true);
    expect(isFromTwilio('12345', 'https://mycompany.com:443/myapp.php?foo=1&bar=2', fields, good)).toBe(true);
    expect(isFromTwilio('12346', at, fields, good)).toBe(false);
    expect(isFromTwilio('', at, fields, good)).toBe(false);
  });
});

describe('with a real sender', () => {
  it('there is no outbox page, no reserved number and no fixed code', async () => {
    expect((await fixture.world.call('GET', '/sandbox/outbox')).status).toBe(404);
    expect(
      (await fixture.world.call('POST', '/sandbox/outbox', { body: 'phone=%2B15550100001&answer=STOP' })).status,
    ).toBe(404);
    const begin = (phone: string) => fixture.world.call('POST', '/v1/public/sign_in', { body: { phone } });
    expect((await begin('+15550100001')).status).toBe(422);
    const challenge = await begin('+12125557001');
    await send();
    const code = /^(\d{6}) /.exec(received[0]?.form.get('Body') ?? '')?.[1] ?? '';
    expect(received[0]?.form.get('ValidityPeriod')).toBe('600');
    const verify = (code: string) =>
      fixture.world.call('POST', '/v1/public/sign_in/verify', {
        body: { challenge_id: challenge.json.challenge_id, code },
      });
    expect((await verify(code === '000000' ? '111111' : '000000')).status).toBe(422);
    expect((await verify(code)).status).toBe(200);
  });

  it('contradictory settings are named, and live mode without a sender has no open outbox', () => {
    const base = { DATA_DIR: '/tmp/x' };
    expect(() => readConfig({ ...base, TWILIO_ACCOUNT_SID: 'AC1' })).toThrow('TWILIO_AUTH_TOKEN');
    const both = { TWILIO_FROM: '+1', TWILIO_MESSAGING_SERVICE_SID: 'MG1' };
    expect(() => readConfig({ ...base, TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 't', ...both })).toThrow('one of');
    expect(readConfig(base).sandboxSms).toBe(true);
    expect(
      readConfig({ ...base, STRIPE_TEST_SECRET_KEY: 'sk_test_1', STRIPE_TEST_PUBLISHABLE_KEY: 'pk_test_1' }).sandboxSms,
    ).toBe(true);
    const live = readConfig({ ...base, STRIPE_LIVE_SECRET_KEY: 'sk_live_1', STRIPE_LIVE_PUBLISHABLE_KEY: 'pk_live_1' });
    expect(live.sandboxSms).toBe(false);
    return expect(smsSender(live).send('+1', '', 1)).rejects.toThrow('no sender');
  });
});
