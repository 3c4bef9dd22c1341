// Confirms an open hold with a saved card of the same payer, while the guest is on the page. The intent exists already, so
// nothing depends on the answer of this call: if the process stops, or another worker settles the hold first, the
// processor's facts decide as they do after a confirmation in the browser. A second call never holds a second card,
// because the processor refuses to confirm an intent twice.

import { callKeys, type HoldState } from '../../payments/hold.ts';
import { type HoldFacts, ProcessorRefusal, ProcessorUnavailable, requireLease } from '../../payments/processor.ts';
import { claimHold, findHold } from '../../payments/queries.ts';
import { type PaymentServices, processorFor } from '../payment-services.ts';
import { HoldPending } from './hold-share.ts';
import { settleHoldNow } from './settle-hold.ts';

/** Long enough for a call and its time-out. */
const LEASE_MS = 60_000;
/** A worker may claim the hold at the same time, which makes our lease token stale. Then we settle it again. */
const MAX_POLLS = 4;

export interface HoldProgress {
  readonly status: 'requires_card' | 'requires_action' | 'held';
  /** Why the saved card was declined; null: it was not. */
  readonly declineCode: string | null;
}

export async function confirmWithSavedCard(
  services: PaymentServices,
  venueId: string,
  holdId: string,
  card: { readonly paymentMethodId: string; readonly returnUrl: string },
): Promise<HoldProgress> {
  const leaseEnds = services.clock.now() + LEASE_MS;
  const hold = await claimHold(services.db, venueId, holdId, leaseEnds);
  // It was settled or released meanwhile: another request reports how.
  if (hold?.status !== 'open') throw new HoldPending(true);
  const facts = await confirmOrRetrieve(services, hold, card, leaseEnds);
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    await settleHoldNow(services, venueId, holdId);
    const settled = await findHold(services.db, venueId, holdId);
    if (settled?.status === 'held' || settled?.status === 'capturing' || settled?.status === 'captured') {
      return { status: 'held', declineCode: null };
    }
    if (settled?.status !== 'open') throw new HoldPending(true);
    if (facts.status === 'processing') return { status: 'requires_action', declineCode: null };
    if (facts.status === 'waiting') return { status: 'requires_card', declineCode: facts.declineCode };
  }
  throw new HoldPending(false);
}

/** After a refusal or a failure the intent itself shows what has happened. */
async function confirmOrRetrieve(
  services: PaymentServices,
  hold: HoldState,
  card: { readonly paymentMethodId: string; readonly returnUrl: string },
  leaseEnds: number,
): Promise<HoldFacts> {
  const processor = processorFor(services, hold.mode);
  const intentId = hold.intentId ?? '';
  const key = callKeys.savedCard(hold.id, card.paymentMethodId, hold.leaseToken);
  try {
    requireLease(services.clock, leaseEnds);
    return await processor.confirmWithSavedCard(intentId, { ...card, key });
  } catch (error) {
    const isRefusal = error instanceof ProcessorRefusal;
    if (!isRefusal && !(error instanceof ProcessorUnavailable)) throw error;
    services.log.warn({ hold: hold.id, err: error }, 'a saved card did not confirm a hold');
    const facts = await processor.retrieveHold(intentId).catch(pendingIfUnavailable);
    if (isRefusal ? error.isCardDecline : error.kind === 'network_failed') return facts;
    // Whether the call still runs is not known. The guest's next request asks again.
    if (!isRefusal && facts.status === 'waiting') throw new HoldPending(false);
    // The card was not asked: an older decline of the intent is not the answer.
    return { ...facts, declineCode: null };
  }
}

function pendingIfUnavailable(error: unknown): never {
  throw error instanceof ProcessorUnavailable ? new HoldPending(false) : error;
}
