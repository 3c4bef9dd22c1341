// What the request log keeps of a refused body: nothing that is secret or personal, in any spelling that a caller might
// use, and everything that a partner needs to see what was wrong.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, maskBody } from '../../src/base/mask-body.ts';
import { isSecretName, maskText } from '../../src/base/mask-text.ts';
import { findIn } from '../logs/scan.ts';
import { runs } from '../support/random-runs.ts';

const mask = (body: unknown): string =>
  maskBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))).text;
/** All digits of a text, in the digits of ASCII. */
const digitsOf = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replaceAll(/\D/g, '');

describe('a phone', () => {
  it.each([
    ['as E.164', '{"note":"+14155550123"}'],
    ['with separators', '{"note":"call (415) 555-0123 or 415.555.0123 or 415 555 0123"}'],
    ['as bare digits', '{"note":"4155550123"}'],
    ['as a number', '{"note":14155550123}'],
    ['as a number with an exponent', '{"note":1.4155550123e10}'],
    ['as a number in a list', '{"note":[14155550123,4155550123]}'],
    ['with escapes', '{"note":"\\u002b\\u0031415555\\u0030123"}'],
    ['with fullwidth digits', '{"note":"＋１４１５５５５０１２３"}'],
    ['with Arabic digits', '{"note":"+١٤١٥٥٥٥٠١٢٣"}'],
    ['with invisible characters', '{"note":"+1\u200b415\u2060555\u00ad0123"}'],
    ['with control characters', '{"note":"+1\\u0000415\\u0001555\\u00000123"}'],
    ['with percent signs', '{"note":"tel:%2B1%20415%20555%200123"}'],
    ['behind letters', '{"note":"tel4155550123"}'],
    ['in a long word', '{"note":"telephone_of_anna_4155550123-home"}'],
    ['as the name of a member', '{"+14155550123":true}'],
    ['in JSON inside a string', '{"note":"{\\"a\\":\\"+14155550123\\",\\"b\\":14155550123}"}'],
    ['in a form', 'name=Anna&phone=%2B14155550123&note=4155550123'],
    ['in plain text', 'please call +1 415 555 0123'],
    ['in text that only looks like JSON', "{'phone': '415-555-0123', note: 4155550123,}"],
    ['in a string without its end', '{"note":"+1 415 555 0123'],
    ['in UTF-16', Buffer.from('{"note":"+14155550123"}', 'utf16le').toString('utf8')],
    ['under the name of an id, as E.164', '{"external_id":"+14155550123"}'],
  ])('does not survive %s', (_how, body) => {
    expect(digitsOf(mask(body))).not.toContain('4155550123');
  });
});

describe('a mail address', () => {
  it.each([
    '{"note":"anna.lee@harbor.example"}',
    '{"note":"write to anna.lee%40harbor.example"}',
    '{"note":"anna.lee＠harbor.example"}',
    '{"note":"anna\\u002elee\\u0040harbor.example"}',
    '{"note":"\\"anna lee\\"@harbor.example"}',
    '{"note":"anna.lee@localhost"}',
    '{"anna.lee@harbor.example":1}',
    '{"contact":{"email":["anna.lee (at) harbor"]}}',
    'from: anna.lee@harbor.example',
  ])('does not survive in %s', (body) => {
    expect(mask(body)).not.toMatch(/anna.{0,6}lee/);
  });
});

describe('a card', () => {
  it.each([
    '{"note":"4242424242424242"}',
    '{"note":"4242 4242 4242 4242"}',
    '{"note":"4242-4242-4242-4242"}',
    '{"note":4242424242424242}',
    '{"external_id":"4242424242424242"}',
    '{"card":{"number":"4242","cvc":"123","owner":["4242","4242"]},"after":1}',
    '{"cardNumber":"4242 4242","cvc":123}',
    'card[number]=4242424242424242&card[cvc]=123',
  ])('does not survive in %s', (body) => {
    expect(mask(body)).not.toMatch(/4242|\b123\b/);
  });
});

