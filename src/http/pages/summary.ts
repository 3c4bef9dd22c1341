// The blocks that most pages share, in the order of a guest's questions: how much, what happens to the card, until when.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { formatList, formatMoney, formatTime } from '../../base/translations.ts';
import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import { nameOf, needsOtherCard, type PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';

/** A character that no translation contains. */
const PLACEHOLDER = '\u0001';

export function money({ translator }: PageRequest, model: PageModel, amount: number): string {
  return formatMoney(translator.language, amount, model.checkout.currency);
}

/** An amount that stands alone: it keeps its own order in text of either direction. */
export function amountHtml(page: PageRequest, model: PageModel, amount: number): Html {
  return html`<bdi>${money(page, model, amount)}</bdi>`;
}

/** A sentence with more names than this is hard to read. */
const MAX_NAMES = 4;

/** `Ada, Ben and Cleo`; of many people the first three, and how many more there are. */
export function namesOf(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): string {
  const { translator } = page;
  const named = shares.length > MAX_NAMES ? shares.slice(0, MAX_NAMES - 1) : shares;
  const more = shares.length - named.length;
  return formatList(translator.language, [
    ...named.map((share) => nameOf(page, model, share)),
    ...(more > 0 ? [translator.translate('page.more_people', { count: more })] : []),
  ]);
}

/** The guest's own amount is the largest figure on the page. */
export function shareBlock(page: PageRequest, model: PageModel, share: GuestShare, label: string | null = null): Html {
  const { translator } = page;
  const { checkout } = model;
  const people = translator.translate('page.people', { count: checkout.shares.length });
  const total = translator.translate('page.of_amount', { total: money(page, model, checkout.amount) });
  return amountBlock(label ?? translator.translate('page.your_share'), money(page, model, share.amount), [
    total,
    people,
  ]);
}

/** The total, and beside it what each pays if all pay the same and all seats are taken. */
export function totalBlock(page: PageRequest, model: PageModel): Html {
  const { translator } = page;
  const { checkout } = model;
  const count = checkout.shares.length || checkout.party_size;
  const people = translator.translate('page.people', { count });
  const each = money(page, model, Math.floor(checkout.amount / count));
  const amounts = checkout.shares.map(({ amount }) => amount);
  const isEqual = amounts.length === 0 || Math.max(...amounts) - Math.min(...amounts) <= 1;
  return amountBlock(translator.translate('page.total'), money(page, model, checkout.amount), [
    people,
    ...(isEqual ? [translator.translate('page.about_each', { each })] : []),
  ]);
}

/** The amount that the organizer pays for others. */
export function coverBlock(page: PageRequest, model: PageModel, shares: readonly GuestShare[]): Html {
  const sum = shares.reduce((total, { amount }) => total + amount, 0);
  return amountBlock(page.translator.translate('page.you_cover'), money(page, model, sum), [
    namesOf(page, model, shares),
  ]);
}

function amountBlock(label: string, amount: string, beside: readonly string[]): Html {
  return html`<div class="share"><p class="label">${label}</p><p class="amount"><bdi>${amount}</bdi></p><p class="of">${beside.map((line, index) => [index > 0 && html`<br>`, line])}</p></div>`;
}

export function promise(page: PageRequest, model: PageModel): Html {
  const until = sentence(page, 'page.promise_else', deadline(page, model));
  return html`<p class="promise">${icon('shield')}<strong>${page.translator.translate('page.promise')}</strong> <span class="rest">${until}</span></p>`;
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

export function deadline(page: PageRequest, model: PageModel): Html {
  return timeHtml(page, model, model.checkout.pay_by);
}

/**
 * A time in the zone of the booking, named, as texts say it: in another zone it could fall on another day. It never breaks
 * inside.
 */
export function timeHtml({ translator }: PageRequest, { timezone }: PageModel, time: string): Html {
  return html`<time class="nowrap" datetime="${time}">${formatTime(translator.language, Date.parse(time), timezone)}</time>`;
}

/** Rows that a guest opens for more. */
export function folds(rows: readonly Piece[]): Html {
  return html`<div class="folds">${rows}</div>`;
}

/** By the id of the summary the script keeps the row open, and the focus on it, when the page changes. */
export function fold(id: string, title: string, beside: Piece, content: Piece, isOpen = false): Html {
  return html`<details${isOpen && html` open`}><summary id="${id}"><span>${title}</span>${beside}${icon('chevron')}</summary>
${content}</details>`;
}

export function aboutHolds({ translator }: PageRequest): Html {
  return fold(
    'about-holds',
    translator.translate('page.what_is_a_hold'),
    null,
    html`<p>${translator.translate('page.hold_explained')}</p>
<p>${translator.translate('page.hold_bank')}</p>
`,
  );
}

/** Why the guest must act, if a card was given before for the share, or why no card can be given. */
export function shareProblem(page: PageRequest, model: PageModel, share: GuestShare | null): Piece {
  const { translator } = page;
  if (!model.isVenuePayable) {
    const text = translator.translate('page.not_payable_text', { venue: model.checkout.venue.name });
    return problemNotice(translator.translate('page.not_payable_title'), text);
  }
  if (share === null) return null;
  if (needsOtherCard(share)) {
    const amount = money(page, model, share.amount);
    const text = sentence(page, 'page.renewal_text', timeHtml(page, model, share.renew_by ?? ''), { amount });
    return problemNotice(translator.translate('page.renewal_title'), text);
  }
  const problem = share.status === 'failed' ? model.problemOfCard : null;
  if (problem === null) return null;
  const kind = problem === 'declined' ? 'declined' : '';
  return problemNotice(
    translator.translate(`page.${problem}_title`),
    translator.translate(`page.${problem}_text`),
    kind,
  );
}

export function problemNotice(title: string, text: string | Html, kind: '' | 'declined' = ''): Html {
  return html`<section class="notice problem ${kind}" role="alert">${icon('alert')}
<h2>${title}</h2>
<p>${text}</p>
</section>
`;
}

export function notice(title: string, text: string | Html): Html {
  return html`<section class="notice">
<h2>${title}</h2>
<p>${text}</p>
</section>
`;
}

/** The guest's hold is released: how much, and that nothing was charged. */
export function releasedPanel(page: PageRequest, model: PageModel, released: number): Html {
  const { translator } = page;
  return html`<div class="panel"><p class="badge">${icon('check')}${translator.translate('page.nothing_was_charged')}</p>
<div><p class="quiet">${translator.translate('page.hold_released')}</p><p class="amount">${amountHtml(page, model, released)}</p></div></div>`;
}

/** A step of what happened and what happens next. */
export interface NextStep {
  readonly kind: 'done' | 'now' | 'else';
  readonly title: string | Html;
  readonly text: string | Html;
}

export function nextSteps(steps: readonly NextStep[]): Html {
  const items = steps.map(
    ({ kind, title, text }) =>
      html`<li class="${kind}"><span class="dot" aria-hidden="true">${kind === 'done' ? icon('check') : kind === 'else' && icon('clock')}</span><strong>${title}</strong> <span>${text}</span></li>`,
  );
  return html`<ol class="steps">${items}</ol>`;
}
