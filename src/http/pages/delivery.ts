// What the organizer reads about each invite: when it was texted, reminded or opened, and what to do when a text could not be
// delivered. Other guests never see it, and it never holds a phone.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { formatAge } from '../../base/translations.ts';
import { isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { MIN_REMINDER_GAP_MS } from '../../domain/checkouts/notifications/decide-reminder.ts';
import { type InviteProgress, inviteProgress } from '../../domain/checkouts/notifications/invite-progress.ts';
import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import { nameOf, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { sentence, timeHtml } from './summary.ts';

const MINUTE = 60_000;

/** Null: the share needs no text any more, or nothing is known of its invite. */
function progressOf(model: PageModel, share: GuestShare): InviteProgress | null {
  const facts = model.inviteFacts.get(share.id);
  return facts === undefined || !isUnpaid(share) || share.is_open_seat ? null : inviteProgress(facts);
}

/** The line below a person's state. */
export function deliveryLine(page: PageRequest, model: PageModel, share: GuestShare): Piece {
  const progress = progressOf(model, share);
  if (progress?.state === 'undelivered')
    return html`<span class="delivery undelivered">${icon('alert')}${page.translator.translate('page.undelivered')}</span>`;
  const remindedAt = remindedAtIfTooSoon(page, model, share);
  if (remindedAt !== null && progress?.state !== 'queued') {
    return html`<span class="delivery">${age(page, 'page.reminded', remindedAt)}. ${againText(page, remindedAt)}</span>`;
  }
  if (progress === null) return null;
  const { state, at } = progress;
  return html`<span class="delivery">${state === 'queued' ? queuedText(page, model, at) : age(page, `page.${state}`, at)}</span>`;
}

/** When the guest was reminded, if that is less than three hours ago: until then no further reminder is sent. */
function remindedAtIfTooSoon({ http }: PageRequest, { inviteFacts }: PageModel, share: GuestShare): number | null {
  const remindedAt = inviteFacts.get(share.id)?.remindedAt ?? null;
  if (remindedAt === null || !isUnpaid(share)) return null;
  return http.app.clock.now() < remindedAt + MIN_REMINDER_GAP_MS ? remindedAt : null;
}

function againText({ translator, http }: PageRequest, remindedAt: number): string {
  const now = http.app.clock.now();
  const at = Math.max(remindedAt + MIN_REMINDER_GAP_MS, now + MINUTE);
  return translator.translate('page.remind_again', { when: formatAge(translator.language, at, now, 'long') ?? '' });
}

/**
 * The button rests after a reminder, by the organizer or by the service, so that no guest gets many. Where the last text was
 * not delivered, another one does not help: the row has the link and the number to change instead.
 */
export function remindForm(page: PageRequest, model: PageModel, share: GuestShare, whose: Piece): Piece {
  const isOther = share.id !== model.myShare?.id && !share.is_open_seat;
  if (!isOther || !isUnpaid(share) || remindedAtIfTooSoon(page, model, share) !== null) return null;
  if (progressOf(model, share)?.state === 'undelivered') return null;
  return html`<form method="post" action="/c/${model.checkout.id}/remind" class="remind"><input type="hidden" name="share" value="${share.id}"><button class="soft" id="remind-${share.id}">${page.translator.translate('page.remind')}${whose}</button></form>`;
}

function queuedText(page: PageRequest, model: PageModel, at: number): string | Html {
  if (at - page.http.app.clock.now() < MINUTE) return page.translator.translate('page.text_queued');
  return sentence(page, 'page.text_queued_until', timeHtml(page, model, new Date(at).toISOString()));
}

/** `key` is a sentence about a time; with `_now`, about this moment. */
function age({ translator, http }: PageRequest, key: string, at: number): Html {
  const ago = formatAge(translator.language, at, http.app.clock.now(), 'short');
  const text = ago === null ? translator.translate(`${key}_now`) : translator.translate(key, { ago });
  return html`<time datetime="${new Date(at).toISOString()}">${text}</time>`;
}

/** The text was not delivered: the link, which the organizer can send, and where to change the number. */
export function deliveryHelp(page: PageRequest, model: PageModel, share: GuestShare, url: string | null): Piece {
  if (url === null || progressOf(model, share)?.state !== 'undelivered') return null;
  const { translator } = page;
  const label = translator.translate('page.link_of', { name: nameOf(page, model, share) });
  return html`<div class="delivery-help"><p>${translator.translate('page.undelivered_hint')}</p>
<div class="link-field">${icon('link')}<input readonly value="${url}" aria-label="${label}"></div>
<a class="button soft" href="/c/${model.checkout.id}?edit=party&amp;fix=${share.id}#people">${translator.translate('page.change_number')}</a></div>`;
}
