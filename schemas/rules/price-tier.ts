// The rules of a price tier (party sizes, time window, currency) and of the list of tiers of an offering or event (one
// currency, distinct external ids).

import { currencyIsListed, oneListedCurrency } from './iso-currency.ts';
import { below, items, member } from './json-walk.ts';
import type { Report, Rule } from './rule.ts';
import { uniqueExternalIds } from './unique-external-id.ts';

const CLOCK_TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;
const MAX_PARTY_SIZE = 500;

function isPartySize(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_PARTY_SIZE;
}

function partySizes(tier: unknown, at: string, report: Report): void {
  const min = member(tier, 'min_party');
  const max = member(tier, 'max_party');
  if (!isPartySize(min) || !isPartySize(max) || min <= max) return;
  report({
    code: 'not_allowed',
    field: below(at, 'max_party'),
    message: `max_party must not be smaller than min_party (${min}). Raise max_party or lower min_party.`,
    expected: `an integer from ${min} to ${MAX_PARTY_SIZE}`,
    example_fix: min,
  });
}

function timeWindow(window: unknown, at: string, report: Report): void {
  const from = member(window, 'from');
  const match = typeof from === 'string' ? CLOCK_TIME.exec(from) : null;
  if (match === null || member(window, 'to') !== from) return;
  const later = String((Number(match[1]) + 1) % 24).padStart(2, '0');
  report({
    code: 'not_allowed',
    field: below(at, 'to'),
    message: `A time window must not end at the minute at which it begins (${from}). Send another value for to. A window may cross midnight; without time_window the tier applies all day.`,
    expected: `a time other than ${from}`,
    example_fix: `${later}:${match[2]}`,
  });
}

function singleTier(tier: unknown, at: string, report: Report): void {
  partySizes(tier, at, report);
  timeWindow(member(tier, 'time_window'), below(at, 'time_window'), report);
}

export const priceTier: Rule = (value, at, report) => {
  singleTier(value, at, report);
  currencyIsListed(member(value, 'currency'), below(at, 'currency'), report);
};

/** The rules of an array of tiers. */
export const priceTiers: Rule = (value, at, report) => {
  items(value).forEach((tier, index) => {
    singleTier(tier, below(at, index), report);
  });
  oneListedCurrency(value, at, report);
  uniqueExternalIds(value, at, report, 'tier');
};
