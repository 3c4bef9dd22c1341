// The rule that texts go to mobile numbers only, over the number plans of all countries.

import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';
import {
  fictionalPhones,
  isPhoneCountry,
  isReserved,
  type PhoneSettings,
  phoneFault,
  phoneRules,
} from '../../schemas/rules/phone.ts';
import type { Breach } from '../../schemas/rules/rule.ts';

const REAL: PhoneSettings = { isSandbox: false, countries: null };
const SANDBOX: PhoneSettings = { isSandbox: true, countries: null };
const GERMAN: PhoneSettings = { isSandbox: false, countries: ['DE', 'AT'] };
const FACTS = { now: new Date(0), categories: ['golf'], origins: [] } as const;

function breachesOf(schema: 'sign_in' | 'party', body: unknown, settings: PhoneSettings): Breach[] {
  const breaches: Breach[] = [];
  phoneRules(settings)[schema]?.(body, '', (breach) => breaches.push(breach), FACTS);
  return breaches;
}

describe('a number gets texts', () => {
  it.each([
    ['a mobile number', '+447400123456'],
    ['a number that may be fixed or mobile', '+14155552671'],
    ['a mobile number in a country whose fixed numbers begin alike', '+5491123456789'],
  ])('if it is %s', (_, phone) => {
    expect([phoneFault(phone, REAL), phoneFault(phone, SANDBOX)]).toEqual([null, null]);
  });

  it.each([
    ['a landline', '+442079460958', /not a mobile number/],
    ['a premium-rate number', '+19005551234', /not a mobile number/],
    ['a premium-rate number of another country', '+4490912345678', /not a mobile number|not a number/],
    ['a shared-cost number', '+448431234567', /not a mobile number/],
    ['a toll-free number', '+18005551234', /not a mobile number/],
    ['a personal number, which forwards at a price', '+15005550006', /not a mobile number/],
    ['a pager', '+447640123456', /not a mobile number/],
    ['a satellite phone (Iridium)', '+881612345678', /not a mobile number/],
    ['a satellite phone (Inmarsat)', '+870773111632', /not a mobile number/],
    ['an international network', '+88213300123', /not a mobile number/],
    ['an area that does not exist', '+15550200042', /not a number of any country/],
    ['a country that does not exist', '+999123456789', /not a number of any country/],
    ['too short', '+1212555012', /not a number of any country/],
    ['a second spelling of a number', '+4407400123456', /without the zero/],
  ])('unless it is %s, also in the sandbox', (_, phone, fault) => {
    expect(phoneFault(phone, REAL)).toMatch(fault);
    expect(phoneFault(phone, SANDBOX)).toMatch(fault);
  });

  it('if it is reserved for tests, in the sandbox alone', () => {
    const numbers = ['+15550100000', '+15550100042', '+15550100199'];
    expect(numbers.map((phone) => [isReserved(phone), phoneFault(phone, SANDBOX)])).toEqual(
      numbers.map(() => [true, null]),
    );
    for (const phone of numbers) expect(phoneFault(phone, REAL)).not.toBe(null);
    for (const phone of ['+15550100200', '+15550109999', '+1555010004', '+155501000420']) {
      expect([isReserved(phone), phoneFault(phone, SANDBOX) === null]).toEqual([false, false]);
    }
  });

  it('only in the countries of the settings', () => {
    expect(phoneFault('+4915123456789', GERMAN)).toBe(null);
    expect(phoneFault('+43664123456', GERMAN)).toBe(null);
    expect(phoneFault('+14155552671', GERMAN)).toMatch(/no texts to numbers of this country/);
    expect(phoneFault('+15550100042', { ...GERMAN, isSandbox: true })).toBe(null);
  });
});

