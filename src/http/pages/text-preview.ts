// What a guest gets: the text of the invite as it is sent, in the organizer's language, or for open seats the message that
// the organizer shares. The link of an invite is shortened: it is for its guest alone.

import { type MessageFacts, textOf } from '../../domain/checkouts/notifications/message-text.ts';
import { type Html, html } from './html.ts';
import { icon } from './icon.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { groupLink, shareText } from './share-link.ts';

/** `invitedAmount`: what one of the invited guests pays; null: none is invited by text, the group shares a link. */
export function textPreview(page: PageRequest, model: PageModel, invitedAmount: number | null): Html {
  const { translator, http } = page;
  const { checkout } = model;
  const { checkoutPages } = http.urls();
  const text =
    invitedAmount === null
      ? `${shareText(page, model)} ${groupLink(page, model)}`
      : textOf('text.invite', translator.language, factsOf(page, model), {
          amount: invitedAmount,
          link: `${checkoutPages}/s/…`,
        });
  return html`<details class="text-preview"><summary id="text-preview"><span>${translator.translate('page.what_they_get')}</span>${icon('chevron')}</summary>
<div><p class="bubble">${text}</p>
<div class="bubble link-card"><img src="/c/${checkout.id}/preview.jpg" alt="" loading="lazy" width="1200" height="630"><p><strong>${checkout.description}</strong><br>${checkout.venue.name}<br><small>${new URL(checkoutPages).host}</small></p></div></div></details>`;
}

function factsOf(page: PageRequest, { checkout, timezone: zone }: PageModel): MessageFacts {
  const organizer = checkout.shares.find(({ is_organizer }) => is_organizer)?.display_name;
  return {
    description: checkout.description,
    venue: checkout.venue.name,
    zone,
    organizer: organizer ?? page.member?.displayName ?? null,
    currency: checkout.currency,
    payBy: Date.parse(checkout.pay_by),
  };
}
