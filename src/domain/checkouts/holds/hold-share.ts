// A guest begins to pay a share: the hold is reserved, made at the processor, and its client secret given. Asking again
// gives the same one; when somebody else asks, theirs is made and the earlier one let go of, unless it is held by then. No
// secret is given while an earlier hold of the share may still take a card. The share is not held by this: that takes the
// processor's own word (settle-hold.ts).

import { conflict, notFound, Problem } from '../../../base/errors.ts';
import { findHold } from '../../payments/queries.ts';
import { decideUnderLock, type MoneyParts, processorFor } from '../payment-services.ts';
import { type Asked, type Asker, type AskRefusal, decideAsk } from './decide-hold.ts';
import { settleHoldNow } from './settle-hold.ts';

export interface HoldSecret {
  readonly holdId: string;
  readonly clientSecret: string;
  readonly publishableKey: string;
}

/** How often a hold is looked at before whoever asks is told to come back. */
const LOOKS = 4;
/** Somebody else's act may overtake the first (the share was paid, the checkout canceled): asking once more tells which. */
const ROUNDS = 2;

export async function holdShare(
  parts: MoneyParts,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null = null,
): Promise<HoldSecret> {
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    const asked = await ask(parts, venueId, checkoutId, shareId, payerId);
    for (const holdId of asked.lettingGo) await letGoFirst(parts, venueId, holdId);
    let hold = await findHold(parts.db, venueId, asked.holdId);
    if (hold?.status === 'asked') {
      const turn = await settleHoldNow(parts, venueId, asked.holdId);
      hold = await findHold(parts.db, venueId, asked.holdId);
      if (hold?.status === 'asked') throw new NotYet(turn !== null);
    }
    if (hold === null) break;
    if (hold.status === 'open' && hold.clientSecret !== null) {
      return {
        holdId: hold.id,
        clientSecret: parts.seal.open(hold.clientSecret, `hold ${venueId} ${hold.id}`),
        publishableKey: processorFor(parts, hold.mode).publishableKey,
      };
    }
  }
  throw new NotYet(true);
}

async function ask(
  parts: MoneyParts,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null,
): Promise<Extract<Asked, { holdId: string }>> {
  let looked: Asker['looked'] = null;
  for (let looks = 0; looks < LOOKS; looks++) {
    const asker = { payerId, looked };
    const asked = await decideUnderLock(parts, venueId, checkoutId, (standing, now) => {
      const decided = decideAsk(standing, shareId, now, () => parts.ids.uuid(), asker);
      return { steps: 'steps' in decided ? decided.steps : [], answer: decided };
    });
    if (asked === null) throw notFound();
    if ('refusal' in asked) throw refusalOf(asked.refusal);
    if ('holdId' in asked) return asked;
    const turn = await settleHoldNow(parts, venueId, asked.lookAt);
    looked = turn === null ? null : { holdId: asked.lookAt, turn };
  }
  // Whether somebody else's card is held is not known: nothing of theirs is undone.
  throw new NotYet(looked !== null);
}

/** With the secret of an earlier hold no card can be held any more, or nobody is given another one. */
async function letGoFirst(parts: MoneyParts, venueId: string, holdId: string): Promise<void> {
  let turn: number | null = null;
  for (let looks = 0; looks < LOOKS; looks++) {
    const hold = await findHold(parts.db, venueId, holdId);
    if (hold?.status !== 'releasing') return;
    turn = await settleHoldNow(parts, venueId, holdId);
  }
  throw new NotYet(turn !== null);
}

/** What is known of the share's holds is not enough to give a secret. */
export class NotYet extends Problem {
  /** The processor has answered, and somebody else was quicker to write: asking again helps. Else it is in trouble. */
  readonly wasOvertaken: boolean;

  constructor(wasOvertaken: boolean) {
    super('service_unavailable', {
      message: 'The card processor has not answered yet. Try again in a moment.',
      headers: { 'retry-after': '1' },
    });
    this.wasOvertaken = wasOvertaken;
  }
}

function refusalOf(refusal: AskRefusal): Problem {
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
