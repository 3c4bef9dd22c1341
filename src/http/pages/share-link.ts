// The link that a group shares: a guest who opens it and signs in may take an open seat.

import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';

export function groupLink({ http }: PageRequest, { checkout }: PageModel): string {
  return `${http.urls().checkoutPages}/c/${checkout.id}`;
}

/** The link as a field, so that it can be copied without a script too. */
export function linkField(page: PageRequest, model: PageModel): Html {
  return html`<div class="link-field">${icon('link')}<input id="share-link" readonly value="${groupLink(page, model)}" aria-label="${page.translator.translate('page.share_link')}"></div>`;
}

/** The script shows the buttons that the browser can do. */
export function linkButtons(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const url = groupLink(page, model);
  const text = translator.translate('page.share_text', { what: model.checkout.description });
  return html`<div class="buttons"><button type="button" id="send-link" data-share-url="${url}" data-share-text="${text}" hidden>${icon('share')}${translator.translate('page.send_link')}</button>${copyButton(page, url, 'copy-link', 'line')}</div>`;
}

export function copyButton(
  { translator }: PageRequest,
  url: string,
  id: string,
  look: string,
  whose: Piece = null,
): Html {
  return html`<button type="button" class="${look}" id="${id}" data-copy="${url}" data-done="${translator.translate('page.copied')}" hidden>${icon('copy')}<span>${translator.translate('page.copy_link')}</span>${whose}</button>`;
}
