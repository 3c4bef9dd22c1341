// A venue's account at the processor: created when it is first needed. The onboarding link leads the venue to the form
// where it gives the processor what a payout requires.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { findVenue } from '../venues/queries.ts';
import { callKeys } from './hold.ts';
import { findPayoutAccount, type PayoutAccount, storePayoutAccount } from './movement-queries.ts';
import { type Processors, ProcessorUnavailable } from './processor.ts';

export interface AccountServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly processors: Processors;
}

export async function findOrCreatePayoutAccount(
  services: AccountServices,
  venueId: string,
  mode: Mode,
): Promise<PayoutAccount> {
  const known = await findPayoutAccount(services.db, venueId, mode);
  if (known !== null) return known;
  const venue = await findVenue(services.db, venueId);
  if (venue === null) throw new Error(`venue ${venueId} is not found`);
  const key = callKeys.account(venueId, mode);
  const account = await processorOf(services, mode).createAccount(key, { id: venueId, name: venue.name });
  await storePayoutAccount(services.db, venueId, mode, account, services.clock.now());
  return account;
}

/** A link to the processor's onboarding form. It works once, for a short time. */
export async function onboardingLink(
  services: AccountServices,
  venueId: string,
  mode: Mode,
  returnUrl: string,
): Promise<{ readonly accountId: string; readonly url: string }> {
  const { accountId } = await findOrCreatePayoutAccount(services, venueId, mode);
  return { accountId, url: await processorOf(services, mode).onboardingLink(accountId, returnUrl) };
}

function processorOf({ processors }: AccountServices, mode: Mode) {
  const processor = processors[mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${mode} mode`);
  return processor;
}
