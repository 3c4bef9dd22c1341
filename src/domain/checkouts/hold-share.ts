// A guest begins to pay a share: the hold is reserved, made at the processor, and its client secret given. Asking again
// gives the same one. The share is not held by this: that takes the processor's own word (settle-hold.ts).

import { conflict, notFound, Problem } from '../../base/errors.ts';
import { findHold } from '../payments/queries.ts';
import { type AskRefusal, decideAsk } from './decide-hold.ts';
import { decideUnderLock, type MoneyParts, processorFor } from './money-parts.ts';
import { settleHoldNow } from './settle-hold.ts';

export interface HoldSecret {
  readonly holdId: string;
  readonly clientSecret: string;
  readonly publishableKey: string;
}

export async function holdShare(
  parts: MoneyParts,
  venueId: string,
  checkoutId: string,
  shareId: string,
  payerId: string | null = null,
): Promise<HoldSecret> {
  const asked = await decideUnderLock(parts, venueId, checkoutId, (standing, now) => {
    const decided = decideAsk(standing, shareId, now, () => parts.ids.uuid(), payerId);
    return { steps: 'refusal' in decided ? [] : decided.steps, answer: decided };
  });
  if (asked === null) throw notFound();
  if ('refusal' in asked) throw refusalOf(asked.refusal);
  let hold = await findHold(parts.db, venueId, asked.holdId);
  if (hold?.status === 'asked') {
    await settleHoldNow(parts, venueId, asked.holdId);
    hold = await findHold(parts.db, venueId, asked.holdId);
  }
  if (hold === null || hold.clientSecret === null || hold.status !== 'open') {
    // Not known yet, or overtaken by somebody else's act: asking again tells.
    throw new Problem('service_unavailable', {
      message: 'The card processor has not answered yet. Try again in a moment.',
      headers: { 'retry-after': '1' },
    });
  }
  return {
    holdId: hold.id,
    clientSecret: parts.seal.open(hold.clientSecret, `hold ${venueId} ${hold.id}`),
    publishableKey: processorFor(parts, hold.mode).publishableKey,
  };
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
