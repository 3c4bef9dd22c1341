// Compares the processor's disputes with ours: events can be lost, and without one a transfer of a disputed charge is
// sent. A dispute that differs is stored once more as an event; the worker asks for it and records what is new.

import type { Mode } from '../../../base/config.ts';
import {
  openDisputesBefore,
  recordedDisputes,
  storeProcessorEvent,
  unsettledDisputes,
} from '../../payments/dispute-queries.ts';
import type { DisputeFacts, DisputesPage } from '../../payments/processor.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import type { Difference } from './compare-holds.ts';

const DAY = 24 * 3_600_000;
/** A dispute is decided within two months and a half: Stripe's documentation. */
const DISPUTE_MS = 90 * DAY;
const MAX_PAGES = 10_000;
const PAGE_SIZE = 100;

const OPEN_LIMIT = 1_000;

/** Ended disputes whose money was not divided for a day. */
export async function compareDisputes(services: PaymentServices, mode: Mode, since: number): Promise<Difference[]> {
  const processor = processorFor(services, mode);
  const now = services.clock.now();
  const from = since - DISPUTE_MS;
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { disputes, next }: DisputesPage = await processor.disputesSince(from, after);
    await storeDifferent(services, mode, disputes);
    if (next === null) break;
    after = next;
  }
  for (const { disputeId, intentId } of await openDisputesBefore(services.db, mode, from, OPEN_LIMIT)) {
    const id = `open ${mode} ${disputeId} ${Math.floor(now / DAY)}`;
    await storeProcessorEvent(services.db, { id, mode, subject: { kind: 'dispute', disputeId, intentId }, now });
  }
  return (await unsettledDisputes(services.db, mode, now - DAY, PAGE_SIZE)).map(
    ({ id, checkoutId, status, taken, divided }) => {
      const what = `the dispute ${id} is ${status}, the processor keeps ${taken} of it, and ${divided} is divided`;
      return { mode, what, subject: checkoutId, done: null };
    },
  );
}

/**
 * A dispute of ours is stored again each day until the records agree. One that is not in the records may be of another
 * system: it is stored once for each state it is seen in.
 */
async function storeDifferent(
  { db, clock }: PaymentServices,
  mode: Mode,
  disputes: readonly DisputeFacts[],
): Promise<void> {
  const now = clock.now();
  const recorded = await recordedDisputes(
    db,
    mode,
    disputes.map(({ disputeId }) => disputeId),
  );
  for (const { disputeId, intentId, status, amount, withdrawn, reinstated } of disputes) {
    const ours = recorded.get(disputeId);
    const isEqual =
      ours?.isSettled === true &&
      ours.status === status &&
      ours.amount === amount &&
      ours.withdrawn === withdrawn &&
      ours.reinstated === reinstated;
    if (isEqual) continue;
    const day = ours === undefined ? '' : ` ${Math.floor(now / DAY)}`;
    const id = `seen ${mode} ${disputeId} ${status} ${withdrawn} ${reinstated}${day}`;
    await storeProcessorEvent(db, { id, mode, subject: { kind: 'dispute', disputeId, intentId }, now });
  }
}
