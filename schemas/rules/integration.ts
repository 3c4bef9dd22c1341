// The rules of a connection to a venue system: providers that sign their deliveries need a signing secret, the others
// must not have one, and the defaults name a real time zone, a listed currency and a category of the venue.

import { categoryIsKnown } from './category.ts';
import { zoneIsReal } from './iana-zone.ts';
import { currencyIsListed } from './iso-currency.ts';
import { below, member } from './json-walk.ts';
import type { Report, Rule } from './rule.ts';

const SIGNING = ['square', 'toast', 'mindbody'];
const UNSIGNED = [
  'fareharbor',
  'peek',
  'ventrata',
  'xola',
  'rezdy',
  'checkfront',
  'eventbrite',
  'cloudbeds',
  'tock',
  'foreup',
  'mews',
  'custom',
];

function signingSecret(value: unknown, at: string, report: Report): void {
  const provider = member(value, 'provider');
  const secret = member(value, 'signing_secret');
  if (typeof provider !== 'string') return;
  const field = below(at, 'signing_secret');
  if (SIGNING.includes(provider) && secret === undefined) {
    report({
      code: 'missing_field',
      field,
      message: `${provider} signs its deliveries, so signing_secret is required. Send the secret that ${provider} shows for this webhook.`,
      expected: `the signing secret from ${provider}`,
      example_fix: `signing-secret-shown-by-${provider}`,
    });
  }
  if (UNSIGNED.includes(provider) && typeof secret === 'string') {
    const message =
      provider === 'custom'
        ? 'For custom the server creates the signing secret and returns it once. Leave signing_secret out.'
        : `${provider} needs no signing_secret. Leave it out.`;
    const fix = { example_fix: { provider }, example_fix_field: at };
    report({ code: 'not_allowed', field, message, expected: 'no signing_secret', ...fix });
  }
}

export const integration: Rule = (value, at, report, facts) => {
  signingSecret(value, at, report);
  const defaults = member(value, 'defaults');
  const place = below(at, 'defaults');
  zoneIsReal(member(defaults, 'timezone'), below(place, 'timezone'), report, facts);
  currencyIsListed(member(defaults, 'currency'), below(place, 'currency'), report);
  categoryIsKnown(member(defaults, 'category'), below(place, 'category'), report, facts);
};
