// The rules about guests' responses, compared with both sides' records after the nemesis: an acknowledged party has its
// shares, a share that was called the guest's own is, a held card is in both records, and a declined card holds no
// money.

import type { Db } from '../../src/base/db.ts';
import { type Found, grouped } from '../support/violation.ts';
import { type Booking, type CardRecord, mayChangeLater } from './booking.ts';
import type { HoldRow, OurRecords, ProcessorHold, ShareRow } from './records.ts';

/** The member of each share, dropped shares included. */
export type Members = ReadonlyMap<string, string>;

export async function readMembers(db: Db): Promise<Members> {
  const rows = await db.query<{ id: string; member: string }>('select share_id as id, member_id as member from shares');
  return new Map(rows.map(({ id, member }) => [id, member]));
}

type Ours = Pick<OurRecords, 'shares' | 'holds'>;
type Theirs = Pick<ProcessorHold, 'intentId' | 'status' | 'captured'>;

export function checkGuests(
  ours: Ours,
  processor: { readonly holds: readonly Theirs[] },
  members: Members,
  bookings: readonly Booking[],
  found: Found,
): void {
  const shares = grouped(ours.shares, ({ checkoutId }) => checkoutId);
  const holds = grouped(ours.holds, ({ shareId }) => shareId);
  const byIntent = new Map(ours.holds.map((hold) => [hold.intentId, hold]));
  const intents = new Map(processor.holds.map((their) => [their.intentId, their]));
  for (const booking of bookings) {
    const { id, name } = booking;
    const say: Say = (rule, what) => found(rule, id ?? name, what);
    checkParties(booking, shares.get(id ?? '') ?? [], say);
    checkOwnShares(booking, members, say);
    for (const shareId of booking.reportedHeld) {
      const paid = (holds.get(shareId) ?? []).filter(({ status }) => status !== 'requested' && status !== 'open');
      if (paid.length === 0) say('guests get correct responses', `${shareId} was called paid, and never was`);
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
  for (const { shares: acknowledged } of parties) {
    for (const { id, amount } of acknowledged ?? []) {
      const share = known.get(id);
      if (share?.amount !== amount)
        say(PARTY, `${id} of ${amount} was acknowledged, it is ${share?.amount ?? 'missing'}`);
    }
  }
  // A refused party was not stored. One without a response, or sent twice, may be stored at any later time.
  const last = parties.filter(({ refusal }) => refusal === null).at(-1)?.shares;
  if (last === undefined || last === null || mayChangeLater(booking)) return;
  const present = shares.filter(({ isDropped: dropped }) => !dropped).map(({ id }) => id);
  const acknowledged = last.map(({ id }) => id);
  if (present.sort().join() !== acknowledged.sort().join()) {
    say(PARTY, `${acknowledged.join(', ')} were acknowledged, there are ${present.join(', ')}`);
  }
}

function checkOwnShares({ ownShares: own }: Booking, members: Members, say: Say): void {
  for (const { shareId, memberId } of own) {
    if (members.get(shareId) === memberId) continue;
    say('a share belongs to the guest whose it was called', `${shareId} was called the share of ${memberId}`);
  }
}

/** The processor's status of an intent, and the statuses that our hold may have then. */
const MATCHING_STATUSES: Readonly<Record<string, readonly string[]>> = {
  requires_capture: ['held'],
  succeeded: ['captured', 'returned'],
  canceled: ['released', 'voided'],
};

interface Pair {
  readonly hold: HoldRow | undefined;
  readonly their: Theirs | undefined;
}

function checkCards(
  { paidByTestHelper: helped }: Booking,
  cards: readonly CardRecord[],
  { hold, their }: Pair,
  say: Say,
): void {
  const here = hold?.status ?? 'unknown';
  const there = their?.status ?? 'unknown';
  if (cards.some(({ status }) => status === 'requires_capture') && !MATCHING_STATUSES[there]?.includes(here)) {
    say('a held card is in both records', `its guest's response shows it as held; it is ${there} there, ${here} here`);
  }
  // A later attempt without a response, or a test helper, may have paid with the same hold.
  const isDeclined = cards.at(-1)?.status === 'declined' && cards.every(({ status }) => status !== null);
  if (!isDeclined || cards.some(({ shareId }) => helped.has(shareId))) return;
  const isCharged = there === 'requires_capture' || there === 'succeeded' || (their?.captured ?? 0) > 0;
  if (isCharged || here === 'held' || here === 'captured') {
    say(
      'a declined card holds no money',
      `its guest's response shows it as declined; it is ${there} there, ${here} here`,
    );
  }
}
