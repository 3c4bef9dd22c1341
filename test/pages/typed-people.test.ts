// People as they are typed or pasted: what is read, and what is named as unreadable.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PartyForm, readPartyForm } from '../../src/http/pages/party-form.ts';
import { namedLines, readTypedPeople, withTypedPeople } from '../../src/http/pages/typed-people.ts';
import { runs } from '../support/random-runs.ts';

const PHONES = { isSandbox: false, countries: null };
const read = (text: string) => readTypedPeople(text, PHONES);
const formWith = (fields: Record<string, string>): PartyForm => readPartyForm(new URLSearchParams(fields));

describe('the box for names and numbers', () => {
  it('takes a person a line, or divided by commas or semicolons, with the number before or after the name', () => {
    const typed = [
      'Ben +1 415 555 0132',
      '(415) 555-0133 Cleo',
      'Priya: 415.555.0134; Jonah - 4155550135, 415 555 0136',
      'Zoë Müller\t+44 7400 123456',
      '• "Ana" <+1-415-555-0137>',
    ].join('\r\n');
    const { people, rest } = read(typed);
    expect(people.map(({ name, phone }) => `${name}|${phone}`)).toEqual([
      'Ben|+1 415 555 0132',
      'Cleo|(415) 555-0133',
      'Priya|415.555.0134',
      'Jonah|4155550135',
      '|415 555 0136',
      'Zoë Müller|+44 7400 123456',
      'Ana|+1-415-555-0137',
    ]);
    expect(rest).toEqual([]);
  });

  it('reads numbers with the invisible characters that contact lists put around them', () => {
    expect(read('Ben \u202a+1 415 555 0132\u202c').people).toEqual([{ name: 'Ben', phone: '+1 415 555 0132' }]);
    expect(read('ベン ＋１ ４１５ ５５５ ０１３２').people).toEqual([{ name: 'ベン', phone: '+1 415 555 0132' }]);
  });

  it('leaves what has no number that gets texts, as it was typed', () => {
    const { people, rest } = read('Ben 12\nCleo +1 415 555 0133\nDan <dan@example.com>\n+1 900 555 0199 Eve');
    expect(people.map(({ name }) => name)).toEqual(['Cleo']);
    expect(rest).toEqual(['Ben 12', 'Dan <dan@example.com>', '+1 900 555 0199 Eve']);
    expect(namedLines(rest.join('\n'))).toBe('“Ben 12”, “Dan <dan@example.com>”, “+1 900 555 0199 Eve”');
    expect(namedLines(['x'.repeat(60), 'b', 'c', 'd'].join('\n'))).toBe(`“${'x'.repeat(39)}…”, “b”, “c”, …`);
  });

  it('loses no person: each is in the list or still in the box', () => {
    const form = formWith({ name: 'Ben', phone: '12', people: 'Cleo +1 415 555 0133\nDan' });
    const { phones, typedPeople } = withTypedPeople(form, PHONES);
    expect(phones).toEqual([{ name: 'Cleo', phone: '+1 415 555 0133' }]);
    expect(typedPeople).toBe('Ben 12\nDan');
    const many = Array.from({ length: 60 }, (_, n) => `+1 415 555 ${String(1_000 + n)}`);
    const full = withTypedPeople(formWith({ people: many.join(',') }), PHONES);
    expect([full.phones.length, full.typedPeople.split('\n').length]).toEqual([50, 10]);
  });

  it('reads any text in bounded time, and reading what is left finds no person more', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const { rest } = read(text);
        expect(read(rest.join('\n')).people).toEqual([]);
      }),
      runs(500),
    );
    read('1'.repeat(8_000));
    read('1 ('.repeat(2_600));
  });
});
