// The data of a checkout's page: the guest's view of the checkout, and the guest's relation to it. It is read for every
// request; an overdue checkout is expired before it is shown.

import type { GuestCheckout, GuestShare } from '../../../schemas/types.gen.ts';
import { notFound } from '../../base/errors.ts';
import {
  isRefundedInFull,
  type PaidShare,
  problemOfCard,
  refundTotalsOf,
  sharesPaidBy,
} from '../../domain/checkouts/guests/guest-queries.ts';
import { readGuestCheckout } from '../../domain/checkouts/guests/guest-view.ts';
import { type InviteRow, invitesOf } from '../../domain/checkouts/guests/invite-queries.ts';
import { lastReceiptMail } from '../../domain/checkouts/guests/receipt.ts';
import { shareWithSavedCard } from '../../domain/checkouts/holds/decide-hold.ts';
import { isUnpaid } from '../../domain/checkouts/locked-checkout.ts';
import { type InviteFacts, readInviteFacts } from '../../domain/checkouts/notifications/invite-progress.ts';
import { type Invitee, inviteeOf } from '../../domain/checkouts/party/invitee.ts';
import { declinedNames, findLeftShare, type LeftShare } from '../../domain/checkouts/party/leave-queries.ts';
import { previousParty } from '../../domain/checkouts/party/previous-party.ts';
import { readCheckout } from '../../domain/checkouts/queries.ts';
import { type CheckoutImages, findImages, imageSources } from '../../domain/images/find-images.ts';
import type { MailStatus } from '../../domain/mail/queries.ts';
import { type OfferingForGuests, offeringForGuests } from '../../domain/offerings/queries.ts';
import { isPayable } from '../../domain/payments/payout-account-queries.ts';
import { lastRefundAt } from '../../domain/payments/refund-queries.ts';
import { readVenueProfile, type VenueProfile, withServiceLinks } from '../../domain/venues/venue-profile.ts';
import type { PageRequest, PageRoute } from './page-request.ts';

export interface PageModel {
  readonly route: PageRoute;
  readonly checkout: GuestCheckout;
  readonly isOrganizer: boolean;
  readonly hasOrganizer: boolean;
  readonly myShare: GuestShare | null;
  /** The person whom the opened invite is for. */
  readonly invitee: Invitee | null;
  /** How the guest's share left the party; null: the guest has a share, or never had one. */
  readonly left: LeftShare | null;
  /** The names of those who said no; only for the organizer. */
  readonly declined: readonly (string | null)[];
  /** Why the guest's share has failed; null: it has not, or because of the card of a member who covered it. */
  readonly problemOfCard: 'lost' | 'declined' | null;
  /** Live: the processor can pay the venue. Without that no card is held or charged. */
  readonly isVenuePayable: boolean;
  /** The shares that were held on the guest's card, own or covered, and how each hold ended. */
  readonly paid: readonly PaidShare[];
  readonly refunds: Refunds;
  /** How the latest mail of the guest's receipt has gone; null: there is none. */
  readonly receiptMail: MailStatus | null;
  /** In which guests read times: in texts, on pages and in mail alike. */
  readonly timezone: string;
  readonly venue: VenueProfile;
  /** The rules of what is booked; null: it has none. */
  readonly policy: OfferingForGuests['policy'];
  readonly images: CheckoutImages;
  /** Names of the party are for its members, and for those who open its link while it pays. */
  readonly mayShowNames: boolean;
  /** The partner gave an address to book again at, and the organizer's next checkout proposes this group. */
  readonly mayTryAgain: boolean;
  /** The invite of each share; only for the organizer. */
  readonly invites: readonly InviteRow[];
  /** What is known of the invites while the group pays; only for the organizer. */
  readonly inviteFacts: ReadonlyMap<string, InviteFacts>;
}

/** What a completed checkout has given back. */
export interface Refunds {
  /** Of what was charged to this guest's card. */
  readonly mine: number;
  /** Of what was charged to this guest's card, and did not reach it. */
  readonly failed: number;
  /** All of what the group paid, except what banks have given back. */
  readonly isWhole: boolean;
  /** In milliseconds; null: nothing was refunded. */
  readonly at: number | null;
}