describe('the problem of a phone', () => {
  it('names the field, what is expected, and a number that would pass', () => {
    const body = {
      members: [{ phone: '+14155552671' }, { user_id: 'x' }, { phone: '+442079460958' }, { phone: '+15550200042' }],
    };
    for (const settings of [REAL, SANDBOX, GERMAN]) {
      const breaches = breachesOf('party', body, settings);
      expect(breaches.map(({ code, field }) => `${code} ${field}`)).toEqual([
        ...(settings === GERMAN ? ['invalid_value /members/0/phone'] : []),
        'invalid_value /members/2/phone',
        'invalid_value /members/3/phone',
      ]);
      for (const { example_fix, expected } of breaches) {
        expect(phoneFault(String(example_fix), settings)).toBe(null);
        expect(expected).toBe(`a valid mobile number${settings === GERMAN ? ' of DE, AT' : ''}, in E.164 form`);
      }
    }
    expect(breachesOf('sign_in', { phone: '+442079460958' }, REAL).map(({ field }) => field)).toEqual(['/phone']);
  });

  it('has an example that no person has: of a country that keeps numbers for fiction, or no other person at all', () => {
    const phone = '+442079460958';
    const exampleFor = (schema: 'sign_in' | 'party', settings: PhoneSettings) => {
      const [breach] = breachesOf(schema, { phone, members: [{ phone }] }, settings);
      return [breach?.example_fix, breach?.example_fix_field];
    };
    const french: PhoneSettings = { isSandbox: false, countries: ['FR'] };
    expect(exampleFor('sign_in', french)).toEqual(['+12015550100', undefined]);
    expect(exampleFor('party', french)).toEqual([[], '/members']);
    expect(exampleFor('party', { isSandbox: false, countries: ['FR', 'SE'] })).toEqual(['+46701740605', undefined]);
    expect(exampleFor('party', { ...french, isSandbox: true })).toEqual(['+15550100042', undefined]);
  });

  it('is not reported twice where the schema has refused the form already', () => {
    for (const phone of ['5550100042', '+155501', 42, null, {}]) {
      expect(breachesOf('sign_in', { phone }, REAL)).toEqual([]);
      expect(breachesOf('party', { members: [{ phone }, null, 3] }, REAL)).toEqual([]);
    }
  });
});

it('the numbers for examples are those that a country keeps for fiction, each once, and all get texts', () => {
  const kept = {
    US: /^\+1201555 01\d\d$/,
    CA: /^\+1204555 01\d\d$/,
    AU: /^\+61491570 15[6-9]$/,
    DE: /^\+4917139200 \d\d$/,
    SE: /^\+4670174 06(?:0[5-9]|[1-9]\d)$/,
  };
  for (const [country, pattern] of Object.entries(kept)) {
    const settings: PhoneSettings = { isSandbox: false, countries: [country as 'US'] };
    const phones = [...fictionalPhones(settings)];
    expect(phones.length).toBeGreaterThan(3);
    expect(new Set(phones).size).toBe(phones.length);
    const plain = new RegExp(pattern.source.replaceAll(' ', ''));
    expect(phones.filter((phone) => !plain.test(phone) || phoneFault(phone, settings) !== null)).toEqual([]);
  }
  expect([...fictionalPhones(SANDBOX)].filter((phone) => !isReserved(phone))).toEqual([]);
  expect([...fictionalPhones(REAL)][0]).toBe('+12015550100');
  expect([...fictionalPhones({ isSandbox: false, countries: ['FR'] })]).toEqual([]);
});

it('every country that the settings accept has an example that passes, and territories under another plan are refused', () => {
  const accepted = getCountries().filter(isPhoneCountry);
  expect(accepted.length).toBeGreaterThan(230);
  for (const country of accepted) {
    const example = getExampleNumber(country, examples)?.number ?? '';
    expect([country, phoneFault(example, { isSandbox: false, countries: [country] })]).toEqual([country, null]);
  }
  expect(['SJ', 'VA', 'UK', 'EU', 'XX', '', 'us', '__proto__'].filter(isPhoneCountry)).toEqual([]);
});
