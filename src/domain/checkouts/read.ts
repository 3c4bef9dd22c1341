// GET /v1/checkouts and /v1/checkouts/{id}. An overdue checkout is expired before it is returned, even if the sweep has
// not reached it yet: no partner ever sees an unfunded checkout as payable after its pay_by.

import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageJson, pageQueryOf } from '../../base/page.ts';
import type { Caller, PrefetchedCheckout } from '../keys/caller.ts';
import { expireBatch, expireOne } from './expire.ts';
import { hasOverdue } from './expire-queries.ts';
import { type CheckoutView, listCheckoutViews, viewCheckout } from './queries.ts';

export async function getCheckout(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const json =
    caller.prefetched === undefined ? checkoutJson(db, caller, id) : expireIfOverdue(db, caller, id, caller.prefetched);
  return { status: 200, json: await json };
}

/** The partner's current view; an overdue checkout is expired first. */
export async function checkoutJson(db: Db, caller: Caller, id: string): Promise<string> {
  return expireIfOverdue(db, caller, id, await viewCheckout(db, caller.venue.id, caller.mode, id, caller.now));
}

async function expireIfOverdue(db: Db, caller: Caller, id: string, view: PrefetchedCheckout | null): Promise<string> {
  if (view === null) throw notFound();
  if (!view.overdue) return view.json;
  const { venue, mode, now } = caller;
  await expireOne(db, caller, venue.id, id);
  const expired = await viewCheckout(db, venue.id, mode, id, now);
  if (expired === null) throw notFound();
  return expired.json;
}

export async function listCheckouts(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const page = pageQueryOf(input.query);
  const read = (): Promise<CheckoutView[]> => listCheckoutViews(db, caller.venue.id, caller.mode, page, caller.now);
  const [first, shouldExpire] = await Promise.all([read(), hasOverdue(db, caller.venue.id, caller.now)]);
  let views = first;
  if (shouldExpire) {
    await expireBatch(db, caller, caller.venue.id);
    views = await read();
    // There may be more overdue checkouts than one sweep expires; those on this page are expired one by one.
    const overdue = views.filter((view) => view.overdue);
    for (const { id } of overdue) await expireOne(db, caller, caller.venue.id, id);
    if (overdue.length > 0) views = await read();
  }
  const objects = views.map(({ json, createdAt }) => ({ json, time: createdAt }));
  return { status: 200, json: pageJson(objects, page.limit) };
}
