// How a booking ends: booked, refunded, expired or canceled. Each page says first what happened to the guest's money.

import { calendarLeaf, formatDay, formatHours } from '../../base/translations.ts';
import { receiptOf } from '../../domain/checkouts/guests/receipt.ts';
import { statementSuffix } from '../../domain/payments/statement-suffix.ts';
import { celebration } from './celebration.ts';
import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import { contactUrl } from './layout.ts';
import { momentHeadline } from './moments.ts';
import { type PageModel, paidSum } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { policyFolds } from './policy.ts';
import type { Screen } from './screen.ts';
import { moneyHeld, seatsWithTally, whosIn } from './seats.ts';
import { type FormError, fieldAttributes, fieldError } from './sign-in-form.ts';
import {
  aboutHolds,
  amountHtml,
  deadline,
  fold,
  folds,
  money,
  type NextStep,
  nextSteps,
  notice,
  releasedPanel,
  timeHtml,
} from './summary.ts';

/** What the guest has asked for on the page of a completed booking. */
export interface ReceiptForm {
  readonly error: FormError | null;
}

export function completedScreen(page: PageRequest, model: PageModel, form: ReceiptForm, above: Piece): Screen {
  const { translator } = page;
  const { checkout } = model;
  const { mine, failed, isWhole } = model.refunds;
  if (mine > 0 || failed > 0 || isWhole) return refundedScreen(page, model, form, above);
  const what = translator.translate('page.what_at', { what: checkout.description, venue: checkout.venue.name });
  return {
    poster: {
      kind: 'moment',
      headline: momentHeadline(null, translator.translate('page.completed_title'), what),
      overPhoto: celebration(page, model),
    },
    main: [
      above,
      whenAndWhere(page, model),
      html`<div class="narrow">${seatsWithTally(page, model, amountHtml(page, model, checkout.amount))}</div>`,
      receipt(page, model),
      backButton(page, model),
      folds([mailFold(page, model, form), whosIn(page, model), ...policyFolds(page, model)]),
    ],
  };
}

/** The day on a calendar leaf, the hours and the place, and both as files and links that a phone understands. */
function whenAndWhere(page: PageRequest, { checkout, timezone }: PageModel): Piece {
  const { translator } = page;
  const { starts_at: start, ends_at: end, location } = checkout;
  if (start === null && location === null) return null;
  const directions =
    location === null ? null : `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(location)}`;
  const place = location === null ? checkout.venue.name : `${checkout.venue.name}, ${location}`;
  const leaf = start === null ? null : calendarLeaf(translator.language, Date.parse(start), timezone);
  const hours =
    start !== null &&
    formatHours(translator.language, Date.parse(start), end === null ? null : Date.parse(end), timezone);
  return html`<section aria-label="${translator.translate('page.when_and_where')}"><div class="date">${leaf !== null && html`<p class="leaf" aria-hidden="true"><span>${leaf.month}</span><span>${leaf.day}</span></p>`}<p><strong>${start === null ? place : html`<time datetime="${start}"><span class="unseen">${formatDay(translator.language, Date.parse(start), timezone)}, </span>${hours}</time>`}</strong></p>${start !== null && html`<p class="quiet">${place}</p>`}</div>
<div class="buttons">${start !== null && html`<a class="button" href="/c/${checkout.id}/event.ics" download>${icon('calendar')}${translator.translate('page.add_to_calendar')}</a>`}${directions !== null && html`<a class="button line" href="${directions}" rel="noreferrer">${icon('pin')}${translator.translate('page.directions')}</a>`}</div></section>`;
}

