// The services of the commands that call the processor: database, clock, processors. A function that holds a
// transaction never calls the processor, and a function that calls the processor holds no transaction.

import type { Clock } from '../../base/clock.ts';
import type { Mode } from '../../base/config.ts';
import type { Db, Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Seal } from '../../base/seal.ts';
import { type Processor, type Processors, ProcessorUnavailable } from '../payments/processor.ts';
import type { LockedCheckout } from './locked-checkout.ts';
import { lockCheckout } from './queries.ts';
import type { Step } from './steps.ts';
import { writeSteps } from './write-steps.ts';

export interface PaymentServices {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly log: Log;
  readonly processors: Processors;
  /** How long a transfer to the venue waits after the checkout completes, in milliseconds. */
  readonly payoutDelay: number;
}

export function processorFor({ processors }: Pick<PaymentServices, 'processors'>, mode: Mode): Processor {
  const processor = processors[mode];
  if (processor === undefined) throw new ProcessorUnavailable(`no card processor is set up for ${mode} mode`);
  return processor;
}

/** The steps to write, and the value that the caller of the decision needs. */
export interface Decision<T> {
  readonly steps: readonly Step[];
  readonly result: T;
}

/** Locks the checkout, decides and writes the steps in one transaction. Null: there is no such checkout. */
export async function decideUnderLock<T>(
  services: Pick<PaymentServices, 'db' | 'clock' | 'ids'>,
  venueId: string,
  checkoutId: string,
  decide: (checkout: LockedCheckout, now: number) => Decision<T>,
): Promise<T | null> {
  return services.db.transaction((tx) => decideInTransaction(tx, services, venueId, checkoutId, decide));
}

/** Like decideUnderLock, inside the caller's transaction. */
export async function decideInTransaction<T>(
  tx: Queryable,
  services: Pick<PaymentServices, 'clock' | 'ids'>,
  venueId: string,
  checkoutId: string,
  decide: (checkout: LockedCheckout, now: number) => Decision<T>,
): Promise<T | null> {
  const checkout = await lockCheckout(tx, venueId, checkoutId);
  if (checkout === null) return null;
  const now = services.clock.now();
  const { steps, result } = decide(checkout, now);
  await writeSteps(tx, { ids: services.ids, now }, checkout, steps);
  return result;
}

/** Exponential back-off up to ten minutes, from the lease token alone, so that the simulation can repeat it. */
export function retryAt(now: number, leaseToken: number): number {
  return now + Math.min(1_000 * 2 ** Math.min(leaseToken, 10), 600_000);
}
