// The page for choosing the party, in two steps that work without a script: the people, then the amounts. The exact
// amounts are shown before any invite is sent.

import { splitEqually } from '../../base/money.ts';
import { formatList } from '../../base/translations.ts';
import type { Channel, Friend } from '../../domain/members/friend-queries.ts';
import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import { initialOf } from './initials.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import {
  formatAmountInput,
  MAX_TYPED_PEOPLE,
  type PartyEntry,
  type PartyForm,
  type PhoneRow,
  type SplitAmounts,
} from './party-form.ts';
import type { Screen } from './screen.ts';
import { errorAboveForm, type FormError, fieldAttributes, fieldError } from './sign-in-form.ts';
import { amountHtml, deadline, folds, money, sentence, totalBlock } from './summary.ts';
import { textPreview } from './text-preview.ts';

export interface PartyChoiceView {
  readonly step: 'people' | 'split';
  readonly form: PartyForm;
  /** People with a checkbox: the current party or the proposed one, then friends. */
  readonly candidates: readonly Friend[];
  readonly channels: readonly Channel[];
  /** The chosen party, the organizer first; for the second step. */
  readonly people: readonly PartyEntry[];
  readonly amounts: SplitAmounts | null;
  /** Members whose hold this choice releases. */
  readonly released: readonly {
    readonly shareId: string;
    readonly displayName: string | null;
    readonly amount: number;
    readonly isOrganizer: boolean;
  }[];
  readonly formError: FormError | null;
  /** The form is a change of the group that was typed before and not sent. */
  readonly isUnsent: boolean;
  /** The form proposes the group of the organizer's last checkout here, which ended without a charge. */
  readonly isProposed: boolean;
}

const FORM_ID = 'party-form';

export function chooseScreen(page: PageRequest, model: PageModel, choice: PartyChoiceView | null): Screen {
  const step = choice?.step === 'split' ? splitStep : peopleStep;
  return {
    poster: {
      kind: 'compact',
      hasOwnHeading: true,
      ...(choice === null ? {} : { languageForm: { id: FORM_ID, step: choice.step } }),
    },
    main: choice === null ? null : step(page, model, choice),
    hasPartyForm: true,
  };
}

function peopleStep(page: PageRequest, model: PageModel, choice: PartyChoiceView): Html {
  const { translator } = page;
  const { checkout, route } = model;
  const { form, formError } = choice;
  const maxPeople = checkout.party_size;
  return html`<form id="${FORM_ID}" method="post" action="${route.path}/party" class="choose" data-choose data-most="${maxPeople}" data-amount="${checkout.amount}" data-currency="${checkout.currency}" novalidate>
<input type="hidden" name="seen" value="${form.seenVersion}"><input type="hidden" name="proposed" value="${form.proposedSeats}">${typedAmountFields(form)}
<div class="title"><h1>${translator.translate('page.who_is_in')}</h1>
<p class="lead">${translator.translate('page.who_hint', { count: maxPeople })}</p></div>
<div class="panel">${totalBlock(page, model)}</div>
${formNote(page, choice)}${errorAboveForm(formError, ['people', ...form.phones.map((_, index) => `phone-${index}`)])}
${addPeople(page, choice)}
${knownPeople(page, choice)}${groupChats(page, choice)}
<fieldset class="seat-count"><legend>${translator.translate('page.by_link')}</legend>
<label for="seats">${translator.translate('page.open_seats')}</label>
<div class="stepper">${stepButton(page, -1)}<input id="seats" name="seats" type="number" inputmode="numeric" min="0" max="${maxPeople - 1}" value="${form.seats}" aria-describedby="seats-hint">${stepButton(page, 1)}</div>
<p class="hint" id="seats-hint">${translator.translate('page.open_seats_hint')}</p>
</fieldset>
<fieldset class="split"><legend>${translator.translate('page.how_to_split')}</legend>
<div><label class="choice"><input type="radio" name="split" value="equal"${form.split === 'equal' && html` checked`}><span>${translator.translate('page.split_equal')}</span></label>
<label class="choice"><input type="radio" name="split" value="custom"${form.split === 'custom' && html` checked`}><span>${translator.translate('page.split_custom')}</span></label></div>
</fieldset>
<div class="form-bar"><p role="status" data-tally data-template="${translator.translate('page.tally', { people: '{people}', each: '{each}' })}" data-too-many="${translator.translate('page.too_many', { count: maxPeople })}">${tally(page, model, form)}</p>
<button name="do" value="next">${translator.translate('page.see_split')}</button></div>
${keepButton(page, model)}</form>`;
}

/** Deletes what was typed: an abandoned change must not wait for a careless press. */
function keepButton({ translator }: PageRequest, { hasOrganizer }: PageModel): Piece {
  return (
    hasOrganizer &&
    html`<button class="link" name="do" value="keep" formnovalidate>${translator.translate('page.keep_party')}</button>\n`
  );
}

function formNote({ translator }: PageRequest, { isUnsent, isProposed }: PartyChoiceView): Piece {
  const key = isProposed ? 'page.same_group' : 'page.unsent_change';
  return (isUnsent || isProposed) && html`<p class="hint">${translator.translate(key)}</p>\n`;
}

