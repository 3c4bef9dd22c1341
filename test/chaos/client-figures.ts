// Adds the figures of guests and outsiders to the summary of a run.

import type { Booking } from './booking.ts';
import type { ClientLoad } from './load.ts';
import type { RunSummary } from './summary.ts';

export function withClientFigures(
  summary: RunSummary,
  { bookings, context, outsiders }: ClientLoad,
  repeatedRequests: number,
): RunSummary {
  const sum = (of: (booking: Booking) => number): number => bookings.reduce((total, booking) => total + of(booking), 0);
  const cardsWith = (wanted: string) => (booking: Booking) =>
    booking.cards.filter(({ status }) => status === wanted).length;
  const people = {
    signed_in: context.guests.pool.signedIn,
    parties_acknowledged: sum(({ parties }) => parties.filter(({ shares }) => shares !== null).length),
    shares_shown_as_own: sum(({ ownShares }) => ownShares.length),
    cards_tried: sum(({ cards }) => cards.length),
    cards_held: sum(cardsWith('requires_capture')),
    cards_declined: sum(cardsWith('declined')),
    foreign_reads: outsiders.foreignReads.length,
    keys_revoked: outsiders.revokedKeys.length,
    repeated_requests: repeatedRequests,
  };
  const line =
    `${people.signed_in} guests signed in: ${people.parties_acknowledged} parties, ${people.cards_tried} cards tried ` +
    `(${people.cards_held} held, ${people.cards_declined} declined) through the public API; ` +
    `${people.keys_revoked} keys revoked, ${people.foreign_reads} reads of foreign checkouts, ${repeatedRequests} requests repeated`;
  const limits =
    'limits: 200 calls at a limit of 60 after the nemesis; the counts are unlogged and reset by a crash of PostgreSQL';
  return { ...summary, figures: { ...summary.figures, people }, lines: [...summary.lines, line, limits] };
}
