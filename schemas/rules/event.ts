// The rules of an event: it and its sale end after they start, and its category, tiers, policy and metadata follow
// their own rules. clock.ts has the rule that a new event is in the future.

import { categoryIsKnown } from './category.ts';
import { below, member } from './json-walk.ts';
import { metadataKeys } from './metadata.ts';
import { policy } from './policy.ts';
import { priceTiers } from './price-tier.ts';
import type { Rule } from './rule.ts';
import { endsAfterStarts } from './time-order.ts';

export const event: Rule = (value, at, report, facts) => {
  endsAfterStarts(value, at, report, facts);
  endsAfterStarts(member(value, 'on_sale'), below(at, 'on_sale'), report, facts);
  categoryIsKnown(member(value, 'category'), below(at, 'category'), report, facts);
  priceTiers(member(value, 'tiers'), below(at, 'tiers'), report, facts);
  policy(member(value, 'policy'), below(at, 'policy'), report, facts);
  metadataKeys(member(value, 'metadata'), below(at, 'metadata'), report, facts);
};
