// The organizer's page while the group pays: the link to share, each person with state and what can be done, covering one
// share or all the rest, and changing the party. The own share is paid on a page of its own.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { inviteUrl } from '../../domain/checkouts/guests/invite-url.ts';
import { countsAsFunded, isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { deliveryHelp, deliveryLine, remindForm } from './delivery.ts';
import { type Html, html, type Piece } from './html.ts';
import { declinedRows, removeLink } from './leave-page.ts';
import { canTakeCard, nameOf, needsOtherCard, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import type { Screen } from './screen.ts';
import { face, moneyHeld, nameAndState, seatClass, stateData, stateOf, tallyText } from './seats.ts';
import { copyButton, linkPanel } from './share-link.ts';
import { aboutHolds, amountHtml, deadline, folds, money, sentence, shareProblem } from './summary.ts';
import { textPreview } from './text-preview.ts';

export function inviteScreen(page: PageRequest, model: PageModel, above: Piece): Screen {
  const { translator } = page;
  const { checkout } = model;
  const path = `/c/${checkout.id}`;
  const hasSeats = checkout.shares.some(({ is_open_seat }) => is_open_seat);
  const unpaid = checkout.shares.filter((share) => share.id !== model.myShare?.id && isUnpaid(share));
  const invited = unpaid.find(({ is_open_seat }) => !is_open_seat);
  const rest = unpaid.reduce((sum, { amount }) => sum + amount, 0);
  const count = checkout.shares.length;
  const isAlone = count === 1;
  return {
    poster: { kind: 'compact', hasOwnHeading: true },
    main: [
      above,
      html`<div class="title"><h1>${translator.translate(hasSeats ? 'page.link_ready' : isAlone ? 'page.alone_title' : 'page.invites_sent')}</h1>
<p class="lead">${translator.translate(hasSeats ? 'page.link_ready_text' : isAlone ? 'page.alone_text' : 'page.invites_sent_text', { count })}</p>
<p class="quiet">${sentence(page, 'page.promise_else', deadline(page, model))}</p></div>`,
      hasSeats && linkPanel(page, model),
      unpaid.length > 0 && folds([textPreview(page, model, invited?.amount ?? null)]),
      shareProblem(page, model, model.myShare),
      html`<section class="tools" aria-labelledby="tools-title"><h2 id="tools-title">${translator.translate('page.organizing')}</h2>
<p class="tally"><strong>${tallyText(page, model)}</strong><span>${moneyHeld(page, model)}</span></p>
<ul class="people">
${sortedShares(model).map((share) => personRow(page, model, share))}${openSeatsRow(page, model)}${declinedRows(page, model)}</ul>
<div class="buttons stack">${
        unpaid.length > 1 &&
        model.isVenuePayable &&
        html`<a class="button line" id="cover-rest" href="${path}?cover=rest">${translator.translate('page.cover_rest', { amount: money(page, model, rest) })}</a>`
      }<a class="button line" id="edit-party" href="${path}?edit=party">${translator.translate('page.change_party')}</a></div>
</section>`,
      folds([aboutHolds(page)]),
    ],
    bar: ownShareBar(page, model),
    shouldPoll: true,
  };
}

/** You first, then who needs help, who waits and who is in. Open seats are one row after them. */
function sortedShares({ checkout, myShare }: PageModel): readonly GuestShare[] {
  const rank = (share: GuestShare): number => {
    if (share.id === myShare?.id) return 0;
    if (share.status === 'failed' || share.renew_by !== null) return 1;
    return share.status === 'invited' ? 2 : 3;
  };
  return checkout.shares.filter(({ is_open_seat }) => !is_open_seat).sort((a, b) => rank(a) - rank(b));
}

function ownShareBar(page: PageRequest, model: PageModel): Piece {
  const { translator } = page;
  const { myShare: share, checkout } = model;
  if (share === null || !model.isVenuePayable || !(isUnpaid(share) || needsOtherCard(share))) return null;
  const amount = money(page, model, share.amount);
  return html`<section class="bar" id="own-share" aria-label="${translator.translate('page.your_own_share')}"><p>${translator.translate('page.your_own_share')}<strong><bdi>${amount}</bdi></strong></p><a class="button" href="/c/${checkout.id}?pay=own">${translator.translate('page.hold_amount', { amount })}</a></section>
`;
}

function personRow(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const { translator, http } = page;
  const isMine = share.id === model.myShare?.id;
  const invite = model.invites.find(({ shareId }) => shareId === share.id);
  const url =
    invite === undefined || isMine || countsAsFunded(share)
      ? null
      : inviteUrl(http.app.services, share.id, invite.token);
  const name = nameOf(page, model, share);
  const canCover = !isMine && canTakeCard(share) && model.isVenuePayable;
  const why = share.renew_by !== null && html` &middot; ${translator.translate('page.renewal_other')}`;
  return html`<li class="${seatClass(stateOf(share))}${isMine && ' mine'}" id="person-${share.id}"${stateData(page, model, share)}>${face(page, model, share)}${nameAndState(page, model, share, [html` &middot; <span class="sum">${amountHtml(page, model, share.amount)}</span>`, why, deliveryLine(page, model, share)])}${remindForm(page, model, share, unseen(name))}<span class="row">${
    canCover &&
    html`<a class="button line small" id="cover-${share.id}" href="/c/${model.checkout.id}?cover=${share.id}">${translator.translate('page.cover', { amount: money(page, model, share.amount) })}${unseen(name)}</a>`
  }${url !== null && copyButton(page, url, `copy-${share.id}`, 'soft', unseen(name))}${removeLink(page, model, share, unseen(name))}</span>${deliveryHelp(page, model, share, url)}</li>
`;
}

/** All open seats in one row: one link serves them all. */
function openSeatsRow(page: PageRequest, model: PageModel): Piece {
  const { translator } = page;
  const seats = model.checkout.shares.filter(({ is_open_seat }) => is_open_seat);
  const [seat] = seats;
  if (seat === undefined) return null;
  return html`<li class="open">${face(page, model, seat)}<span class="name">${translator.translate('page.seats_open', { count: seats.length })}<span class="state">${translator.translate('page.seats_link')}</span></span><span class="row">${
    model.isVenuePayable &&
    seats.length === 1 &&
    html`<a class="button line small" id="cover-${seat.id}" href="/c/${model.checkout.id}?cover=${seat.id}">${translator.translate('page.cover', { amount: money(page, model, seat.amount) })}${unseen(translator.translate('page.open_seat'))}</a>`
  }</span></li>
`;
}

/** Tells a screen reader whose button it is. */
function unseen(name: string): Html {
  return html`<span class="unseen"> (${name})</span>`;
}
