// Which phone numbers the service sends texts to: valid mobile numbers, and numbers of countries where mobile and fixed
// numbers look alike. Texts to premium-rate, shared-cost and satellite numbers earn money for the owner of the number, and
// landlines get none. Pure: it reads the number plans of libphonenumber-js and asks no other server.

import {
  type CountryCode,
  getExampleNumber,
  isSupportedCountry,
  type NumberType,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { below, items, member } from './json-walk.ts';
import { checkName } from './person-name.ts';
import type { Breach, Report, Rule } from './rule.ts';
import { listed } from './wording.ts';

export interface PhoneSettings {
  /** No real texts: the reserved numbers are accepted. */
  readonly isSandbox: boolean;
  /** Countries (ISO 3166-1 alpha-2) whose numbers get texts; null: all. */
  readonly countries: readonly CountryCode[] | null;
}

/** A phone number in E.164 form, valid or not. The schemas repeat the pattern. */
export const E164 = /^\+[1-9][0-9]{6,14}$/;

const MAX_TYPED_LENGTH = 80;
/** A satellite number has type MOBILE too, but belongs to no country. */
const TEXTED_TYPES: readonly (NumberType | undefined)[] = ['MOBILE', 'FIXED_LINE_OR_MOBILE'];
const RESERVED = /^\+15550100[01]\d\d$/;

/** +1 555 010 0000 to 0199: numbers that no subscriber has, for tests. */
export function isReserved(phone: string): boolean {
  return RESERVED.test(phone);
}

/** Why a number in E.164 form gets no texts; null: it does. */
export function phoneFault(phone: string, { isSandbox, countries }: PhoneSettings): string | null {
  if (isSandbox && isReserved(phone)) return null;
  const parsed = parsePhoneNumberFromString(phone);
  if (parsed?.isValid() !== true) return 'This is not a number of any country: check its digits.';
  // A second spelling of one number would have limits of its own.
  if (parsed.number !== phone) return 'Write the number without the zero or prefix that is dialled inside its country.';
  if (parsed.country === undefined || !TEXTED_TYPES.includes(parsed.getType()))
    return 'This is not a mobile number, and the service sends texts to mobile numbers only.';
  return countries === null || countries.includes(parsed.country)
    ? null
    : 'The service sends no texts to numbers of this country.';
}

/**
 * A number as a person types it, in E.164 form; null: it gets no texts. Without a country code it belongs to the first
 * country of the settings, or to the USA.
 */
export function parsePhone(typed: string, settings: PhoneSettings): string | null {
  const country = settings.countries?.[0] ?? 'US';
  const phone = parsePhoneNumberFromString(typed.slice(0, MAX_TYPED_LENGTH), country)?.number;
  return phone !== undefined && phoneFault(phone, settings) === null ? phone : null;
}

/** By schema name: the rules of the bodies that name a phone, with the name beside it. */
export function phoneRules(settings: PhoneSettings): Readonly<Record<string, Rule>> {
  const [accepted] = fictionalPhones(settings);
  const check = (value: unknown, at: string, report: Report, example: Example): void => {
    const fault = typeof value === 'string' && E164.test(value) ? phoneFault(value, settings) : null;
    if (fault === null) return;
    const { countries } = settings;
    report({
      code: 'invalid_value',
      field: at,
      message: fault,
      expected: `a valid mobile number${countries === null ? '' : ` of ${listed(countries)}`}, in E.164 form`,
      ...example,
    });
  };
  return {
    // A number of another country shows the form, if those of the settings keep none for fiction.
    sign_in: (value, at, report) =>
      check(member(value, 'phone'), below(at, 'phone'), report, { example_fix: accepted ?? FICTIONAL.US.first }),
    party: (value, at, report) => {
      const organizerAlone = { example_fix: [], example_fix_field: below(at, 'members') };
      const example = accepted === undefined ? organizerAlone : { example_fix: accepted };
      for (const [index, item] of items(member(value, 'members')).entries()) {
        check(member(item, 'phone'), below(at, 'members', index, 'phone'), report, example);
        checkName(member(item, 'name'), below(at, 'members', index, 'name'), report);
      }
    },
  };
}

type Example = Pick<Breach, 'example_fix' | 'example_fix_field'>;

interface PhoneRange {
  readonly first: string;
  readonly count: number;
}

const SANDBOX_EXAMPLES: PhoneRange = { first: '+15550100042', count: 158 };

/**
 * Mobile numbers that the regulators of these countries keep for fiction. Any other example might be the number of a
 * person, who would get the texts of a caller that sends the example.
 */
const FICTIONAL = {
  US: { first: '+12015550100', count: 100 },
  CA: { first: '+12045550100', count: 100 },
  AU: { first: '+61491570156', count: 4 },
  DE: { first: '+491713920000', count: 100 },
  SE: { first: '+46701740605', count: 95 },
} as const satisfies Partial<Record<CountryCode, PhoneRange>>;

/** The numbers without a subscriber that these settings accept, in order. There are none for most countries. */
export function* fictionalPhones({ isSandbox, countries }: PhoneSettings): Generator<string, undefined> {
  const ranges: Readonly<Partial<Record<CountryCode, PhoneRange>>> = FICTIONAL;
  const country = (countries ?? ['US']).find((code) => ranges[code] !== undefined);
  const range = isSandbox ? SANDBOX_EXAMPLES : country === undefined ? undefined : ranges[country];
  if (range === undefined) return;
  for (let n = 0; n < range.count; n++) yield `+${BigInt(range.first.slice(1)) + BigInt(n)}`;
}

function exampleOf(country: CountryCode): string | null {
  return getExampleNumber(country, examples)?.number ?? null;
}

/** A territory without mobile numbers of its own, such as SJ, is no country here: its numbers are those of NO. */
export function isPhoneCountry(code: string): code is CountryCode {
  if (!isSupportedCountry(code)) return false;
  const example = exampleOf(code);
  return example !== null && phoneFault(example, { isSandbox: false, countries: [code] }) === null;
}