/** How many there are and what each pays. Chats may share members, so with one only the next step knows. */
function tally(page: PageRequest, model: PageModel, form: PartyForm): Piece {
  if (form.channels.length > 0) return null;
  const people = 1 + form.members.length + form.phones.length + form.seats;
  const each = money(page, model, Math.floor(model.checkout.amount / people));
  return page.translator.translate('page.tally', { people, each });
}

/** The script shows it. Without a script the number is typed. */
function stepButton({ translator }: PageRequest, step: -1 | 1): Html {
  const label = translator.translate(step < 0 ? 'page.fewer_seats' : 'page.more_seats');
  return html`<button type="button" class="line" data-step="${step}" aria-label="${label}" hidden>${icon(step < 0 ? 'minus' : 'plus')}</button>`;
}

/** The people who were named by phone, and one box for more: typed, pasted, or from the contacts of the phone. */
function addPeople(page: PageRequest, { form, formError }: PartyChoiceView): Html {
  const { translator } = page;
  const rows = form.phones.map((row, index) => namedPerson(page, row, index, formError));
  return html`<fieldset class="add-people"><legend>${translator.translate('page.add_people')}</legend>
${rows.length > 0 && html`<ul class="named">${rows}</ul>`}
<label for="people">${translator.translate('page.people_box')}</label>
<textarea id="people" name="people" rows="3" maxlength="${MAX_TYPED_PEOPLE}" autocomplete="off" placeholder="Sam +1 415 555 0132"${fieldAttributes(formError, 'people', 'people-hint')}>
${form.typedPeople}</textarea>
${fieldError(formError, 'people')}
<div class="buttons"><button type="button" class="line small" data-contacts hidden>${icon('people')}${translator.translate('page.contacts')}</button><button class="line small" name="do" value="add" formnovalidate>${icon('plus')}${translator.translate('page.add')}</button></div>
<p class="hint" id="people-hint">${translator.translate('page.by_phone_hint')}</p>
</fieldset>`;
}

function namedPerson(page: PageRequest, row: PhoneRow, index: number, formError: FormError | null): Html {
  const { translator } = page;
  const field = `phone-${index}`;
  const name = row.name === '' ? row.phone : row.name;
  return html`<li><input type="hidden" name="name" value="${row.name}"><input type="hidden" name="phone" value="${row.phone}"><span class="face" aria-hidden="true">${initialOf(row.name)}</span><span class="name"><bdi>${name}</bdi>${row.name !== '' && html` <bdi class="state">${row.phone}</bdi>`}</span><button class="remove" name="do" value="remove:${index}" formnovalidate aria-label="${translator.translate('page.remove_from_list', { name })}"${formError?.field === field && html` aria-describedby="${field}-error" data-focus`}>${icon('cross')}</button>${fieldError(formError, field)}</li>
`;
}

function knownPeople({ translator }: PageRequest, { candidates, form }: PartyChoiceView): Piece {
  if (candidates.length === 0) return null;
  const items = candidates.map(({ id, displayName }, index) =>
    pill(
      'member',
      id,
      form.members.includes(id),
      displayName ?? translator.translate('page.guest_n', { n: index + 2 }),
    ),
  );
  return html`<fieldset class="pills-to-pick"><legend>${translator.translate('page.friends')}</legend>
<div>${items}</div></fieldset>
`;
}

function groupChats({ translator, member }: PageRequest, { channels, form }: PartyChoiceView): Piece {
  if (channels.length === 0) return null;
  const items = channels.map(({ id, name, members }) => {
    const others = members.filter((one) => one.id !== member?.id);
    const names = formatList(
      translator.language,
      others.map(({ displayName }) => displayName ?? '…'),
      'short',
    );
    const people = name === null ? translator.translate('page.people', { count: members.length }) : names;
    const label = html`${name ?? names}<small>${people}</small>`;
    return pill('channel', id, form.channels.includes(id), label, html` data-people="${others.length}"`);
  });
  return html`<fieldset class="pills-to-pick"><legend>${translator.translate('page.group_chats')}</legend>
<div>${items}</div></fieldset>
`;
}

/** A checkbox in the form of a pill. */
function pill(field: string, value: string, isChosen: boolean, label: Html | string, more: Piece = null): Html {
  return html`<label class="choice"><input type="checkbox" name="${field}" value="${value}"${more}${isChosen && html` checked`}>${icon('check')}<span>${label}</span></label>\n`;
}

