// The organizer's tools: the link for open seats, each person's own link, covering one share or all the rest, and changing
// the party.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { inviteUrl } from '../../domain/checkouts/guests/invite-url.ts';
import { isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { type Html, html, type Piece } from './html.ts';
import { canTakeCard, nameOf, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { money } from './summary.ts';

export function organizerTools(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const { checkout } = model;
  const path = `/c/${checkout.id}`;
  const others = checkout.shares.filter((share) => share.id !== model.myShare?.id && canTakeCard(share));
  const unpaid = others.filter(isUnpaid);
  const hasSeats = checkout.shares.some(({ is_open_seat }) => is_open_seat);
  const rest = unpaid.reduce((sum, { amount }) => sum + amount, 0);
  return html`<section class="tools" aria-labelledby="tools-title">
<h2 id="tools-title">${translator.translate('page.organizing')}</h2>
${hasSeats && shareLink(page, model)}
${
  others.length > 0 &&
  html`<ul class="others">
${others.map((share) => otherShare(page, model, share))}</ul>
`
}<p class="actions">${
    unpaid.length > 1 &&
    html`<a class="button quiet" id="cover-rest" href="${path}?cover=rest">${translator.translate('page.cover_rest', { amount: money(page, model, rest) })}</a> `
  }<a class="button quiet" id="edit-party" href="${path}?edit=party">${translator.translate('page.change_party')}</a></p>
</section>`;
}

/** A guest who opens this link and signs in may take an open seat. */
function shareLink(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const url = `${page.http.urls().checkoutPages}/c/${model.checkout.id}`;
  return html`<div class="share-link"><label for="share-link">${translator.translate('page.share_link')}</label>
<input id="share-link" readonly value="${url}">
${copyButtons(page, model, url)}</div>`;
}

function copyButtons({ translator }: PageRequest, { checkout }: PageModel, url: string): Piece {
  const text = translator.translate('page.share_text', { what: checkout.description });
  return html`<button type="button" class="quiet" id="copy-link" data-copy="${url}" data-done="${translator.translate('page.copied')}" hidden>${translator.translate('page.copy_link')}</button> <button type="button" class="quiet" id="send-link" data-share-url="${url}" data-share-text="${text}" hidden>${translator.translate('page.send_link')}</button>`;
}

function otherShare(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const { translator, http } = page;
  const invite = model.invites.find(({ shareId }) => shareId === share.id);
  const url = invite === undefined ? null : inviteUrl(http.app.services, share.id, invite.token);
  const name = nameOf(page, model, share);
  const why = share.renew_by !== null && html` <small>${translator.translate('page.renewal_other')}</small>`;
  return html`<li><span class="name">${name}${why}</span> <span class="row">${
    url !== null &&
    html`<button type="button" class="quiet" id="copy-${share.id}" data-copy="${url}" data-done="${translator.translate('page.copied')}" hidden>${translator.translate('page.copy_link')}${unseen(name)}</button> `
  }<a class="button quiet" id="cover-${share.id}" href="/c/${model.checkout.id}?cover=${share.id}">${translator.translate('page.cover', { amount: money(page, model, share.amount) })}${unseen(name)}</a></span></li>
`;
}

/** Tells a screen reader whose button it is. */
function unseen(name: string): Html {
  return html`<span class="unseen"> (${name})</span>`;
}
