// Chooses and renders the content of a checkout's page from the state of the checkout, the state of the guest's share and
// the guest's role, all read by the server. Every state has its own text.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { formatTime } from '../../base/translations.ts';
import { isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { type Html, html, type Piece } from './html.ts';
import type { PageContent } from './layout.ts';
import { organizerTools } from './organizer.ts';
import { canTakeCard, needsOtherCard, organizerName, type PageModel, paidSum } from './page-model.ts';
import type { PageRequest } from './page-request.ts';
import { choosePage, type PartyChoiceView } from './party-page.ts';
import { isSandbox, payForm } from './pay-form.ts';
import { type FormError, nameForm, signInForm } from './sign-in-form.ts';
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
  timeWithCountdown,
} from './summary.ts';

export interface ScreenOptions {
  readonly formError?: FormError | null;
  readonly status?: number;
  /** The organizer is choosing the party. */
  readonly choice?: PartyChoiceView | null;
  /** The organizer covers: a share's id, or `rest`. */
  readonly cover?: string | null;
  /** A share that the organizer holds with a saved card, which can pay others; null: there is none. */
  readonly sameCard?: string | null;
}

export function renderScreen(page: PageRequest, model: PageModel, options: ScreenOptions = {}): PageContent {
  const { checkout, route } = model;
  const body = bodyOf(page, model, options);
  return {
    status: options.status ?? 200,
    title: `${checkout.venue.name}: ${checkout.description}`,
    hasError: options.formError != null || options.choice?.formError != null,
    preview: { title: checkout.description, about: checkout.venue.name },
    path: route.path,
    main: [heading(model), '\n', body.main],
    mode: checkout.mode,
    shouldPoll: body.shouldPoll,
    paysWithStripe: body.hasPayForm === true && !isSandbox(page),
    scripts: [...(body.hasPayForm === true ? ['pay.js'] : []), ...(body.hasPartyForm === true ? ['party.js'] : [])],
  };
}

interface Body {
  readonly main: Piece;
  readonly shouldPoll: boolean;
  readonly hasPayForm?: boolean;
  readonly hasPartyForm?: boolean;
}

function bodyOf(page: PageRequest, model: PageModel, options: ScreenOptions): Body {
  const { checkout, isOrganizer } = model;
  const { formError = null } = options;
  if (checkout.status === 'expired') return endedWithoutCharge(page, model, 'expired');
  if (checkout.status === 'canceled') return endedWithoutCharge(page, model, 'canceled');
  if (page.member === null) return signedOutBody(page, model, formError);
  if (checkout.status === 'completed') return completed(page, model);
  if (page.member.displayName === null) return staticBody([nameForm(page, model, formError)]);
  if (checkout.status === 'open' || (options.choice && isOrganizer && checkout.status === 'collecting')) {
    return { main: choosePage(page, model, options.choice ?? null), shouldPoll: false, hasPartyForm: true };
  }
  if (checkout.status === 'funded') return funded(page, model);
  return collecting(page, model, options);
}

const staticBody = (main: Piece): Body => ({ main, shouldPoll: false });

/** For a guest who is not signed in. Only an invite's page shows the names of the party. */
function signedOutBody(page: PageRequest, model: PageModel, formError: FormError | null): Body {
  const { checkout, invitee, hasOrganizer } = model;
  const { translator } = page;
  if (checkout.status === 'completed' || checkout.status === 'funded') {
    const isDone = checkout.status === 'completed';
    const text = translator.translate(isDone ? 'page.completed_for_strangers' : 'page.funded_text');
    const said = notice(translator.translate(isDone ? 'page.completed_title' : 'page.funded_title'), text);
    return { main: [said, signInForm(page, model, formError)], shouldPoll: !isDone };
  }
  const share = checkout.shares.find(({ id }) => id === invitee?.shareId) ?? null;
  const why = hasOrganizer
    ? invitee === null
      ? translator.translate('page.sign_in_to_join')
      : translator.translate('page.invited_by', { name: organizerName(page, model) })
    : translator.translate('page.sign_in_to_organize');
  return staticBody([
    amountBlock(page, model, share),
    html`<p class="lead">${why}</p>`,
    promise(page, model),
    signInForm(page, model, formError),
    invitee !== null && progress(page, model),
    aboutHolds(page),
  ]);
}