function hiddenField(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

/** Hidden fields, so that the amounts typed in the other step are not lost. */
function typedAmountFields({ amounts }: PartyForm): Piece {
  return Object.entries(amounts).map(([key, value]) => hiddenField(`amount:${key}`, value));
}

/** The choices of the first step as hidden fields. */
function carriedFields({ form }: PartyChoiceView): Piece {
  return [
    hiddenField('seen', form.seenVersion),
    form.split === 'equal' && typedAmountFields(form),
    form.members.map((id) => hiddenField('member', id)),
    form.channels.map((id) => hiddenField('channel', id)),
    form.phones.map(({ name, phone }) => [hiddenField('name', name), hiddenField('phone', phone)]),
    hiddenField('seats', form.seats),
    form.proposedSeats !== null && hiddenField('proposed', form.proposedSeats),
    hiddenField('split', form.split),
  ];
}

function splitStep(page: PageRequest, model: PageModel, choice: PartyChoiceView): Html {
  const { translator } = page;
  const { checkout, route } = model;
  const { people, amounts, form, formError } = choice;
  const [, second] = splitEqually(checkout.amount, people.length);
  const oddCents = checkout.amount - (second ?? checkout.amount) * people.length;
  const left = amounts?.left ?? 0;
  return html`<form id="${FORM_ID}" method="post" action="${route.path}/party" class="choose" data-split data-amount="${checkout.amount}" data-currency="${checkout.currency}" novalidate>
<h1>${translator.translate(form.split === 'equal' ? 'page.check_split' : 'page.set_split')}</h1>
${errorAboveForm(formError, form.split === 'equal' ? [] : people.map(({ key }) => key))}${formNote(page, choice)}${carriedFields(choice)}
<ul class="people plain">
${people.map((person, index) => splitRow(page, model, choice, person, index))}</ul>
${form.split === 'equal' && oddCents > 0 && html`<p class="hint">${translator.translate('page.odd_cents', { amount: money(page, model, oddCents) })}</p>`}
${form.split === 'custom' && html`<p class="line" role="status" data-left data-exact="${translator.translate('page.left_none')}" data-unread="${translator.translate('page.left_unread')}" data-under="${translator.translate('page.left_under', { amount: '{amount}' })}" data-over="${translator.translate('page.left_over', { amount: '{amount}' })}">${remainingLine(page, model, left)}</p>`}
${textedPreview(page, model, choice)}${people.length === 1 && html`<p class="warning">${translator.translate('page.alone_ask', { amount: money(page, model, checkout.amount) })}</p>`}${choice.released.map((one) => releaseLine(page, model, one))}<p>${sentence(page, 'page.before_sending', deadline(page, model))}</p>
<button name="do" value="send" data-send>${translator.translate(model.hasOrganizer ? 'page.send_changes' : people.length > 1 ? 'page.send_invites' : 'page.pay_alone')}</button>
<button class="line" name="do" value="back" formnovalidate>${translator.translate('page.back')}</button>
${keepButton(page, model)}</form>`;
}

/** Before anything is sent: the text that the people with a phone get. */
function textedPreview(page: PageRequest, model: PageModel, { people, amounts }: PartyChoiceView): Piece {
  const index = people.findIndex(({ kind }) => kind === 'phone' || kind === 'member');
  const amount = amounts?.amounts[index] ?? 0;
  return amount > 0 && folds([textPreview(page, model, amount)]);
}

function releaseLine(page: PageRequest, model: PageModel, one: PartyChoiceView['released'][number]): Html {
  const { translator } = page;
  const amount = money(page, model, one.amount);
  const name = one.displayName ?? translator.translate('page.somebody_else');
  const said = one.isOrganizer
    ? translator.translate('page.will_release_yours', { amount })
    : translator.translate('page.will_release', { name, amount });
  return html`<p class="warning"><input type="hidden" name="warned" value="${one.shareId}">${said}</p>
`;
}

export function remainingLine(page: PageRequest, model: PageModel, left: number | null): string {
  const { translator } = page;
  if (left === null) return translator.translate('page.left_unread');
  if (left === 0) return translator.translate('page.left_none');
  return translator.translate(left > 0 ? 'page.left_under' : 'page.left_over', {
    amount: money(page, model, Math.abs(left)),
  });
}

function splitRow(
  page: PageRequest,
  model: PageModel,
  choice: PartyChoiceView,
  person: PartyEntry,
  index: number,
): Html {
  const { translator } = page;
  const name = entryName(page, person, index);
  const amount = choice.amounts?.amounts[index] ?? null;
  if (choice.form.split === 'equal') {
    return html`<li><span class="name">${name}</span> <span class="sum">${amountHtml(page, model, amount ?? 0)}</span></li>\n`;
  }
  const typed = choice.form.amounts[person.key] ?? formatAmountInput(amount ?? 0);
  const isWrong = choice.formError?.field === person.key;
  return html`<li><label class="name" for="amount-${index}">${name}</label> <span class="sum"><input id="amount-${index}" name="amount:${person.key}" inputmode="decimal" autocomplete="off" maxlength="12" value="${typed}" aria-label="${translator.translate('page.amount_of', { name })}"${isWrong && html` aria-invalid="true" aria-describedby="amount-${index}-error" data-focus`}></span>${isWrong && html`<p class="error" id="amount-${index}-error" role="alert">${choice.formError?.message}</p>`}</li>\n`;
}

export function entryName({ translator }: PageRequest, { kind, name }: PartyEntry, index: number): string {
  if (kind === 'organizer') return translator.translate('page.you');
  if (kind === 'seat') return translator.translate('page.open_seat');
  return name ?? translator.translate('page.guest_n', { n: index + 1 });
}