/** "Booked" stands only where the booking does; the venue decides whether it goes ahead. */
function refundedScreen(page: PageRequest, model: PageModel, form: ReceiptForm, above: Piece): Screen {
  const { translator } = page;
  const { checkout, refunds } = model;
  const venue = checkout.venue.name;
  const charged = receiptOf(checkout.id, model.paid)?.charged ?? 0;
  const key = refundedKey(refunds, charged);
  const amount = key === 'failed' ? refunds.failed : refunds.mine;
  const values = { amount: money(page, model, amount), charged: money(page, model, charged), venue };
  const refundedAt = refunds.at === null ? null : timeHtml(page, model, new Date(refunds.at).toISOString());
  const steps: readonly NextStep[] = [
    {
      kind: 'done',
      title: translator.translate('page.step_charged', { amount: values.charged }),
      text: timeHtml(page, model, checkout.completed_at ?? checkout.pay_by),
    },
    {
      kind: 'done',
      title: translator.translate('page.step_refunded', { amount: values.amount }),
      text: refundedAt ?? translator.translate('page.step_refunded_text'),
    },
    {
      kind: 'now',
      title: translator.translate('page.step_bank'),
      text: translator.translate('page.step_bank_refund'),
    },
  ];
  return {
    poster: { kind: 'standard', isOver: refunds.isWhole, hasOwnHeading: true },
    main: [
      above,
      html`<p class="badge wait">${icon('back')}${translator.translate('page.state_refunded')}</p>`,
      html`<div class="title"><h1>${translator.translate(`page.refunded_${key}_title`, values)}</h1>
<p class="lead">${translator.translate(`page.refunded_${key}_text`, values)}</p></div>`,
      refunds.mine > 0 && nextSteps(steps),
      receipt(page, model),
      html`<div class="narrow">${seatsWithTally(page, model, moneyHeld(page, model))}</div>`,
      contactButton(page, model),
      backButton(page, model),
      folds([mailFold(page, model, form), whosIn(page, model)]),
    ],
  };
}

/** A guest whose own refund did not arrive does not read that everyone was refunded. */
function refundedKey({ mine, failed }: PageModel['refunds'], charged: number): 'others' | 'failed' | 'part' | 'whole' {
  if (failed > 0 && mine === 0) return 'failed';
  if (charged === 0 || mine === 0) return 'others';
  return mine < charged ? 'part' : 'whole';
}

export function expiredScreen(page: PageRequest, model: PageModel): Screen {
  return endedWithoutCharge(page, model, 'expired', deadline(page, model));
}

export function canceledScreen(page: PageRequest, model: PageModel): Screen {
  return endedWithoutCharge(page, model, 'canceled', null);
}

/** The checkout ended and no charge remains, or one whose return has failed. */
function endedWithoutCharge(
  page: PageRequest,
  model: PageModel,
  how: 'expired' | 'canceled',
  when: Html | null,
): Screen {
  const { translator } = page;
  const { checkout } = model;
  const venue = checkout.venue.name;
  const released = paidSum(model, 'released');
  const { mine: returned, failed } = model.refunds;
  return {
    poster: { kind: 'standard', isOver: true, hasOwnHeading: true },
    main: [
      // "Nobody stays charged" is not for a guest whose money has not arrived.
      html`<div class="title"><h1>${translator.translate(`page.${how}_title`)}</h1>
${failed === 0 && html`<p class="lead">${translator.translate(how === 'expired' && model.mayTryAgain ? 'page.expired_again_text' : `page.${how}_text`, { venue })}</p>`}</div>`,
      released > 0 && releasedPanel(page, model, released),
      released > 0 &&
        nextSteps([
          {
            kind: 'done',
            title: translator.translate('page.state_released'),
            text: when ?? translator.translate('page.step_released_text'),
          },
          {
            kind: 'now',
            title: translator.translate('page.step_bank'),
            text: translator.translate('page.step_bank_release'),
          },
        ]),
      returned > 0 &&
        html`<p>${translator.translate('page.completed_refunded', { amount: money(page, model, returned) })}</p>`,
      failed > 0 &&
        notice(
          translator.translate('page.refunded_failed_title', { amount: money(page, model, failed) }),
          translator.translate('page.refunded_failed_text', { venue }),
        ),
      model.mayShowNames &&
        checkout.shares.length > 0 &&
        html`<div class="narrow">${seatsWithTally(page, model, null)}</div>`,
      model.mayTryAgain ? tryAgain(page, model) : backButton(page, model),
      contactButton(page, model),
      released > 0 && folds([aboutHolds(page)]),
    ],
  };
}