function collecting(page: PageRequest, model: PageModel, options: ScreenOptions): Body {
  const { myShare, isOrganizer } = model;
  const covered = isOrganizer && options.cover ? sharesToCover(model, options.cover) : [];
  const above =
    options.formError == null
      ? null
      : notice(page.translator.translate('page.not_done'), options.formError.message, 'problem');
  if (covered.length > 0 && model.isVenuePayable) {
    return {
      main: [
        above,
        coverBlock(page, model, covered),
        promise(page, model),
        progress(page, model),
        payForm(page, model, covered, covered.every(isUnpaid) ? (options.sameCard ?? null) : null),
        html`<p><a href="/c/${model.checkout.id}">${page.translator.translate('page.back')}</a></p>`,
        aboutHolds(page),
      ],
      shouldPoll: true,
      hasPayForm: true,
    };
  }
  if (myShare === null) return withoutShare(page, model, above);
  return {
    main: [
      above,
      amountBlock(page, model, myShare),
      ...ownShare(page, model, myShare),
      isOrganizer && organizerTools(page, model),
      aboutHolds(page),
    ],
    shouldPoll: true,
    hasPayForm: (isUnpaid(myShare) || needsOtherCard(myShare)) && model.isVenuePayable,
  };
}

function sharesToCover({ checkout, myShare }: PageModel, cover: string): readonly GuestShare[] {
  const isOther = (share: GuestShare): boolean => share.id !== myShare?.id;
  if (cover === 'rest') return checkout.shares.filter((share) => isOther(share) && isUnpaid(share));
  return checkout.shares.filter((share) => isOther(share) && share.id === cover && canTakeCard(share));
}

function heldNotice(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const { translator } = page;
  const { covered_by: payer } = share;
  if (share.amount === 0)
    return successNotice(
      translator.translate('page.free_title'),
      html`<p>${translator.translate('page.held_free')}</p>`,
    );
  if (payer !== null) {
    return successNotice(
      translator.translate('page.covered_title', { name: payer }),
      html`<p>${translator.translate('page.covered_text')}</p>`,
    );
  }
  const until = sentence(page, 'page.promise_else', deadline(page, model));
  const title = translator.translate('page.held_title', { amount: money(page, model, share.amount) });
  return successNotice(title, html`<p>${translator.translate('page.held_text')}</p><p>${until}</p>`);
}

/** The share is still held, but its hold ends before the deadline: the guest must give a card again. */
function renewalNotice(page: PageRequest, model: PageModel, share: GuestShare): Html {
  const amount = money(page, model, share.amount);
  const text = sentence(page, 'page.renewal_text', timeWithCountdown(page, share.renew_by ?? ''), { amount });
  return notice(page.translator.translate('page.renewal_title'), text, 'problem');
}

/** The guest's own share, by its state. */
function ownShare(page: PageRequest, model: PageModel, share: GuestShare): readonly Piece[] {
  const { translator } = page;
  if (needsOtherCard(share) && model.isVenuePayable)
    return [renewalNotice(page, model, share), payForm(page, model, [share]), progress(page, model)];
  if (share.status === 'held') return [heldNotice(page, model, share), progress(page, model)];
  if (!model.isVenuePayable) return [notPayableNotice(page, model), progress(page, model)];
  const problem =
    share.status === 'failed' &&
    (!model.hasLostHold
      ? notice(
          translator.translate('page.declined_title'),
          translator.translate('page.declined_text'),
          'problem declined',
        )
      : notice(translator.translate('page.lost_title'), translator.translate('page.lost_text'), 'problem'));
  return [problem, promise(page, model), progress(page, model), payForm(page, model, [share])];
}

