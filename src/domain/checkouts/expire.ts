// Expiry: by a sweep over what is due, and one at a time by whoever reads a checkout whose time is up. The rule is one, in
// SQL (expire_checkouts): open or collecting, and its time has come. Holds are let go by the worker afterwards.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { PaymentServices } from './payment-services.ts';
import { expireCheckouts, venuesWithOverdue } from './queries.ts';

/** Limits how long one transaction holds row locks. */
const MAX_PER_TRANSACTION = 250;

type ExpireServices = Pick<PaymentServices, 'db' | 'clock' | 'ids' | 'log'>;

/** One step of the worker: expires up to `batch` overdue checkouts. Returns how many. */
export async function expireDue(services: ExpireServices, batch: number): Promise<number> {
  const now = services.clock.now();
  const venues = await venuesWithOverdue(services.db, now, batch);
  let expired = 0;
  for (const { venueId, due } of venues) {
    try {
      expired += await expireAt(services, venueId, now, due);
    } catch (error) {
      services.log.error(
        { venue: venueId, err: error },
        'expiring the checkouts of a venue failed; the worker retries it',
      );
    }
  }
  return expired;
}

async function expireAt(services: ExpireServices, venueId: string, now: number, due: number): Promise<number> {
  let expired = 0;
  for (let left = due; left > 0; left -= MAX_PER_TRANSACTION) {
    const events = Array.from({ length: Math.min(left, MAX_PER_TRANSACTION) }, () => services.ids.prefixed('evt'));
    expired += await expireCheckouts(services.db, venueId, now, null, events);
  }
  return expired;
}

/** Expires up to MAX_PER_TRANSACTION overdue checkouts of a venue, before a list is read. */
export async function expireSome(
  db: Queryable,
  by: { readonly ids: Ids; readonly now: number },
  venueId: string,
): Promise<void> {
  const events = Array.from({ length: MAX_PER_TRANSACTION }, () => by.ids.prefixed('evt'));
  await expireCheckouts(db, venueId, by.now, null, events);
}

/** Expires this checkout if it is overdue. Another transaction may have done so already. */
export async function expireOne(
  db: Queryable,
  by: { readonly ids: Ids; readonly now: number },
  venueId: string,
  checkoutId: string,
): Promise<void> {
  await expireCheckouts(db, venueId, by.now, checkoutId, [by.ids.prefixed('evt')]);
}
