// Which page somebody is shown: decided from the checkout's state, their own share's state and who they are, all as the
// server knows them. Every state has its own words.

import { formatTime } from '../../base/translations.ts';
import { type Html, html, type Piece } from './html.ts';
import type { Page } from './layout.ts';
import { organizerTools } from './organizer.ts';
import { isUnpaid, organizerName, type PageModel, paidSum, type ShareShown } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { type ChoiceShown, choosePage } from './party-page.ts';
import { isSandbox, payForm } from './pay-form.ts';
import { nameForm, signInForm, type Trouble } from './sign-in-form.ts';
import {
  aboutHolds,
  amountBlock,
  coverBlock,
  deadline,
  heading,
  money,
  progress,
  promise,
  sentence,
} from './summary.ts';

export interface Showing {
  readonly trouble?: Trouble | null;
  readonly status?: number;
  /** The organizer is choosing the party. */
  readonly choice?: ChoiceShown | null;
  /** The organizer covers: a share's id, or `rest`. */
  readonly cover?: string | null;
}

export function screenOf(page: PageRequest, model: PageModel, showing: Showing = {}): Page {
  const { checkout, place } = model;
  const body = bodyOf(page, model, showing);
  return {
    status: showing.status ?? 200,
    title: `${checkout.venue.name}: ${checkout.description}`,
    hasTrouble: showing.trouble != null || showing.choice?.trouble != null,
    preview: { title: checkout.description, about: checkout.venue.name },
    path: place.path,
    main: [heading(model), '\n', body.main],
    mode: checkout.mode,
    isLive: body.isLive,
    paysWithStripe: body.pays === true && !isSandbox(page),
    scripts: [...(body.pays === true ? ['pay.js'] : []), ...(body.chooses === true ? ['party.js'] : [])],
  };
}

interface Body {
  readonly main: Piece;
  readonly isLive: boolean;
  readonly pays?: boolean;
  readonly chooses?: boolean;
}

function bodyOf(page: PageRequest, model: PageModel, showing: Showing): Body {
  const { checkout, isOrganizer } = model;
  const { trouble = null } = showing;
  if (checkout.status === 'expired') return ended(page, model, 'expired');
  if (checkout.status === 'canceled') return ended(page, model, 'canceled');
  if (page.member === null) return strangerBody(page, model, trouble);
  if (checkout.status === 'completed') return completed(page, model);
  if (page.member.displayName === null) return still([nameForm(page, model, trouble)]);
  if (checkout.status === 'open' || (showing.choice && isOrganizer && checkout.status === 'collecting')) {
    return { main: choosePage(page, model, showing.choice ?? null), isLive: false, chooses: true };
  }
  if (checkout.status === 'funded') return funded(page, model);
  return collecting(page, model, showing);
}

const still = (main: Piece): Body => ({ main, isLive: false });

/** Everything but paying, for whoever has opened an invite; on the checkout's own page, names are for members. */
function strangerBody(page: PageRequest, model: PageModel, trouble: Trouble | null): Body {
  const { checkout, invitee, hasOrganizer } = model;
  const { translator } = page;
  if (checkout.status === 'completed' || checkout.status === 'funded') {
    const isDone = checkout.status === 'completed';
    const text = translator.translate(isDone ? 'page.completed_for_strangers' : 'page.funded_text');
    const said = notice(translator.translate(isDone ? 'page.completed_title' : 'page.funded_title'), text);
    return { main: [said, signInForm(page, model, trouble)], isLive: !isDone };
  }
  const share = checkout.shares.find(({ id }) => id === invitee?.shareId) ?? null;
  const why = hasOrganizer
    ? invitee === null
      ? translator.translate('page.sign_in_to_join')
      : translator.translate('page.invited_by', { name: organizerName(page, model) })
    : translator.translate('page.sign_in_to_organize');
  return still([
    amountBlock(page, model, share),
    html`<p class="lead">${why}</p>`,
    promise(page, model),
    signInForm(page, model, trouble),
    invitee !== null && progress(page, model),
    aboutHolds(page),
  ]);
}

