// Gives a body that matches its schema realistic values: ids of the fixture's objects, new names, times in the future.
// Most values are replaced; the others stay as drawn.

import { ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';
import type { RequestContext } from './request-draft.ts';

const REPLACE_RATE = 0.85;

/** The pool of ids for a member of this name. */
const POOLS: Readonly<Record<string, string>> = {
  experience_id: 'experiences',
  venue_id: 'venues',
  share_id: 'shares',
  user_id: 'members',
  channel_id: 'channels',
  challenge_id: 'challenges',
  token: 'tokens',
  offering_external_id: 'offerings',
};

/** Where an operation of the console takes other ids by the same name. */
const POOLS_OF_CONSOLE: Readonly<Record<string, string>> = {
  'verifyConsoleSignIn challenge_id': 'console_challenges',
  'signInByLink token': 'console_links',
};

export function realisticBody(context: RequestContext, operation: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => realisticBody(context, operation, item));
  if (typeof value !== 'object' || value === null) return value;
  const realistic: { [name: string]: Json } = {};
  for (const [name, item] of Object.entries(value)) {
    const replacement = context.random.often(REPLACE_RATE)
      ? drawReplacement(context, operation, name, item)
      : undefined;
    realistic[name] = replacement === undefined ? realisticBody(context, operation, item) : replacement;
  }
  return realistic;
}

function drawReplacement(context: RequestContext, operation: string, name: string, item: Json): Json | undefined {
  const { random, number, fixture } = context;
  if (typeof item !== 'string') return undefined;
  const pool = POOLS_OF_CONSOLE[`${operation} ${name}`] ?? POOLS[name];
  const known = pool === undefined ? undefined : (fixture.own[pool] ?? []);
  if (known !== undefined && known.length > 0) return random.pick(known);
  const inDays = (days: number): string => new Date(fixture.now + days * 86_400_000).toISOString();
  switch (name) {
    case 'external_booking_id':
    case 'external_id':
      return random.pick([`fz-${number}`, `fz-${number}`, `fz-${number}-${random.below(9)}`, `fz-${random.below(20)}`]);
    case 'id':
      return operation === 'testReview'
        ? drawReviewable(context)
        : operation === 'recordActivity'
          ? `act-${number}-${random.below(99)}`
          : undefined;
    case 'currency':
      return 'usd';
    case 'email':
      return ['signInToConsole', 'invitePerson', 'changeAccountEmail'].includes(operation)
        ? `person${number}@harbor.example`
        : undefined;
    case 'origin':
      return `https://shop-${random.below(5)}.example`;
    case 'pay_by':
      return inDays(random.between(1, 20));
    case 'to':
      // In a daily time window it is a time of day.
      return isTime(item) ? inDays(random.between(1, 20)) : undefined;
    case 'since':
    case 'at':
      return inDays(-random.between(0, 5));
    case 'return_url':
    case 'cancel_url':
      return `${ORIGIN}/back?n=${number}`;
    case 'phone':
      return random.pick([
        ...fixture.people.map(({ phone }) => phone),
        `+1212${2_000_000 + random.below(7_000_000)}`,
        '+15550100042',
      ]);
    default:
      return undefined;
  }
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);

function drawReviewable({ random, fixture }: RequestContext): string {
  const { experiences = [], offerings = [], boats = [] } = fixture.own;
  return random.pick([...experiences, ...offerings, ...boats]);
}
