// The guide shows the list of personal data (test/tidy compares the list with the schema); and what is found of a person in
// text and JSON.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import { SEALED_COLUMNS } from '../../src/cli/encryption.ts';
import { PERSONAL_DATA, personalDataTable } from '../../src/domain/privacy/personal-data.ts';
import { scrubAnswer, scrubOthersJson, scrubOwnJson } from '../../src/domain/privacy/scrub-json.ts';
import { makeScrub, scrubUrl } from '../../src/domain/privacy/scrub-text.ts';
import { sweptColumns } from '../../src/domain/privacy/sweep-sealed.ts';

const personal = PERSONAL_DATA.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`));

describe('the list of personal data', () => {
  it('is the table of the guide', () => {
    const guide = readFileSync(join(packageRoot, 'docs', 'guides', 'privacy.md'), 'utf8');
    expect(guide).toContain(personalDataTable());
  });

  it('has every sealed column that an erasure reads', () => {
    for (const { table, column } of sweptColumns(SEALED_COLUMNS)) expect(personal).toContain(`${table}.${column}`);
  });
});

describe('scrubbing', () => {
  const scrub = makeScrub({
    phone: '+12125550142',
    mails: ['ada.l@example.com'],
    names: ['Ada Lovelace', 'Bo', 'Ann'],
  });

  it.each([
    'Call +12125550142',
    'Call +1 (212) 555-0142',
    'Call 212.555.0142',
    'Call 2125550142',
    'Call 0012125550142',
    'mail ADA.L@example.com',
    'for ada lovelace',
    'for Ann',
  ])('takes the person out of "%s"', (text) => {
    expect(scrub(text)).toMatch(/^(Call|mail|for) \+?\(?\[erased\]$/);
  });

  it.each([
    'Call +12125550143',
    'order 921255501429',
    'mail ada.l@example.com.au',
    'Anna',
    'Bo Diddley',
    'Adam Lovelace',
  ])('leaves "%s"', (text) => {
    expect(scrub(text)).toBe(text);
  });

  it.each([
    ['+447911123456', '07911 123456', '+44 (0)7911 123456', '0044 7911 123456', '7911123456'],
    ['+4915112345678', '0151 12345678', '0151/12345678', '+49 (0) 151 12345678'],
    ['+4520123456', '20 12 34 56', '20123456', '+45 20 12 34 56'],
    ['+393471234567', '347 123 4567', '0039 347 1234567', '3471234567'],
    ['+33612345678', '06 12 34 56 78', '06.12.34.56.78', '+33 (0)6 12 34 56 78'],
  ])('finds the phone %s as people of its country write it', (phone, ...written) => {
    const scrubPhone = makeScrub({ phone, mails: [], names: [] });
    for (const text of written) expect(scrubPhone(`call ${text}!`)).toMatch(/^call \+?\(?\[erased\]!$/);
  });

  it('takes no date for a short phone where a text need not be about the guest', () => {
    const strict = makeScrub({ phone: '+4520261118', mails: [], names: [] }, { isStrict: true });
    expect(strict('20261118 and +45 20 26 11 18')).toBe('20261118 and [erased]');
  });

  it('finds a name in both forms of its accents, and a short name where it is the whole text', () => {
    const scrubName = makeScrub({ phone: null, mails: [], names: ['Zo\u00eb', 'Bo'] });
    expect(scrubName('for Zo\u00eb and Zoe\u0308')).toBe('for [erased] and [erased]');
    expect([scrubName(' Bo '), scrubName('Bo Diddley'), scrubName('Bob')]).toEqual([' [erased] ', 'Bo Diddley', 'Bob']);
  });

  it('reads the query of a URL decoded, and keeps the rest of it', () => {
    const url = 'https://ann.example/Ann?email=ada.l%40example.com&who=Ada+Lovelace&ref=7#Ann';
    expect(scrubUrl(url, scrub)).toBe('https://ann.example/Ann?email=%5Berased%5D&who=%5Berased%5D&ref=7#%5Berased%5D');
  });
});

describe('scrubbing JSON', () => {
  const marks = {
    identifiers: { phone: '+12125550142', mails: ['ada.l@example.com'], names: ['Test'] },
    ownIds: ['shr_1'],
    linkedIds: ['shr_1', 'chk_1', 'bk-77'],
  };

  it('changes free text and the guest’s own share of our objects, never a mode, a status, an id, a URL or another of the same name', () => {
    const event = {
      object: 'checkout',
      id: 'chk_1',
      mode: 'test',
      url: 'https://pay.example/test',
      return_url: 'https://test.example/test?who=Test',
      description: 'Test birthday',
      metadata: { who: 'test' },
      shares: [
        { id: 'shr_1', display_name: 'Test' },
        { id: 'shr_2', display_name: 'Test' },
      ],
      refund: { amount: 1, reason: 'Test was ill' },
    };
    expect(JSON.parse(scrubOwnJson(JSON.stringify(event), marks))).toEqual({
      ...event,
      return_url: 'https://test.example/test?who=%5Berased%5D',
      description: '[erased] birthday',
      metadata: { who: '[erased]' },
      shares: [
        { id: 'shr_1', display_name: null },
        { id: 'shr_2', display_name: 'Test' },
      ],
      refund: { amount: 1, reason: '[erased] was ill' },
    });
  });

  it('leaves a stored answer about another booking as it is', () => {
    const answer = JSON.stringify({ id: 'chk_2', mode: 'test', description: 'Test dinner' });
    expect(scrubAnswer(answer, marks)).toBe(answer);
  });

  it('keeps long numbers, names that stand twice and spaces of a delivery byte for byte', () => {
    const body =
      '{ "id": 12345678901234567890, "a": 1.0, "a": "x", "mode":"test", "phone": 12125550142, "name" : "Test" }';
    expect(scrubOthersJson(body, marks, true)).toBe(
      '{ "id": 12345678901234567890, "a": 1.0, "a": "x", "mode":"test", "phone": "[erased]", "name" : "[erased]" }',
    );
  });

  it('takes a name of one word out of a delivery only if the delivery has the phone, the mail address or an id of the guest', () => {
    expect(scrubOthersJson('{"name":"Test"}', marks, true)).toBe('{"name":"Test"}');
    expect(scrubOthersJson('{"name":"Test","booking":"bk-77"}', marks, true)).toBe(
      '{"name":"[erased]","booking":"bk-77"}',
    );
    expect(scrubOthersJson('no JSON of +1 212 555 0142', marks, false)).toBe('no JSON of [erased]');
  });
});
