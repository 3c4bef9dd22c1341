// What a page is about: the checkout as guests see it, and who is looking. Read anew for every answer; a checkout past its
// time is expired before it is shown.

import { readGuestCheckout } from '../../domain/checkouts/party/guest-view.ts';
import {
  type InviteRow,
  invitesOf,
  type PaidShare,
  sharesPaidBy,
  wasInParty,
  wasLost,
} from '../../domain/checkouts/party/invite-queries.ts';
import { type Invitee, inviteeOf } from '../../domain/checkouts/party/invitee.ts';
import type { PageRequest, Place } from './page-request.ts';

export interface ShareShown {
  readonly id: string;
  readonly amount: number;
  readonly status: 'invited' | 'held' | 'captured' | 'released' | 'refunded' | 'failed';
  readonly is_organizer: boolean;
  readonly display_name: string | null;
  readonly held_at: string | null;
  readonly is_open_seat: boolean;
  readonly covered_by: string | null;
}

export interface CheckoutShown {
  readonly id: string;
  readonly mode: 'test' | 'live';
  readonly status: 'open' | 'collecting' | 'funded' | 'completed' | 'expired' | 'canceled';
  readonly amount: number;
  readonly currency: string;
  readonly party_size: number;
  readonly pay_by: string;
  readonly description: string;
  readonly venue: { readonly id: string | null; readonly name: string };
  readonly funded_amount: number;
  readonly shares: readonly ShareShown[];
  readonly return_url: string;
  readonly cancel_url: string | null;
  readonly created_at: string;
  readonly completed_at: string | null;
}

export interface PageModel {
  readonly place: Place;
  readonly checkout: CheckoutShown;
  readonly isOrganizer: boolean;
  readonly hasOrganizer: boolean;
  readonly myShare: ShareShown | null;
  /** Of whoever the opened invite is for. */
  readonly invitee: Invitee | null;
  /** The organizer has taken their share out of the party again. */
  readonly wasDropped: boolean;
  /** Their own share was held, and the bank has let go of it. */
  readonly wasLost: boolean;
  /** The shares that were held on the card of whoever looks, their own or others', and what became of each hold. */
  readonly paid: readonly PaidShare[];
  /** The organizer's alone: the invite of each share. */
  readonly invites: readonly InviteRow[];
}

export async function readPageModel(page: PageRequest, place: Place): Promise<PageModel> {
  const { app: context } = page.http;
  const memberId = page.member?.id ?? null;
  const looked = await readGuestCheckout(context.services, place.venueId, place.checkoutId, memberId);
  const checkout = JSON.parse(looked.json) as CheckoutShown;
  const isOrganizer = memberId !== null && looked.organizerId === memberId;
  const { venueId, checkoutId, shareId } = place;
  const myShare = checkout.shares.find(({ id }) => id === looked.myShareId) ?? null;
  return {
    place,
    checkout,
    isOrganizer,
    hasOrganizer: looked.organizerId !== null,
    myShare,
    wasLost: myShare?.status === 'failed' && (await wasLost(context.db, venueId, myShare.id)),
    invitee: shareId === null ? null : await inviteeOf(context.db, context.seal, venueId, shareId),
    wasDropped:
      memberId !== null && looked.myShareId === null && (await wasInParty(context.db, venueId, checkoutId, memberId)),
    paid: memberId === null ? [] : await sharesPaidBy(context.db, venueId, checkoutId, memberId),
    invites: isOrganizer ? await invitesOf(context.db, venueId, checkoutId) : [],
  };
}

/** What a share's person is called on a page. */
export function nameOf(page: PageRequest, model: PageModel, share: ShareShown): string {
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

/** What of a guest's own money has come to an end of this kind. */
export function paidSum({ paid }: PageModel, end: PaidShare['status']): number {
  return paid.filter((one) => one.status === end).reduce((sum, { amount }) => sum + amount, 0);
}

export const isIn = ({ status }: ShareShown): boolean =>
  status === 'held' || status === 'captured' || status === 'refunded';

export const isUnpaid = ({ status, amount }: ShareShown): boolean =>
  amount > 0 && (status === 'invited' || status === 'failed');