/** A signed-in guest without a share: a seat is open, the invite is for another person, or the party has changed. */
function withoutShare(page: PageRequest, model: PageModel, above: Piece): Body {
  const { translator } = page;
  const { invitee, checkout, route } = model;
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
        html`<form method="post" action="${route.path}/seat" class="card"><p>${translator.translate('page.seat_free', { name: organizer })}</p><input type="hidden" name="share" value="${seat.id}"><button>${translator.translate('page.take_seat', { amount })}</button></form>`,
        progress(page, model),
        aboutHolds(page),
      ],
      shouldPoll: true,
    };
  }
  const notices = model.wasRemoved
    ? notice(translator.translate('page.dropped_title'), translator.translate('page.dropped_text', { name: organizer }))
    : invitee !== null && !invitee.isSeat
      ? wrongPerson(page, invitee.displayName ?? translator.translate('page.somebody_else'))
      : notice(
          translator.translate('page.no_seat_title'),
          translator.translate('page.no_seat_text', { name: organizer }),
        );
  return { main: [above, notices, progress(page, model), aboutHolds(page)], shouldPoll: true };
}

function wrongPerson({ translator, member }: PageRequest, name: string): Html {
  const text = translator.translate('page.wrong_person_text', { name, me: member?.displayName ?? '' });
  return notice(translator.translate('page.wrong_person_title', { name }), text);
}

/** The guest's share is unpaid, and no card can be held for it now. */
function notPayableNotice({ translator }: PageRequest, { checkout }: PageModel): Html {
  const venue = checkout.venue.name;
  return notice(
    translator.translate('page.not_payable_title'),
    translator.translate('page.not_payable_text', { venue }),
    'problem',
  );
}

function funded(page: PageRequest, model: PageModel): Body {
  const { translator } = page;
  if (!model.isVenuePayable) {
    const { name: venue } = model.checkout.venue;
    const until = sentence(page, 'page.funded_waits_until', deadline(page, model));
    const waiting = html`<p>${translator.translate('page.funded_waits', { venue })}</p><p>${until}</p>`;
    const block = successNotice(translator.translate('page.funded_waits_title'), waiting);
    return { main: [block, progress(page, model)], shouldPoll: true };
  }
  const block = successNotice(
    translator.translate('page.funded_title'),
    html`<p>${translator.translate('page.funded_text')}</p>`,
  );
  return {
    main: [model.myShare !== null && amountBlock(page, model, model.myShare), block, progress(page, model)],
    shouldPoll: true,
  };
}

function completed(page: PageRequest, model: PageModel): Body {
  const { translator } = page;
  const { checkout } = model;
  const at = Date.parse(checkout.completed_at ?? checkout.pay_by);
  const when = html`<time datetime="${new Date(at).toISOString()}" data-local>${formatTime(translator.language, at, 'UTC')}</time>`;
  const lines = receipt(page, model).map((line) => html`<p>${line}</p>`);
  const block = successNotice(
    translator.translate('page.completed_title'),
    html`${lines}<p class="quiet">${sentence(page, 'page.completed_at', when)}</p>
<p><a class="button" href="${checkout.return_url}" rel="noreferrer">${translator.translate('page.back_to_venue', { venue: checkout.venue.name })}</a></p>`,
  );
  return { main: [block, progress(page, model)], shouldPoll: false };
}

/** What the guest was charged or refunded, and who paid the guest's share otherwise. */
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

/** The checkout ended and no charge remains. */
function endedWithoutCharge(page: PageRequest, model: PageModel, how: 'expired' | 'canceled'): Body {
  const { translator } = page;
  const { checkout } = model;
  const released = paidSum(model, 'released');
  const refunded = paidSum(model, 'refunded');
  const back = checkout.cancel_url ?? checkout.return_url;
  return staticBody([
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

function notice(title: string, text: string | Html, kind: '' | 'problem' | 'problem declined' = ''): Html {
  return html`<section class="notice ${kind}"${kind !== '' && html` role="alert"`}>
<h2>${title}</h2>
<p>${text}</p>
</section>
`;
}

function successNotice(title: string, text: Html): Html {
  return html`<section class="notice good">
<h2>${title}</h2>
${text}
</section>
`;
}
