// Which page somebody is shown: decided from the checkout's state, their own share's state and who they are, all as the
// server knows them. Every state has its own words.

import { formatTime } from '../../base/translations.ts';
import { type Html, html, type Piece } from './html.ts';
import type { Page } from './layout.ts';
import { organizerTools } from './organizer.ts';
import { isUnpaid, organizerName, paidSum, type Scene, type ShareShown } from './page-model.ts';
import type { Visit } from './page-request.ts';
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

export function screenOf(visit: Visit, scene: Scene, showing: Showing = {}): Page {
  const { checkout, place } = scene;
  const body = bodyOf(visit, scene, showing);
  return {
    status: showing.status ?? 200,
    title: `${checkout.venue.name}: ${checkout.description}`,
    hasTrouble: showing.trouble != null || showing.choice?.trouble != null,
    preview: { title: checkout.description, about: checkout.venue.name },
    path: place.path,
    main: [heading(scene), '\n', body.main],
    mode: checkout.mode,
    isLive: body.isLive,
    paysWithStripe: body.pays === true && !isSandbox(visit),
    scripts: [...(body.pays === true ? ['pay.js'] : []), ...(body.chooses === true ? ['party.js'] : [])],
  };
}

interface Body {
  readonly main: Piece;
  readonly isLive: boolean;
  readonly pays?: boolean;
  readonly chooses?: boolean;
}

function bodyOf(visit: Visit, scene: Scene, showing: Showing): Body {
  const { checkout, isOrganizer } = scene;
  const { trouble = null } = showing;
  if (checkout.status === 'expired') return ended(visit, scene, 'expired');
  if (checkout.status === 'canceled') return ended(visit, scene, 'canceled');
  if (visit.member === null) return strangerBody(visit, scene, trouble);
  if (checkout.status === 'completed') return completed(visit, scene);
  if (visit.member.displayName === null) return still([nameForm(visit, scene, trouble)]);
  if (checkout.status === 'open' || (showing.choice && isOrganizer && checkout.status === 'collecting')) {
    return { main: choosePage(visit, scene, showing.choice ?? null), isLive: false, chooses: true };
  }
  if (checkout.status === 'funded') return funded(visit, scene);
  return collecting(visit, scene, showing);
}

const still = (main: Piece): Body => ({ main, isLive: false });

/** Everything but paying, for whoever has opened an invite; on the checkout's own page, names are for members. */
function strangerBody(visit: Visit, scene: Scene, trouble: Trouble | null): Body {
  const { checkout, invitee, hasOrganizer } = scene;
  const { words } = visit;
  if (checkout.status === 'completed' || checkout.status === 'funded') {
    const isDone = checkout.status === 'completed';
    const text = words.say(isDone ? 'page.completed_for_strangers' : 'page.funded_text');
    const said = notice(words.say(isDone ? 'page.completed_title' : 'page.funded_title'), text);
    return { main: [said, signInForm(visit, scene, trouble)], isLive: !isDone };
  }
  const share = checkout.shares.find(({ id }) => id === invitee?.shareId) ?? null;
  const why = hasOrganizer
    ? invitee === null
      ? words.say('page.sign_in_to_join')
      : words.say('page.invited_by', { name: organizerName(visit, scene) })
    : words.say('page.sign_in_to_organize');
  return still([
    amountBlock(visit, scene, share),
    html`<p class="lead">${why}</p>`,
    promise(visit, scene),
    signInForm(visit, scene, trouble),
    invitee !== null && progress(visit, scene),
    aboutHolds(visit),
  ]);
}

function collecting(visit: Visit, scene: Scene, showing: Showing): Body {
  const { myShare, isOrganizer } = scene;
  const covered = isOrganizer && showing.cover ? toCover(visit, scene, showing.cover) : [];
  const above =
    showing.trouble == null ? null : notice(visit.words.say('page.not_done'), showing.trouble.message, 'problem');
  if (covered.length > 0) {
    return {
      main: [
        above,
        coverBlock(visit, scene, covered),
        promise(visit, scene),
        progress(visit, scene),
        payForm(visit, scene, covered),
        html`<p><a href="/c/${scene.checkout.id}">${visit.words.say('page.back')}</a></p>`,
        aboutHolds(visit),
      ],
      isLive: true,
      pays: true,
    };
  }
  if (myShare === null) return outsider(visit, scene, above);
  return {
    main: [
      above,
      amountBlock(visit, scene, myShare),
      ...mine(visit, scene, myShare),
      isOrganizer && organizerTools(visit, scene),
      aboutHolds(visit),
    ],
    isLive: true,
    pays: isUnpaid(myShare),
  };
}

/** The real processor's form takes a card for one payment: there all the rest are covered one after the other. */
function toCover(visit: Visit, { checkout, myShare }: Scene, cover: string): readonly ShareShown[] {
  const others = checkout.shares.filter((share) => share.id !== myShare?.id && isUnpaid(share));
  if (cover !== 'rest') return others.filter(({ id }) => id === cover);
  return isSandbox(visit) ? others : others.slice(0, 1);
}

function held(visit: Visit, scene: Scene, share: ShareShown): Html {
  const { words } = visit;
  const { covered_by: payer } = share;
  if (share.amount === 0) return good(words.say('page.free_title'), html`<p>${words.say('page.held_free')}</p>`);
  if (payer !== null) {
    return good(words.say('page.covered_title', { name: payer }), html`<p>${words.say('page.covered_text')}</p>`);
  }
  const until = sentence(visit, 'page.promise_else', deadline(visit, scene));
  const title = words.say('page.held_title', { amount: money(visit, scene, share.amount) });
  return good(title, html`<p>${words.say('page.held_text')}</p><p>${until}</p>`);
}

