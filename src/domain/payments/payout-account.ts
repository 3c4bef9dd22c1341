// A venue's account at the processor: opened when it is first needed, and shown the way in, where it gives the processor
// what that needs to pay it.

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

export async function findOrCreatePayoutAccount(services: AccountServices, venueId: string, mode: Mode): Promise<PayoutAccount> {
  const known = await findPayoutAccount(services.db, venueId, mode);
  if (known !== null) return known;
  const venue = await findVenue(services.db, venueId);
  if (venue === null) throw new Error(`there is no venue ${venueId}`);
  const name = { id: venueId, name: venue.name };
  const account = await processorOf(services, mode).createAccount(callKeys.account(venueId, mode), name);
  await storePayoutAccount(services.db, venueId, mode, account, services.clock.now());
  return account;
}

/** Where the venue gives the processor what it asks for; good once, and for a short while. */
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
