// Translations: every language has every text of English; and which language a caller gets.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { packageRoot } from '../../src/base/package-root.ts';
import {
  addUnlistedLanguage,
  calendarLeaf,
  formatDate,
  formatHours,
  formatList,
  formatMoney,
  formatTime,
  languageOf,
  languages,
  placeholdersOf,
  translatorFor,
} from '../../src/base/translations.ts';

describe('the translations', () => {
  it('of every language have exactly the keys of English, with the same placeholders', () => {
    expect(languages()).toEqual(['de', 'en', 'es', 'fr', 'it', 'ja', 'pt']);
    const english = Object.fromEntries(placeholdersOf('en'));
    expect(Object.keys(english).length).toBeGreaterThan(10);
    for (const language of languages()) expect(Object.fromEntries(placeholdersOf(language)), language).toEqual(english);
  });

  it('have every plural form that their language uses for whole numbers', () => {
    for (const language of languages()) {
      const file = JSON.parse(readFileSync(join(packageRoot, 'locales', `${language}.json`), 'utf8'));
      const rules = new Intl.PluralRules(language);
      const needed = new Set(Array.from({ length: 1_000 }, (_, count) => rules.select(count)));
      const visit = (group: Record<string, unknown>, path: string): void => {
        for (const [name, value] of Object.entries(group)) {
          if (typeof value !== 'object' || value === null) continue;
          if ('other' in value)
            expect(Object.keys(value), `${language} ${path}${name}`).toEqual(expect.arrayContaining([...needed]));
          else visit(value as Record<string, unknown>, `${path}${name}.`);
        }
      };
      visit(file, '');
    }
  });

  it('use one word for one thing in Spanish, and no second honorific in Japanese', () => {
    const read = (language: string): string => readFileSync(join(packageRoot, 'locales', `${language}.json`), 'utf8');
    expect(read('es').match(/\b(plazas?|importes?|móvil(es)?)(?![a-zñáéíóú])/gi)).toBe(null);
    const japanese = translatorFor('ja');
    const name = japanese.translate('page.somebody_else');
    // 方 and 様 are honorifics already, and さん follows the name.
    expect(japanese.translate('page.wrong_person_title', { name })).not.toMatch(/[方様]さん/);
  });

  it('are all used in the code, and the code uses no others', () => {
    const sources: string[] = [];
    const walk = (folder: string): void => {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) walk(path);
        else if (/\.tsx?$/.test(entry.name)) sources.push(readFileSync(path, 'utf8'));
      }
    };
    for (const folder of ['src', 'web']) walk(join(packageRoot, folder));
    const used = new Set(sources.join('\n').match(/(?<=')text\.[a-z_]+(?=')/g));
    const known = [...placeholdersOf('en').keys()].filter((key) => key.startsWith('text.'));
    expect([...used].sort()).toEqual(known.sort());
  });

  it('of a language from right to left keep inserted values in their own order on pages, and texts free of such marks', () => {
    const remove = addUnlistedLanguage('ar', {
      page: { signed_in_as: 'باسم {name}.' },
      text: { code: 'الرمز {code} {minutes}' },
    });
    try {
      const arabic = translatorFor('ar');
      expect([arabic.direction, translatorFor('en').direction]).toEqual(['rtl', 'ltr']);
      expect(arabic.translate('page.signed_in_as', { name: 'Ada (2)' })).toBe('باسم \u2068Ada (2)\u2069.');
      expect(arabic.translate('text.code', { code: '000123', minutes: 10 })).toBe('الرمز 000123 10');
      expect(arabic.translate('page.skip')).toBe('Skip to the content');
      expect(formatMoney('ar', 8_000, 'usd')).toMatch(/^\u2066.*80\.00.*\u2069$/);
      expect(formatMoney('en', 8_000, 'usd')).toBe('$80.00');
      expect(languages()).not.toContain('ar');
    } finally {
      remove();
    }
    expect(translatorFor('ar').language).toBe('en');
  });

  it('fill their placeholders, choose the plural, and refuse missing values', () => {
    const english = translatorFor('en');
    expect(english.translate('text.code', { code: '000123', minutes: 10 })).toContain('000123 is your Everyshare code');
    // A placeholder inside a value is not replaced.
    expect(english.translate('text.code', { code: '{minutes}', minutes: 10 })).toContain('{minutes} is your');
    expect(() => english.translate('text.code', { code: '1' })).toThrow('{minutes}');
    expect(() => english.translate('text.nothing')).toThrow('no "text.nothing"');
    expect(translatorFor('tlh').language).toBe('en');
    expect(translatorFor(null).language).toBe('en');
  });
});

