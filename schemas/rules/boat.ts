// The rules of a boat: its country exists, its rates are in one listed currency, its time zone is real, its blocks end
// after they start, and its metadata keys are allowed. No rule checks `extra`: only reviewers read it.

import { zoneIsReal } from './iana-zone.ts';
import { countryIsListed } from './iso-country.ts';
import { oneListedCurrency } from './iso-currency.ts';
import { below, items, member } from './json-walk.ts';
import { metadataKeys } from './metadata.ts';
import type { Rule } from './rule.ts';
import { endsAfterStarts } from './time-order.ts';

export const boat: Rule = (value, at, report, facts) => {
  countryIsListed(member(member(value, 'location'), 'country'), below(at, 'location', 'country'), report);
  oneListedCurrency(member(value, 'pricing'), below(at, 'pricing'), report);
  const availability = member(value, 'availability');
  zoneIsReal(member(availability, 'timezone'), below(at, 'availability', 'timezone'), report, facts);
  items(member(availability, 'blocks')).forEach((block, index) => {
    endsAfterStarts(block, below(at, 'availability', 'blocks', index), report, facts);
  });
  metadataKeys(member(value, 'metadata'), below(at, 'metadata'), report, facts);
};
