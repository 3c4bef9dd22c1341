// Names and titles in texts: a corpus of hostile spellings, names that people have, and properties over any text.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizeName, plainName } from '../../src/base/plain-name.ts';
import { runs } from '../support/random-runs.ts';

const LINKS = [
  'evil.com',
  'https://evil.com/pay',
  'HTTP://EVIL',
  'ht\u200btps://evil',
  'hxxp: evil',
  'www evil',
  'www.evil',
  'bit.ly/abc',
  't.me/x',
  'Ada evil.example now',
  'mailto:ada',
  'tel: me',
  'user@evil.com',
  // Dots of other scripts, and in full width.
  'evil\u3002com',
  'evil\uff0ecom',
  'evil\uff61com',
  'evil\u2024com',
  'ｅｖｉｌ．ｃｏｍ',
  '𝐞𝐯𝐢𝐥.𝐜𝐨𝐦',
  'evil\u00b7com',
  'evil • com',
  'evil・com',
  'evil\u06d4com',
  'evil\ua4f8com',
  'evil,com',
  // Blanks, brackets and line ends around the dot.
  'evil . com',
  'evil .com',
  'evil. com',
  'evil\u00a0.\u00a0com',
  'evil\n.com',
  'evil[.]com',
  'evil(.)com',
  'evil { . } com',
  'evil dot com',
  'EVIL DOT COM',
  'evil (dot) com',
  'evil[dot]com',
  'evil d0t com',
  'evil punkt de',
  'evil punto com',
  // Other alphabets and punycode.
  'пример.рф',
  '例え.テスト',
  'münchen.de',
  'xn--80ak6aa92e',
  'e\u0301vil.c\u0301om',
  // Invisible characters inside.
  'ev\u200bil\u200d.\u2060c\u00adom',
  'evil\u202e.com',
  'evil.c\u034fom',
  'evil.\ufe0fcom',
  'evil.\u{e0063}com',
  'evil\u115f.com',
];

const NUMBERS = [
  '12345',
  'Ada 12345',
  '+15550100042',
  '+1 (555) 010-0042',
  '555-0123',
  '555.010.0042',
  '555 0123',
  '12 345',
  '1 2 3 4 5',
  '1,2,3,4,5',
  '1-2-3-4-5',
  '5 5 5 - 0 1 2 3',
  '192.168.1.1',
  '１２３４５',
  '١٢٣٤٥',
  '१२३४५',
  '๑๒๓๔๕',
  '𝟏𝟐𝟑𝟒𝟓',
  '①②③④⑤',
  '❶❷❸❹❺',
  '¹²³⁴⁵',
  '1\ufe0f\u20e32\ufe0f\u20e33\ufe0f\u20e34\ufe0f\u20e35\ufe0f\u20e3',
  '1\u200b2\u200b3\u200b4\u200b5',
  '1\u03322\u03323\u03324\u03325\u0332',
  '五五五零一二三',
];

const PEOPLE = [
  'Ada',
  'Ada Lovelace Jr.',
  'J.R. Smith',
  'Dr. Smith',
  'A. B. Cole',
  'Mr. T',
  'O’Brien',
  'Anna-Lena',
  'Ana María',
  'Nguyễn Văn A',
  'Gal·la',
  'Dot Cole',
  'ジョン・スミス',
  '李小龙',
  'محمد',
  'Sam 2',
  'M&M',
  '🦄 Kim',
  '<script>alert(1)</script>',
];

const TITLES = [
  'Cabana 3',
  'St. James Club',
  'Studio 54, 2nd floor',
  'Rooms 101, 102',
  'Tee time 2027-06-01 14:00',
  'Tee time 2027-06-01T14:00Z',
  'Cabana 3, 1 June 2027',
  'June 12, 2027 at 7:30 pm',
  'Dinner 01.06.2027, 19.30',
  'Table 19:30-21:30',
  '06/01/2027 14:00',
  'Cabana, 2 p.m. to 4 p.m.',
  'Minimum spend $1,500.00',
];