describe('the hours of a booking', () => {
  it('have the weekday of the start, in the zone of the booking, also past midnight', () => {
    const [start, end] = [Date.parse('2026-11-22T02:00:00Z'), Date.parse('2026-11-22T05:30:00Z')];
    const hours = formatHours('en', start, end, 'America/New_York').replaceAll(/\s/g, ' ');
    expect(hours).toMatch(/^Saturday,? (at )?9:00 PM – 12:30 AM$/);
    expect(formatHours('de', start, null, 'Europe/Berlin')).toMatch(/^Sonntag.*3:00/);
    expect(calendarLeaf('en', start, 'America/New_York')).toEqual({ month: 'Nov', day: '21' });
  });
});

describe('the language', () => {
  it('is the requested one, else the best that the browser accepts, else English', () => {
    const cases: [string | null, string | null, string][] = [
      [null, null, 'en'],
      ['de-AT,de;q=0.9,en;q=0.8', null, 'de'],
      ['sv;q=0.9, es-MX;q=0.8, en;q=0.1', null, 'es'],
      ['en;q=0.1, es;q=0.5', null, 'es'],
      ['de;q=0, es;q=0.3', null, 'es'],
      ['sv, *', null, 'en'],
      ['pt-BR, en;q=0.5', null, 'pt'],
      ['ja-JP', null, 'ja'],
      ['de', 'es-419', 'es'],
      ['de', 'xx', 'de'],
      [';;q=,,\0'.repeat(1_000), null, 'en'],
    ];
    for (const [header, requested, expected] of cases)
      expect(languageOf(header, requested), `${header}`).toBe(expected);
  });
});

describe('amounts and times', () => {
  it('are formatted for the language and the time zone', () => {
    const plain = (text: string): string => text.replaceAll(/\s/g, ' ');
    expect(plain(formatMoney('en', 4_000, 'usd'))).toBe('$40.00');
    expect(plain(formatMoney('de', 123_456, 'eur'))).toBe('1.234,56 €');
    expect(plain(formatMoney('en', 500, 'jpy'))).toBe('¥500');
    const at = Date.parse('2026-11-20T23:00:00Z');
    expect(plain(formatTime('en', at, 'America/New_York'))).toBe('Fri, Nov 20, 6:00 PM EST');
    expect(plain(formatTime('de', at, 'Europe/Berlin'))).toContain('21. Nov.');
  });

  it('build a formatter once for a language with its currency or zone, and keep a bounded number', () => {
    const built: string[] = [];
    const get = (intl: typeof Intl, name: string): unknown => {
      built.push(name);
      return Reflect.get(intl, name);
    };
    vi.stubGlobal('Intl', new Proxy(Intl, { get } as ProxyHandler<typeof Intl>));
    try {
      // No page is in Swedish: no other test has built these.
      for (let amount = 0; amount < 50; amount++) {
        formatMoney('sv', amount, 'sek');
        formatTime('sv', amount, 'Europe/Stockholm');
        formatDate('sv', amount, 'Europe/Stockholm');
        formatList('sv', ['Ada', 'Ben', 'Cleo']);
      }
      expect(built).toEqual(['NumberFormat', 'DateTimeFormat', 'DateTimeFormat', 'ListFormat']);
      const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
      for (const currency of letters.flatMap((a) => letters.map((b) => `Q${a}${b}`))) formatMoney('sv', 1, currency);
      built.length = 0;
      formatMoney('sv', 1, 'sek');
      expect(built).toEqual(['NumberFormat']);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