function collecting(page: PageRequest, model: PageModel, showing: Showing): Body {
  const { myShare, isOrganizer } = model;
  const covered = isOrganizer && showing.cover ? toCover(page, model, showing.cover) : [];
  const above =
    showing.trouble == null
      ? null
      : notice(page.translator.translate('page.not_done'), showing.trouble.message, 'problem');
  if (covered.length > 0) {
    return {
      main: [
        above,
        coverBlock(page, model, covered),
        promise(page, model),
        progress(page, model),
        payForm(page, model, covered),
        html`<p><a href="/c/${model.checkout.id}">${page.translator.translate('page.back')}</a></p>`,
        aboutHolds(page),
      ],
      isLive: true,
      pays: true,
    };
  }
  if (myShare === null) return outsider(page, model, above);
  return {
    main: [
      above,
      amountBlock(page, model, myShare),
      ...mine(page, model, myShare),
      isOrganizer && organizerTools(page, model),
      aboutHolds(page),
    ],
    isLive: true,
    pays: isUnpaid(myShare),
  };
}

/** The real processor's form takes a card for one payment: there all the rest are covered one after the other. */
function toCover(page: PageRequest, { checkout, myShare }: PageModel, cover: string): readonly ShareShown[] {
  const others = checkout.shares.filter((share) => share.id !== myShare?.id && isUnpaid(share));
  if (cover !== 'rest') return others.filter(({ id }) => id === cover);
  return isSandbox(page) ? others : others.slice(0, 1);
}

function held(page: PageRequest, model: PageModel, share: ShareShown): Html {
  const { translator } = page;
  const { covered_by: payer } = share;
  if (share.amount === 0)
    return good(translator.translate('page.free_title'), html`<p>${translator.translate('page.held_free')}</p>`);
  if (payer !== null) {
    return good(
      translator.translate('page.covered_title', { name: payer }),
      html`<p>${translator.translate('page.covered_text')}</p>`,
    );
  }
  const until = sentence(page, 'page.promise_else', deadline(page, model));
  const title = translator.translate('page.held_title', { amount: money(page, model, share.amount) });
  return good(title, html`<p>${translator.translate('page.held_text')}</p><p>${until}</p>`);
}

/** The guest's own share, in the state it is in. */
function mine(page: PageRequest, model: PageModel, share: ShareShown): readonly Piece[] {
  const { translator } = page;
  if (share.status === 'held') return [held(page, model, share), progress(page, model)];
  const problem =
    share.status === 'failed' &&
    (!model.wasLost
      ? notice(
          translator.translate('page.declined_title'),
          translator.translate('page.declined_text'),
          'problem declined',
        )
      : notice(translator.translate('page.lost_title'), translator.translate('page.lost_text'), 'problem'));
  return [problem, promise(page, model), progress(page, model), payForm(page, model, [share])];
}

/** Signed in, and no share of theirs: a seat may be free, the invite may be somebody else's, or the party has changed. */
function outsider(page: PageRequest, model: PageModel, above: Piece): Body {
  const { translator } = page;
  const { invitee, checkout, place } = model;
  const seat =
    checkout.shares.find((share) => share.is_open_seat && share.id === invitee?.shareId) ??
    checkout.shares.find(({ is_open_seat }) => is_open_seat);
  const organizer = organizerName(page, model);
  if (seat !== undefined) {
    const amount = money(page, model, seat.amount);
    return {
      main: [
        above,
        amountBlock(page, model, seat),
        promise(page, model),
        html`<form method="post" action="${place.path}/seat" class="card"><p>${translator.translate('page.seat_free', { name: organizer })}</p><input type="hidden" name="share" value="${seat.id}"><button>${translator.translate('page.take_seat', { amount })}</button></form>`,
        progress(page, model),
        aboutHolds(page),
      ],
      isLive: true,
    };
  }
  const dropped = model.wasDropped
    ? notice(translator.translate('page.dropped_title'), translator.translate('page.dropped_text', { name: organizer }))
    : invitee !== null && !invitee.isSeat
      ? wrongPerson(page, invitee.displayName ?? translator.translate('page.somebody_else'))
      : notice(
          translator.translate('page.no_seat_title'),
          translator.translate('page.no_seat_text', { name: organizer }),
        );
  return { main: [above, dropped, progress(page, model), aboutHolds(page)], isLive: true };
}

