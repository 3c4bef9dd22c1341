// The refusal of a caller whose rolling hour is used up. It says which limit was reached, when the next call is accepted,
// and how to get more: a partner asks the operator, any other caller waits.

import { Problem } from '../base/errors.ts';
import type { LimitedCaller, RateLimit } from './admission.ts';

type Effect = 'read' | 'write';

const REMEDIES: Readonly<Record<LimitedCaller, string>> = {
  key: 'If you need more, send fewer calls with batches and webhooks, or ask the operator of this service to raise the limit of your key.',
  'publishable key': 'This limit is fixed: it keeps one browser from using up what is there for all.',
  address: 'Calls without a valid key share this limit: send a valid key, which has its own.',
  member: 'This limit is fixed: it is the same for every guest.',
  account: 'This limit is fixed: it is the same for everyone in the console.',
  integration: 'This limit is fixed: the venue system sends the delivery again later.',
};

function nameOf({ of, limit }: RateLimit, effect: Effect): string {
  if (of === 'key') return `${limit} ${effect}s an hour for this key`;
  if (of === 'member') return `${limit} ${effect}s an hour for a guest`;
  if (of === 'account') return `${limit} ${effect}s an hour for your account`;
  if (of === 'publishable key') return `${limit} calls an hour for this publishable key from one address`;
  return of === 'address'
    ? `${limit} calls an hour for one address`
    : `${limit} deliveries an hour for one integration`;
}

export function rateLimited(rateLimit: RateLimit, effect: Effect): Problem {
  const seconds = rateLimit.retryAfter ?? 1;
  const wait = `Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  return new Problem('rate_limited', {
    message: `The limit of ${nameOf(rateLimit, effect)} is used up. ${wait} ${REMEDIES[rateLimit.of]}`,
    headers: { 'retry-after': String(seconds) },
  });
}
