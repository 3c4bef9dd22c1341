// GET /v1/public/checkouts/{id}: the guests' view of a checkout. Any signed-in member who knows its id may read it. A
// publishable key reads its own venue's checkouts of its own mode. An overdue checkout is expired first. A signed-in
// member who was invited has accepted the invite by reading.

import type { Queryable } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { type Guest, isGuest } from '../../members/guest.ts';
import { expireOne } from '../expire.ts';
import { acceptInvite } from './accept-invite.ts';
import { type GuestView, venueOf, viewForGuest } from './guest-queries.ts';
import type { GuestServices } from './guest-services.ts';

export async function viewAsGuest(
  services: GuestServices,
  principal: Caller | Guest,
  input: Input,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  if (!isGuest(principal)) return { status: 200, json: (await findWithKey(services, principal, id)).view.json };
  return { status: 200, json: withMyShare((await findForMember(services, principal.memberId, id)).view) };
}

export interface FoundView {
  readonly venueId: string;
  readonly view: GuestView;
}

/** What a publishable key may read: a checkout of its own venue and mode. */
export async function findWithKey(services: GuestServices, caller: Caller, id: string): Promise<FoundView> {
  const venueId = await venueOf(services.db, id);
  if (venueId === null || venueId !== caller.venue.id) throw notFound();
  const now = services.clock.now();
  const found = await viewForGuest(services.db, venueId, id, null, now);
  // Checked before the expiry: a key of the other mode must not cause a write.
  if (found === null || found.mode !== caller.mode) throw notFound();
  const view = found.overdue ? await readCurrentView(services.db, venueId, id, null, now, services) : found;
  return { venueId, view };
}

/** Any checkout, for a signed-in member. Null as memberId: the member only looks, and accepts no invite. */
export async function findForMember(services: GuestServices, memberId: string | null, id: string): Promise<FoundView> {
  const venueId = await venueOf(services.db, id);
  if (venueId === null) throw notFound();
  return { venueId, view: await readGuestCheckout(services, venueId, id, memberId) };
}

function withMyShare({ json, myShareId }: GuestView): string {
  return `${json.slice(0, -1)},"my_share_id":${JSON.stringify(myShareId)}}`;
}

/** The view with `my_share_id`, for a signed-in member. Without `expire` the checkout is returned as it is. */
export async function guestJson(
  db: Queryable,
  venueId: string,
  id: string,
  memberId: string,
  now: number,
  expire?: Pick<GuestServices, 'db' | 'ids'>,
): Promise<string> {
  return withMyShare(await readCurrentView(db, venueId, id, memberId, now, expire));
}

/** For the hosted pages. Null as memberId: the visitor is not signed in. */
export function readGuestCheckout(
  services: GuestServices,
  venueId: string,
  id: string,
  memberId: string | null,
): Promise<GuestView> {
  return readCurrentView(services.db, venueId, id, memberId, services.clock.now(), services);
}

async function readCurrentView(
  db: Queryable,
  venueId: string,
  id: string,
  memberId: string | null,
  now: number,
  expire?: Pick<GuestServices, 'db' | 'ids'>,
): Promise<GuestView> {
  const view = await viewForGuest(db, venueId, id, memberId, now);
  if (view === null) throw notFound();
  if (expire === undefined || !(view.overdue || view.pendingShareId !== null)) return view;
  if (view.overdue) await expireOne(expire.db, { ids: expire.ids, now }, venueId, id);
  if (memberId !== null && view.pendingShareId !== null) await acceptInvite(expire.db, now, venueId, id, memberId);
  return readCurrentView(db, venueId, id, memberId, now);
}