function wrongPerson({ translator, member }: PageRequest, name: string): Html {
  const text = translator.translate('page.wrong_person_text', { name, me: member?.displayName ?? '' });
  return notice(translator.translate('page.wrong_person_title', { name }), text);
}

function funded(page: PageRequest, model: PageModel): Body {
  const { translator } = page;
  const block = good(
    translator.translate('page.funded_title'),
    html`<p>${translator.translate('page.funded_text')}</p>`,
  );
  return {
    main: [model.myShare !== null && amountBlock(page, model, model.myShare), block, progress(page, model)],
    isLive: true,
  };
}

function completed(page: PageRequest, model: PageModel): Body {
  const { translator } = page;
  const { checkout } = model;
  const at = Date.parse(checkout.completed_at ?? checkout.pay_by);
  const when = html`<time datetime="${new Date(at).toISOString()}" data-local>${formatTime(translator.language, at, 'UTC')}</time>`;
  const lines = receipt(page, model).map((line) => html`<p>${line}</p>`);
  const block = good(
    translator.translate('page.completed_title'),
    html`${lines}<p class="quiet">${sentence(page, 'page.completed_at', when)}</p>
<p><a class="button" href="${checkout.return_url}" rel="noreferrer">${translator.translate('page.back_to_venue', { venue: checkout.venue.name })}</a></p>`,
  );
  return { main: [block, progress(page, model)], isLive: false };
}

/** What became of the guest's own money, and who paid when it was not they. */
function receipt(page: PageRequest, model: PageModel): readonly string[] {
  const { translator } = page;
  const { checkout, myShare } = model;
  const venue = checkout.venue.name;
  const said = (key: string, amount: number): string =>
    translator.translate(key, { amount: money(page, model, amount), venue, name: myShare?.covered_by ?? '' });
  const charged = paidSum(model, 'captured');
  const refunded = paidSum(model, 'refunded');
  const lines = [
    ...(charged > 0 ? [said('page.completed_mine', charged)] : []),
    ...(refunded > 0 ? [said('page.completed_refunded', refunded)] : []),
    ...(myShare !== null && myShare.covered_by !== null ? [said('page.completed_covered', myShare.amount)] : []),
  ];
  if (lines.length > 0) return lines;
  return [myShare === null ? said('page.completed_others', checkout.amount) : translator.translate('page.held_free')];
}

/** Over without a charge that stays. */
function ended(page: PageRequest, model: PageModel, how: 'expired' | 'canceled'): Body {
  const { translator } = page;
  const { checkout } = model;
  const released = paidSum(model, 'released');
  const refunded = paidSum(model, 'refunded');
  const back = checkout.cancel_url ?? checkout.return_url;
  return still([
    notice(
      translator.translate(`page.${how}_title`),
      translator.translate(`page.${how}_text`, { venue: checkout.venue.name }),
    ),
    released > 0 &&
      html`<p>${translator.translate('page.released_text', { amount: money(page, model, released) })}</p>`,
    refunded > 0 &&
      html`<p>${translator.translate('page.completed_refunded', { amount: money(page, model, refunded), venue: checkout.venue.name, name: '' })}</p>`,
    html`<p><a class="button" href="${back}" rel="noreferrer">${translator.translate('page.back_to_venue', { venue: checkout.venue.name })}</a></p>`,
    released > 0 && aboutHolds(page),
  ]);
}

function notice(title: string, text: string, kind: '' | 'problem' | 'problem declined' = ''): Html {
  return html`<section class="notice ${kind}"${kind !== '' && html` role="alert"`}>
<h2>${title}</h2>
<p>${text}</p>
</section>
`;
}

function good(title: string, text: Html): Html {
  return html`<section class="notice good">
<h2>${title}</h2>
${text}
</section>
`;
}
