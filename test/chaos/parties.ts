// How a party comes to pay: the organizer names people and leaves seats open, sometimes chooses again, sometimes covers somebody; each
// pays with a card of their own, all at once or one after the other. Now and then a partner's test helpers do all of it.

import type { SeededRandom } from '../support/seeded-random.ts';
import type { Booking } from './booking.ts';
import type { Json } from './client.ts';
import type { Named } from './guests.ts';
import { type LoadContext, read, runTestHelper } from './partner.ts';
import type { Person } from './people.ts';

/** Who is asked, and who comes by the link that was shared. */
interface Circle {
  readonly organizer: Person;
  readonly invited: readonly Person[];
  readonly seats: readonly string[];
  readonly comers: readonly Person[];
}

/** The party is chosen, and a part of it pays. */
export async function guestsPay(
  context: LoadContext,
  booking: Booking,
  random: SeededRandom,
  part: number,
): Promise<void> {
  if (random.often(0.1)) return helpersPay(context, booking, random, part);
  const circle = circleFor(context, booking, random);
  const pays = (): boolean => part === 1 || random.often(part);
  if (!(await choose(context, booking, circle, random))) return;
  const [first] = circle.invited;
  if (first !== undefined && random.often(0.15)) {
    await payOwn(context, booking, circle, first, random);
    await choose(context, booking, circle, random);
  }
  const { organizer, invited, comers } = circle;
  const paying = [organizer, ...invited, ...comers].filter(pays);
  if (random.often(0.6)) await Promise.all(paying.map((person) => payOwn(context, booking, circle, person, random)));
  else for (const person of paying) await payOwn(context, booking, circle, person, random);
  if (random.often(0.3)) await context.guests.look(booking, organizer);
}

function circleFor(context: LoadContext, booking: Booking, random: SeededRandom): Circle {
  const { party_size: size } = JSON.parse(booking.body) as { party_size: number };
  const open = random.often(0.2) ? Math.min(random.between(1, 2), size - 1) : 0;
  const seats = context.seats.splice(0, open);
  // Sometimes one more comes than there are seats.
  const coming = seats.length > 0 && random.often(0.3) ? seats.length + 1 : seats.length;
  const named = size - 1 - seats.length;
  const [organizer, ...others] = context.guests.people.draw(1 + named + coming, random);
  if (organizer === undefined) throw new Error('somebody organizes it');
  return { organizer, invited: others.slice(0, named), seats, comers: others.slice(named) };
}

function choose(context: LoadContext, booking: Booking, circle: Circle, random: SeededRandom): Promise<boolean> {
  const others: Named[] = [...circle.invited.map((person) => ({ person })), ...circle.seats.map((seat) => ({ seat }))];
  const amounts = random.often(0.3) ? null : amountsFor(booking, random);
  return context.guests.choose(booking, circle.organizer, others, amounts);
}

/** Anything that adds up: equal to the cent, or each as they like, some of them nothing. */
function amountsFor(booking: Booking, random: SeededRandom): number[] {
  const { amount, party_size: size } = JSON.parse(booking.body) as { amount: number; party_size: number };
  const amounts: number[] = [];
  let left = amount;
  for (let place = 0; place < size - 1; place++) {
    const most = left - 50 * (size - place - 1);
    const own = random.often(0.1) || most < 50 ? 0 : random.between(50, Math.min(most, Math.ceil((amount * 2) / size)));
    amounts.push(own);
    left -= own;
  }
  return [...amounts, left];
}

/** A guest opens their invite, or the link that was shared, and pays; or the organizer does it for them, or both at once. */
async function payOwn(
  context: LoadContext,
  booking: Booking,
  circle: Circle,
  person: Person,
  random: SeededRandom,
): Promise<void> {
  const { guests } = context;
  const { organizer, comers, seats } = circle;
  const isComing = comers.includes(person);
  const seen = isComing
    ? await guests.sit(booking, person, comers.length > seats.length)
    : await guests.look(booking, person);
  const own = seen?.shares.find((share: Json) => share.id === seen.my_share_id);
  if (own === undefined || own.amount === 0 || own.status === 'held') return;
  const way = random.weighed([
    [80, 'own'] as const,
    [8, 'covered'] as const,
    [4, 'both'] as const,
    [8, 'help'] as const,
  ]);
  if (way === 'help') return help(context, booking, own.id);
  const paying: Promise<void>[] = [];
  if (way !== 'covered' || person === organizer) paying.push(guests.pay(booking, person, own.id, random));
  if (way !== 'own' && person !== organizer) paying.push(guests.pay(booking, organizer, own.id, random));
  await Promise.all(paying);
}

async function help(context: LoadContext, booking: Booking, shareId: string): Promise<void> {
  booking.helped.add(shareId);
  await runTestHelper(context, booking, 'hold', { share_id: shareId });
}

async function helpersPay(context: LoadContext, booking: Booking, random: SeededRandom, part: number): Promise<void> {
  await runTestHelper(context, booking, 'collect');
  const seen = await read(context, booking);
  if (seen?.status !== 'collecting') return;
  const paying = seen.shares.filter(() => part === 1 || random.often(part));
  for (const share of paying) await help(context, booking, share.id);
}
