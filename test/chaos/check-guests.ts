// The rules about what guests were told, by both books, once it is quiet: an acknowledged party has those shares, a share that was called
// theirs is theirs, a card that was held for them is in both books, and one that was declined holds no money.

import type { Db } from '../../src/base/db.ts';
import { type Found, grouped } from '../support/violation.ts';
import { type Booking, type CardRecord, mayChangeLate } from './booking.ts';
import type { HoldRow, OurBooks, ShareRow, TheirHold } from './books.ts';

/** Whose each share is, dropped ones included. */
export type Members = ReadonlyMap<string, string>;

export async function readMembers(db: Db): Promise<Members> {
  const rows = await db.query<{ id: string; member: string }>('select share_id as id, member_id as member from shares');
  return new Map(rows.map(({ id, member }) => [id, member]));
}

type Ours = Pick<OurBooks, 'shares' | 'holds'>;
type Theirs = Pick<TheirHold, 'intentId' | 'status' | 'captured'>;

export function checkGuests(
  ours: Ours,
  theirs: { readonly holds: readonly Theirs[] },
  members: Members,
  bookings: readonly Booking[],
  found: Found,
): void {
  const shares = grouped(ours.shares, ({ checkoutId }) => checkoutId);
  const holds = grouped(ours.holds, ({ shareId }) => shareId);
  const byIntent = new Map(ours.holds.map((hold) => [hold.intentId, hold]));
  const intents = new Map(theirs.holds.map((their) => [their.intentId, their]));
  for (const booking of bookings) {
    const { id, name } = booking;
    const say: Say = (rule, what) => found(rule, id ?? name, what);
    checkParties(booking, shares.get(id ?? '') ?? [], say);
    checkOwn(booking, members, say);
    for (const shareId of booking.reportedHeld) {
      const was = (holds.get(shareId) ?? []).filter(({ status }) => status !== 'requested' && status !== 'open');
      if (was.length === 0) say('guests are told the truth', `${shareId} was called paid, and never was`);
    }
    for (const [intentId, cards] of grouped(booking.cards, (card) => card.intentId)) {
      const pair = { hold: byIntent.get(intentId), their: intents.get(intentId) };
      checkCards(booking, cards, pair, (rule, what) => say(rule, `${intentId}: ${what}`));
    }
  }
}

type Say = (rule: string, what: string) => void;

const PARTY = 'an acknowledged party has its shares';

function checkParties(booking: Booking, shares: readonly ShareRow[], say: Say): void {
  const { parties } = booking;
  const known = new Map(shares.map((share) => [share.id, share]));
  for (const { shares: response } of parties) {
    for (const { id, amount } of response ?? []) {
      const share = known.get(id);
      if (share?.amount !== amount) say(PARTY, `${id} of ${amount} was acknowledged, it is ${share?.amount ?? 'gone'}`);
    }
  }
  // What was refused was not taken; what was never answered, or sent twice, may be chosen whenever it comes.
  const last = parties.filter(({ refusal }) => refusal === null).at(-1)?.shares;
  if (last === undefined || last === null || mayChangeLate(booking)) return;
  const present = shares.filter(({ dropped }) => !dropped).map(({ id }) => id);
  const acknowledged = last.map(({ id }) => id);
  if (present.sort().join() !== acknowledged.sort().join()) {
    say(PARTY, `${acknowledged.join(', ')} were acknowledged, there are ${present.join(', ')}`);
  }
}

function checkOwn({ own }: Booking, members: Members, say: Say): void {
  for (const { shareId, memberId } of own) {
    if (members.get(shareId) === memberId) continue;
    say('a share is whose it was said to be', `${shareId} was called the share of ${memberId}`);
  }
}

/** What the processor says of a hold, and what we may say of it then. */
const AGREED: Readonly<Record<string, readonly string[]>> = {
  requires_capture: ['held'],
  succeeded: ['captured', 'returned'],
  canceled: ['released', 'voided'],
};

interface Pair {
  readonly hold: HoldRow | undefined;
  readonly their: Theirs | undefined;
}

function checkCards({ helped }: Booking, cards: readonly CardRecord[], { hold, their }: Pair, say: Say): void {
  const here = hold?.status ?? 'unknown';
  const there = their?.status ?? 'unknown';
  if (cards.some(({ status: response }) => response === 'requires_capture') && !AGREED[there]?.includes(here)) {
    say('a card that was held is in both books', `its guest was told that it is; it is ${there} there, ${here} here`);
  }
  // Unless something of which nobody heard came after it, or a test helper paid with the same hold.
  const isDeclined = cards.at(-1)?.status === 'declined' && cards.every(({ status: response }) => response !== null);
  if (!isDeclined || cards.some(({ shareId }) => helped.has(shareId))) return;
  const isCharged = there === 'requires_capture' || there === 'succeeded' || (their?.captured ?? 0) > 0;
  if (isCharged || here === 'held' || here === 'captured') {
    say('a declined card holds no money', `its guest was told no; it is ${there} there, ${here} here`);
  }
}
