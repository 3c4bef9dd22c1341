// What the organizer has besides their own share: the link for everybody, each person's own link, covering for somebody or
// for all the rest, and choosing the party again.

import { inviteUrl } from '../../domain/checkouts/party/guest-view.ts';
import { type Html, html, type Piece } from './html.ts';
import { isUnpaid, nameOf, type Scene, type ShareShown } from './page-model.ts';
import type { Visit } from './page-request.ts';
import { money } from './summary.ts';

export function organizerTools(visit: Visit, scene: Scene): Html {
  const { words } = visit;
  const { checkout } = scene;
  const page = `/c/${checkout.id}`;
  const others = checkout.shares.filter((share) => share.id !== scene.myShare?.id && isUnpaid(share));
  const hasSeats = checkout.shares.some(({ is_open_seat }) => is_open_seat);
  const rest = others.reduce((sum, { amount }) => sum + amount, 0);
  return html`<section class="tools" aria-labelledby="tools-title">
<h2 id="tools-title">${words.say('page.organizing')}</h2>
${hasSeats && shareLink(visit, scene)}
${
  others.length > 0 &&
  html`<ul class="others">
${others.map((share) => other(visit, scene, share))}</ul>
`
}<p class="actions">${
    others.length > 1 &&
    html`<a class="button quiet" id="cover-rest" href="${page}?cover=rest">${words.say('page.cover_rest', { amount: money(visit, scene, rest) })}</a> `
  }<a class="button quiet" id="edit-party" href="${page}?edit=party">${words.say('page.change_party')}</a></p>
</section>`;
}

/** Whoever has it and signs in may take one of the open seats. */
function shareLink(visit: Visit, scene: Scene): Html {
  const { words } = visit;
  const url = `${visit.door.urls().checkoutPages}/c/${scene.checkout.id}`;
  return html`<div class="share-link"><label for="share-link">${words.say('page.share_link')}</label>
<input id="share-link" readonly value="${url}">
${copyButtons(visit, scene, url)}</div>`;
}

function copyButtons({ words }: Visit, { checkout }: Scene, url: string): Piece {
  const text = words.say('page.share_text', { what: checkout.description });
  return html`<button type="button" class="quiet" id="copy-link" data-copy="${url}" data-done="${words.say('page.copied')}" hidden>${words.say('page.copy_link')}</button> <button type="button" class="quiet" id="send-link" data-share-url="${url}" data-share-text="${text}" hidden>${words.say('page.send_link')}</button>`;
}

function other(visit: Visit, scene: Scene, share: ShareShown): Html {
  const { words, door } = visit;
  const invite = scene.invites.find(({ shareId }) => shareId === share.id);
  const url = invite === undefined ? null : inviteUrl(door.house.money, share.id, invite.token);
  const name = nameOf(visit, scene, share);
  return html`<li><span class="name">${name}</span> <span class="row">${
    url !== null &&
    html`<button type="button" class="quiet" id="copy-${share.id}" data-copy="${url}" data-done="${words.say('page.copied')}" hidden>${words.say('page.copy_link')}${unseen(name)}</button> `
  }<a class="button quiet" id="cover-${share.id}" href="/c/${scene.checkout.id}?cover=${share.id}">${words.say('page.cover', { amount: money(visit, scene, share.amount) })}${unseen(name)}</a></span></li>
`;
}

/** For those who hear the page: whose button it is. */
function unseen(name: string): Html {
  return html`<span class="unseen"> (${name})</span>`;
}