export async function readPageModel(page: PageRequest, route: PageRoute): Promise<PageModel> {
  const { app: context } = page.http;
  const memberId = page.member?.id ?? null;
  const view = await readGuestCheckout(context.services, route.venueId, route.checkoutId, memberId);
  const checkout = JSON.parse(view.json) as GuestCheckout;
  const isOrganizer = memberId !== null && view.organizerId === memberId;
  const { venueId, checkoutId, shareId } = route;
  const myShare = checkout.shares.find(({ id }) => id === view.myShareId) ?? null;
  const paid = memberId === null ? [] : await sharesPaidBy(context.db, venueId, checkoutId, memberId);
  const { mode } = checkout;
  const { offeringExternalId } = view;
  const [offering, profile] = await Promise.all([
    offeringExternalId === null ? null : offeringForGuests(context.db, venueId, mode, offeringExternalId),
    readVenueProfile(context.db, venueId),
  ]);
  if (profile === null) throw notFound();
  return {
    route,
    checkout,
    isOrganizer,
    hasOrganizer: view.organizerId !== null,
    myShare,
    problemOfCard: myShare?.status === 'failed' ? await problemOfCard(context.db, venueId, myShare.id, memberId) : null,
    invitee: shareId === null ? null : await inviteeOf(context.db, context.seal, venueId, shareId),
    left:
      memberId === null || view.myShareId !== null
        ? null
        : await findLeftShare(context.db, venueId, checkoutId, memberId),
    declined: isOrganizer ? await declinedNames(context.db, venueId, checkoutId) : [],
    isVenuePayable: await isPayable(context.db, venueId, checkout.mode),
    paid,
    receiptMail:
      memberId === null || checkout.status !== 'completed'
        ? null
        : await lastReceiptMail(context.db, checkoutId, memberId),
    refunds: await readRefunds(page, route, checkout, paid),
    timezone: offering?.timezone ?? profile.timezone,
    policy: offering?.policy ?? null,
    images: await findImages(context.db, venueId, imageSources(offering, profile.logoUrl), context.clock.now()),
    venue: withServiceLinks(profile, context.config),
    mayShowNames: memberId !== null || checkout.status === 'collecting',
    mayTryAgain: isOrganizer && (await isProposedAgain(page, route, checkout, memberId)),
    invites: isOrganizer ? await invitesOf(context.db, venueId, checkoutId) : [],
    inviteFacts:
      isOrganizer && checkout.status === 'collecting'
        ? await readInviteFacts(context.db, venueId, checkoutId)
        : new Map(),
  };
}

async function isProposedAgain(
  { http }: PageRequest,
  { venueId, checkoutId }: PageRoute,
  { status, cancel_url, mode }: GuestCheckout,
  memberId: string,
): Promise<boolean> {
  if (cancel_url === null || (status !== 'expired' && status !== 'canceled')) return false;
  const { db, seal, clock } = http.app;
  const party = await previousParty(db, seal, { venueId, mode, memberId }, null, clock.now());
  return party?.checkoutId === checkoutId;
}

async function readRefunds(
  { http }: PageRequest,
  { venueId, checkoutId }: PageRoute,
  { status, amount }: GuestCheckout,
  paid: readonly PaidShare[],
): Promise<Refunds> {
  if (status !== 'completed' && status !== 'canceled') return { mine: 0, failed: 0, isWhole: false, at: null };
  const [totals, at] = await Promise.all([
    refundTotalsOf(http.app.db, venueId, checkoutId),
    lastRefundAt(http.app.db, venueId, checkoutId),
  ]);
  return {
    mine: paid.reduce((sum, { refundedAmount }) => sum + refundedAmount, 0),
    failed: paid.reduce((sum, { failedRefundAmount }) => sum + failedRefundAmount, 0),
    isWhole: isRefundedInFull(totals, amount),
    at,
  };
}

/** A share that the guest holds with a saved card, which can pay other shares; null: there is none. */
export async function findSavedCardShare({ http, member }: PageRequest, route: PageRoute): Promise<string | null> {
  const checkout = await readCheckout(http.app.db, route.venueId, route.checkoutId);
  return checkout === null || member === null ? null : shareWithSavedCard(checkout, member.id);
}

/** The share is held, and its hold was not renewed: it ends before the deadline. A covered share is its payer's to renew. */
export function needsOtherCard(share: GuestShare): boolean {
  return share.renew_by !== null && share.covered_by === null;
}

/** Whether a card can be given for the share: it is unpaid, or its hold was not renewed. */
export function canTakeCard(share: GuestShare): boolean {
  return isUnpaid(share) || share.renew_by !== null;
}

/** The displayed name of a share's person. */
export function nameOf(page: PageRequest, model: PageModel, share: GuestShare): string {
  if (share.id === model.myShare?.id) return page.translator.translate('page.you');
  if (share.is_open_seat) return page.translator.translate('page.open_seat');
  if (share.display_name !== null) return share.display_name;
  if (share.is_organizer) return page.translator.translate('page.the_organizer');
  return page.translator.translate('page.guest_n', { n: model.checkout.shares.indexOf(share) + 1 });
}

export function organizerName(page: PageRequest, model: PageModel): string {
  const share = model.checkout.shares.find(({ is_organizer }) => is_organizer);
  return share?.display_name ?? page.translator.translate('page.the_organizer');
}

/** The sum of the guest's holds that ended this way. */
export function paidSum({ paid }: PageModel, end: PaidShare['status']): number {
  return paid.filter((one) => one.status === end).reduce((sum, { amount }) => sum + amount, 0);
}
