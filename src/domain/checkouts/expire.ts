// Expiry: the worker sweeps what is due with one statement for many checkouts, and a request that reads an overdue checkout
// expires that one first. The rule is decideExpire; the statement repeats it for speed. The worker releases the holds later.

import type { Db, Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import { decideExpire } from './decide-expire.ts';
import { expireCheckouts, venuesWithOverdue } from './expire-queries.ts';
import type { PaymentServices } from './payment-services.ts';
import { lockCheckout } from './queries.ts';
import { writeSteps } from './write-steps.ts';

/** Limits how long one transaction holds row locks. */
const MAX_PER_TRANSACTION = 250;

type ExpireServices = Pick<PaymentServices, 'db' | 'clock' | 'ids' | 'log'>;

/** One step of the worker: expires up to `batch` overdue checkouts. Returns how many. */
export async function expireDue(services: ExpireServices, batch: number): Promise<number> {
  const venues = await venuesWithOverdue(services.db, services.clock.now(), batch);
  let expired = 0;
  for (const { venueId, due } of venues) {
    try {
      expired += await expireOfVenue(services, venueId, due);
    } catch (error) {
      services.log.error(
        { venue: venueId, err: error },
        'expiring the checkouts of a venue failed; the worker retries it',
      );
    }
  }
  return expired;
}

/** Each transaction has its own time: an event must not be much older than its commit, or those who follow the log miss it. */
async function expireOfVenue(services: ExpireServices, venueId: string, due: number): Promise<number> {
  let expired = 0;
  for (let left = due; left > 0; left -= MAX_PER_TRANSACTION) {
    const events = Array.from({ length: Math.min(left, MAX_PER_TRANSACTION) }, () => services.ids.prefixed('evt'));
    expired += await expireCheckouts(services.db, venueId, services.clock.now(), events);
  }
  return expired;
}

/** Expires up to MAX_PER_TRANSACTION overdue checkouts of a venue, before a list is read. */
export async function expireBatch(
  db: Queryable,
  context: { readonly ids: Ids; readonly now: number },
  venueId: string,
): Promise<void> {
  const events = Array.from({ length: MAX_PER_TRANSACTION }, () => context.ids.prefixed('evt'));
  await expireCheckouts(db, venueId, context.now, events);
}

/** Expires this checkout if it is overdue and no other request or worker was faster. */
export async function expireOne(
  db: Pick<Db, 'transaction'>,
  context: { readonly ids: Ids; readonly now: number },
  venueId: string,
  checkoutId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const checkout = await lockCheckout(tx, venueId, checkoutId);
    if (checkout !== null) await writeSteps(tx, context, checkout, decideExpire(checkout, context.now));
  });
}
