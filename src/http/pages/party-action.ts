// The action of the form that chooses the party: its two steps, its errors, and the operation behind it. The form carries
// the version of the party it was rendered from, so a guest who took a seat in the meantime is not removed.

import type { FastifyReply } from 'fastify';
import { parsePhone } from '../../../schemas/rules/phone.ts';
import { Problem } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json/parse.ts';
import { splitEqually } from '../../base/money.ts';
import { createSeats } from '../../domain/checkouts/party/claim-seat.ts';
import { type DraftKey, deleteDraft, readDraft, saveDraft } from '../../domain/checkouts/party/draft-queries.ts';
import { type CurrentParty, currentParty, type PartyMember } from '../../domain/checkouts/party/invitee.ts';
import { type PreviousParty, previousParty } from '../../domain/checkouts/party/previous-party.ts';
import { MIN_CHARGE } from '../../domain/checkouts/party/split.ts';
import { type Channel, channelsOf, type Friend, friendsOf } from '../../domain/members/friend-queries.ts';
import { type Action, redirectTo, redirectWithError, sendRefusal } from './actions.ts';
import { type PageModel, readPageModel } from './page-model.ts';
import { guestOf, type PageRequest, type PageRoute, performForm } from './page-request.ts';
import { formatAmountInput, type PartyEntry, type PartyForm, readPartyForm, splitAmounts } from './party-form.ts';
import { type PartyChoiceView, remainingLine } from './party-page.ts';
import type { FormError } from './sign-in-form.ts';
import { money } from './summary.ts';
import { namedLines, withTypedPeople } from './typed-people.ts';

const MAX_FRIENDS = 30;
const MAX_CHATS = 10;

interface ChoiceSources {
  readonly current: CurrentParty;
  /** Of a checkout without a party: the group that is proposed; null: there is none. */
  readonly previous: PreviousParty | null;
  /** People in the party, without the organizer and open seats, or in the proposed one; then friends. */
  readonly people: readonly Friend[];
  readonly channels: readonly Channel[];
}

async function readChoiceSources(page: PageRequest, { route, checkout }: PageModel): Promise<ChoiceSources> {
  const { db, seal, clock } = page.http.app;
  const { memberId } = guestOf(page);
  const { venueId, checkoutId } = route;
  const [current, friends, channels] = await Promise.all([
    currentParty(db, venueId, checkoutId),
    friendsOf(db, memberId, MAX_FRIENDS),
    channelsOf(db, memberId, MAX_CHATS),
  ]);
  const organizer = { venueId, mode: checkout.mode, memberId };
  const isNew = current.members.length === 0;
  const previous = isNew ? await previousParty(db, seal, organizer, checkoutId, clock.now()) : null;
  const party = previous?.people ?? current.members.filter(({ isOrganizer, isSeat }) => !isOrganizer && !isSeat);
  const partyIds = new Set(party.map(({ id }) => id));
  return { current, previous, people: [...party, ...friends.filter(({ id }) => !partyIds.has(id))], channels };
}

const seatsOf = ({ members }: CurrentParty): readonly PartyMember[] => members.filter(({ isSeat }) => isSeat);

/** The form key of a member of the current party. */
function keyOf({ members }: CurrentParty, { id, isOrganizer, isSeat }: PartyMember): string {
  if (isOrganizer) return 'organizer';
  return isSeat ? `seat-${members.filter((member) => member.isSeat).findIndex((member) => member.id === id) + 1}` : id;
}

/**
 * The form filled with the current party; without one, every seat of the booking is open. `fixedShareId`: the person of this
 * share gets another number, so the box has the name alone.
 */
function formForParty(sources: ChoiceSources, partySize: number, fixedShareId: string | null): PartyForm {
  const { members, version: seen } = sources.current;
  if (sources.previous !== null) return formForPrevious(sources.previous, partySize, seen);
  const whole = members.reduce((sum, { amount }) => sum + amount, 0);
  const equal = members.length === 0 ? [] : splitEqually(whole, members.length);
  const isEqual = members.every(({ amount }, index) => amount === equal[index]);
  const amounts = members.map((member) => [keyOf(sources.current, member), formatAmountInput(member.amount)]);
  const isNew = members.length === 0;
  const people = members.filter(({ isOrganizer, isSeat }) => !isOrganizer && !isSeat);
  const isFixed = ({ shareId, isHeld }: PartyMember): boolean => shareId === fixedShareId && !isHeld;
  return {
    members: people.filter((member) => !isFixed(member)).map(({ id }) => id),
    channels: [],
    phones: [],
    typedPeople: people
      .filter(isFixed)
      .map(({ displayName }) => `${displayName ?? ''} `)
      .join(''),
    seats: isNew ? partySize - 1 : seatsOf(sources.current).length,
    proposedSeats: isNew ? partySize - 1 : null,
    split: isEqual ? 'equal' : 'custom',
    amounts: isEqual ? {} : Object.fromEntries(amounts),
    seenVersion: seen,
  };
}

