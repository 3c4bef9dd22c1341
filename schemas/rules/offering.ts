// The rules of an offering: those of its tiers, availability, policy, category and metadata, and the rule that a slot's
// overrides name tiers of this offering, each once. A batch also needs distinct external ids.

import { availability } from './availability.ts';
import { categoryIsKnown } from './category.ts';
import { below, items, member } from './json-walk.ts';
import { metadataKeys } from './metadata.ts';
import { policy } from './policy.ts';
import { priceTiers } from './price-tier.ts';
import type { Breach, Report, Rule } from './rule.ts';
import { uniqueExternalIds } from './unique-external-id.ts';
import { listed, quoted } from './wording.ts';

/** An offering has at most 20 tiers, so that a message never suggests more. */
const MAX_SUGGESTIONS = 20;

function unknownTier(tier: string, known: readonly string[]): Omit<Breach, 'field' | 'example_fix'> {
  return known.length === 0
    ? {
        code: 'invalid_value',
        message: `No tier of this offering has an external_id, so this override names no tier. Give a tier the external_id ${quoted(tier)}, or leave this override out.`,
        expected: 'the external_id of a tier',
      }
    : {
        code: 'invalid_value',
        message: `No tier of this offering has the external_id ${quoted(tier)}. Name one that has: ${listed(known)}.`,
        expected: `one of: ${listed(known)}`,
      };
}

/** Reports overrides of one slot that name an unknown tier, or the same tier a second time. */
function slotOverrides(overrides: unknown, known: ReadonlySet<string>, at: string, report: Report): void {
  const named = items(overrides).map((override) => member(override, 'tier'));
  const used = new Set(named);
  const suggestions = [...known].slice(0, MAX_SUGGESTIONS);
  const spare = suggestions.filter((tier) => !used.has(tier)).values();
  const seen = new Set<string>();
  named.forEach((tier, index) => {
    if (typeof tier !== 'string') return;
    if (known.has(tier) && !seen.has(tier)) {
      seen.add(tier);
      return;
    }
    const problem = known.has(tier)
      ? ({
          code: 'not_unique',
          message: `This slot overrides the tier ${quoted(tier)} twice. Name another tier, or leave one override out.`,
          expected: 'a tier this slot does not override yet',
        } as const)
      : unknownTier(tier, suggestions);
    const unused = spare.next().value;
    const fix = unused === undefined ? { example_fix: [], example_fix_field: at } : { example_fix: unused };
    report({ ...problem, field: below(at, index, 'tier'), ...fix });
  });
}

function tierOverrides(offering: unknown, at: string, report: Report): void {
  const tiers = member(offering, 'tiers');
  if (!Array.isArray(tiers)) return;
  const ids = tiers.map((tier) => member(tier, 'external_id'));
  const known = new Set(ids.filter((id) => typeof id === 'string'));
  items(member(member(offering, 'availability'), 'slots')).forEach((slot, index) => {
    const overrides = member(slot, 'tier_overrides');
    if (overrides === undefined) return;
    slotOverrides(overrides, known, below(at, 'availability', 'slots', index, 'tier_overrides'), report);
  });
}

export const offering: Rule = (value, at, report, facts) => {
  categoryIsKnown(member(value, 'category'), below(at, 'category'), report, facts);
  priceTiers(member(value, 'tiers'), below(at, 'tiers'), report, facts);
  availability(member(value, 'availability'), below(at, 'availability'), report, facts);
  tierOverrides(value, at, report);
  policy(member(value, 'policy'), below(at, 'policy'), report, facts);
  metadataKeys(member(value, 'metadata'), below(at, 'metadata'), report, facts);
};

export const offeringBatch: Rule = (value, at, report, facts) => {
  const offerings = member(value, 'offerings');
  const place = below(at, 'offerings');
  items(offerings).forEach((item, index) => {
    offering(item, below(place, index), report, facts);
  });
  uniqueExternalIds(offerings, place, report, 'offering');
};

/**
 * The part of an existing offering that the tool replaces. The rules of an offering check it together with the rest.
 */
export const setPriceTiers: Rule = (value, at, report, facts) => {
  priceTiers(member(value, 'tiers'), below(at, 'tiers'), report, facts);
};

export const setAvailability: Rule = (value, at, report, facts) => {
  availability(member(value, 'availability'), below(at, 'availability'), report, facts);
};
