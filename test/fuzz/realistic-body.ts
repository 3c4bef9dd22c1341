// Makes a body that only fits its schema one about this town: ids of things that are there, names that are new, times that have
// not passed. Most of the time; the rest stays as it was drawn.

import type { Drawing } from './draw.ts';
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

export function dressed(drawing: Drawing, operation: string, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => dressed(drawing, operation, item));
  if (typeof value !== 'object' || value === null) return value;
  const made: { [name: string]: Json } = {};
  for (const [name, item] of Object.entries(value)) {
    const instead = drawing.chance.often(OFTEN) ? replacement(drawing, operation, name, item) : undefined;
    made[name] = instead === undefined ? dressed(drawing, operation, item) : instead;
  }
  return made;
}

function replacement(drawing: Drawing, operation: string, name: string, item: Json): Json | undefined {
  const { chance, number, town } = drawing;
  if (typeof item !== 'string') return undefined;
  const pool = POOLS[name];
  const known = pool === undefined ? undefined : (town.own[pool] ?? []);
  if (known !== undefined && known.length > 0) return chance.pick(known);
  const inDays = (days: number): string => new Date(town.now + days * 86_400_000).toISOString();
  switch (name) {
    case 'external_booking_id':
    case 'external_id':
      return chance.pick([`fz-${number}`, `fz-${number}`, `fz-${number}-${chance.below(9)}`, `fz-${chance.below(20)}`]);
    case 'id':
      return operation === 'testReview'
        ? reviewable(drawing)
        : operation === 'recordActivity'
          ? `act-${number}-${chance.below(99)}`
          : undefined;
    case 'currency':
      return 'usd';
    case 'pay_by':
      return inDays(chance.between(1, 20));
    case 'to':
      // Of a day's window it is a time of day.
      return isTime(item) ? inDays(chance.between(1, 20)) : undefined;
    case 'since':
    case 'at':
      return inDays(-chance.between(0, 5));
    case 'return_url':
    case 'cancel_url':
      return `${ORIGIN}/back?n=${number}`;
    case 'phone':
      return chance.pick([
        ...town.people.map(({ phone }) => phone),
        `+1555${2_000_000 + chance.below(7_000_000)}`,
        '+15550100042',
      ]);
    default:
      return undefined;
  }
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);

function reviewable({ chance, town }: Drawing): string {
  const { experiences = [], offerings = [], boats = [] } = town.own;
  return chance.pick([...experiences, ...offerings, ...boats]);
}