/** The same people again, also where there are more than the booking has places: their organizer leaves some out. */
function formForPrevious({ people, openSeats }: PreviousParty, partySize: number, seenVersion: string): PartyForm {
  return {
    members: people.map(({ id }) => id),
    channels: [],
    phones: [],
    typedPeople: '',
    seats: Math.min(openSeats, Math.max(0, partySize - 1 - people.length)),
    proposedSeats: null,
    split: 'equal',
    amounts: {},
    seenVersion,
  };
}

/** What is kept of a form until it is sent. */
interface Draft {
  readonly form: PartyForm;
  readonly step: PartyChoiceView['step'];
}

function draftKey(page: PageRequest, { venueId, checkoutId }: PageRoute): DraftKey {
  return { venueId, checkoutId, memberId: guestOf(page).memberId };
}

async function findDraft(page: PageRequest, route: PageRoute): Promise<Draft | null> {
  const { db, seal, clock } = page.http.app;
  const text = await readDraft(db, seal, draftKey(page, route), clock.now());
  if (text === null) return null;
  const draft = JSON.parse(text) as Draft;
  // A draft of an earlier version of the form has no text of the box.
  return { ...draft, form: { ...draft.form, typedPeople: draft.form.typedPeople ?? '' } };
}

/** The party as the organizer has typed it so far, or as it is. */
export async function currentChoice(
  page: PageRequest,
  model: PageModel,
  formError: FormError | null,
): Promise<PartyChoiceView> {
  const { route } = model;
  const [sources, draft] = await Promise.all([readChoiceSources(page, model), findDraft(page, route)]);
  // A draft of an older party would remove a guest who took a seat since.
  const isStale = model.isOrganizer && draft?.form.seenVersion !== sources.current.version;
  const { fix = null } = page.request.query as { fix?: unknown };
  if (draft === null || isStale || fix !== null) {
    const form = formForParty(sources, model.checkout.party_size, typeof fix === 'string' ? fix : null);
    return choiceView(sources, 'people', form, formError, { isProposed: sources.previous !== null });
  }
  const { form } = draft;
  const people = entriesOf(page, form, sources);
  const isUnsent = model.hasOrganizer && formError === null;
  if (draft.step === 'people' || 'formError' in people)
    return choiceView(sources, 'people', form, formError, { isUnsent });
  const amounts = splitAmounts(form, people.entries, model.checkout.amount);
  const released = holdsReleasedBy(sources.current, people.entries, amounts.amounts);
  return choiceView(sources, 'split', form, formError, { people: people.entries, amounts, released, isUnsent });
}

function choiceView(
  sources: ChoiceSources,
  step: PartyChoiceView['step'],
  form: PartyForm,
  formError: FormError | null,
  more: Partial<PartyChoiceView> = {},
): PartyChoiceView {
  const { people, channels } = sources;
  return {
    step,
    form,
    candidates: people,
    channels,
    people: [],
    released: [],
    isUnsent: false,
    isProposed: false,
    amounts: null,
    formError,
    ...more,
  };
}

/** The step of the form and the language that was chosen in its head: what was typed is kept. */
const LANGUAGE_CHANGE = /^(people|split) ([a-z]{2})$/;

