// Choosing the party from a page: the form of either step, what it means, and the one operation behind it. Whoever sat down
// while the organizer was choosing is not thrown out: the form says which party it was looking at.

import type { FastifyReply } from 'fastify';
import { Problem } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import { splitEqually } from '../../base/money.ts';
import { createSeats } from '../../domain/checkouts/party/claim-seat.ts';
import { type CurrentParty, currentParty, type PartyMember } from '../../domain/checkouts/party/invitee.ts';
import { MIN_CHARGE } from '../../domain/checkouts/party/split.ts';
import { type Channel, channelsOf, type Friend, friendsOf } from '../../domain/members/friend-queries.ts';
import { type Action, backTo, notDone, show } from './actions.ts';
import { type PageModel, readPageModel } from './page-model.ts';
import { guestOf, type PageRequest, type Place, performForm } from './page-request.ts';
import { amountsOf, type PartyForm, phoneOf, readPartyForm, type Seated, typedAmount } from './party-form.ts';
import { type ChoiceShown, leftLine } from './party-page.ts';
import type { Trouble } from './sign-in-form.ts';
import { money } from './summary.ts';

const MOST_FRIENDS = 30;
const MOST_CHATS = 10;
const ROWS = 2;

interface Known {
  readonly now: CurrentParty;
  /** Those who are in the party besides the organizer, seats apart; then friends. */
  readonly people: readonly Friend[];
  readonly channels: readonly Channel[];
}

async function knownTo(page: PageRequest, place: Place): Promise<Known> {
  const { db } = page.http.app;
  const { memberId } = guestOf(page);
  const [now, friends, channels] = await Promise.all([
    currentParty(db, place.venueId, place.checkoutId),
    friendsOf(db, memberId, MOST_FRIENDS),
    channelsOf(db, memberId, MOST_CHATS),
  ]);
  const party = now.members.filter(({ isOrganizer, isSeat }) => !isOrganizer && !isSeat);
  const isThere = new Set(party.map(({ id }) => id));
  return { now, people: [...party, ...friends.filter(({ id }) => !isThere.has(id))], channels };
}

const seatsOf = ({ members }: CurrentParty): readonly PartyMember[] => members.filter(({ isSeat }) => isSeat);

/** How the form names a member of the party as it is. */
function keyOf({ members }: CurrentParty, { id, isOrganizer, isSeat }: PartyMember): string {
  if (isOrganizer) return 'organizer';
  return isSeat ? `seat-${members.filter((one) => one.isSeat).findIndex((one) => one.id === id) + 1}` : id;
}

/** The party as it is, or nobody yet. */
function formOf(known: Known): PartyForm {
  const { members, version: seen } = known.now;
  const whole = members.reduce((sum, { amount }) => sum + amount, 0);
  const equal = members.length === 0 ? [] : splitEqually(whole, members.length);
  const isEqual = members.every(({ amount }, place) => amount === equal[place]);
  const amounts = members.map((one) => [keyOf(known.now, one), typedAmount(one.amount)]);
  return {
    members: members.filter(({ isOrganizer, isSeat }) => !isOrganizer && !isSeat).map(({ id }) => id),
    channels: [],
    phones: [],
    seats: seatsOf(known.now).length,
    split: isEqual ? 'equal' : 'custom',
    amounts: isEqual ? {} : Object.fromEntries(amounts),
    seen,
  };
}

export async function firstChoice(page: PageRequest, place: Place): Promise<ChoiceShown> {
  const known = await knownTo(page, place);
  return shown(known, 'people', formOf(known), null);
}

function shown(
  known: Known,
  step: ChoiceShown['step'],
  form: PartyForm,
  trouble: Trouble | null,
  more: Partial<ChoiceShown> = {},
): ChoiceShown {
  const rows = Math.max(ROWS, form.phones.length);
  const { people, channels } = known;
  return { step, form, known: people, channels, people: [], released: [], amounts: null, trouble, rows, ...more };
}

export const chooseParty: Action = async (page, place, typed) => {
  const form = readPartyForm(typed);
  const [known, model] = await Promise.all([knownTo(page, place), readPageModel(page, place)]);
  const ask = (choice: ChoiceShown, status = 200): Promise<FastifyReply> => show(page, place, { status, choice });
  const first = (trouble: Trouble | null, status = 200): Promise<FastifyReply> =>
    ask(shown(known, 'people', form, trouble), status);
  // Before anything is shown or written: who is in a party, and what they are called here, is for its organizer.
  if (known.now.members.length > 0 && !model.isOrganizer) return notDone(page, place, new Problem('not_organizer'));
  const todo = typed.get('do');
  if (form.seen !== known.now.version && model.isOrganizer) {
    const message = page.translator.translate('page.party_changed');
    return ask(shown(known, 'people', formOf(known), { field: null, message }), 409);
  }
  if (todo === 'back') return first(null);
  if (todo === 'row') return ask(shown(known, 'people', form, null, { rows: Math.max(ROWS, form.phones.length + 1) }));
  const people = peopleOf(page, form, known);
  if ('trouble' in people) return first(people.trouble, 422);
  if (people.seated.length > model.checkout.party_size) {
    const message = page.translator.translate('page.too_many', { count: model.checkout.party_size });
    return first({ field: null, message }, 422);
  }
  const amounts = amountsOf(form, people.seated, model.checkout.amount);
  const released = releasedBy(known.now, people.seated, amounts.amounts);
  const second = (trouble: Trouble | null, status = 200): Promise<FastifyReply> =>
    ask(shown(known, 'split', form, trouble, { people: people.seated, amounts, released }), status);
  if (todo !== 'send') return second(null);
  const wrong = wrongAmount(page, model, people.seated, amounts.amounts, amounts.left);
  if (wrong !== null) return second(wrong, 422);
  try {
    await send(page, place, form, known.now, people.seated, amounts.amounts as readonly number[]);
    return backTo(page, `/c/${place.checkoutId}`);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) return notDone(page, place, error);
    return first(troubleOf(page, error, people.seated, form), 422);
  }
};

