// Which rules between fields belong to which schema. A schema that is not listed here has no rules.

import { activity } from './activity.ts';
import { apiKeyCreate, apiKeyUpdate } from './api-key.ts';
import { availability } from './availability.ts';
import { boat } from './boat.ts';
import { checkoutCreate, returnsToRegisteredOrigins } from './checkout-create.ts';
import { payByAhead, startsWithinTwoYears } from './clock.ts';
import { event } from './event.ts';
import { integration } from './integration.ts';
import { legacyExperience } from './legacy-experience.ts';
import { offering, offeringBatch, setAvailability, setPriceTiers } from './offering.ts';
import { signInVerify } from './person-name.ts';
import { policy } from './policy.ts';
import { priceTier } from './price-tier.ts';
import { refund } from './refund.ts';
import type { Rule } from './rule.ts';

/** By schema name; for every body, new or not. */
export const rules: Readonly<Record<string, Rule>> = {
  price_tier: priceTier,
  availability,
  policy,
  offering,
  offering_batch: offeringBatch,
  set_price_tiers: setPriceTiers,
  set_availability: setAvailability,
  event,
  legacy_experience: legacyExperience,
  boat,
  checkout_create: checkoutCreate,
  integration,
  refund,
  activity,
  sign_in_verify: signInVerify,
  console_sign_in_verify: signInVerify,
  account_update: signInVerify,
  api_key_create: apiKeyCreate,
  api_key_update: apiKeyUpdate,
};

/**
 * By schema name; only for new objects, so that a replay stays a replay after the time has passed, or an origin is no
 * longer registered.
 */
export const rulesWhenNew: Readonly<Record<string, Rule>> = {
  event: startsWithinTwoYears,
  legacy_experience: startsWithinTwoYears,
  checkout_create: (...body) => {
    returnsToRegisteredOrigins(...body);
    payByAhead(...body);
  },
};
