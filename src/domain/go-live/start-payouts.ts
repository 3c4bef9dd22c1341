// Begins or continues the onboarding of a venue at the card processor, in live mode: the answer is the address of the
// processor's own form. The form leads back to /payouts/<token>/done, which says what is still due and links to the console.

import type { PayoutOnboardingCreate } from '../../../schemas/types.gen.ts';
import { conflict, invalid, Problem } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { TeamCaller } from '../accounts/account.ts';
import { ONBOARDING_TOKEN_MS, onboardingUrls, sealOnboarding } from '../payments/onboarding-token.ts';
import { onboardingLink } from '../payments/payout-account.ts';
import { findPayoutAccount } from '../payments/payout-account-queries.ts';
import { ProcessorRefusal } from '../payments/processor.ts';
import { audit } from '../venues/audit.ts';
import type { GoLiveServices } from './show-go-live.ts';

/** The processor's link works for a few minutes, and once. */
const LINK_SECONDS = 300;

export async function startPayoutOnboarding(
  services: GoLiveServices,
  caller: TeamCaller,
  { body }: Input<PayoutOnboardingCreate>,
): Promise<OperationResult> {
  const { db, seal, processors, clock } = services;
  const { venue, account } = caller;
  if (processors.live === undefined)
    throw new Problem('mode_not_available', { message: 'This installation has no card processor for live mode.' });
  const token = sealOnboarding(seal, {
    venueId: venue.id,
    mode: 'live',
    returnUrl: `${services.consoleUrl()}/v/${venue.id}/test/go-live`,
    expiresAt: clock.now() + ONBOARDING_TOKEN_MS,
  });
  // The processor never changes the country of an account: one that exists needs none.
  const isNew = (await findPayoutAccount(db, venue.id, 'live')) === null;
  const { country } = body;
  if (isNew && country === undefined) throw countryProblem('missing_field', 'Say in which country the venue is paid.');
  const contact = country === undefined ? null : { email: account.email, country };
  const urls = onboardingUrls(services.serviceUrl(), token);
  const link = await onboardingLink(services, venue.id, 'live', { contact, ...urls }).catch((cause: unknown) => {
    if (!(cause instanceof ProcessorRefusal)) throw cause;
    if (isNew) throw countryProblem('invalid_value', 'The card processor opens no account in this country.');
    throw conflict('payouts_refused', 'The card processor gives this venue no form. Ask the operator of the service.');
  });
  const detail = { mode: 'live' };
  await db.transaction((tx) =>
    audit(tx, caller, { venueId: venue.id, action: 'payout.onboard', subject: link.accountId, detail }),
  );
  return { status: 200, body: { url: link.url, expires_in: LINK_SECONDS } };
}

function countryProblem(code: 'missing_field' | 'invalid_value', message: string): Problem {
  const expected = 'two letters of ISO 3166-1: a country in which the card processor pays';
  return invalid([{ code, field: '/country', message, expected, example_fix: 'US' }]);
}
