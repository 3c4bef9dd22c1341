// Chooses and renders the content of a checkout's page from the state of the checkout, the state of the guest's share and
// the guest's role, all read by the server. Every state has its own text.

import type { GuestShare } from '../../../schemas/types.gen.ts';
import { isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { canceledScreen, completedScreen, expiredScreen } from './ended-screens.ts';
import { html, type Piece } from './html.ts';
import type { PageContent } from './layout.ts';
import {
  droppedNotice,
  hasDeclined,
  leaveLink,
  leaveScreen,
  leftNotice,
  removeScreen,
  shareToLeave,
  shareToRemove,
} from './leave-page.ts';
import { fundedScreen, fundedWords, heldScreen } from './moments.ts';
import { inviteScreen } from './organizer.ts';
import { canTakeCard, needsOtherCard, organizerName, type PageModel } from './page-model.ts';
import { isSandbox, type PageRequest } from './page-request.ts';
import { chooseScreen, type PartyChoiceView } from './party-page.ts';
import { payForm } from './pay-form.ts';
import { policyFolds } from './policy.ts';
import { posterOf } from './poster.ts';
import type { Screen } from './screen.ts';
import { face, seatsWithTally, tallyText, whosIn } from './seats.ts';
import { type FormError, nameForm, signInForm } from './sign-in-form.ts';
import {
  aboutHolds,
  coverBlock,
  folds,
  money,
  notice,
  problemNotice,
  promise,
  shareBlock,
  shareProblem,
  totalBlock,
} from './summary.ts';

export interface ScreenOptions {
  readonly formError?: FormError | null;
  readonly status?: number;
  /** The organizer is choosing the party. */
  readonly choice?: PartyChoiceView | null;
  /** The organizer covers: a share's id, or `rest`. */
  readonly cover?: string | null;
  /** The organizer pays the own share. */
  readonly paysOwn?: boolean;
  /** The guest wants to say no, or to give up a held place. */
  readonly leaves?: boolean;
  /** The share whose person the organizer wants to remove. */
  readonly removes?: string | null;
  /** A share that the organizer holds with a saved card, which can pay others; null: there is none. */
  readonly sameCard?: string | null;
}

export function renderScreen(page: PageRequest, model: PageModel, options: ScreenOptions = {}): PageContent {
  const { checkout, route } = model;
  const screen = screenOf(page, model, options);
  const { poster } = screen;
  const refusal = refusalAfterEnd(page, model, options);
  return {
    status: options.status ?? 200,
    title: titleOf(page, model),
    hasError: options.formError != null || options.choice?.formError != null,
    preview: {
      title: checkout.description,
      about: checkout.venue.name,
      image: `${page.http.urls().checkoutPages}/c/${checkout.id}/preview.jpg`,
    },
    path: route.path,
    poster: posterOf(page, model, poster),
    look: poster.kind === 'compact' ? 'compact' : poster.isOver === true ? 'over' : null,
    main: [refusal, screen.main],
    bar: screen.bar,
    mode: checkout.mode,
    venue: model.venue,
    shouldPoll: screen.shouldPoll === true,
    paysWithStripe: screen.hasPayForm === true && !isSandbox(page),
    scripts: [...(screen.hasPayForm === true ? ['pay.js'] : []), ...(screen.hasPartyForm === true ? ['party.js'] : [])],
  };
}

/** A form was refused because the checkout has ended or is funded meanwhile: pages of these states have no form. */
function refusalAfterEnd(page: PageRequest, { checkout }: PageModel, { formError }: ScreenOptions): Piece {
  const hasForm = page.member === null || checkout.status === 'open' || checkout.status === 'collecting';
  if (formError == null || formError.field !== null || hasForm) return null;
  return problemNotice(page.translator.translate('page.not_done'), formError.message);
}

/** While the group pays, the tab shows how many are in. */
function titleOf(page: PageRequest, model: PageModel): string {
  const { checkout } = model;
  const title = `${checkout.venue.name}: ${checkout.description}`;
  return checkout.status === 'collecting' && page.member !== null ? `${tallyText(page, model)} · ${title}` : title;
}

function screenOf(page: PageRequest, model: PageModel, options: ScreenOptions): Screen {
  const { checkout, isOrganizer } = model;
  const { formError = null } = options;
  const above =
    formError === null ? null : problemNotice(page.translator.translate('page.not_done'), formError.message);
  if (checkout.status === 'expired') return expiredScreen(page, model);
  if (checkout.status === 'canceled') return canceledScreen(page, model);
  const leaving = options.leaves === true ? shareToLeave(page, model) : null;
  if (leaving !== null) return leaveScreen(page, model, leaving);
  if (page.member === null) return landing(page, model, formError);
  if (checkout.status === 'completed') {
    const form = { error: formError };
    return completedScreen(page, model, form, formError?.field === null ? above : null);
  }
  // A guest whom the organizer has named is not asked for a name again.
  if (page.member.displayName === null && (model.myShare?.display_name ?? null) === null)
    return { poster: { kind: 'standard' }, main: [nameForm(page, model, formError)] };
  if (checkout.status === 'open' || (options.choice && isOrganizer && checkout.status === 'collecting')) {
    return chooseScreen(page, model, options.choice ?? null);
  }
  if (checkout.status === 'funded') return fundedScreen(page, model, above);
  return collecting(page, model, options, above);
}

/** For a guest who is not signed in: who asks, what a share is, who is in. */
function landing(page: PageRequest, model: PageModel, formError: FormError | null): Screen {
  const { checkout, invitee, hasOrganizer } = model;
  if (checkout.status === 'completed' || checkout.status === 'funded') {
    const { title, text } = checkout.status === 'funded' ? fundedWords(page, model) : completedWords(page, model);
    return {
      poster: { kind: 'standard' },
      main: [notice(title, text), signInForm(page, model, formError)],
      shouldPoll: checkout.status === 'funded',
    };
  }
  const declined = hasDeclined(page, model);
  const invited = shareToLeave(page, model);
  const share =
    checkout.shares.find(({ id }) => id === invitee?.shareId) ??
    (invitee === null || declined ? checkout.shares.find(({ is_open_seat }) => is_open_seat) : undefined);
  return {
    poster: { kind: 'standard' },
    main: [
      declined && leftNotice(page, model, hasSeat(model)),
      page.pending === null && !declined && greeting(page, model, share),
      hasOrganizer
        ? html`<div class="panel">${share === undefined ? totalBlock(page, model) : shareBlock(page, model, share)}
<hr class="narrow">
<div class="narrow">${seatsWithTally(page, model)}</div></div>`
        : totalBlock(page, model),
      signInForm(page, model, formError),
      !declined && share?.status !== 'held' && promise(page, model),
      folds([aboutHolds(page), ...policyFolds(page, model)]),
      invited !== null && page.pending === null && leaveLink(page, model, invited),
    ],
  };
}

const hasSeat = ({ checkout }: PageModel): boolean => checkout.shares.some(({ is_open_seat }) => is_open_seat);
/** For a guest who is not signed in. "Paid" stands only while the venue keeps the money. */
function completedWords(
  { translator }: PageRequest,
  { checkout, refunds }: PageModel,
): { title: string; text: string } {
  const text = translator.translate('page.completed_for_strangers');
  if (!refunds.isWhole) return { title: translator.translate('page.paid_title'), text };
  const { name: venue } = checkout.venue;
  return { title: translator.translate('page.refunded_others_text', { venue }), text };
}

function greeting(page: PageRequest, model: PageModel, share: GuestShare | undefined): Piece {
  const { translator } = page;
  if (!model.hasOrganizer) return html`<p class="lead">${translator.translate('page.sign_in_to_organize')}</p>`;
  const name = organizerName(page, model);
  const organizer = model.checkout.shares.find(({ is_organizer }) => is_organizer);
  const [title, text] =
    share === undefined
      ? [translator.translate('page.invited_title', { name }), translator.translate('page.sign_in_to_join')]
      : share.is_open_seat
        ? [translator.translate('page.seat_free', { name }), translator.translate('page.sign_in_for_seat')]
        : [translator.translate('page.invited_title', { name }), whatToDo(page, model, share)];
  return html`<div class="greeting in">${organizer !== undefined && face(page, model, organizer, false)}<p><strong>${title}</strong> <span class="quiet">${text}</span></p></div>`;
}

/** A guest who has paid, and opens the link on another device, is not asked to pay. */
function whatToDo(page: PageRequest, model: PageModel, share: GuestShare): string {
  if (share.status !== 'held') return page.translator.translate('page.sign_in_to_pay');
  return page.translator.translate('page.held_text', { amount: money(page, model, share.amount) });
}

function collecting(page: PageRequest, model: PageModel, options: ScreenOptions, above: Piece): Screen {
  const { myShare, isOrganizer } = model;
  const removing = options.removes == null ? null : shareToRemove(model, options.removes);
  if (removing !== null) return removeScreen(page, model, removing);
  const covered = isOrganizer && options.cover ? sharesToCover(model, options.cover) : [];
  if (covered.length > 0 && model.isVenuePayable) {
    return {
      poster: { kind: 'standard' },
      main: [
        above,
        coverBlock(page, model, covered),
        html`<div class="narrow">${seatsWithTally(page, model)}</div>`,
        promise(page, model),
        payForm(page, model, covered, covered.every(isUnpaid) ? (options.sameCard ?? null) : null),
        html`<p><a href="/c/${model.checkout.id}">${page.translator.translate('page.back')}</a></p>`,
        folds([whosIn(page, model), aboutHolds(page)]),
      ],
      shouldPoll: true,
      hasPayForm: true,
    };
  }
  if (isOrganizer && options.paysOwn !== true)
    return inviteScreen(page, model, options.leaves === true ? organizerStays(page) : above);
  if (myShare === null) return withoutShare(page, model, above);
  if (myShare.status === 'held' && !needsOtherCard(myShare)) return heldScreen(page, model, myShare, above);
  return payScreen(page, model, myShare, above);
}

/** An organizer who wants to leave changes the group, or asks the venue. */
function organizerStays({ translator }: PageRequest): Piece {
  return problemNotice(translator.translate('page.not_done'), translator.translate('page.organizer_stays'));
}

function sharesToCover({ checkout, myShare }: PageModel, cover: string): readonly GuestShare[] {
  const isOther = (share: GuestShare): boolean => share.id !== myShare?.id;
  if (cover === 'rest') return checkout.shares.filter((share) => isOther(share) && isUnpaid(share));
  return checkout.shares.filter((share) => isOther(share) && share.id === cover && canTakeCard(share));
}

/** Share, seats, promise, wallets, card, button; everything else is folded below. */
function payScreen(page: PageRequest, model: PageModel, share: GuestShare, above: Piece): Screen {
  const { translator } = page;
  const canPay = model.isVenuePayable;
  const isInvited = share.status === 'invited' && !share.is_organizer;
  const label = isInvited ? translator.translate('page.invited_share', { name: organizerName(page, model) }) : null;
  return {
    poster: { kind: share.status === 'failed' ? 'compact' : 'standard' },
    main: [
      above,
      shareProblem(page, model, share),
      shareBlock(page, model, share, label),
      html`<div class="narrow">${seatsWithTally(page, model)}</div>`,
      canPay && share.status === 'invited' && promise(page, model),
      canPay && payForm(page, model, [share]),
      model.isOrganizer &&
        html`<p><a href="/c/${model.checkout.id}">${translator.translate('page.to_your_group')}</a></p>`,
      folds([whosIn(page, model), aboutHolds(page), ...policyFolds(page, model)]),
      leaveLink(page, model, share),
    ],
    shouldPoll: true,
    hasPayForm: canPay,
  };
}

/** A signed-in guest without a share: a seat is open, the invite is for another person, or the party has changed. */
function withoutShare(page: PageRequest, model: PageModel, above: Piece): Screen {
  const { translator } = page;
  const { invitee, checkout, route } = model;
  const seat =
    checkout.shares.find((share) => share.is_open_seat && share.id === invitee?.shareId) ??
    checkout.shares.find(({ is_open_seat }) => is_open_seat);
  const organizer = organizerName(page, model);
  const declined = hasDeclined(page, model);
  const wasDropped = model.left !== null && !declined;
  // Whom the organizer has removed does not take the seat back by a tap.
  if (seat !== undefined && model.left?.reason !== 'removed') {
    const amount = money(page, model, seat.amount);
    return {
      poster: { kind: 'standard' },
      main: [
        above,
        declined && leftNotice(page, model, true),
        wasDropped && droppedNotice(page, model),
        shareBlock(
          page,
          model,
          seat,
          declined || wasDropped
            ? translator.translate('page.open_seat')
            : translator.translate('page.seat_free', { name: organizer }),
        ),
        html`<div class="narrow">${seatsWithTally(page, model)}</div>`,
        promise(page, model),
        html`<form method="post" action="${route.path}/seat" class="card"><input type="hidden" name="share" value="${seat.id}"><button>${translator.translate('page.take_seat', { amount })}</button></form>`,
        folds([whosIn(page, model), aboutHolds(page)]),
      ],
      shouldPoll: true,
    };
  }
  const said = declined
    ? leftNotice(page, model, false)
    : wasDropped
      ? droppedNotice(page, model)
      : invitee !== null && !invitee.isSeat
        ? wrongPerson(page, invitee.displayName ?? translator.translate('page.somebody_else'))
        : notice(
            translator.translate('page.no_seat_title'),
            translator.translate('page.no_seat_text', { name: organizer }),
          );
  return {
    poster: { kind: 'standard' },
    main: [
      above,
      said,
      html`<div class="narrow">${seatsWithTally(page, model)}</div>`,
      folds([whosIn(page, model), aboutHolds(page)]),
    ],
    shouldPoll: true,
  };
}

function wrongPerson({ translator, member }: PageRequest, name: string): Piece {
  const text = translator.translate('page.wrong_person_text', { name, me: member?.displayName ?? '' });
  return notice(translator.translate('page.wrong_person_title', { name }), text);
}