export const chooseParty: Action = async (page, route, typed) => {
  const model = await readPageModel(page, route);
  const sources = await readChoiceSources(page, model);
  // Checked before anything is shown or written: only the organizer may see the people of a party and their names.
  if (sources.current.members.length > 0 && !model.isOrganizer)
    return sendRefusal(page, route, new Problem('not_organizer'));
  const button = typed.get('do') ?? '';
  const { phones } = page.http.app.services;
  const entered = withoutRow(withTypedPeople(readPartyForm(typed), phones), button);
  const form = withRoomForPeople(page, entered, sources, model.checkout.party_size);
  const { db, seal, clock } = page.http.app;
  const path = model.checkout.status === 'open' ? route.path : `/c/${route.checkoutId}?edit=party`;
  const keep = async (draft: Draft, error: FormError | null): Promise<FastifyReply> => {
    await saveDraft(db, seal, draftKey(page, route), JSON.stringify(draft), clock.now());
    return error === null ? redirectTo(page, path) : redirectWithError(page, route, error, path);
  };
  const first = (error: FormError | null): Promise<FastifyReply> => keep({ form, step: 'people' }, error);
  if (button === 'keep') {
    await deleteDraft(db, draftKey(page, route));
    return redirectTo(page, `/c/${route.checkoutId}`);
  }
  if (form.seenVersion !== sources.current.version && model.isOrganizer) {
    await deleteDraft(db, draftKey(page, route));
    return redirectWithError(
      page,
      route,
      { field: null, message: page.translator.translate('page.party_changed') },
      path,
    );
  }
  const language = LANGUAGE_CHANGE.exec(typed.get('language') ?? '');
  if (language !== null) {
    const step = language[1] === 'split' ? 'split' : 'people';
    await saveDraft(db, seal, draftKey(page, route), JSON.stringify({ form, step }), clock.now());
    return redirectTo(page, `${path}${path.includes('?') ? '&' : '?'}locale=${language[2]}`);
  }
  if (button === 'back' || button.startsWith(REMOVE)) return first(null);
  if (form.typedPeople !== '') {
    const lines = namedLines(form.typedPeople);
    return first({ field: 'people', message: page.translator.translate('page.lines_wrong', { lines }) });
  }
  const people = entriesOf(page, form, sources);
  if ('formError' in people) return first(people.formError);
  if (people.entries.length > model.checkout.party_size) {
    const message = page.translator.translate('page.too_many', { count: model.checkout.party_size });
    return first({ field: null, message });
  }
  if (button === 'add') return first(null);
  const amounts = splitAmounts(form, people.entries, model.checkout.amount);
  const second = (error: FormError | null): Promise<FastifyReply> => keep({ form, step: 'split' }, error);
  if (button !== 'send') return second(null);
  const wrong = amountError(page, model, people.entries, amounts.amounts, amounts.left);
  if (wrong !== null) return second(wrong);
  // An amount may have been typed after the page named the holds that are released: then it names them once more.
  const warned = typed.getAll('warned');
  const released = holdsReleasedBy(sources.current, people.entries, amounts.amounts);
  if (released.some(({ shareId }) => !warned.includes(shareId)))
    return second({ field: null, message: page.translator.translate('page.check_releases') });
  try {
    await submitParty(page, route, form, sources, people.entries, amounts.amounts as readonly number[]);
    await deleteDraft(db, draftKey(page, route));
    return redirectTo(page, `/c/${route.checkoutId}`);
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') {
      return first({ field: null, message: page.translator.translate('page.too_many_invited') });
    }
    if (!(error instanceof Problem) || error.status !== 422) return sendRefusal(page, route, error);
    return first(formErrorFor(page, error, people.entries, form));
  }
};

/** The value of a button that removes a row begins with it; the number of the row follows. */
const REMOVE = 'remove:';

function withoutRow(form: PartyForm, button: string): PartyForm {
  if (!button.startsWith(REMOVE)) return form;
  const removed = Number(button.slice(REMOVE.length));
  return { ...form, phones: form.phones.filter((_, index) => index !== removed) };
}

/** As long as the open seats are the proposed ones, they are as many as the named people leave. */
function withRoomForPeople(page: PageRequest, form: PartyForm, sources: ChoiceSources, partySize: number): PartyForm {
  if (form.proposedSeats === null || form.seats !== form.proposedSeats) return form;
  const people = entriesOf(page, { ...form, seats: 0 }, sources);
  if ('formError' in people) return form;
  const seats = Math.max(0, partySize - people.entries.length);
  return { ...form, seats, proposedSeats: seats };
}

/** Members whose hold this choice releases, because they are removed or their amount changes. */
function holdsReleasedBy(
  current: CurrentParty,
  people: readonly PartyEntry[],
  amounts: readonly (number | null)[],
): readonly PartyMember[] {
  const next = new Map(people.map(({ key }, index) => [key, amounts[index] ?? null]));
  return current.members.filter(
    (member) => member.isHeld && member.amount > 0 && next.get(keyOf(current, member)) !== member.amount,
  );
}

function amountError(
  page: PageRequest,
  model: PageModel,
  people: readonly PartyEntry[],
  amounts: readonly (number | null)[],
  left: number | null,
): FormError | null {
  const unread = amounts.indexOf(null);
  if (unread >= 0)
    return { field: people[unread]?.key ?? null, message: page.translator.translate('page.amount_wrong') };
  const small = amounts.findIndex((amount) => amount !== null && amount > 0 && amount < MIN_CHARGE);
  if (small >= 0) {
    const message = page.translator.translate('page.amount_small', { amount: money(page, model, MIN_CHARGE) });
    return { field: people[small]?.key ?? null, message };
  }
  return left === 0 ? null : { field: null, message: remainingLine(page, model, left) };
}

