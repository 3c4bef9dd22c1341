// The rules of an API key: it expires in the future, its address ranges are valid, and a publishable key has no scopes.

import { isAddressRange } from '../../src/base/address-range.ts';
import { DAY, readInstant, writeInstant } from './instant.ts';
import { below, items, member } from './json-walk.ts';
import type { Rule } from './rule.ts';
import { quoted } from './wording.ts';

const expiresAhead: Rule = (value, at, report, { now }) => {
  const expires = readInstant(member(value, 'expires_at'));
  if (expires === undefined || expires > now.getTime()) return;
  report({
    code: 'out_of_range',
    field: below(at, 'expires_at'),
    message: `expires_at must be in the future. Send a time after ${writeInstant(now.getTime())}.`,
    expected: 'a time in the future',
    example_fix: writeInstant(now.getTime() + 90 * DAY),
  });
};

const rangesAreValid: Rule = (value, at, report) => {
  for (const [index, range] of items(member(value, 'allow_ips')).entries()) {
    if (typeof range !== 'string' || isAddressRange(range)) continue;
    report({
      code: 'invalid_format',
      field: below(at, 'allow_ips', index),
      message: `${quoted(range)} is not an address or a CIDR range, such as 203.0.113.0/24.`,
      expected: 'an address or a CIDR range',
      example_fix: '203.0.113.0/24',
    });
  }
};

export const apiKeyUpdate: Rule = (value, at, report, facts) => {
  expiresAhead(value, at, report, facts);
  rangesAreValid(value, at, report, facts);
};

export const apiKeyCreate: Rule = (value, at, report, facts) => {
  if (member(value, 'kind') === 'publishable' && items(member(value, 'scopes')).length > 0) {
    report({
      code: 'not_allowed',
      field: below(at, 'scopes'),
      message: 'A publishable key has no scopes: leave them out, or make a secret key.',
      expected: 'no scopes',
      example_fix: [],
    });
  }
  apiKeyUpdate(value, at, report, facts);
};
