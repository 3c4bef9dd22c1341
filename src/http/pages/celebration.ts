// The celebration of a booked checkout: paper bits fall over the photo, once for a person; a few of them stay. The bits are
// below every text, and below the shade that keeps text on a photo readable. The stylesheet lets them fall, and only
// where the guest's system allows motion. A cookie remembers whom they fell for, so that a reload shows the still picture.

import { readCookie, setCookie } from './cookies.ts';
import { type Html, html, type Piece } from './html.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';

const BITS = 40;
const COLORS = 4;
const DELAYS = 4;
const REMEMBERED_CHECKOUTS = 10;
const REMEMBERED_SECONDS = 90 * 86_400;

/** For the members of the party; null: the page is not theirs to celebrate. */
export function celebration(page: PageRequest, { checkout, myShare, isOrganizer }: PageModel): Piece {
  if (myShare === null && !isOrganizer) return null;
  const mark = checkout.id.slice(-10);
  const seen = (readCookie(page.request, 'celebrated', page.isSecure) ?? '').split('.').slice(0, REMEMBERED_CHECKOUTS);
  if (seen.includes(mark)) return STILL;
  const next = [mark, ...seen.filter((one) => one !== '')].slice(0, REMEMBERED_CHECKOUTS).join('.');
  setCookie(page.reply, 'celebrated', next, REMEMBERED_SECONDS, page.isSecure);
  return FALLING;
}

/** Every fifth bit stays. */
const stays = (index: number): boolean => index % 5 === 2;

/** Points of the R2 sequence cover an area evenly, and show no pattern. */
function spread(index: number, ratio: number, size: number): number {
  return Math.round(((0.5 + index * ratio) % 1) * size);
}

function bit(index: number): Html {
  const classes = `c${index % COLORS} d${spread(index, 0.618, DELAYS - 1)}${stays(index) ? '' : ' gone'}`;
  const place = html`x="${spread(index, 0.75488, 376)}" y="${8 + spread(index, 0.56984, 160)}"`;
  return html`<rect class="${classes}" ${place} width="7" height="${9 + (index % 3) * 2}" rx="1" transform="rotate(${spread(index, 0.38197, 180)})"/>`;
}

function paper(bits: readonly Html[], isFalling: boolean): Html {
  return html`<svg class="paper${isFalling && ' falls'}" viewBox="0 0 390 396" preserveAspectRatio="xMidYMin meet">${bits}</svg>`;
}

const indices = Array.from({ length: BITS }, (_, index) => index);
const FALLING = paper(indices.map(bit), true);
const STILL = paper(indices.filter(stays).map(bit), false);
