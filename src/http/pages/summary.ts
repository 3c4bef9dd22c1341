// The blocks of a checkout's page, in the order of a guest's questions: venue and description, the guest's amount, what
// happens to the card, the state of the group, the deadline.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { formatMoney, formatTime } from '../../base/translations.ts';
import { countsAsFunded } from '../../domain/checkouts/locked-checkout.ts';
import { type Html, html, type Piece } from './html.ts';
import { nameOf, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';

/** A character that no translation contains. */
const PLACEHOLDER = '\u0001';

export function money({ translator }: PageRequest, model: PageModel, amount: number): string {
  return formatMoney(translator.language, amount, model.checkout.currency);
}

export function heading({ checkout }: PageModel): Html {
  return html`<header class="what">
<p class="venue">${checkout.venue.name}</p>
<h1>${checkout.description}</h1>
</header>`;
}

/** The guest's own amount is the largest figure on the page. */
export function amountBlock(page: PageRequest, model: PageModel, share: GuestShare | null): Html {
  const { translator } = page;
  const { checkout } = model;
  const whole = money(page, model, checkout.amount);
  const people = translator.translate('page.people', { count: checkout.shares.length || checkout.party_size });
  if (share === null) {
    return html`<p class="amount"><span class="label">${translator.translate('page.total')}</span><strong>${whole}</strong><span class="of">${people}</span></p>`;
  }
  return html`<p class="amount"><span class="label">${translator.translate('page.your_share')}</span><strong>${money(page, model, share.amount)}</strong><span class="of">${translator.translate('page.of_total', { total: whole, people })}</span></p>`;
}

/** The amount that the organizer pays for others. */
export function coverBlock(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): Html {
  const sum = shares.reduce((total, { amount }) => total + amount, 0);
  const names = new Intl.ListFormat(page.translator.language).format(shares.map((share) => nameOf(page, model, share)));
  return html`<p class="amount"><span class="label">${page.translator.translate('page.you_cover')}</span><strong>${money(page, model, sum)}</strong><span class="of">${names}</span></p>`;
}

export function promise(page: PageRequest, model: PageModel): Html {
  const until = sentence(page, 'page.promise_else', deadline(page, model));
  return html`<p class="promise">${page.translator.translate('page.promise')} ${until}</p>`;
}

/** A translated sentence with HTML in place of `{it}`. */
export function sentence(
  { translator }: PageRequest,
  key: string,
  it: Html,
  values: Readonly<Record<string, string>> = {},
): Html {
  const [before = '', after = ''] = translator.translate(key, { ...values, it: PLACEHOLDER }).split(PLACEHOLDER);
  return html`${before}${it}${after}`;
}

export function deadline(page: PageRequest, { checkout }: PageModel): Html {
  return timeWithCountdown(page, checkout.pay_by);
}

/** The time in UTC; the script converts it to the guest's time zone and adds a countdown. */
export function timeWithCountdown({ translator }: PageRequest, time: string): Html {
  return html`<span class="deadline"><time datetime="${time}" data-local>${formatTime(translator.language, Date.parse(time), 'UTC')}</time> <span role="timer" data-countdown="${time}" data-words="${translator.translate('page.time_left', { time: '{time}' })}"></span></span>`;
}

export function progress(page: PageRequest, model: PageModel): Piece {
  const { translator } = page;
  const { checkout } = model;
  if (checkout.shares.length === 0) return null;
  const held = checkout.shares.filter(countsAsFunded).length;
  const line = translator.translate('page.progress', {
    held,
    count: checkout.shares.length,
    funded: money(page, model, checkout.funded_amount),
    total: money(page, model, checkout.amount),
  });
  return html`<section class="group" aria-labelledby="group-title">
<h2 id="group-title">${translator.translate('page.group')}</h2>
<p class="line" id="group-line">${line}</p>
<progress max="${checkout.amount}" value="${checkout.funded_amount}" aria-labelledby="group-line"></progress>
<ul class="people">
${checkout.shares.map((share) => person(page, model, share))}</ul>
</section>`;
}

function person(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const { translator } = page;
  const name = nameOf(page, model, share);
  const state = stateOf(share);
  const said = translator.translate(`page.state_${state}`);
  const covered =
    share.covered_by !== null &&
    html` <small>${translator.translate('page.covered_by', { name: share.covered_by })}</small>`;
  const stateChange = translator.translate(`page.state_change_${state}`, { name });
  return html`<li data-share="${share.id}" data-state="${state}" data-state-change="${stateChange}"><span class="name"><bdi>${name}</bdi>${covered}</span> <span class="sum">${money(page, model, share.amount)}</span> <span class="state ${state}">${said}</span></li>
`;
}

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

export function aboutHolds({ translator }: PageRequest): Html {
  return html`<details class="about"><summary>${translator.translate('page.what_is_a_hold')}</summary>
<p>${translator.translate('page.hold_explained')}</p>
<p>${translator.translate('page.hold_bank')}</p>
</details>`;
}
