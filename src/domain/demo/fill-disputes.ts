// Two disputes of charges of the last weeks: one is open, one was lost. The processor opens them, and the service records
// them as it does for any event.

import { applyDueProcessorEvents, type ProcessorEventServices } from '../checkouts/disputes/apply-disputes.ts';
import { storeProcessorEvent } from '../payments/dispute-queries.ts';
import type { Processor } from '../payments/processor.ts';
import type { PastCheckout } from './past-checkout.ts';

const DAY = 24 * 3_600_000;
const REASONS = ['product_not_received', 'fraudulent'];
const MAX_EVENTS = 10;

export async function fillDisputes(
  services: ProcessorEventServices,
  processor: Processor,
  checkouts: readonly PastCheckout[],
  until: number,
): Promise<void> {
  const charges = checkouts
    .filter(({ plan }) => plan.end.at < until - 6 * DAY)
    .flatMap((checkout) => checkout.settledCharge() ?? [])
    .slice(-REASONS.length);
  const opened = charges.map(({ intentId, amount }, index) => {
    const reason = REASONS[index] ?? 'general';
    return { kind: 'dispute', at: until - (4 - index) * DAY, intentId, amount, reason, movementId: '' } as const;
  });
  const ids = await processor.makePastMovements(opened);
  const lost = ids.slice(0, 1).map((disputeId) => {
    return { kind: 'lost dispute', at: until - DAY, amount: 0, movementId: '', disputeId } as const;
  });
  await processor.makePastMovements(lost);
  const { mode } = processor;
  for (const [index, disputeId] of ids.entries()) {
    const subject = { kind: 'dispute', disputeId, intentId: charges[index]?.intentId ?? null } as const;
    await storeProcessorEvent(services.db, { id: `demo ${disputeId}`, mode, subject, now: services.clock.now() });
  }
  await applyDueProcessorEvents(services, MAX_EVENTS);
}