describe('a secret', () => {
  it.each([
    '{"password":"hunter22"}',
    '{"passWord" : "hunter22"}',
    '{"ＰＡＳＳＷＯＲＤ":"hunter22"}',
    '{"pass\\u0077ord":"hunter22"}',
    '{"user_password_again":["hunter22",{"a":"hunter22]"}],"next":1}',
    '{"password":"hunter22',
    '{"password":"hun\\"ter22 hunter22"}',
    '{"a":{"b":{"api-key":"hunter22"}}}',
    '{"apiKey":"x","apiKey":"hunter22"}',
    '{"note":"{\\"secret\\":\\"hunter22\\"}"}',
    "{'password': 'hunter22'}",
    'password=hunter22&amount=5',
    'password: hunter22',
    '{"x-signature":"hunter22","cookie":"a=hunter22"}',
  ])('does not survive under its name: %s', (body) => {
    expect(mask(body)).not.toContain('hunter22');
  });

  const SHAPES = [
    `svc_live_${'a1B2'.repeat(8)}`,
    `svc_live_${'0a'.repeat(24)}`,
    `pk_test_${'a1B2'.repeat(8)}`,
    `sk_test_${'a1B2'.repeat(6)}`,
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'pi_3MtwBwLkdIwHu7ix28a3tqPa_secret_YrKJUKribcBjcG8HVhfZluoGH',
    'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    'Bearer abcdefgh12345678',
    'dGhpc0lzQVNlY3JldFRva2VuMTIzNDU2Nzg5MA==',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'postgres://admin:hunter22@db.example/main',
  ];
  it.each(SHAPES)('does not survive by its form: %s', (secret) => {
    for (const body of [{ note: secret }, { [secret]: 1 }, [secret], `note=${secret}`, `text ${secret} text`]) {
      const kept = mask(body);
      expect(kept).not.toContain(secret);
      expect(kept).not.toContain('hunter22');
      expect(findIn(kept, { findIn: () => null }), kept).toBeNull();
    }
  });

  it('is found by the name of its member in any spelling, and other names are not', () => {
    for (const name of ['apiKey', 'API-KEY', 'api key', 'access_token', 'Guest.Phone', 'e-mail', 'cardNumber', 'cvc'])
      expect(isSecretName(name), name).toBe(true);
    for (const name of ['passengers', 'amount', 'description', 'external_id', 'scorecard', 'hotel', 'codes', 'opinion'])
      expect(isSecretName(name), name).toBe(false);
  });
});

describe('what a partner needs to see', () => {
  const BODY = {
    amount: '240.00',
    total: 99_999_999,
    currency: 'USD',
    party_size: 6,
    pay_by: '2026-11-17T18:00:00-05:00',
    date: '12/06/2027',
    day: '2027-06-12',
    rrule: 'FREQ=WEEKLY;UNTIL=20270612T000000Z',
    description: 'Cabana 3, Tuesday: 4 to 6 pm',
    return_url: 'https://example.com/thanks?from=summer-offer',
    external_booking_id: 'bk-2027-000000123',
    offering_id: '0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
    checkout: 'chk_01m7jxg750zvvr9etbq94z96f6',
    lat: 25.761681,
    lng: '-80.1917902',
    nothing: null,
    list: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    slug: 'a-very-long-name-of-an-offering-with-2-words',
  };

  it('stays as it was sent', () => {
    expect(JSON.parse(mask(BODY))).toEqual(BODY);
    expect(mask(`{\n  "amount": "240.00"\n}`)).toBe(`{\n  "amount": "240.00"\n}`);
  });

  it('stays beside what is masked', () => {
    expect(JSON.parse(mask({ amount: 'x', phone: '+14155550123', token: null, after: [1, 'two'] }))).toEqual({
      amount: 'x',
      phone: '[masked]',
      token: null,
      after: [1, 'two'],
    });
  });
});

describe('a body', () => {
  it('is cut at 8 KB, never in the middle of a character, and says so', () => {
    const short = maskBody(Buffer.from('"x"'));
    expect(short).toEqual({ text: '"x"', isCut: false });
    const long = maskBody(Buffer.from(JSON.stringify('日本'.repeat(4_000))));
    expect(Buffer.byteLength(long.text)).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(long.isCut).toBe(true);
    expect(long.text).toMatch(/^"[日本]+"?$/);
    const growing = maskBody(Buffer.from(JSON.stringify(Array(1_500).fill('a@b'))));
    expect(Buffer.byteLength(growing.text)).toBeLessThanOrEqual(MAX_BODY_BYTES);
    expect(growing.isCut).toBe(true);
  });

  it('that is JSON stays JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), (text) => {
        const { text: masked, isCut } = maskBody(Buffer.from(text));
        if (!isCut) JSON.parse(masked);
      }),
      runs(500),
    );
  });

  it('of any bytes is masked without an error, and can be stored as text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        const { text } = maskBody(Buffer.from(bytes));
        expect(text).not.toMatch(/\0|\p{Cs}/u);
      }),
      runs(500),
    );
  });

  it('made to be slow is masked in time', () => {
    const hostile = ['a', '!', '1 ', '"', '\\', '{"a":', '[', '@', 'a=', "'", '%2B', '+1', '1-', ' ', 'aA1-', '\u0660'];
    for (const part of hostile) {
      const body = Buffer.from(part.repeat(64_000 / part.length));
      const began = process.cpuUsage();
      maskBody(body);
      const { user } = process.cpuUsage(began);
      expect(user, part).toBeLessThan(500_000);
    }
  });
});

describe('a text', () => {
  it('is masked by form alone', () => {
    expect(maskText('the phone +1 415 555 0123 of anna@harbor.example')).toBe('the phone [phone] of [mail address]');
    expect(maskText('external 12345678901', { isId: true })).toBe('external 12345678901');
  });
});
