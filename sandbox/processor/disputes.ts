// Disputes: opened by a card that does so, or by hand for a test; settled by hand, or accepted. While one is open or lost,
// its money is not ours and the charge cannot be refunded.

import type { Params } from './form.ts';
import { disputeWire } from './money-shapes.ts';
import { cannot } from './refusal.ts';
import type { ChargeRow, DisputeRow } from './rows.ts';
import type { Wire } from './shapes.ts';
import type { Work } from './work.ts';

export function openDispute(work: Work, charge: ChargeRow, amount: number, reason: string): DisputeRow {
  const dispute = work.put('disputes', {
    id: work.newId('du'),
    created: work.now,
    charge: charge.id,
    intent: charge.intent,
    amount,
    currency: charge.currency,
    reason,
    status: 'needs_response',
    metadata: {},
  });
  work.put('charges', { ...charge, dispute: dispute.id });
  const wire = disputeWire(work, dispute);
  work.raise('charge.dispute.created', wire);
  work.raise('charge.dispute.funds_withdrawn', wire);
  return dispute;
}

/** The charge that `charge` or `payment_intent` names. */
export function namedCharge(work: Work, params: Params): ChargeRow | null {
  const chargeId = params.text('charge');
  if (chargeId !== null) return work.need('charges', chargeId, 'charge');
  const intent = work.need('intents', params.needText('payment_intent'), 'payment_intent');
  return intent.charge === null ? null : work.need('charges', intent.charge);
}

export function createDispute(work: Work, params: Params): Wire {
  const charge = namedCharge(work, params);
  const wanted = params.positive('amount');
  const reason = params.text('reason') ?? 'fraudulent';
  if (charge === null || !charge.captured) {
    throw cannot('charge_not_refundable', 'Only a captured charge can be disputed.');
  }
  if (charge.dispute !== null) throw cannot('charge_disputed', `Charge ${charge.id} has been disputed already.`);
  const left = charge.amountCaptured - charge.refunded;
  if (left === 0 || (wanted ?? 0) > left) {
    throw cannot('amount_too_large', `Only ${left} of charge ${charge.id} can be disputed.`, { param: 'amount' });
  }
  return disputeWire(work, openDispute(work, charge, wanted ?? left, reason));
}

export function settleDispute(work: Work, id: string, status: 'won' | 'lost'): Wire {
  const dispute = work.need('disputes', id);
  if (dispute.status === 'won' || dispute.status === 'lost') {
    throw cannot('dispute_closed', `Dispute ${id} is closed already: it was ${dispute.status}.`);
  }
  const settled = work.put('disputes', { ...dispute, status });
  const wire = disputeWire(work, settled);
  work.raise('charge.dispute.updated', wire);
  if (status === 'won') work.raise('charge.dispute.funds_reinstated', wire);
  work.raise('charge.dispute.closed', wire);
  return wire;
}
