// GET /v1/checkouts and /v1/checkouts/{id}. A checkout whose time is up is expired before it is shown, swept or not: nobody
// is ever shown an unfunded checkout as payable after its pay_by.

import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../base/page.ts';
import type { Caller, PrefetchedCheckout } from '../keys/caller.ts';
import { expireOne, expireSome } from './expire.ts';
import { type CheckoutView, hasOverdue, listCheckoutViews, viewCheckout } from './queries.ts';

export async function getCheckout(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const id = input.params.id ?? '';
  const json =
    caller.prefetched === undefined ? checkoutJson(db, caller, id) : inTime(db, caller, id, caller.prefetched);
  return { status: 200, json: await json };
}

/** The partner's view as it is now, with a checkout that is past its time expired first. */
export async function checkoutJson(db: Db, caller: Caller, id: string): Promise<string> {
  return inTime(db, caller, id, await viewCheckout(db, caller.venue.id, caller.mode, id, caller.now));
}

async function inTime(db: Db, caller: Caller, id: string, view: PrefetchedCheckout | null): Promise<string> {
  if (view === null) throw notFound();
  if (!view.overdue) return view.json;
  const { venue, mode, now } = caller;
  await expireOne(db, caller, venue.id, id);
  const again = await viewCheckout(db, venue.id, mode, id, now);
  if (again === null) throw notFound();
  return again.json;
}

export async function listCheckouts(db: Db, caller: Caller, input: Input): Promise<OperationResult> {
  const question = pageQueryOf(input.query);
  const read = (): Promise<CheckoutView[]> => listCheckoutViews(db, caller.venue.id, caller.mode, question, caller.now);
  const [first, isBehind] = await Promise.all([read(), hasOverdue(db, caller.venue.id, caller.now)]);
  let found = first;
  if (isBehind) {
    await expireSome(db, caller, caller.venue.id);
    found = await read();
    // Should there be more than were expired, none of them is shown as payable all the same.
    const overdue = found.filter((view) => view.overdue);
    for (const { id } of overdue) await expireOne(db, caller, caller.venue.id, id);
    if (overdue.length > 0) found = await read();
  }
  const { rows, nextBefore } = pageOf(found, question.limit, ({ createdAt }) => createdAt);
  const data = rows.map(({ json }) => json).join(',');
  return { status: 200, json: `{"data":[${data}],"next_before":${JSON.stringify(nextBefore)}}` };
}