/** Each person once, the organizer first, in the order of the form. */
function entriesOf(
  page: PageRequest,
  form: PartyForm,
  sources: ChoiceSources,
): { readonly entries: readonly PartyEntry[] } | { readonly formError: FormError } {
  const me = guestOf(page).memberId;
  const entries = new Map<string, PartyEntry>([['organizer', { key: 'organizer', name: null, kind: 'organizer' }]]);
  const add = (key: string, name: string | null, kind: PartyEntry['kind']): void => {
    if (key !== me && !entries.has(key)) entries.set(key, { key, name, kind });
  };
  const names = new Map(sources.people.map(({ id, displayName }) => [id, displayName]));
  // A person who was proposed and is no more: without this their seat would open unseen.
  if (form.members.some((id) => !names.has(id)))
    return { formError: { field: null, message: page.translator.translate('page.party_changed') } };
  for (const id of form.members) add(id, names.get(id) ?? null, 'member');
  for (const { id, members } of sources.channels) {
    if (form.channels.includes(id)) for (const member of members) add(member.id, member.displayName, 'member');
  }
  for (const [index, { phone, name }] of form.phones.entries()) {
    const number = parsePhone(phone, page.http.app.services.phones);
    if (number === null) {
      return { formError: { field: `phone-${index}`, message: page.translator.translate('page.phone_wrong') } };
    }
    // Two rows with one number are a mistake of typing: one of the two would be left out unseen.
    if (entries.has(number)) {
      return { formError: { field: `phone-${index}`, message: page.translator.translate('page.person_twice') } };
    }
    add(number, name === '' ? null : name, 'phone');
  }
  for (let n = 1; n <= form.seats; n++) add(`seat-${n}`, null, 'seat');
  return { entries: [...entries.values()] };
}

/** The existing seats, and new ones up to the wanted number. */
async function seatIds({ http }: PageRequest, current: CurrentParty, wanted: number): Promise<string[]> {
  const { db, ids, clock } = http.app;
  const existing = seatsOf(current).map(({ id }) => id);
  const missing = Math.max(0, wanted - existing.length);
  return [...existing.slice(0, wanted), ...(await createSeats(db, { ids, now: clock.now() }, missing))];
}

async function submitParty(
  page: PageRequest,
  route: PageRoute,
  form: PartyForm,
  { current, previous }: ChoiceSources,
  people: readonly PartyEntry[],
  amounts: readonly number[],
): Promise<void> {
  const guest = guestOf(page);
  const seats = await seatIds(page, current, people.filter(({ kind }) => kind === 'seat').length);
  const members: JsonValue[] = [];
  const custom: Record<string, number> = {};
  people.forEach(({ kind, key, name }, index) => {
    const named = previous?.phones.get(key) ?? (kind === 'phone' ? { phone: key, name } : null);
    const id = kind === 'seat' ? (seats.shift() ?? '') : kind === 'organizer' ? guest.memberId : (named?.phone ?? key);
    if (named === null) members.push({ user_id: id });
    else members.push({ phone: named.phone, ...(named.name === null ? {} : { name: named.name }) });
    custom[kind === 'organizer' ? 'organizer' : id] = amounts[index] ?? 0;
  });
  const body = { members, split: form.split === 'equal' ? 'equal' : { custom } };
  await performForm(page, 'chooseParty', guest, {
    body,
    params: { id: route.checkoutId },
    expectedVersion: current.version,
  });
}

/** The operation's message is for developers. The page shows a translated one beside the phone that caused it. */
function formErrorFor(page: PageRequest, problem: Problem, people: readonly PartyEntry[], form: PartyForm): FormError {
  const index = /^\/members\/(\d+)/.exec(problem.detail.field ?? '')?.[1];
  const person = index === undefined ? undefined : people[Number(index)];
  const { phones } = page.http.app.services;
  const row = form.phones.findIndex(({ phone }) => parsePhone(phone, phones) === person?.key);
  const isName = /^\/members\/\d+\/name$/.test(problem.detail.field ?? '');
  const key = isName ? 'page.name_wrong' : problem.code === 'not_unique' ? 'page.person_twice' : 'page.party_wrong';
  return { field: row < 0 ? null : `phone-${row}`, message: page.translator.translate(key) };
}
