// A guest begins to pay a share: the hold is reserved, made at the processor, and its client secret given. Asking again
// gives the same one; when somebody else asks, theirs is made and the earlier one let go of, unless it is held by then. No
// secret is given while an earlier hold of the share may still take a card. The share is not held by this: that takes the
// processor's own word (settle-hold.ts).

import { conflict, notFound, Problem } from '../../../base/errors.ts';
import { findHold } from '../../payments/queries.ts';
import { decideUnderLock, type PaymentServices, processorFor } from '../payment-services.ts';
import { decideHold, type HoldDecision, type HoldRefusal, type HoldRequester } from './decide-hold.ts';
import { settleHoldNow } from './settle-hold.ts';

export interface HoldSecret {
  readonly holdId: string;
  readonly clientSecret: string;
  readonly publishableKey: string;
}

/** How often a hold is looked at before whoever asks is told to come back. */
const MAX_POLLS = 4;
/** Somebody else's act may overtake the first (the share was paid, the checkout canceled): asking once more tells which. */
const MAX_ROUNDS = 2;

export async function holdShare(
  services: PaymentServices,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null = null,
): Promise<HoldSecret> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const asked = await requestHold(services, venueId, checkoutId, shareId, payerId);
    for (const holdId of asked.lettingGo) await releaseFirst(services, venueId, holdId);
    let hold = await findHold(services.db, venueId, asked.holdId);
    if (hold?.status === 'asked') {
      const leaseToken = await settleHoldNow(services, venueId, asked.holdId);
      hold = await findHold(services.db, venueId, asked.holdId);
      if (hold?.status === 'asked') throw new HoldPending(leaseToken !== null);
    }
    if (hold === null) break;
    if (hold.status === 'open' && hold.clientSecret !== null) {
      return {
        holdId: hold.id,
        clientSecret: services.seal.open(hold.clientSecret, `hold ${venueId} ${hold.id}`),
        publishableKey: processorFor(services, hold.mode).publishableKey,
      };
    }
  }
  throw new HoldPending(true);
}

async function requestHold(
  services: PaymentServices,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null,
): Promise<Extract<HoldDecision, { holdId: string }>> {
  let retrieved: HoldRequester['retrieved'] = null;
  for (let looks = 0; looks < MAX_POLLS; looks++) {
    const asker = { payerId, retrieved };
    const asked = await decideUnderLock(services, venueId, checkoutId, (checkout, now) => {
      const decided = decideHold(checkout, shareId, now, () => services.ids.uuid(), asker);
      return { steps: 'steps' in decided ? decided.steps : [], result: decided };
    });
    if (asked === null) throw notFound();
    if ('refusal' in asked) throw refusalOf(asked.refusal);
    if ('holdId' in asked) return asked;
    const leaseToken = await settleHoldNow(services, venueId, asked.lookAt);
    retrieved = leaseToken === null ? null : { holdId: asked.lookAt, leaseToken };
  }
  // Whether somebody else's card is held is not known: nothing of theirs is undone.
  throw new HoldPending(retrieved !== null);
}

/** With the secret of an earlier hold no card can be held any more, or nobody is given another one. */
async function releaseFirst(services: PaymentServices, venueId: string, holdId: string): Promise<void> {
  let leaseToken: number | null = null;
  for (let looks = 0; looks < MAX_POLLS; looks++) {
    const hold = await findHold(services.db, venueId, holdId);
    if (hold?.status !== 'releasing') return;
    leaseToken = await settleHoldNow(services, venueId, holdId);
  }
  throw new HoldPending(leaseToken !== null);
}

/** What is known of the share's holds is not enough to give a secret. */
export class HoldPending extends Problem {
  /** The processor has answered, and somebody else was quicker to write: asking again helps. Else it is in trouble. */
  readonly lostRace: boolean;

  constructor(wasOvertaken: boolean) {
    super('service_unavailable', {
      message: 'The card processor has not answered yet. Try again in a moment.',
      headers: { 'retry-after': '1' },
    });
    this.lostRace = wasOvertaken;
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
    case 'share_already_held':
    case 'nothing_to_pay':
      return conflict('share_already_held', 'This share is held already: there is nothing more to do.');
  }
}
