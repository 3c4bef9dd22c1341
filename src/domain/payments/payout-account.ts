// A venue's account at the processor: opened when it is first needed, and shown the way in, where it gives the processor
// what that needs to pay it.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { findVenue } from '../venues/queries.ts';
import { callKeys } from './hold.ts';
import { findPayoutAccount, keepPayoutAccount, type PayoutAccount } from './movement-queries.ts';
import { type Processors, ProcessorTrouble } from './processor.ts';

export interface AccountParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly processors: Processors;
}

export async function payoutAccount(parts: AccountParts, venueId: string, mode: Mode): Promise<PayoutAccount> {
  const known = await findPayoutAccount(parts.db, venueId, mode);
  if (known !== null) return known;
  const venue = await findVenue(parts.db, venueId);
  if (venue === null) throw new Error(`there is no venue ${venueId}`);
  const name = { id: venueId, name: venue.name };
  const account = await processorOf(parts, mode).openAccount(callKeys.account(venueId, mode), name);
  await keepPayoutAccount(parts.db, venueId, mode, account, parts.clock.now());
  return account;
}

/** Where the venue gives the processor what it asks for; good once, and for a short while. */
export async function onboardingLink(
  parts: AccountParts,
  venueId: string,
  mode: Mode,
  returnUrl: string,
): Promise<{ readonly accountId: string; readonly url: string }> {
  const { accountId } = await payoutAccount(parts, venueId, mode);
  return { accountId, url: await processorOf(parts, mode).onboardingLink(accountId, returnUrl) };
}

function processorOf({ processors }: AccountParts, mode: Mode) {
  const processor = processors[mode];
  if (processor === undefined) throw new ProcessorTrouble(`no card processor is set up for ${mode} mode`);
  return processor;
}
