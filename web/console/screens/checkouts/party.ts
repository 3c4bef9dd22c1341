// How far the party of a checkout is.

import type { Checkout } from '../../../../sdk/src/types.gen.ts';

type Status = Checkout['status'];

export const isLiving = (status: Status): boolean =>
  status === 'open' || status === 'collecting' || status === 'funded';

/** The colour of the guests who have paid or held. */
export function partyColor(status: Status): 'green' | 'violet' | 'blue' {
  if (status === 'completed') return 'green';
  return status === 'funded' ? 'violet' : 'blue';
}