/** What the guest paid, as facts in two columns; it prints alone. */
function receipt(page: PageRequest, model: PageModel): Piece {
  const { translator } = page;
  const { checkout, myShare } = model;
  const facts = receiptOf(checkout.id, model.paid);
  if (facts === null) {
    const text =
      myShare === null
        ? translator.translate('page.completed_others', {
            amount: money(page, model, checkout.amount),
            venue: checkout.venue.name,
          })
        : myShare.covered_by === null
          ? translator.translate('page.held_free')
          : translator.translate('page.completed_covered', {
              name: myShare.covered_by,
              amount: money(page, model, myShare.amount),
            });
    return html`<p class="lead">${text}</p>`;
  }
  const { number, charged, refunded, cards } = facts;
  const onStatement = statementSuffix(checkout.venue.name);
  const rows: readonly (readonly [string, string | Html])[] = [
    [translator.translate('page.receipt_for', { what: checkout.description }), money(page, model, charged)],
    [translator.translate('page.receipt_charged'), timeHtml(page, model, checkout.completed_at ?? checkout.pay_by)],
    ...(refunded > 0
      ? [[translator.translate('page.state_refunded'), `−${money(page, model, refunded)}`] as const]
      : []),
    ...(cards.length > 0 ? [[translator.translate('page.receipt_card'), cards.join(', ')] as const] : []),
    ...(onStatement === null ? [] : [[translator.translate('page.receipt_statement'), onStatement] as const]),
    [translator.translate('page.receipt_number'), number],
  ];
  return html`<section aria-labelledby="receipt-title"><h2 id="receipt-title">${translator.translate('page.receipt')}</h2>
<dl class="receipt">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}<div class="total"><dt>${translator.translate('page.receipt_total')}</dt><dd>${amountHtml(page, model, charged - refunded)}</dd></div></dl>
<button type="button" class="soft" data-print hidden>${icon('printer')}${translator.translate('page.print')}</button>${mailState(page, model)}</section>`;
}

/** What became of the latest mail of the receipt. */
function mailState({ translator }: PageRequest, { receiptMail }: PageModel): Piece {
  if (receiptMail === null) return null;
  return receiptMail === 'failed' || receiptMail === 'dropped'
    ? html`<p class="badge wait">${translator.translate('page.receipt_mail_failed')}</p>`
    : html`<p class="badge" role="status">${icon('check')}${translator.translate('page.receipt_mailed')}</p>`;
}

/** Folded until the guest wants it, or typed an address that cannot be right. */
function mailFold(page: PageRequest, { route, checkout, paid }: PageModel, { error }: ReceiptForm): Piece {
  const { translator } = page;
  if (!page.http.app.services.hasMail || receiptOf(checkout.id, paid) === null) return null;
  const own = error?.field === 'email' ? error : null;
  const form = html`<form method="post" action="${route.path}/receipt"><label for="email">${translator.translate('page.email')}</label>${fieldError(own, 'email')}<input type="email" id="email" name="email" autocomplete="email" required maxlength="200" value="${own?.typed?.email ?? ''}"${fieldAttributes(own, 'email')}><button class="line">${translator.translate('page.receipt_send')}</button></form>`;
  return fold('receipt-mail', translator.translate('page.receipt_mail'), null, form, own !== null);
}

/** The venue knows more than we do about a booking that does not go ahead. */
function contactButton({ translator }: PageRequest, { checkout, venue }: PageModel): Piece {
  const url = contactUrl(venue);
  return (
    url !== null &&
    html`<a class="button line" href="${url}" rel="noreferrer">${translator.translate('page.contact', { venue: checkout.venue.name })}</a>`
  );
}

/** Only the venue can create a checkout. The next one of this organizer proposes the same people. */
function tryAgain({ translator }: PageRequest, { checkout }: PageModel): Html {
  return html`<a class="button" href="${checkout.cancel_url}" rel="noreferrer">${translator.translate('page.try_again')}</a>
<p class="hint">${translator.translate('page.try_again_hint', { venue: checkout.venue.name })}</p>`;
}

function backButton({ translator }: PageRequest, { checkout }: PageModel): Html {
  const isOver = checkout.status === 'expired' || checkout.status === 'canceled';
  const url = isOver ? (checkout.cancel_url ?? checkout.return_url) : checkout.return_url;
  return html`<a class="button${!isOver && ' line'}" href="${url}" rel="noreferrer">${translator.translate('page.back_to_venue', { venue: checkout.venue.name })}</a>`;
}
