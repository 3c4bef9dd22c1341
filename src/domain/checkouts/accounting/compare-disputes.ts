// Compares the processor's disputes with ours: events can be lost, and without one a transfer of a disputed charge is
// sent. Every dispute of the processor is stored once more as an event for each state it is seen in; the worker asks for
// it and records what is new.

import type { Mode } from '../../../base/config.ts';
import { storeProcessorEvent, undividedLosses } from '../../payments/dispute-queries.ts';
import type { DisputesPage } from '../../payments/processor.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import type { Difference } from './compare-holds.ts';

const DAY = 24 * 3_600_000;
/** A dispute is decided within two months and a half: Stripe's documentation. */
const DISPUTE_MS = 90 * DAY;
const MAX_PAGES = 10_000;
const PAGE_SIZE = 100;

/** Losses that could not be divided for a day. */
export async function compareDisputes(services: PaymentServices, mode: Mode, since: number): Promise<Difference[]> {
  const processor = processorFor(services, mode);
  const now = services.clock.now();
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { disputes, next }: DisputesPage = await processor.disputesSince(since - DISPUTE_MS, after);
    for (const { disputeId, intentId, status, withdrawn, reinstated } of disputes) {
      const id = `seen ${mode} ${disputeId} ${status} ${withdrawn} ${reinstated}`;
      await storeProcessorEvent(services.db, { id, mode, subject: { kind: 'dispute', disputeId, intentId }, now });
    }
    if (next === null) break;
    after = next;
  }
  return (await undividedLosses(services.db, mode, now - DAY, PAGE_SIZE)).map(({ id, checkoutId, amount }) => {
    const what = `the dispute ${id} of ${amount} was lost, and no guest, venue or fee can bear it`;
    return { mode, what, subject: checkoutId, done: null };
  });
}
