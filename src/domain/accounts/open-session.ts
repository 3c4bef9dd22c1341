// What every sign-in ends with, in the transaction that spends its proof: the account, the venues that it was invited to,
// for a new account a sandbox venue with its test keys, and the session of this browser.

import type { ConsoleSignedIn } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import type { OperationResult } from '../../base/operation.ts';
import { type AccountCaller, actorNameOf, sealNameOfAccount } from './account.ts';
import { deviceName } from './device-name.ts';
import { type Browser, recognizeDevice } from './devices.ts';
import { joinInvitedVenues } from './invitations.ts';
import { createVenueOf } from './own-venues.ts';
import type { AccountRow } from './queries.ts';
import { queueNewDeviceMail, type SecurityMailServices } from './security-mails.ts';
import { beginSession } from './sessions.ts';
import { sessionBody } from './show-session.ts';

/** A caller who is not signed in. */
export interface SignInCaller extends CommandContext {
  readonly address: string;
  readonly browser?: Browser;
}

/** A person who has proved to be the owner of the account. */
export interface ProvedPerson {
  readonly account: AccountRow;
  /** The account was made by this sign-in. */
  readonly isNew: boolean;
  readonly venueName?: string | undefined;
}

export async function openSession(
  tx: Queryable,
  services: SecurityMailServices,
  caller: SignInCaller,
  { account, isNew, venueName }: ProvedPerson,
): Promise<OperationResult> {
  const command: CommandContext = { ...caller, actor: { ...caller.actor, name: actorNameOf(account.id) } };
  const joined = await joinInvitedVenues(tx, command, account.id, account.emailHash);
  // A person who was invited has a venue already, and gets one of their own if they name it.
  const needsVenue = isNew && (joined === 0 || venueName !== undefined);
  const keys = needsVenue ? await createVenueOf(tx, command, account.id, venueName ?? FIRST_VENUE_NAME) : null;
  const device = await recognizeDevice(tx, command, account.id, caller.browser);
  const { session, token } = await beginSession(tx, command, account.id, {
    address: caller.address,
    device: deviceName(caller.browser?.userAgent ?? null),
    // The sign-up itself is no sign-in from a new browser.
    isNewDevice: !isNew && !device.isKnown,
  });
  const email = services.seal.open(account.email, sealNameOfAccount(account.id));
  if (session.isNewDevice) await queueNewDeviceMail(tx, services, { email, session });
  const signedInCaller: AccountCaller = {
    ...command,
    account: { id: account.id, email, name: account.name },
    session,
  };
  const body: ConsoleSignedIn = { ...(await sessionBody(tx, signedInCaller)), keys };
  return { status: 200, body, sessionToken: token, deviceToken: device.token };
}

const FIRST_VENUE_NAME = 'Sandbox venue';
