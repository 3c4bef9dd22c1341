// Two moments of a guest: the own share is held, and all shares are held. Each is a page of its own, opened at the top with
// focus on its heading.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { countsAsFunded } from '../../domain/checkouts/locked-checkout.ts';
import { cardName } from '../../domain/payments/card-name.ts';
import { type Html, html, type Piece } from './html.ts';
import { leaveLink } from './leave-page.ts';
import type { PageModel } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { policyFolds } from './policy.ts';
import type { Screen } from './screen.ts';
import { face, moneyHeld, seatsWithTally, whosIn } from './seats.ts';
import { linkButtons } from './share-link.ts';
import {
  aboutHolds,
  deadline,
  folds,
  money,
  type NextStep,
  namesOf,
  nextSteps,
  sentence,
  timeHtml,
} from './summary.ts';

/** The heading of a moment. The script moves focus to it after the guest has paid, and a screen reader says it whole. */
export function momentHeadline(above: Piece, title: string, said: string | Html): Html {
  return html`${above}<h1 tabindex="-1" data-moment>${title}</h1><p class="said">${said}</p>`;
}

export function heldScreen(page: PageRequest, model: PageModel, share: GuestShare, above: Piece): Screen {
  const { translator } = page;
  const myFace = html`<span class="in">${face(page, model, share)}</span>`;
  return {
    poster: {
      kind: 'moment',
      isCentered: true,
      headline: momentHeadline(myFace, translator.translate('page.in_title'), heldText(page, model, share)),
    },
    main: [
      above,
      html`<div class="narrow">${seatsWithTally(page, model, moneyHeld(page, model))}</div>`,
      whatIsMissing(page, model),
      html`<section><h2>${translator.translate('page.next_title')}</h2>
${nextSteps(stepsOf(page, model, share))}</section>`,
      model.isOrganizer &&
        html`<a class="button line" href="/c/${model.checkout.id}">${translator.translate('page.to_your_group')}</a>`,
      folds([whosIn(page, model), aboutHolds(page), ...policyFolds(page, model)]),
      leaveLink(page, model, share),
    ],
    shouldPoll: true,
  };
}

function heldText(page: PageRequest, model: PageModel, share: GuestShare): string {
  const { translator } = page;
  if (share.amount === 0) return translator.translate('page.held_free');
  if (share.covered_by !== null) return translator.translate('page.covered_text', { name: share.covered_by });
  const amount = money(page, model, share.amount);
  const card = model.paid.find(({ shareId }) => shareId === share.id)?.card ?? null;
  return card === null
    ? translator.translate('page.held_text', { amount })
    : translator.translate('page.held_on_card', { amount, card: cardName(card) });
}

/** Who is missing, and what the guest can do about it: send the link while a seat is open. */
function whatIsMissing(page: PageRequest, model: PageModel): Piece {
  const { translator } = page;
  const missing = model.checkout.shares.filter((share) => !countsAsFunded(share));
  const open = missing.filter(({ is_open_seat }) => is_open_seat).length;
  const [last] = missing;
  if (last === undefined) return null;
  if (open > 0) {
    const text = translator.translate(
      open === missing.length ? 'page.seats_missing_text' : 'page.others_missing_text',
      {
        count: open,
      },
    );
    return html`<section class="promise plain-panel"><h2>${translator.translate('page.seats_missing', { count: open })}</h2>
<p class="rest">${text}</p>
${linkButtons(page, model)}</section>`;
  }
  const title = translator.translate('page.people_missing', {
    count: missing.length,
    names: namesOf(page, model, missing),
  });
  return html`<section class="promise plain-panel"><h2>${title}</h2>
<p class="rest">${translator.translate('page.people_missing_text')}</p></section>`;
}

function stepsOf(page: PageRequest, model: PageModel, share: GuestShare): readonly NextStep[] {
  const { translator } = page;
  const count = model.checkout.shares.length;
  const amount = money(page, model, share.amount);
  const isOwnHold = share.amount > 0 && share.covered_by === null && share.held_at !== null;
  return [
    ...(isOwnHold
      ? [
          {
            kind: 'done' as const,
            title: translator.translate('page.step_held', { amount }),
            text: timeHtml(page, model, share.held_at ?? ''),
          },
        ]
      : []),
    {
      kind: 'now',
      title: translator.translate('page.step_all', { count }),
      text: translator.translate('page.step_all_text'),
    },
    {
      kind: 'else',
      title: sentence(page, 'page.step_else', deadline(page, model)),
      text: translator.translate('page.step_else_text'),
    },
  ];
}

/** Cards are charged now, unless the venue cannot be paid at the moment. */
export function fundedWords({ translator }: PageRequest, model: PageModel): { title: string; text: string } {
  const waits = !model.isVenuePayable;
  const { name: venue } = model.checkout.venue;
  return {
    title: translator.translate(waits ? 'page.funded_waits_title' : 'page.funded_title'),
    text: translator.translate(waits ? 'page.funded_waits' : 'page.funded_text', { venue }),
  };
}

export function fundedScreen(page: PageRequest, model: PageModel, above: Piece): Screen {
  const waits = !model.isVenuePayable;
  const until = sentence(page, 'page.funded_waits_until', deadline(page, model));
  const { title, text } = fundedWords(page, model);
  return {
    poster: { kind: 'moment', headline: momentHeadline(null, title, text) },
    main: [
      above,
      html`<div class="narrow">${seatsWithTally(page, model, moneyHeld(page, model))}</div>`,
      waits && html`<p>${until}</p>`,
      folds([whosIn(page, model), aboutHolds(page)]),
    ],
    shouldPoll: true,
  };
}
