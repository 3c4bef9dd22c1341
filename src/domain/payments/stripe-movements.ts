// The parameters of transfers, reversals and refunds.

import type { GuestRefundRequest, RefundRequest, TransferRequest } from './processor.ts';

export function transferParams(request: Omit<TransferRequest, 'key'>) {
  return {
    amount: request.amount,
    currency: request.currency,
    destination: request.accountId,
    // Ties the transfer to the charge: it waits for the charge's money and cannot exceed it.
    ...(request.chargeId === null ? {} : { source_transaction: request.chargeId }),
    transfer_group: request.checkoutId,
    metadata: { movement_id: request.movementId },
  };
}

export function refundParams(intentId: string, request: Omit<GuestRefundRequest, 'key'>) {
  const metadata = { movement_id: request.movementId, venue_id: request.venueId };
  return { payment_intent: intentId, amount: request.amount, metadata };
}

export function reversalParams(request: Omit<RefundRequest, 'key'>) {
  return { amount: request.amount, metadata: { movement_id: request.movementId } };
}
