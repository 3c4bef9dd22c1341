// How far a payout is, from the transfers that carry it to the venue. Pure.

import type { Payout } from '../../../schemas/types.gen.ts';
import type { MovementStatus } from './transitions.ts';

/** One failed transfer needs the operator, in any state of the others. A dropped one was refunded before it was sent. */
export function payoutStatus(transfers: readonly { readonly status: MovementStatus }[]): Payout['status'] {
  const active = transfers.map(({ status }) => status).filter((status) => status !== 'dropped');
  if (active.includes('failed')) return 'failed';
  if (active.length === 0) return 'canceled';
  return active.every((status) => status === 'done' || status === 'closed') ? 'paid' : 'pending';
}

/** A transfer as the venue's statement names it. */
export function transferStatus(status: MovementStatus): Payout['transfers'][number]['status'] {
  switch (status) {
    case 'done':
    // An operator has paid it in another way.
    case 'closed':
      return 'paid';
    case 'failed':
    case 'dropped':
      return status;
    default:
      return 'pending';
  }
}
