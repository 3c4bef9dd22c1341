// The rules of a checkout: the booking ends after it starts, and metadata keys are allowed. A new one returns its guests
// only to the partner's registered origins, compared by scheme, host and port and never by prefix; a replay is answered
// also when the origin is no longer registered. clock.ts has the rule that pay_by is in the future.

import { below, member } from './json-walk.ts';
import { metadataKeys } from './metadata.ts';
import type { Report, Rule } from './rule.ts';
import { endsAfterStarts } from './time-order.ts';
import { listed, quoted } from './wording.ts';

function originOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).origin : undefined;
}

function originIsRegistered(value: unknown, at: string, report: Report, origins: readonly string[]): void {
  if (typeof value !== 'string') return;
  const origin = originOf(value);
  if (origin === undefined || origins.includes(origin)) return;
  const registered = origins.map(originOf).filter((known) => known !== undefined && known !== 'null');
  if (registered.includes(origin)) return;
  // In test mode an origin may be http://localhost, where an address of a checkout never leads.
  const usable = registered.flatMap((known) => (known?.startsWith('https:') === true ? [known] : []));
  const [first] = usable;
  report({
    code: 'not_allowed',
    field: at,
    message:
      first === undefined
        ? `${quoted(origin)} is not a registered origin: this venue has none${registered.length > 0 ? ' with https' : ''} yet. Have it registered first (everyshare venue origin add ID URL), then send this again.`
        : `${quoted(origin)} is not one of your registered origins. Use an address on one of them, or have this one registered first (everyshare venue origin add ID URL).`,
    expected: first === undefined ? 'an address on a registered origin' : `an address on: ${listed(usable)}`,
    example_fix: first === undefined ? value : `${first}/`,
  });
}

export const returnsToRegisteredOrigins: Rule = (value, at, report, facts) => {
  for (const name of ['return_url', 'cancel_url']) {
    originIsRegistered(member(value, name), below(at, name), report, facts.origins);
  }
};

export const checkoutCreate: Rule = (value, at, report, facts) => {
  endsAfterStarts(value, at, report, facts);
  metadataKeys(member(value, 'metadata'), below(at, 'metadata'), report, facts);
};
