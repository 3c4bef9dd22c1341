// Now that it is quiet: what was acknowledged is asked again, outsiders try the walls again, and a limit is counted out. Also what
// clients of a run know and no log may show.

import type { Db } from '../../src/base/db.ts';
import type { Found } from '../support/violation.ts';
import type { ClientLoad, Venues } from './load.ts';
import { checkOutsiders } from './outsiders.ts';
import { callsThatPass, checkLimit, checkReplays, replayAll, replaysOf, spread } from './replays.ts';

const PRIED = 200;
const PATIENCE_MS = 180_000;

/** Gives how much was asked again. */
export async function makeFinalRequests(
  db: Db,
  load: ClientLoad,
  venues: Venues,
  servers: number,
  found: Found,
): Promise<number> {
  const { bookings, context, outsiders } = load;
  const giveUpAt = Date.now() + PATIENCE_MS;
  context.api.giveUpAt = giveUpAt;
  outsiders.giveUpAt = giveUpAt;
  // A booking is free again once its checkout has expired: those that are about to are left alone.
  const rows = await db.query<{ id: string }>(
    `select checkout_id as id from checkouts where status not in ('expired', 'canceled')
       and (status = 'completed' or expires_at > now() + interval '10 minutes')`,
  );
  const replayed = await replayAll(context.api, replaysOf(bookings, new Set(rows.map(({ id }) => id))));
  checkReplays(replayed, found);
  const made = bookings.filter(({ id }) => id !== null);
  for (const booking of spread(made, PRIED)) await outsiders.pryInto(booking);
  checkOutsiders(outsiders, found);
  checkLimit(await callsThatPass(context.api, venues, servers), found);
  return replayed.length;
}

/** Keys, tokens, phones, client secrets. */
export function secretsOf({ context, outsiders }: ClientLoad, { bookable, unrelated }: Venues): string[] {
  const keys = [...bookable, unrelated].flatMap(({ key, liveKey }) => (liveKey === undefined ? [key] : [key, liveKey]));
  const { people, clientSecrets } = context.guests;
  return [...keys, ...outsiders.secrets, ...people.secrets, ...clientSecrets];
}
