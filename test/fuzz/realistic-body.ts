// Makes a body that only fits its schema one about this fixture: ids of things that are there, names that are new, times that have
// not passed. Most of the time; the rest stays as it was drawn.

import type { RequestContext } from './draw.ts';
import { ORIGIN } from './keys.ts';
import type { Json } from './mutations.ts';

const OFTEN = 0.85;

/** The pool that a member of this name takes its value from. */
const POOLS: Readonly<Record<string, string>> = {
  experience_id: 'experiences',
  venue_id: 'venues',
  share_id: 'shares',
  user_id: 'members',
  channel_id: 'channels',
  challenge_id: 'challenges',
  offering_external_id: 'offerings',
};

export function realisticBody(drawing: RequestContext, operation: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => realisticBody(drawing, operation, item));
  if (typeof value !== 'object' || value === null) return value;
  const made: { [name: string]: Json } = {};
  for (const [name, item] of Object.entries(value)) {
    const instead = drawing.random.often(OFTEN) ? replacement(drawing, operation, name, item) : undefined;
    made[name] = instead === undefined ? realisticBody(drawing, operation, item) : instead;
  }
  return made;
}

function replacement(drawing: RequestContext, operation: string, name: string, item: Json): Json | undefined {
  const { random, number, fixture } = drawing;
  if (typeof item !== 'string') return undefined;
  const pool = POOLS[name];
  const known = pool === undefined ? undefined : (fixture.own[pool] ?? []);
  if (known !== undefined && known.length > 0) return random.pick(known);
  const inDays = (days: number): string => new Date(fixture.now + days * 86_400_000).toISOString();
  switch (name) {
    case 'external_booking_id':
    case 'external_id':
      return random.pick([`fz-${number}`, `fz-${number}`, `fz-${number}-${random.below(9)}`, `fz-${random.below(20)}`]);
    case 'id':
      return operation === 'testReview'
        ? reviewable(drawing)
        : operation === 'recordActivity'
          ? `act-${number}-${random.below(99)}`
          : undefined;
    case 'currency':
      return 'usd';
    case 'pay_by':
      return inDays(random.between(1, 20));
    case 'to':
      // Of a day's window it is a time of day.
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
        `+1555${2_000_000 + random.below(7_000_000)}`,
        '+15550100042',
      ]);
    default:
      return undefined;
  }
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);

function reviewable({ random, fixture }: RequestContext): string {
  const { experiences = [], offerings = [], boats = [] } = fixture.own;
  return random.pick([...experiences, ...offerings, ...boats]);
}
