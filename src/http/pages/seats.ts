// The seats of a group: progress, guest list and celebration in one row. An open seat is a dashed circle, a waiting one is
// grey, one that is in has a colour and a tick. Never colour alone: each seat says its state to a screen reader.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { countsAsFunded } from '../../domain/checkouts/locked-checkout.ts';
import { type Html, html, type Piece } from './html.ts';
import { type IconName, icon } from './icon.ts';
import { initialOf } from './initials.ts';
import { nameOf, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { amountHtml, fold, money } from './summary.ts';

/** More people do not fit into one row of a phone. */
const MAX_IN_ROW = 7;
const MAX_FACES = 6;
const FACE_COLORS = 6;

export type ShareState = 'in' | 'waiting' | 'open' | 'problem' | 'charged' | 'released' | 'refunded';

export function stateOf(share: GuestShare): ShareState {
  switch (share.status) {
    case 'held':
      return 'in';
    case 'captured':
      return 'charged';
    case 'invited':
      return share.is_open_seat ? 'open' : 'waiting';
    case 'failed':
      return 'problem';
    default:
      return share.status;
  }
}

const MARKS: Partial<Record<ShareState, IconName>> = {
  in: 'check',
  charged: 'check',
  problem: 'cross',
  released: 'back',
  refunded: 'back',
};

/** The class of a seat: released and refunded money was given back. */
export function seatClass(state: ShareState): string {
  return state === 'released' || state === 'refunded' ? 'returned' : state;
}

export function face(page: PageRequest, model: PageModel, share: GuestShare, hasMark = true): Html {
  const state = stateOf(share);
  const mark = MARKS[state];
  const index = model.checkout.shares.indexOf(share) % FACE_COLORS;
  const letter = state === 'open' ? icon('plus') : initialOf(ownName(page, model, share));
  return html`<span class="face f${index}" aria-hidden="true">${letter}${hasMark && mark !== undefined && html`<span class="mark">${icon(mark)}</span>`}</span>`;
}

/** The guest's own face shows the first letter of the guest's name, not of "You". */
function ownName(page: PageRequest, model: PageModel, share: GuestShare): string {
  if (share.id !== model.myShare?.id) return nameOf(page, model, share);
  return share.display_name ?? page.member?.displayName ?? '';
}

/** The row of seats, or many faces and a bar, and below it how many are in. */
export function seatsWithTally(page: PageRequest, model: PageModel, right: Piece = timeLeft(page, model)): Html {
  const { shares } = model.checkout;
  const row =
    shares.length <= MAX_IN_ROW
      ? html`<ul class="seats${shares.length > 5 && ' full'}">${shares.map((share) => seat(page, model, share))}</ul>`
      : html`${facesOfThoseIn(page, model)}${segments(model)}`;
  return html`<div class="group" aria-label="${tallyText(page, model)}" role="group">${row}
<p class="tally"><strong>${tallyText(page, model)}</strong><span>${right}</span></p></div>`;
}

function seat(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const state = stateOf(share);
  const isMine = share.id === model.myShare?.id;
  const name = state === 'open' ? page.translator.translate('page.open') : nameOf(page, model, share);
  const said = state === 'open' ? null : html`<span class="unseen">: ${stateText(page, model, share)}</span>`;
  return html`<li class="seat ${seatClass(state)}${isMine && ' mine'}">${face(page, model, share)}<span class="who"><bdi>${name}</bdi>${said}</span></li>`;
}

/** Overlapping faces of those who are in, and how many more there are. */
export function facesOfThoseIn(page: PageRequest, model: PageModel): Html {
  const those = model.checkout.shares.filter(countsAsFunded);
  const shown = those.slice(0, MAX_FACES);
  return html`<span class="faces">${shown.map((share) => html`<span class="${seatClass(stateOf(share))}">${face(page, model, share, false)}</span>`)}${those.length > shown.length && html`<span class="more"><bdi>+${those.length - shown.length}</bdi></span>`}</span>`;
}

function heldCount({ shares }: PageModel['checkout']): number {
  return shares.filter(countsAsFunded).length;
}

function segments({ checkout }: PageModel): Html {
  const held = heldCount(checkout);
  return html`<div class="segments" aria-hidden="true">${checkout.shares.map((_, index) => html`<span${index < held && html` class="in"`}></span>`)}</div>`;
}

export function tallyText({ translator }: PageRequest, { checkout }: PageModel): string {
  const count = checkout.shares.length;
  const held = heldCount(checkout);
  if (checkout.status === 'completed') {
    const isRefunded = checkout.shares.every(({ status }) => status === 'refunded');
    return translator.translate(isRefunded ? 'page.all_refunded' : 'page.all_in', { count });
  }
  if (isOver(checkout)) {
    const hadPaid = checkout.shares.filter(({ status }) => status !== 'invited' && status !== 'failed').length;
    return translator.translate('page.tally_had_paid', { held: hadPaid, count });
  }
  return translator.translate('page.tally_in', { held, count });
}

function isOver({ status }: PageModel['checkout']): boolean {
  return status === 'expired' || status === 'canceled';
}

/** After the end no share waits: its person had not paid. */
function stateText({ translator }: PageRequest, { checkout }: PageModel, share: GuestShare): string {
  const state = stateOf(share);
  const isUnpaid = state === 'waiting' || state === 'problem';
  return translator.translate(isUnpaid && isOver(checkout) ? 'page.state_unpaid' : `page.state_${state}`);
}

/** What is held of the total. */
export function moneyHeld(page: PageRequest, model: PageModel): string {
  const { funded_amount, amount } = model.checkout;
  return page.translator.translate('page.money_of', {
    funded: money(page, model, funded_amount),
    total: money(page, model, amount),
  });
}

export function timeLeft({ translator }: PageRequest, { checkout }: PageModel): Piece {
  if (checkout.status !== 'open' && checkout.status !== 'collecting') return null;
  return html`<span role="timer" data-countdown="${checkout.pay_by}" data-words="${translator.translate('page.time_left', { time: '{time}' })}"></span>`;
}

/** "Who's in", folded: every person with amount and state. */
export function whosIn(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const { shares } = model.checkout;
  const held = heldCount(model.checkout);
  const count = translator.translate('page.held_of', { held, count: shares.length });
  const beside = html`${facesOfThoseIn(page, model)}<span class="quiet">${count}</span>`;
  return fold('whos-in', translator.translate('page.group'), beside, peopleList(page, model));
}

function peopleList(page: PageRequest, model: PageModel): Html {
  const { shares } = model.checkout;
  const open = shares.filter((share) => stateOf(share) === 'open');
  const amounts = [...new Set(open.map(({ amount }) => amount))];
  return html`<ul class="people">
${shares.filter((share) => !open.includes(share)).map((share) => person(page, model, share))}${amounts.map((each) =>
  openSeats(
    page,
    model,
    open.filter(({ amount }) => amount === each),
    each,
  ),
)}</ul>`;
}

/** Open seats of one amount are one row. The script announces a seat that is taken, so each has its state. */
function openSeats(page: PageRequest, model: PageModel, seats: readonly GuestShare[], amount: number): Html {
  const { translator } = page;
  const count = seats.length;
  const each = money(page, model, amount);
  const sum = count === 1 ? html`<bdi>${each}</bdi>` : translator.translate('page.about_each', { each });
  const states = seats.map((seat) => html`<span hidden${stateData(page, model, seat)}></span>`);
  return html`<li class="open"><span class="face" aria-hidden="true">${icon('plus')}</span><span class="name">${translator.translate('page.seats_open', { count })}${states}</span><span class="sum">${sum}</span></li>
`;
}

function person(page: PageRequest, model: PageModel, share: GuestShare): Html {
  return html`<li class="${seatClass(stateOf(share))}${share.id === model.myShare?.id && ' mine'}"${stateData(page, model, share)}>${face(page, model, share)}${nameAndState(page, model, share)}<span class="sum">${amountHtml(page, model, share.amount)}</span></li>
`;
}

/** For the script: it announces each share whose state has changed. */
export function stateData(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const state = stateOf(share);
  const change = page.translator.translate(`page.state_change_${state}`, { name: nameOf(page, model, share) });
  return html` data-share="${share.id}" data-state="${state}" data-state-change="${change}"`;
}

export function nameAndState(page: PageRequest, model: PageModel, share: GuestShare, more: Piece = null): Html {
  const { translator } = page;
  const covered =
    share.covered_by !== null && ` · ${translator.translate('page.covered_by', { name: share.covered_by })}`;
  return html`<span class="name"><bdi>${nameOf(page, model, share)}</bdi><span class="state">${stateText(page, model, share)}${covered}${more}</span></span>`;
}
