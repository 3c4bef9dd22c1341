// Choosing the party from a page: the form of either step, what it means, and the one operation behind it.

import type { FastifyReply } from 'fastify';
import type { Party } from '../../../schemas/types.gen.ts';
import { Problem } from '../../base/errors.ts';
import { partyMembers } from '../../domain/checkouts/invited.ts';
import { makeSeats } from '../../domain/checkouts/take-seat.ts';
import { type Channel, channelsOf, type Friend, friendsOf } from '../../domain/members/circle/queries.ts';
import { operations } from '../../run/operations.ts';
import { type Action, backTo, notDone, show } from './actions.ts';
import { type ChoiceShown, leftLine } from './choose-page.ts';
import { amountsOf, type PartyForm, phoneOf, readPartyForm, type Seated } from './party-form.ts';
import { readScene, type Scene } from './scene.ts';
import type { Trouble } from './sign-in-form.ts';
import { money } from './summary.ts';
import { guestOf, type Place, type Visit } from './visit.ts';

const MOST_FRIENDS = 30;
const MOST_CHATS = 10;
const ROWS = 2;
const LEAST_CHARGE = 50;

interface Known {
  readonly friends: readonly Friend[];
  readonly channels: readonly Channel[];
}

async function knownTo(visit: Visit, place: Place): Promise<Known & { readonly party: readonly Friend[] }> {
  const { db } = visit.door.house;
  const { memberId } = guestOf(visit);
  const [party, friends, channels] = await Promise.all([
    partyMembers(db, place.venueId, place.checkoutId),
    friendsOf(db, memberId, MOST_FRIENDS),
    channelsOf(db, memberId, MOST_CHATS),
  ]);
  const others = party.filter(({ id }) => id !== memberId);
  const isThere = new Set(others.map(({ id }) => id));
  return { party: others, friends: [...others, ...friends.filter(({ id }) => !isThere.has(id))], channels };
}

/** The first look at the form: the party as it is, or nobody yet. */
export async function firstChoice(visit: Visit, place: Place): Promise<ChoiceShown> {
  const known = await knownTo(visit, place);
  const form: PartyForm = {
    members: known.party.map(({ id }) => id),
    channels: [],
    phones: [],
    seats: 0,
    split: 'equal',
    amounts: {},
  };
  return shown(known, 'people', form, null);
}

function shown(
  known: Known,
  step: ChoiceShown['step'],
  form: PartyForm,
  trouble: Trouble | null,
  more: Partial<ChoiceShown> = {},
): ChoiceShown {
  const rows = Math.max(ROWS, form.phones.length);
  return {
    step,
    form,
    known: known.friends,
    channels: known.channels,
    people: [],
    amounts: null,
    trouble,
    rows,
    ...more,
  };
}

export const chooseParty: Action = async (visit, place, typed) => {
  const form = readPartyForm(typed);
  const [known, scene] = await Promise.all([knownTo(visit, place), readScene(visit, place)]);
  const ask = (choice: ChoiceShown, status = 200): Promise<FastifyReply> => show(visit, place, { status, choice });
  const todo = typed.get('do');
  if (todo === 'back') return ask(shown(known, 'people', form, null));
  if (todo === 'row') {
    const rows = Math.max(ROWS, form.phones.length + 1);
    return ask(shown(known, 'people', form, null, { rows }));
  }
  const people = peopleOf(visit, form, known);
  if ('trouble' in people) return ask(shown(known, 'people', form, people.trouble), 422);
  if (people.seated.length > scene.checkout.party_size) {
    const message = visit.words.say('page.too_many', { count: scene.checkout.party_size });
    return ask(shown(known, 'people', form, { field: null, message }), 422);
  }
  const amounts = amountsOf(form, people.seated, scene.checkout.amount);
  const second = (trouble: Trouble | null, status = 200): Promise<FastifyReply> =>
    ask(shown(known, 'split', form, trouble, { people: people.seated, amounts }), status);
  if (todo !== 'send') return second(null);
  const wrong = wrongAmount(visit, scene, people.seated, amounts.amounts, amounts.left);
  if (wrong !== null) return second(wrong, 422);
  try {
    await send(visit, place, form, people.seated, amounts.amounts as readonly number[]);
    return backTo(visit, `/c/${place.checkoutId}`);
  } catch (error) {
    const trouble = error instanceof Problem && error.status === 422 ? troubleOf(visit, error, people.seated) : null;
    return trouble === null ? notDone(visit, place, error) : second(trouble, 422);
  }
};

