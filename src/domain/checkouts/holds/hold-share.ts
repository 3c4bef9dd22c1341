// A guest begins to pay a share: reserves the hold, creates it at the processor and returns its client secret. The same
// payer gets the same hold again. Another payer gets a new hold, and the earlier one is released, unless its card is
// held by then. No secret is returned while an earlier hold of the share may still take a card. The share does not
// become held here: that follows from the processor's facts (settle-hold.ts).

import { conflict, notFound, Problem } from '../../../base/errors.ts';
import { findHold } from '../../payments/queries.ts';
import { decideUnderLock, type PaymentServices, processorFor } from '../payment-services.ts';
import {
  CARD_OF_FORM,
  decideHold,
  type HoldDecision,
  type HoldRefusal,
  type HoldRequester,
  type RequestedCard,
} from './decide-hold.ts';
import { settleHoldNow } from './settle-hold.ts';

export interface HoldClientSecret {
  readonly holdId: string;
  readonly clientSecret: string;
  readonly publishableKey: string;
  readonly savesCard: boolean;
  /** The saved card with which the server confirms the hold; null: the guest's card form confirms it. */
  readonly savedMethodId: string | null;
}

/** How often a request settles a hold before it answers 503. */
const MAX_POLLS = 4;
/** A concurrent change (share paid, checkout canceled) can end the first attempt; the second one reports it. */
const MAX_ATTEMPTS = 2;

export async function holdShare(
  services: PaymentServices,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null = null,
  card: RequestedCard = CARD_OF_FORM,
): Promise<HoldClientSecret> {
  let isRefused = false;
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const requested = await requestHold(services, venueId, checkoutId, shareId, { payerId, card });
    for (const holdId of requested.releaseFirst) await waitForRelease(services, venueId, holdId);
    let hold = await findHold(services.db, venueId, requested.holdId);
    if (hold?.status === 'requested') {
      const leaseToken = await settleHoldNow(services, venueId, requested.holdId);
      hold = await findHold(services.db, venueId, requested.holdId);
      if (hold?.status === 'requested') throw new HoldPending(leaseToken !== null);
      isRefused = hold?.status === 'voided';
    }
    if (hold === null) break;
    if (hold.status === 'open' && hold.clientSecret !== null) {
      return {
        holdId: hold.id,
        clientSecret: services.seal.open(hold.clientSecret, `hold ${venueId} ${hold.id}`),
        publishableKey: processorFor(services, hold.mode).publishableKey,
        savesCard: hold.savesCard,
        savedMethodId: requested.savedMethodId,
      };
    }
  }
  // The processor refuses to create the hold before the guest gives a card: it would refuse the next one too.
  throw new HoldPending(!isRefused);
}

async function requestHold(
  services: PaymentServices,
  venueId: string,
  checkoutId: string,
  shareId: string,
  by: Pick<HoldRequester, 'payerId' | 'card'>,
): Promise<Extract<HoldDecision, { holdId: string }>> {
  let retrieved: HoldRequester['retrieved'] = null;
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const requester = { ...by, retrieved };
    const decision = await decideUnderLock(services, venueId, checkoutId, (checkout, now) => {
      const result = decideHold(checkout, shareId, now, () => services.ids.uuid(), requester);
      return { steps: 'steps' in result ? result.steps : [], result };
    });
    if (decision === null) throw notFound();
    if ('refusal' in decision) throw refusalOf(decision.refusal);
    if ('holdId' in decision) return decision;
    const leaseToken = await settleHoldNow(services, venueId, decision.retrieveFirst);
    retrieved = leaseToken === null ? null : { holdId: decision.retrieveFirst, leaseToken };
  }
  // Another payer's card may be held. Until the processor answers, that hold must not be released.
  throw new HoldPending(retrieved !== null);
}

/** Returns once the earlier hold is released, so that its secret cannot hold a card beside the new hold. */
async function waitForRelease(services: PaymentServices, venueId: string, holdId: string): Promise<void> {
  let leaseToken: number | null = null;
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const hold = await findHold(services.db, venueId, holdId);
    if (hold?.status !== 'releasing') return;
    leaseToken = await settleHoldNow(services, venueId, holdId);
  }
  throw new HoldPending(leaseToken !== null);
}

/** 503: the state of the share's holds is not known well enough to return a client secret. */
export class HoldPending extends Problem {
  /** True: another request or worker wrote first, so a retry helps at once. False: the processor is unavailable. */
  readonly hasLostRace: boolean;

  constructor(hasLostRace: boolean) {
    super('service_unavailable', {
      message: 'The card processor has not answered yet. Try again in a moment.',
      headers: { 'retry-after': '1' },
    });
    this.hasLostRace = hasLostRace;
  }
}

function refusalOf(refusal: HoldRefusal): Problem {
  switch (refusal) {
    case 'not_found':
      return notFound();
    case 'checkout_past_pay_by':
      return conflict(refusal, 'The time to pay has passed: nothing can be held any more.');
    case 'checkout_not_collecting':
      return conflict(refusal, 'This checkout is not collecting: there is nothing to hold.');
    case 'card_not_saved':
      return conflict(
        refusal,
        'The card of that share cannot pay another one: you do not hold it, or it is not saved.',
      );
    case 'venue_not_payable':
      return conflict(refusal, 'This venue cannot be paid at the moment, so no card is held. Nothing was charged.');
    case 'share_already_held':
    case 'nothing_to_pay':
      return conflict('share_already_held', 'This share is held already: there is nothing more to do.');
  }
}