/** The guest's own share, in the state it is in. */
function mine(visit: Visit, scene: Scene, share: ShareShown): readonly Piece[] {
  const { words } = visit;
  if (share.status === 'held') return [held(visit, scene, share), progress(visit, scene)];
  const problem =
    share.status === 'failed' &&
    (!scene.wasLost
      ? notice(words.say('page.declined_title'), words.say('page.declined_text'), 'problem declined')
      : notice(words.say('page.lost_title'), words.say('page.lost_text'), 'problem'));
  return [problem, promise(visit, scene), progress(visit, scene), payForm(visit, scene, [share])];
}

/** Signed in, and no share of theirs: a seat may be free, the invite may be somebody else's, or the party has changed. */
function outsider(visit: Visit, scene: Scene, above: Piece): Body {
  const { words } = visit;
  const { invitee, checkout, place } = scene;
  const seat =
    checkout.shares.find((share) => share.is_open_seat && share.id === invitee?.shareId) ??
    checkout.shares.find(({ is_open_seat }) => is_open_seat);
  const organizer = organizerName(visit, scene);
  if (seat !== undefined) {
    const amount = money(visit, scene, seat.amount);
    return {
      main: [
        above,
        amountBlock(visit, scene, seat),
        promise(visit, scene),
        html`<form method="post" action="${place.path}/seat" class="card"><p>${words.say('page.seat_free', { name: organizer })}</p><input type="hidden" name="share" value="${seat.id}"><button>${words.say('page.take_seat', { amount })}</button></form>`,
        progress(visit, scene),
        aboutHolds(visit),
      ],
      isLive: true,
    };
  }
  const dropped = scene.wasDropped
    ? notice(words.say('page.dropped_title'), words.say('page.dropped_text', { name: organizer }))
    : invitee !== null && !invitee.isSeat
      ? wrongPerson(visit, invitee.displayName ?? words.say('page.somebody_else'))
      : notice(words.say('page.no_seat_title'), words.say('page.no_seat_text', { name: organizer }));
  return { main: [above, dropped, progress(visit, scene), aboutHolds(visit)], isLive: true };
}

function wrongPerson({ words, member }: Visit, name: string): Html {
  const text = words.say('page.wrong_person_text', { name, me: member?.displayName ?? '' });
  return notice(words.say('page.wrong_person_title', { name }), text);
}

function funded(visit: Visit, scene: Scene): Body {
  const { words } = visit;
  const block = good(words.say('page.funded_title'), html`<p>${words.say('page.funded_text')}</p>`);
  return {
    main: [scene.myShare !== null && amountBlock(visit, scene, scene.myShare), block, progress(visit, scene)],
    isLive: true,
  };
}

function completed(visit: Visit, scene: Scene): Body {
  const { words } = visit;
  const { checkout } = scene;
  const at = Date.parse(checkout.completed_at ?? checkout.pay_by);
  const when = html`<time datetime="${new Date(at).toISOString()}" data-local>${formatTime(words.language, at, 'UTC')}</time>`;
  const lines = receipt(visit, scene).map((line) => html`<p>${line}</p>`);
  const block = good(
    words.say('page.completed_title'),
    html`${lines}<p class="quiet">${sentence(visit, 'page.completed_at', when)}</p>
<p><a class="button" href="${checkout.return_url}" rel="noreferrer">${words.say('page.back_to_venue', { venue: checkout.venue.name })}</a></p>`,
  );
  return { main: [block, progress(visit, scene)], isLive: false };
}

/** What became of the guest's own money, and who paid when it was not they. */
function receipt(visit: Visit, scene: Scene): readonly string[] {
  const { words } = visit;
  const { checkout, myShare } = scene;
  const venue = checkout.venue.name;
  const said = (key: string, amount: number): string =>
    words.say(key, { amount: money(visit, scene, amount), venue, name: myShare?.covered_by ?? '' });
  const charged = paidSum(scene, 'captured');
  const refunded = paidSum(scene, 'refunded');
  const lines = [
    ...(charged > 0 ? [said('page.completed_mine', charged)] : []),
    ...(refunded > 0 ? [said('page.completed_refunded', refunded)] : []),
    ...(myShare !== null && myShare.covered_by !== null ? [said('page.completed_covered', myShare.amount)] : []),
  ];
  if (lines.length > 0) return lines;
  return [myShare === null ? said('page.completed_others', checkout.amount) : words.say('page.held_free')];
}

/** Over without a charge that stays. */
function ended(visit: Visit, scene: Scene, how: 'expired' | 'canceled'): Body {
  const { words } = visit;
  const { checkout } = scene;
  const released = paidSum(scene, 'released');
  const refunded = paidSum(scene, 'refunded');
  const back = checkout.cancel_url ?? checkout.return_url;
  return still([
    notice(words.say(`page.${how}_title`), words.say(`page.${how}_text`, { venue: checkout.venue.name })),
    released > 0 && html`<p>${words.say('page.released_text', { amount: money(visit, scene, released) })}</p>`,
    refunded > 0 &&
      html`<p>${words.say('page.completed_refunded', { amount: money(visit, scene, refunded), venue: checkout.venue.name, name: '' })}</p>`,
    html`<p><a class="button" href="${back}" rel="noreferrer">${words.say('page.back_to_venue', { venue: checkout.venue.name })}</a></p>`,
    released > 0 && aboutHolds(visit),
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
