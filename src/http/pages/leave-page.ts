// Leaving the group: the page that asks once before a guest says no or gives up a held place, the one that asks the
// organizer before a guest is removed, and what a guest sees who has left. All work without a script.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { type LeaveState, leaveState } from '../../domain/checkouts/party/decide-leave.ts';
import { type Html, html, type Piece } from './html.ts';
import { initialOf } from './initials.ts';
import { nameOf, organizerName, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import type { Screen } from './screen.ts';
import { seatsWithTally } from './seats.ts';
import { money, notice, releasedPanel } from './summary.ts';

/** Leads to the page that asks. The organizer's own share cannot leave. */
export function leaveLink({ translator }: PageRequest, { route }: PageModel, share: GuestShare): Piece {
  if (share.is_organizer || share.is_open_seat) return null;
  const text = translator.translate(leaveState(share) === 'held' ? 'page.leave_held' : 'page.leave');
  return html`<p class="aside"><a id="leave" href="${route.path}?leave=own">${text}</a></p>`;
}

/** The share that a visitor can say no to: their own, or the one of the opened invite as long as no card is held. */
export function shareToLeave(page: PageRequest, { checkout, myShare, invitee }: PageModel): GuestShare | null {
  if (checkout.status !== 'collecting') return null;
  if (page.member !== null) return myShare === null || myShare.is_organizer ? null : myShare;
  const invited = checkout.shares.find(({ id }) => id === invitee?.shareId);
  const isFree = invited === undefined || invited.is_organizer || invited.is_open_seat;
  return isFree || !(isUnpaid(invited) || invited.amount === 0) ? null : invited;
}

export function leaveScreen(page: PageRequest, model: PageModel, share: GuestShare): Screen {
  const { translator } = page;
  const { path } = model.route;
  const amount = money(page, model, share.amount);
  const state = leaveState(share);
  const isOwnHold = state === 'held' && share.covered_by === null;
  const text =
    state === 'unpaid'
      ? translator.translate('page.leave_text', { name: organizerName(page, model) })
      : isOwnHold
        ? translator.translate('page.leave_held_text', { amount })
        : translator.translate('page.leave_covered_text', { amount, payer: share.covered_by ?? '' });
  return question(page, model, {
    title: translator.translate(isOwnHold ? 'page.leave_held_title' : 'page.leave_title'),
    text,
    action: `${path}/leave`,
    share,
    state,
    button: translator.translate(isOwnHold ? 'page.leave_held_button' : 'page.leave_button'),
    back: { path, text: translator.translate('page.leave_keep') },
  });
}

/** The person whom the organizer wants to remove; null: there is no such person in the party. */
export function shareToRemove({ checkout, isOrganizer }: PageModel, id: string): GuestShare | null {
  if (!isOrganizer || checkout.status !== 'collecting') return null;
  return checkout.shares.find((share) => share.id === id && canRemove(share)) ?? null;
}

const canRemove = (share: GuestShare): boolean => !share.is_organizer && !share.is_open_seat;

export function removeScreen(page: PageRequest, model: PageModel, share: GuestShare): Screen {
  const { translator } = page;
  const path = `/c/${model.checkout.id}`;
  const amount = money(page, model, share.amount);
  const state = leaveState(share);
  const key = state === 'unpaid' ? '' : share.covered_by === null ? 'held_' : 'covered_';
  const title = translator.translate('page.remove_title', { name: nameOf(page, model, share) });
  return question(page, model, {
    title,
    text: translator.translate(`page.remove_${key}text`, { amount }),
    action: `${path}/remove`,
    share,
    state,
    button: translator.translate('page.remove'),
    back: { path, text: translator.translate('page.back') },
  });
}

interface Question {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly share: GuestShare;
  readonly state: LeaveState;
  readonly button: string;
  readonly back: { readonly path: string; readonly text: string };
}

/** The form carries what the page has said: if a card was held since, the server asks again. */
function question(page: PageRequest, model: PageModel, asked: Question): Screen {
  const { title, text, action, share, state, button, back } = asked;
  return {
    poster: { kind: 'compact', hasOwnHeading: true },
    main: [
      html`<div class="title"><h1>${title}</h1>
<p class="lead">${text}</p></div>`,
      html`<form method="post" action="${action}" class="card question"><input type="hidden" name="share" value="${share.id}"><input type="hidden" name="seen" value="${state}"><button>${button}</button>
<a class="button line" href="${back.path}">${back.text}</a></form>`,
      html`<div class="narrow">${seatsWithTally(page, model)}</div>`,
    ],
  };
}

export function removeLink(page: PageRequest, model: PageModel, share: GuestShare, whose: Piece): Piece {
  if (!canRemove(share)) return null;
  const text = page.translator.translate('page.remove');
  return html`<a id="remove-${share.id}" href="/c/${model.checkout.id}?remove=${share.id}">${text}${whose}</a>`;
}

/** For the organizer's list: who said no, below the seats that they left. */
export function declinedRows({ translator }: PageRequest, { declined }: PageModel): Piece {
  return declined.map((declinedName) => {
    const name = declinedName ?? translator.translate('page.nameless');
    return html`<li class="left"><span class="face" aria-hidden="true">${initialOf(name)}</span><span class="name"><bdi>${name}</bdi><span class="state">${translator.translate('page.state_left')}</span></span></li>
`;
  });
}

/** The visitor said no: signed in, or by the opened invite. */
export function hasDeclined({ member }: PageRequest, { left, invitee }: PageModel): boolean {
  return member === null ? invitee?.hasDeclined === true : left?.reason === 'declined';
}

/** What a guest reads who said no. A seat may still be free. */
export function leftNotice(page: PageRequest, model: PageModel, hasSeat: boolean): Html {
  const { translator } = page;
  const text = hasSeat
    ? translator.translate('page.left_text')
    : translator.translate('page.left_full', { name: organizerName(page, model) });
  return html`${notice(translator.translate('page.left_title'), text)}${releasedAmount(page, model)}`;
}

/** What a guest reads whom the organizer has left out or removed. */
export function droppedNotice(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const text = translator.translate('page.dropped_text', { name: organizerName(page, model) });
  return html`${notice(translator.translate('page.dropped_title'), text)}${releasedAmount(page, model)}`;
}

function releasedAmount(page: PageRequest, model: PageModel): Piece {
  const released = model.left?.releasedAmount ?? 0;
  return released > 0 && releasedPanel(page, model, released);
}
