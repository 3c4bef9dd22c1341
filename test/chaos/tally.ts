// What guests and outsiders did in a run, in figures, beside the rest of the verdict.

import type { Booking } from './booking.ts';
import type { ClientLoad } from './load.ts';
import type { RunSummary } from './summary.ts';

export function withClientFigures(
  verdict: RunSummary,
  { bookings, context, outsiders }: ClientLoad,
  askedAgain: number,
): RunSummary {
  const sum = (of: (booking: Booking) => number): number => bookings.reduce((total, one) => total + of(one), 0);
  const cards = (word: string) => (booking: Booking) =>
    booking.cards.filter(({ status: response }) => response === word).length;
  const people = {
    signed_in: context.guests.people.signedIn,
    parties_acknowledged: sum(({ parties }) => parties.filter(({ shares: response }) => response !== null).length),
    shares_called_theirs: sum(({ own }) => own.length),
    cards_tried: sum(({ cards: tried }) => tried.length),
    cards_told_held: sum(cards('requires_capture')),
    cards_told_declined: sum(cards('declined')),
    pried_into: outsiders.pried.length,
    keys_revoked: outsiders.revoked.length,
    asked_again: askedAgain,
  };
  const line =
    `${people.signed_in} guests signed in: ${people.parties_acknowledged} parties, ${people.cards_tried} cards tried ` +
    `(${people.cards_told_held} held, ${people.cards_told_declined} declined), by the public addresses; ` +
    `${people.keys_revoked} keys revoked, ${people.pried_into} looks over the walls, ${askedAgain} calls asked again`;
  const limits =
    'limits: 200 calls at a limit of 60 were tried once it was quiet; their counts are unlogged and begin anew after a crash of PostgreSQL';
  return { ...verdict, figures: { ...verdict.figures, people }, lines: [...verdict.lines, line, limits] };
}
