// Expires a checkout whose time to pay has passed before it was funded. Pure. No steps: it is not due, or it has ended
// already. The worker's sweep repeats this rule in SQL for many checkouts at once; test/agreement/expiry.test.ts proves
// that both agree.

import { endUnfunded } from './end-unfunded.ts';
import { isOverdue, type LockedCheckout } from './locked-checkout.ts';
import type { Step } from './steps.ts';

export function decideExpire(checkout: LockedCheckout, now: number): readonly Step[] {
  return isOverdue(checkout, now) ? endUnfunded(checkout, 'expired', now) : [];
}
