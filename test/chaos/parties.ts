// How a party pays: the organizer names guests and leaves seats open, sometimes chooses again, sometimes covers another
// guest; each guest pays with a card, all at the same time or one after the other. Sometimes test helpers pay instead.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Booking } from './booking.ts';
import type { Json } from './client.ts';
import type { PartyMember } from './guest-client.ts';
import type { Guest } from './guest-pool.ts';
import { type LoadContext, read, runTestHelper } from './partner.ts';

/** The guests of a party: named guests, and guests who come by the shared link. */
interface PartyGuests {
  readonly organizer: Guest;
  readonly invited: readonly Guest[];
  readonly seats: readonly string[];
  readonly newcomers: readonly Guest[];
}

/** The organizer chooses the party, and `part` of its guests pay. */
export async function guestsPay(
  context: LoadContext,
  booking: Booking,
  random: SeededRandom,
  part: number,
): Promise<void> {
  if (random.often(0.1)) return testHelpersPay(context, booking, random, part);
  const members = drawPartyGuests(context, booking, random);
  const shouldPay = (): boolean => part === 1 || random.often(part);
  if (!(await chooseParty(context, booking, members, random))) return;
  const [first] = members.invited;
  if (first !== undefined && random.often(0.15)) {
    await payShare(context, booking, members, first, random);
    await chooseParty(context, booking, members, random);
  }
  const { organizer, invited, newcomers } = members;
  const paying = [organizer, ...invited, ...newcomers].filter(shouldPay);
  if (random.often(0.6)) await Promise.all(paying.map((guest) => payShare(context, booking, members, guest, random)));
  else for (const guest of paying) await payShare(context, booking, members, guest, random);
  if (random.often(0.3)) await context.guests.readCheckout(booking, organizer);
}

function drawPartyGuests(context: LoadContext, booking: Booking, random: SeededRandom): PartyGuests {
  const { party_size: size } = JSON.parse(booking.body) as { party_size: number };
  const open = random.often(0.2) ? Math.min(random.between(1, 2), size - 1) : 0;
  const seats = context.seats.splice(0, open);
  // Sometimes one guest more comes than there are open seats.
  const coming = seats.length > 0 && random.often(0.3) ? seats.length + 1 : seats.length;
  const named = size - 1 - seats.length;
  const [organizer, ...others] = context.guests.pool.draw(1 + named + coming, random);
  if (organizer === undefined) throw new Error('the pool returned no organizer');
  return { organizer, invited: others.slice(0, named), seats, newcomers: others.slice(named) };
}

function chooseParty(
  context: LoadContext,
  booking: Booking,
  members: PartyGuests,
  random: SeededRandom,
): Promise<boolean> {
  const others: PartyMember[] = [
    ...members.invited.map((guest) => ({ guest })),
    ...members.seats.map((seat) => ({ seat })),
  ];
  const amounts = random.often(0.3) ? null : drawAmounts(booking, random);
  return context.guests.chooseParty(booking, members.organizer, others, amounts);
}

/** Random amounts that sum to the checkout's amount; some are zero. */
function drawAmounts(booking: Booking, random: SeededRandom): number[] {
  const { amount, party_size: size } = JSON.parse(booking.body) as { amount: number; party_size: number };
  const amounts: number[] = [];
  let remaining = amount;
  for (let index = 0; index < size - 1; index++) {
    const max = remaining - 50 * (size - index - 1);
    const own = random.often(0.1) || max < 50 ? 0 : random.between(50, Math.min(max, Math.ceil((amount * 2) / size)));
    amounts.push(own);
    remaining -= own;
  }
  return [...amounts, remaining];
}

/**
 * A guest opens the invite or the shared link and pays; or the organizer covers the share; or both at the same time.
 */
async function payShare(
  context: LoadContext,
  booking: Booking,
  members: PartyGuests,
  guest: Guest,
  random: SeededRandom,
): Promise<void> {
  const { guests } = context;
  const { organizer, newcomers, seats } = members;
  const isNewcomer = newcomers.includes(guest);
  const seen = isNewcomer
    ? await guests.claimSeat(booking, guest, newcomers.length > seats.length)
    : await guests.readCheckout(booking, guest);
  const own = seen?.shares.find((share: Json) => share.id === seen.my_share_id);
  if (own === undefined || own.amount === 0 || own.status === 'held') return;
  const way = random.weighed([
    [80, 'own'] as const,
    [8, 'covered'] as const,
    [4, 'both'] as const,
    [8, 'help'] as const,
  ]);
  if (way === 'help') return payByTestHelper(context, booking, own.id);
  const paying: Promise<void>[] = [];
  if (way !== 'covered' || guest === organizer) paying.push(guests.payShare(booking, guest, own.id, random));
  if (way !== 'own' && guest !== organizer) paying.push(guests.payShare(booking, organizer, own.id, random));
  await Promise.all(paying);
}

async function payByTestHelper(context: LoadContext, booking: Booking, shareId: string): Promise<void> {
  booking.paidByTestHelper.add(shareId);
  await runTestHelper(context, booking, 'hold', { share_id: shareId });
}

async function testHelpersPay(
  context: LoadContext,
  booking: Booking,
  random: SeededRandom,
  part: number,
): Promise<void> {
  await runTestHelper(context, booking, 'collect');
  const seen = await read(context, booking);
  if (seen?.status !== 'collecting') return;
  const paying = seen.shares.filter(() => part === 1 || random.often(part));
  for (const share of paying) await payByTestHelper(context, booking, share.id);
}
