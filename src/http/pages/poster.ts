// The head of a booking's page. On a phone a poster, or a compact line on pages for working; on a wide window always the
// poster, as the left column. It shows the picture (or five circles in the venue's colour), the venue, the language, the
// title, and on a wide window the seats.

import { BoundedCache } from '../../base/bounded-cache.ts';
import { formatDate, languages } from '../../base/translations.ts';
import { type Html, html, type Piece } from './html.ts';
import { icon } from './icon.ts';
import { initialsOf } from './initials.ts';
import type { PageModel } from './page-model.ts';
import { isSandbox, type PageRequest } from './page-request.ts';
import { seatsWithTally } from './seats.ts';

interface LanguageForm {
  readonly id: string;
  readonly step: string;
}

export interface Poster {
  readonly kind: 'standard' | 'compact' | 'moment';
  /** The booking does not go ahead: the picture loses its colours. */
  readonly isOver?: boolean;
  /** Of a moment: its heading and what is below it. Otherwise the title of the booking. */
  readonly headline?: Piece;
  /** The page has its own h1 below the head. */
  readonly hasOwnHeading?: boolean;
  readonly isCentered?: boolean;
  /** A change of the language sends this form, so that nothing that was typed is lost. */
  readonly languageForm?: LanguageForm;
  /** Drawn over the picture, below every text. */
  readonly overPhoto?: Piece;
}

/** Above three lines of a phone a title is set smaller. */
const LONG_TITLE = 60;

export function posterOf(page: PageRequest, model: PageModel, poster: Poster): Html {
  const { checkout } = model;
  const { kind, hasOwnHeading = false } = poster;
  const what = checkout.description.length > LONG_TITLE ? 'what long' : 'what';
  const title = hasOwnHeading
    ? html`<p class="${what}"><bdi>${checkout.description}</bdi></p>`
    : html`<h1 class="${what}"><bdi>${checkout.description}</bdi></h1>`;
  const classes = `poster${kind === 'moment' ? ' moment' : ''}${poster.isCentered === true ? ' centered' : ''}`;
  return html`<header class="${classes}">
${photo(model, poster)}
<div class="pills">
<p class="pill venue"><span class="logo" aria-hidden="true">${model.images.logo === null ? initialsOf(checkout.venue.name) : html`<img src="${model.images.logo}" alt="">`}</span><bdi>${checkout.venue.name}</bdi></p>
${testPill(page, checkout.mode)}${languageMenu(page, model.route.path, poster.languageForm)}</div>
<div class="headline">${poster.headline ?? [title, meta(page, model)]}</div>
${checkout.shares.length > 0 && model.mayShowNames && html`<div class="wide">${seatsWithTally(page, model)}</div>`}
</header>`;
}

/** When and where the booking takes place, as far as the venue has said it. */
export function meta(page: PageRequest, { checkout, timezone }: PageModel): Html {
  const { starts_at: start, location } = checkout;
  const when =
    start !== null &&
    html`<span class="when">${icon('calendar')} <time datetime="${start}">${formatDate(page.translator.language, Date.parse(start), timezone)}</time></span>`;
  const where = location !== null && html`<span class="where">${icon('pin')} <bdi>${location}</bdi></span>`;
  return html`<p class="meta"><bdi class="at-venue">${checkout.venue.name}</bdi>${when}${where}</p>`;
}

/** The cover of the offering; without one five overlapping circles in tints of the venue's colour. */
function photo({ images }: PageModel, { kind, overPhoto }: Poster): Html {
  if (images.cover !== null) {
    // The compact head of a phone has room for a thumbnail alone; a wide window always has the poster.
    const small =
      kind === 'compact' &&
      images.thumbnail !== null &&
      html`<source media="(max-width: 899.98px)" srcset="${images.thumbnail}">`;
    return html`<div class="photo" aria-hidden="true"><picture>${small}<img src="${images.cover}" alt=""></picture>${overPhoto}</div>`;
  }
  const circles = [0, 1, 2, 3, 4].map(
    (index) =>
      html`<circle cx="${index * 96 + 4}" cy="${84 + (index % 2) * 12}" r="58" fill="currentColor" fill-opacity="${0.45 + index * 0.13}"/>`,
  );
  return html`<div class="photo" aria-hidden="true"><svg class="circles" viewBox="0 0 390 206" preserveAspectRatio="xMidYMid slice">${circles}</svg>${overPhoto}</div>`;
}

/** The sandbox and test mode move no money, and say so on every page. */
export function testPill(page: PageRequest, mode: 'test' | 'live' | null): Piece {
  if (!isSandbox(page) && mode !== 'test') return null;
  return html`<p class="pill test">${page.translator.translate(isSandbox(page) ? 'page.sandbox' : 'page.test_mode')}</p>\n`;
}

/** The members of a page's query that choose what it shows: a change of the language keeps them. */
const KEPT_QUERY = ['edit', 'pay', 'cover', 'leave', 'remove'];

export function languageMenu(page: PageRequest, path: string, form?: LanguageForm): Html {
  const { translator } = page;
  const query = page.request.query as Readonly<Record<string, unknown>>;
  const kept = KEPT_QUERY.flatMap((name) => (typeof query[name] === 'string' ? [[name, query[name]]] : []));
  const items = languages().map((language) => {
    const name = languageName(language);
    if (language === translator.language) return html`<li><span aria-current="true">${name}</span></li>`;
    if (form !== undefined)
      return html`<li><button class="link" form="${form.id}" name="language" value="${form.step} ${language}" lang="${language}" formnovalidate>${name}</button></li>`;
    const href = `${path}?${new URLSearchParams([...kept, ['locale', language]] as [string, string][])}`;
    return html`<li><a href="${href}" lang="${language}" hreflang="${language}">${name}</a></li>`;
  });
  // The Enter key presses the first button of a form, wherever that stands: it must not change the language.
  const byEnter =
    form !== undefined &&
    html`<button class="unseen" form="${form.id}" name="do" value="next" tabindex="-1" aria-hidden="true">${translator.translate('page.see_split')}</button>`;
  return html`${byEnter}<details class="languages"><summary id="languages">${icon('globe')}<span class="unseen">${translator.translate('page.languages')}: </span>${translator.language.toUpperCase()}</summary>
<ul>${items}</ul></details>
`;
}

const languageNames = new BoundedCache<string>(100);

function languageName(language: string): string {
  return languageNames.get(language, () => {
    const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
    return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
  });
}
