// GET /v1/public/checkouts/{id}: a checkout as guests see it. Any signed-in member who holds its id may look; a publishable
// key sees its own venue's checkouts of its own mode. A checkout past its time is expired before it is shown.

import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Answer, Input } from '../../base/operation.ts';
import type { Caller } from '../keys/caller.ts';
import { type Guest, isGuest } from '../members/guest.ts';
import type { GuestParts } from './choose-party.ts';
import { expireOne } from './expire.ts';
import { type GuestView, routeOf, viewForGuest } from './invites/queries.ts';

export async function viewAsGuest(parts: GuestParts, visitor: Caller | Guest, input: Input): Promise<Answer> {
  const id = input.params.id ?? '';
  const venueId = await routeOf(parts.db, id);
  if (venueId === null) throw notFound();
  if (isGuest(visitor)) {
    return { status: 200, json: await guestJson(parts.db, venueId, id, visitor.memberId, parts.clock.now(), parts) };
  }
  if (venueId !== visitor.venue.id) throw notFound();
  const now = parts.clock.now();
  const seen = await viewForGuest(parts.db, venueId, id, null, now);
  // Before anything is written: a key of the other mode does not even make it known that the time has passed.
  if (seen === null || seen.mode !== visitor.mode) throw notFound();
  const view = seen.overdue ? await freshView(parts.db, venueId, id, null, now, parts) : seen;
  return { status: 200, json: view.json };
}

/** With `my_share_id`, for a signed-in member. */
export async function guestJson(
  db: Queryable,
  venueId: string,
  id: string,
  memberId: string,
  now: number,
  expire?: Pick<GuestParts, 'db' | 'ids'>,
): Promise<string> {
  const view = await freshView(db, venueId, id, memberId, now, expire);
  return `${view.json.slice(0, -1)},"my_share_id":${JSON.stringify(view.myShareId)}}`;
}

/** For the hosted pages, which show a stranger as much as an invite does. */
export function lookAsGuest(
  parts: GuestParts,
  venueId: string,
  id: string,
  memberId: string | null,
): Promise<GuestView> {
  return freshView(parts.db, venueId, id, memberId, parts.clock.now(), parts);
}

async function freshView(
  db: Queryable,
  venueId: string,
  id: string,
  memberId: string | null,
  now: number,
  expire?: Pick<GuestParts, 'db' | 'ids'>,
): Promise<GuestView> {
  const view = await viewForGuest(db, venueId, id, memberId, now);
  if (view === null) throw notFound();
  if (!view.overdue || expire === undefined) return view;
  await expireOne(expire.db, { ids: expire.ids, now }, venueId, id);
  return freshView(db, venueId, id, memberId, now);
}

/** The address of an invite, from the sealed token. */
export function inviteUrl(parts: Pick<GuestParts, 'seal' | 'pageBase'>, shareId: string, token: Buffer): string {
  return `${parts.pageBase()}/s/${parts.seal.open(token, `invite ${shareId}`)}`;
}
