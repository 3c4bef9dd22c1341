// The steps that end a checkout before a card is charged, whether it expires or is canceled. Pure. The cards of all
// guests are released and the partner gets one event; the worker releases the holds at the processor afterwards.

import type { HoldStatus } from '../payments/transitions.ts';
import type { LockedCheckout } from './locked-checkout.ts';
import type { Step } from './steps.ts';

/** The holds of an unfunded checkout that are neither released nor on their way to be. */
const RELEASABLE_STATUSES: readonly HoldStatus[] = ['requested', 'open', 'held'];

export function endUnfunded(
  checkout: LockedCheckout,
  end: 'expired' | 'canceled',
  now: number,
  reason?: string,
): readonly Step[] {
  const held = checkout.shares.filter(({ status }) => status === 'held').map(({ id }) => id);
  const releasable = checkout.holds.filter(({ status }) => RELEASABLE_STATUSES.includes(status));
  return [
    ...(held.length > 0 ? [{ step: 'transition shares', ids: held, from: 'held', to: 'released' } as const] : []),
    ...releasable.map(
      ({ id, status }): Step => ({ step: 'transition hold', id, from: status, to: 'releasing', dueAt: now }),
    ),
    { step: 'transition checkout', from: checkout.status, to: end, ...(reason === undefined ? {} : { reason }) },
    { step: 'record event', type: `checkout.${end}` },
  ];
}