const PHONES_AS_TIMES = [
  '05.55.01.23.45',
  '01.02.20.34.05',
  '12:34:56:78',
  '2027 555 0100',
  '1-800-555-0199',
  '20 20 20 20',
  'Call 2027 1234',
  'Call 2027 555',
  'Call 20:27 1234',
  '1234 20:27',
  '2027٣ June',
  'June 2027٣',
];

describe('a name for a text', () => {
  it.each(LINKS)('is refused with a link in any spelling: %j', (name) => {
    expect([plainName(name), plainName(`Ada ${name} Kim`, { allowTimes: true })]).toEqual([null, null]);
  });

  it.each(NUMBERS)(
    'is refused with five or more digits in a row, of any script and with any separators: %j',
    (name) => {
      expect([plainName(name), plainName(`Ada ${name}`, { allowTimes: true })]).toEqual([null, null]);
    },
  );

  it.each(['', ' ', '\u200b', '\u2060\ufeff\u00ad', '\u3164', '\u2800', '\u0007', '\ud800'])(
    'is refused when nothing of it is seen: %j',
    (name) => expect(plainName(name)).toBeNull(),
  );

  it.each(PEOPLE)('is accepted as people have it: %j', (name) => expect(plainName(name)).toBe(name.normalize('NFKC')));

  it.each(TITLES)('may hold a date, a time or an amount in the title of a booking: %j', (title) => {
    expect(plainName(title, { allowTimes: true })).toBe(title);
  });

  it.each(PHONES_AS_TIMES)('is refused with a number that only looks like dates or times: %j', (title) => {
    expect(plainName(title, { allowTimes: true })).toBeNull();
  });

  it('is normalised: compatible forms are written out, blanks are one space, and nothing invisible is left', () => {
    expect(normalizeName('  Ａｄａ\u200b \t Love\u00adlace\u202e ')).toBe('Ada Lovelace');
    expect(normalizeName('Zoe\u0308')).toBe('Zoë');
  });
});

describe('any text', () => {
  const piece = fc.oneof(
    fc.constantFrom(...LINKS, ...NUMBERS, ...PEOPLE, ...TITLES),
    fc.constantFrom(
      '.',
      ' ',
      '\u200b',
      'com',
      'www',
      '://',
      '1',
      '٣',
      '\u202e',
      '\u3002',
      'dot',
      '-',
      '\u0301',
      '\ufe0f',
    ),
    fc.string({ unit: 'binary', maxLength: 6 }),
  );
  const anyText = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));

  it('is normalised once and for all, without format, control and other invisible characters', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const normalized = normalizeName(text);
        expect(normalizeName(normalized)).toBe(normalized);
        expect(normalized).not.toMatch(/[\p{Cf}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]|^\s|\s$|\s\s/u);
      }),
      runs(5_000, 500),
    );
  });

  it('is refused, or holds no link and no five digits, also after it is normalised again', () => {
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(anyText, fc.boolean(), (text, allowTimes) => {
        const name = plainName(text, { allowTimes });
        if (name === null) return void refused++;
        accepted++;
        expect(plainName(name, { allowTimes })).toBe(name);
        expect(name).not.toMatch(/:\/\/|www\.|[\p{L}\p{N}]\.\p{L}{2}|\p{Nd}{5}|xn--/iu);
      }),
      runs(5_000, 500),
    );
    expect(Math.min(accepted, refused)).toBeGreaterThan(20);
  });

  it('that holds a hostile name between words is refused', () => {
    const word = fc.constantFrom('Ada', 'Kim', 'the club', '李', '🦄');
    fc.assert(
      fc.property(word, fc.constantFrom(...LINKS, ...NUMBERS), word, (before, hostile, after) => {
        expect(plainName(`${before} ${hostile} ${after}`)).toBeNull();
      }),
      runs(2_000, 300),
    );
  });
});
