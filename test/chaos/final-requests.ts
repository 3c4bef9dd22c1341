// The requests after the nemesis has ended: acknowledged requests are repeated, outsiders read foreign checkouts again,
// and a rate limit is counted. Also the list of secrets that no log may contain.

import type { Db } from '../../src/base/db.ts';
import type { Found } from '../support/violation.ts';
import type { ClientLoad, Venues } from './load.ts';
import { checkOutsiders } from './outsiders.ts';
import { checkLimit, checkReplays, countAdmittedCalls, replayAll, replaysOf, sample } from './replays.ts';

const MAX_FOREIGN_READS = 200;
const TIMEOUT_MS = 180_000;

/** Returns the number of repeated requests. */
export async function makeFinalRequests(
  db: Db,
  load: ClientLoad,
  venues: Venues,
  servers: number,
  found: Found,
): Promise<number> {
  const { bookings, context, outsiders } = load;
  const giveUpAt = Date.now() + TIMEOUT_MS;
  context.api.giveUpAt = giveUpAt;
  outsiders.giveUpAt = giveUpAt;
  // A booking can be used again once its checkout has expired, so checkouts that expire soon are left out.
  const rows = await db.query<{ id: string }>(
    `select checkout_id as id from checkouts where status not in ('expired', 'canceled')
       and (status = 'completed' or expires_at > now() + interval '10 minutes')`,
  );
  const replayed = await replayAll(context.api, replaysOf(bookings, new Set(rows.map(({ id }) => id))));
  checkReplays(replayed, found);
  const created = bookings.filter(({ id }) => id !== null);
  for (const booking of sample(created, MAX_FOREIGN_READS)) await outsiders.readForeign(booking);
  checkOutsiders(outsiders, found);
  checkLimit(await countAdmittedCalls(context.api, venues, servers), found);
  return replayed.length;
}

/** All keys, tokens, phones and client secrets of the run. */
export function secretsOf({ context, outsiders }: ClientLoad, { bookable, unrelated }: Venues): string[] {
  const keys = [...bookable, unrelated].flatMap(({ key, liveKey }) => (liveKey === undefined ? [key] : [key, liveKey]));
  const { pool: people, clientSecrets } = context.guests;
  return [...keys, ...outsiders.secrets, ...people.secrets, ...clientSecrets];
}