/** Whose hold would be let go of: they are out, or pay another amount. */
function releasedBy(
  now: CurrentParty,
  people: readonly Seated[],
  amounts: readonly (number | null)[],
): readonly PartyMember[] {
  const next = new Map(people.map(({ key }, place) => [key, amounts[place] ?? null]));
  return now.members.filter((one) => one.isHeld && one.amount > 0 && next.get(keyOf(now, one)) !== one.amount);
}

function wrongAmount(
  page: PageRequest,
  model: PageModel,
  people: readonly Seated[],
  amounts: readonly (number | null)[],
  left: number | null,
): Trouble | null {
  const unread = amounts.indexOf(null);
  if (unread >= 0)
    return { field: people[unread]?.key ?? null, message: page.translator.translate('page.amount_wrong') };
  const small = amounts.findIndex((amount) => amount !== null && amount > 0 && amount < MIN_CHARGE);
  if (small >= 0) {
    const message = page.translator.translate('page.amount_small', { amount: money(page, model, MIN_CHARGE) });
    return { field: people[small]?.key ?? null, message };
  }
  return left === 0 ? null : { field: null, message: leftLine(page, model, left) };
}

/** Everybody once, the organizer first, in the order of the form. */
function peopleOf(
  page: PageRequest,
  form: PartyForm,
  known: Known,
): { readonly seated: readonly Seated[] } | { readonly trouble: Trouble } {
  const me = guestOf(page).memberId;
  const seated = new Map<string, Seated>([['organizer', { key: 'organizer', name: null, kind: 'organizer' }]]);
  const add = (key: string, name: string | null, kind: Seated['kind']): void => {
    if (key !== me && !seated.has(key)) seated.set(key, { key, name, kind });
  };
  const names = new Map(known.people.map(({ id, displayName }) => [id, displayName]));
  for (const id of form.members) if (names.has(id)) add(id, names.get(id) ?? null, 'member');
  for (const { id, members } of known.channels) {
    if (form.channels.includes(id)) for (const one of members) add(one.id, one.displayName, 'member');
  }
  for (const [index, { phone, name }] of form.phones.entries()) {
    const number = phoneOf(phone, page.http.app.config.sandboxTexts);
    if (number === null) {
      return { trouble: { field: `phone-${index}`, message: page.translator.translate('page.phone_wrong') } };
    }
    add(number, name === '' ? null : name, 'phone');
  }
  for (let n = 1; n <= form.seats; n++) add(`seat-${n}`, null, 'seat');
  return { seated: [...seated.values()] };
}

/** The seats that there are, and as many new ones as are missing. */
async function seatIds({ http }: PageRequest, now: CurrentParty, wanted: number): Promise<string[]> {
  const { db, ids, clock } = http.app;
  const there = seatsOf(now).map(({ id }) => id);
  const missing = Math.max(0, wanted - there.length);
  return [...there.slice(0, wanted), ...(await createSeats(db, { ids, now: clock.now() }, missing))];
}

async function send(
  page: PageRequest,
  place: Place,
  form: PartyForm,
  now: CurrentParty,
  people: readonly Seated[],
  amounts: readonly number[],
): Promise<void> {
  const guest = guestOf(page);
  const seats = await seatIds(page, now, people.filter(({ kind }) => kind === 'seat').length);
  const members: JsonValue[] = [];
  const custom: Record<string, number> = {};
  people.forEach(({ kind, key, name }, index) => {
    const id = kind === 'seat' ? (seats.shift() ?? '') : kind === 'organizer' ? guest.memberId : key;
    if (kind === 'phone') members.push({ phone: key, ...(name === null ? {} : { name }) });
    else members.push({ user_id: id });
    custom[kind === 'organizer' ? 'organizer' : id] = amounts[index] ?? 0;
  });
  const body = { members, split: form.split === 'equal' ? 'equal' : { custom } };
  const organizer = { ...guest, partyVersion: now.version };
  await performForm(page, 'chooseParty', organizer, body, { id: place.checkoutId });
}

/** The operation's own words are for developers; the page says it to people, at the phone it is about. */
function troubleOf(page: PageRequest, problem: Problem, people: readonly Seated[], form: PartyForm): Trouble {
  const place = /^\/members\/(\d+)/.exec(problem.detail.field ?? '')?.[1];
  const person = place === undefined ? undefined : people[Number(place)];
  const { sandboxTexts } = page.http.app.config;
  const row = form.phones.findIndex(({ phone }) => phoneOf(phone, sandboxTexts) === person?.key);
  const key = problem.code === 'not_unique' ? 'page.person_twice' : 'page.party_wrong';
  return { field: row < 0 ? null : `phone-${row}`, message: page.translator.translate(key) };
}
