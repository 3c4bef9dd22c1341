// One step of the loop that compares the processor's records with ours, for each mode that has a processor.

import type { Mode } from '../base/config.ts';
import type { Log } from '../base/log.ts';
import { reconcile } from '../domain/checkouts/accounting/reconcile.ts';
import type { PaymentServices } from '../domain/checkouts/payment-services.ts';

const DAY_MS = 24 * 3_600_000;

/** Releases holds that belong to no checkout, and logs every difference between the processor's records and ours. */
export async function reconcileModes(payments: PaymentServices, log: Log): Promise<number> {
  for (const mode of ['test', 'live'] as const) {
    if (payments.processors[mode] === undefined) continue;
    try {
      await reconcileMode(payments, log, mode);
    } catch (error) {
      // A processor that fails for one mode must not keep the other from being compared.
      log.error({ err: error, mode }, 'the worker could not compare the processor’s records with ours');
    }
  }
  return 0;
}

async function reconcileMode(payments: PaymentServices, log: Log, mode: Mode): Promise<void> {
  const since = payments.clock.now() - 2 * DAY_MS;
  const { differences } = await reconcile(payments, { mode, since, apply: null });
  for (const difference of differences)
    log[difference.done === null ? 'error' : 'warn'](
      difference,
      'the worker found a difference between the processor’s records and ours',
    );
}
