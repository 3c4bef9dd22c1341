// The link that a group shares: a guest who opens it and signs in may take an open seat.

import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { qrCode } from './qr-code.ts';

export function groupLink({ http }: PageRequest, { checkout }: PageModel): string {
  return `${http.urls().checkoutPages}/c/${checkout.id}`;
}

/** The link as a field, so that it can be copied without a script too. */
function linkField(page: PageRequest, model: PageModel): Html {
  return html`<div class="link-field">${icon('link')}<input id="share-link" readonly value="${groupLink(page, model)}" aria-label="${page.translator.translate('page.share_link')}"></div>`;
}

/** What the share sheet sends with the link. */
export function shareText({ translator }: PageRequest, { checkout }: PageModel): string {
  return translator.translate('page.share_text', { what: checkout.description });
}

/** The link with everything that can be done with it. The QR code is folded on a phone. */
export function linkPanel(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const code = qrCode(groupLink(page, model), translator.translate('page.qr_label'));
  return html`<div class="link-panel">${linkField(page, model)}
${linkButtons(page, model)}
<details class="qr"><summary class="button line" id="qr-code">${icon('qr')}${translator.translate('page.qr_code')}</summary><div>${code}<p>${translator.translate('page.qr_scan')}</p></div></details></div>`;
}

/** The script shows the buttons that the browser can do. */
export function linkButtons(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const url = groupLink(page, model);
  const text = shareText(page, model);
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