function wrongAmount(
  visit: Visit,
  scene: Scene,
  people: readonly Seated[],
  amounts: readonly (number | null)[],
  left: number | null,
): Trouble | null {
  const unread = amounts.indexOf(null);
  if (unread >= 0) return { field: people[unread]?.key ?? null, message: visit.words.say('page.amount_wrong') };
  const small = amounts.findIndex((amount) => amount !== null && amount > 0 && amount < LEAST_CHARGE);
  if (small >= 0) {
    const message = visit.words.say('page.amount_small', { amount: money(visit, scene, LEAST_CHARGE) });
    return { field: people[small]?.key ?? null, message };
  }
  return left === 0 ? null : { field: null, message: leftLine(visit, scene, left) };
}

/** Everybody once, the organizer first, in the order of the form. */
function peopleOf(
  visit: Visit,
  form: PartyForm,
  known: Known,
): { readonly seated: readonly Seated[] } | { readonly trouble: Trouble } {
  const me = guestOf(visit).memberId;
  const seated = new Map<string, Seated>([['organizer', { key: 'organizer', name: null, kind: 'organizer' }]]);
  const add = (key: string, name: string | null, kind: Seated['kind']): void => {
    if (key !== me && !seated.has(key)) seated.set(key, { key, name, kind });
  };
  const names = new Map(known.friends.map(({ id, displayName }) => [id, displayName]));
  for (const id of form.members) if (names.has(id)) add(id, names.get(id) ?? null, 'member');
  for (const { id, members } of known.channels) {
    if (form.channels.includes(id)) for (const one of members) add(one.id, one.displayName, 'member');
  }
  for (const [index, { phone, name }] of form.phones.entries()) {
    const number = phoneOf(phone);
    if (number === null) {
      return { trouble: { field: `phone-${index}`, message: visit.words.say('page.phone_wrong') } };
    }
    add(number, name === '' ? null : name, 'phone');
  }
  for (let n = 1; n <= form.seats; n++) add(`seat-${n}`, null, 'seat');
  return { seated: [...seated.values()] };
}

async function send(
  visit: Visit,
  place: Place,
  form: PartyForm,
  people: readonly Seated[],
  amounts: readonly number[],
): Promise<void> {
  const { door } = visit;
  const { house } = door;
  const guest = guestOf(visit);
  const count = people.filter(({ kind }) => kind === 'seat').length;
  const seats = [...(await makeSeats(house.db, { ids: house.ids, now: house.clock.now() }, count))];
  const members: Party['members'][number][] = [];
  const custom: Record<string, number> = {};
  people.forEach(({ kind, key, name }, index) => {
    const id = kind === 'seat' ? (seats.shift() ?? '') : kind === 'organizer' ? guest.memberId : key;
    if (kind === 'phone') members.push({ phone: key, ...(name === null ? {} : { name }) });
    else members.push({ user_id: id });
    custom[kind === 'organizer' ? 'organizer' : id] = amounts[index] ?? 0;
  });
  const operation = operations.find(({ id }) => id === 'chooseParty');
  if (operation === undefined) throw new Error('the operation that chooses a party is in the list');
  const body = { members, split: form.split === 'equal' ? 'equal' : { custom } };
  await door.perform(operation, guest, {
    params: { id: place.checkoutId },
    query: {},
    body: Buffer.from(JSON.stringify(body)),
    contentType: 'application/json',
    idempotencyKey: undefined,
    accept: undefined,
  });
}

/** The operation's own words are for developers; the page says it to people, at the person it is about. */
function troubleOf(visit: Visit, problem: Problem, people: readonly Seated[]): Trouble {
  const place = /^\/members\/(\d+)/.exec(problem.detail.field ?? '')?.[1];
  const person = place === undefined ? undefined : people[Number(place)];
  const isTwice = problem.code === 'not_unique';
  return {
    field: person?.key ?? null,
    message: visit.words.say(isTwice ? 'page.person_twice' : 'page.party_wrong'),
  };
}
