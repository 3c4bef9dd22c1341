// The top of a checkout's page, in the order in which people ask: where and what, how much is mine, what happens with my
// card, who is in, until when.

import { formatMoney, formatTime } from '../../base/translations.ts';
import { type Html, html, type Piece } from './html.ts';
import { isIn, nameOf, type Scene, type ShareShown } from './page-model.ts';
import type { Visit } from './page-request.ts';

/** No sentence holds it. */
const MARK = '\u0001';

export function money({ words }: Visit, scene: Scene, amount: number): string {
  return formatMoney(words.language, amount, scene.checkout.currency);
}

export function heading({ checkout }: Scene): Html {
  return html`<header class="what">
<p class="venue">${checkout.venue.name}</p>
<h1>${checkout.description}</h1>
</header>`;
}

/** The largest figure on the page is the guest's own. */
export function amountBlock(visit: Visit, scene: Scene, share: ShareShown | null): Html {
  const { words } = visit;
  const { checkout } = scene;
  const whole = money(visit, scene, checkout.amount);
  const people = words.say('page.people', { count: checkout.shares.length || checkout.party_size });
  if (share === null) {
    return html`<p class="amount"><span class="label">${words.say('page.total')}</span><strong>${whole}</strong><span class="of">${people}</span></p>`;
  }
  return html`<p class="amount"><span class="label">${words.say('page.your_share')}</span><strong>${money(visit, scene, share.amount)}</strong><span class="of">${words.say('page.of_total', { total: whole, people })}</span></p>`;
}

/** What the organizer pays for others. */
export function coverBlock(visit: Visit, scene: Scene, shares: readonly ShareShown[]): Html {
  const sum = shares.reduce((total, { amount }) => total + amount, 0);
  const names = new Intl.ListFormat(visit.words.language).format(shares.map((share) => nameOf(visit, scene, share)));
  return html`<p class="amount"><span class="label">${visit.words.say('page.you_cover')}</span><strong>${money(visit, scene, sum)}</strong><span class="of">${names}</span></p>`;
}

export function promise(visit: Visit, scene: Scene): Html {
  const until = sentence(visit, 'page.promise_else', deadline(visit, scene));
  return html`<p class="promise">${visit.words.say('page.promise')} ${until}</p>`;
}

/** A sentence of the catalog with a piece of HTML at its place `{it}`. */
export function sentence({ words }: Visit, key: string, it: Html, places: Readonly<Record<string, string>> = {}): Html {
  const [before = '', after = ''] = words.say(key, { ...places, it: MARK }).split(MARK);
  return html`${before}${it}${after}`;
}

/** Absolute first; the browser puts it into the guest's own time and adds how long that is. */
export function deadline({ words }: Visit, { checkout }: Scene): Html {
  const at = Date.parse(checkout.pay_by);
  return html`<span class="deadline"><time datetime="${checkout.pay_by}" data-local>${formatTime(words.language, at, 'UTC')}</time> <span role="timer" data-countdown="${checkout.pay_by}" data-words="${words.say('page.time_left', { time: '{time}' })}"></span></span>`;
}

export function progress(visit: Visit, scene: Scene): Piece {
  const { words } = visit;
  const { checkout } = scene;
  if (checkout.shares.length === 0) return null;
  const held = checkout.shares.filter(isIn).length;
  const line = words.say('page.progress', {
    held,
    count: checkout.shares.length,
    funded: money(visit, scene, checkout.funded_amount),
    total: money(visit, scene, checkout.amount),
  });
  return html`<section class="group" aria-labelledby="group-title">
<h2 id="group-title">${words.say('page.group')}</h2>
<p class="line" id="group-line">${line}</p>
<progress max="${checkout.amount}" value="${checkout.funded_amount}" aria-labelledby="group-line"></progress>
<ul class="people">
${checkout.shares.map((share) => person(visit, scene, share))}</ul>
</section>`;
}

function person(visit: Visit, scene: Scene, share: ShareShown): Html {
  const { words } = visit;
  const name = nameOf(visit, scene, share);
  const state = stateOf(share);
  const said = words.say(`page.state_${state}`);
  const covered =
    share.covered_by !== null && html` <small>${words.say('page.covered_by', { name: share.covered_by })}</small>`;
  const news = words.say(`page.news_${state}`, { name });
  return html`<li data-share="${share.id}" data-state="${state}" data-news="${news}"><span class="name"><bdi>${name}</bdi>${covered}</span> <span class="sum">${money(visit, scene, share.amount)}</span> <span class="state ${state}">${said}</span></li>
`;
}

export type ShownState = 'in' | 'waiting' | 'open' | 'problem' | 'charged' | 'released' | 'refunded';

export function stateOf(share: ShareShown): ShownState {
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

export function aboutHolds({ words }: Visit): Html {
  return html`<details class="about"><summary>${words.say('page.what_is_a_hold')}</summary>
<p>${words.say('page.hold_explained')}</p>
<p>${words.say('page.hold_bank')}</p>
</details>`;
}
