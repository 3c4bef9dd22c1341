// GET /v1/public/checkouts/{id}: a checkout as guests see it. Any signed-in member who holds its id may look; a publishable
// key sees its own venue's checkouts of its own mode. A checkout past its time is expired before it is shown.

import type { Queryable } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { type Guest, isGuest } from '../../members/guest.ts';
import { expireOne } from '../expire.ts';
import type { GuestServices } from './guest-services.ts';
import { type GuestView, routeOf, viewForGuest } from './invite-queries.ts';

export async function viewAsGuest(
  services: GuestServices,
  principal: Caller | Guest,
  input: Input,
): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const venueId = await routeOf(services.db, id);
  if (venueId === null) throw notFound();
  if (isGuest(principal)) {
    return {
      status: 200,
      json: await guestJson(services.db, venueId, id, principal.memberId, services.clock.now(), services),
    };
  }
  if (venueId !== principal.venue.id) throw notFound();
  const now = services.clock.now();
  const seen = await viewForGuest(services.db, venueId, id, null, now);
  // Before anything is written: a key of the other mode does not even make it known that the time has passed.
  if (seen === null || seen.mode !== principal.mode) throw notFound();
  const view = seen.overdue ? await readCurrentView(services.db, venueId, id, null, now, services) : seen;
  return { status: 200, json: view.json };
}

/** With `my_share_id`, for a signed-in member. */
export async function guestJson(
  db: Queryable,
  venueId: string,
  id: string,
  memberId: string,
  now: number,
  expire?: Pick<GuestServices, 'db' | 'ids'>,
): Promise<string> {
  const view = await readCurrentView(db, venueId, id, memberId, now, expire);
  return `${view.json.slice(0, -1)},"my_share_id":${JSON.stringify(view.myShareId)}}`;
}

/** For the hosted pages, which show a stranger as much as an invite does. */
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
  if (!view.overdue || expire === undefined) return view;
  await expireOne(expire.db, { ids: expire.ids, now }, venueId, id);
  return readCurrentView(db, venueId, id, memberId, now);
}

/** The address of an invite, from the sealed token. */
export function inviteUrl(services: Pick<GuestServices, 'seal' | 'pageBase'>, shareId: string, token: Buffer): string {
  return `${services.pageBase()}/s/${services.seal.open(token, `invite ${shareId}`)}`;
}
