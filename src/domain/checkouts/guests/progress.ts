// GET /v1/public/checkouts/{id}/progress and its stream: how far a group is, in counts and amounts, for a page of the
// partner. A visitor of that page may not belong to the party, so there is no name and no share in it. It may be read by
// the callers who may read the guests' view.

import type { EventSource, Input, OperationResult, ServerSentEvent, StreamInput } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { type Guest, isGuest } from '../../members/guest.ts';
import type { CheckoutChanges } from './checkout-changes.ts';
import { isRefundedInFull, refundTotalsOf } from './guest-queries.ts';
import type { GuestServices } from './guest-services.ts';
import { type FoundView, findForMember, findWithKey } from './guest-view.ts';

export interface ProgressServices extends GuestServices {
  readonly checkoutChanges: CheckoutChanges;
}

export async function viewProgress(
  services: GuestServices,
  principal: Caller | Guest,
  input: Input,
): Promise<OperationResult> {
  return { status: 200, json: await progressOf(await find(services, principal, input.params.id ?? ''), services) };
}

/** The present progress, then each other one, until the checkout ends. A change that does not show in it sends nothing. */
export async function streamProgress(
  services: ProgressServices,
  principal: Caller | Guest,
  { params }: StreamInput,
  signal: AbortSignal,
): Promise<EventSource> {
  const id = params.id ?? '';
  const first = await find(services, principal, id);
  return follow(services, first, () => find(services, principal, id), signal);
}

async function* follow(
  services: ProgressServices,
  { venueId, view }: FoundView,
  read: () => Promise<FoundView>,
  signal: AbortSignal,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const { id: checkoutId } = JSON.parse(view.json) as { readonly id: string };
  let sent = '';
  try {
    for await (const marks of services.checkoutChanges.watch({ venueId, checkoutId }, signal)) {
      const data = await progressOf(await read(), services);
      if (data === sent) continue;
      sent = data;
      yield marks.map(({ id }) => ({ id, event: 'progress', data }));
    }
  } catch (error) {
    services.log.warn({ err: error }, 'a stream could not read the progress of its checkout: its client opens another');
  }
}

function find(services: GuestServices, principal: Caller | Guest, id: string): Promise<FoundView> {
  return isGuest(principal) ? findForMember(services, null, id) : findWithKey(services, principal, id);
}

/** The members of the guests' view that are read here. */
interface ViewedCheckout {
  readonly id: string;
  readonly mode: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly funded_amount: number;
  readonly party_size: number;
  readonly shares: readonly { readonly status: string }[];
  readonly pay_by: string;
  readonly completed_at: string | null;
}

const HELD = ['held', 'captured', 'refunded'];

async function progressOf({ venueId, view }: FoundView, { db, pageBase }: GuestServices): Promise<string> {
  const checkout = JSON.parse(view.json) as ViewedCheckout;
  const refunds = checkout.status === 'completed' ? await refundTotalsOf(db, venueId, checkout.id) : null;
  return JSON.stringify({
    id: checkout.id,
    object: 'checkout_progress',
    mode: checkout.mode,
    status: checkout.status,
    amount: checkout.amount,
    currency: checkout.currency,
    funded_amount: checkout.funded_amount,
    party_size: checkout.party_size,
    share_count: checkout.shares.length,
    held_count: checkout.shares.filter(({ status }) => HELD.includes(status)).length,
    is_refunded: refunds !== null && isRefundedInFull(refunds, checkout.amount),
    pay_by: checkout.pay_by,
    completed_at: checkout.completed_at,
    url: `${pageBase()}/c/${checkout.id}`,
  });
}
