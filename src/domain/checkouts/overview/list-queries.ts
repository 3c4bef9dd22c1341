// The SQL of the console's list of checkouts: filters, search, two orders, and counts by status. A page reads a bounded
// number of rows, however many checkouts the venue has: status and time have an index, and every other filter looks through
// MAX_SEARCHED checkouts. The next page goes on after them. An id is found by index.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import { overdueSql, toPaySql } from '../expire-queries.ts';
import { shareName } from '../share-name.ts';
import { CHECKOUT_STATUSES, type CheckoutStatus } from '../transitions.ts';

export const MAX_SEARCHED = 20_000;
/** A larger count of a status is shown as this. */
const MAX_COUNT = 10_000;

export interface CheckoutFilter {
  readonly venueId: string;
  readonly mode: Mode;
  readonly status: CheckoutStatus | null;
  readonly search: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly minAmount: number | null;
  readonly maxAmount: number | null;
  readonly offering: string | null;
  /** The id of the key that created it. */
  readonly key: string | null;
}

/** `due`: those that are to be paid, by pay_by. `rest`: the others, newest first. `all`: both, newest first. */
export type ListPart = 'due' | 'rest' | 'all';

/** The last checkout of the page before. */
export interface ListPlace {
  readonly at: string;
  /** Several checkouts can have one pay_by. A time of creation is unique. */
  readonly id: string;
}

export interface ListedCheckout {
  readonly id: string;
  readonly json: string;
  readonly createdBy: string | null;
  /** The time of its order: pay_by, or its creation. */
  readonly at: string;
  /** pay_by has passed, and the checkout is not expired yet. */
  readonly isOverdue: boolean;
}

/** Collects the values of a statement, and names their places. */
class Values {
  readonly list: unknown[] = [];
  add(value: unknown): string {
    return `$${this.list.push(value)}`;
  }
}

function allOf(given: readonly (readonly [string, unknown])[], values: Values): string {
  const conditions = given
    .filter(([, value]) => value !== null)
    .map(([condition, value]) => `${condition} ${values.add(value)}`);
  return ['true', ...conditions].join(' and ');
}

/** SQL: the conditions that an index answers, but the status. The first value of a statement is the venue. */
function windowOf({ venueId, mode, from, to }: CheckoutFilter, values: Values): string {
  return allOf(
    [
      ['c.venue_id =', venueId],
      ['c.mode =', mode],
      ['c.created_at >=', from],
      ['c.created_at <', to],
    ],
    values,
  );
}

/** SQL: the conditions that no index answers, but the search. */
function narrowOf({ minAmount, maxAmount, offering, key }: CheckoutFilter, values: Values): string {
  return allOf(
    [
      ['c.amount >=', minAmount],
      ['c.amount <=', maxAmount],
      ['c.offering_external_id =', offering],
      ['c.created_by =', key],
    ],
    values,
  );
}

/** Checkouts are looked through one by one. */
export function isNarrow({ search, minAmount, maxAmount, offering, key }: CheckoutFilter): boolean {
  return [search, minAmount, maxAmount, offering, key].some((value) => value !== null);
}

/**
 * SQL: the text begins the booking id, or each of its words is a part of the description or of the
 * organizer's name.
 */
function matches(search: string, values: Values): string {
  const exact = values.add(search);
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = words.map((word) => {
    const pattern = values.add(`%${word.replace(/[\\%_]/g, '\\$&')}%`);
    return `(lower(c.description) like ${pattern} or lower(coalesce(o.name, '')) like ${pattern})`;
  });
  return `(starts_with(c.external_booking_id, ${exact}::text) or (${found.join(' and ')}))`;
}

/** SQL: the name of the organizer's share, as the view shows it. With its venue, if the filter has one, a distributed database asks one node. */
function organizer({ venueId }: CheckoutFilter, values: Values): string {
  const venue = venueId === null ? 'c.venue_id' : values.add(venueId);
  return `left join lateral (
    select ${shareName('s')} as name from shares s
    where s.venue_id = ${venue} and s.checkout_id = c.checkout_id and s.is_organizer and s.dropped_at is null limit 1) o on true`;
}

const CONDITIONS: Readonly<Record<ListPart, string>> = {
  due: toPaySql('c'),
  rest: `not ${toPaySql('c')}`,
  all: 'true',
};

/** SQL: the checkouts of a part that are looked through, after a place. */
function lookedThrough(filter: CheckoutFilter, part: ListPart, after: ListPlace | null, values: Values): string {
  const window = windowOf(filter, values);
  const place = after === null || part === 'due' ? 'true' : `c.created_at < ${values.add(after.at)}::timestamptz`;
  return `select c.* from checkouts c where ${window} and ${CONDITIONS[part]} and ${place}
    order by c.created_at desc`;
}

/** SQL: the checkouts of a filter without its status, as a table `c`. */
function source(filter: CheckoutFilter, part: ListPart, after: ListPlace | null, values: Values): string {
  if (!isNarrow(filter)) return `(select c.* from checkouts c where ${windowOf(filter, values)})`;
  const looked = `${lookedThrough(filter, part, after, values)} limit ${MAX_SEARCHED}`;
  const narrow = narrowOf(filter, values);
  if (filter.search === null) return `(select c.* from (${looked}) c where ${narrow})`;
  const id = values.add(filter.search);
  return `(select c.* from (${looked}) c ${organizer(filter, values)}
      where c.checkout_id <> ${id}::text and ${narrow} and ${matches(filter.search, values)}
    union all
    select c.* from checkouts c where ${windowOf(filter, values)} and ${narrow} and c.checkout_id = ${id}::text)`;
}

/** Up to `limit` rows of one part, after a place. */
export async function listRows(
  db: Queryable,
  filter: CheckoutFilter,
  part: ListPart,
  after: ListPlace | null,
  limit: number,
  now: number,
): Promise<ListedCheckout[]> {
  const values = new Values();
  const rows = source(filter, part, after, values);
  const isOverdue = overdueSql(values.add(now), 'c');
  const conditions = [CONDITIONS[part]];
  // An overdue checkout is expired before it is shown, so it is in no list of the status that it still has.
  if (filter.status !== null) conditions.push(`c.status = ${values.add(filter.status)} and not ${isOverdue}`);
  if (after !== null && part === 'due')
    conditions.push(`(c.pay_by, c.checkout_id) > (${values.add(after.at)}::timestamptz, ${values.add(after.id)})`);
  if (after !== null && part !== 'due') conditions.push(`c.created_at < ${values.add(after.at)}::timestamptz`);
  const [column, order] =
    part === 'due' ? ['c.pay_by', 'c.pay_by, c.checkout_id'] : ['c.created_at', 'c.created_at desc'];
  // The view is made for the rows of the page alone.
  return db.query<ListedCheckout>(
    `select c.checkout_id as "id", checkout_object(c)::text as "json", c.created_by as "createdBy",
       utc_micros(${column}) as "at", ${isOverdue} as "isOverdue"
     from checkouts c
     where c.venue_id = $1 and c.checkout_id = any(array(
       select c.checkout_id from ${rows} c where ${conditions.join(' and ')} order by ${order} limit ${values.add(limit)}))
     order by ${order}`,
    values.list,
  );
}

export type StatusCounts = Readonly<Record<CheckoutStatus, number>>;

/** How many checkouts of the filter, its status aside, have each status: up to MAX_COUNT. */
export async function countByStatus(db: Queryable, filter: CheckoutFilter, now: number): Promise<StatusCounts> {
  const counted = isNarrow(filter) ? await countNarrow(db, filter, now) : await countByIndex(db, filter, now);
  const of = (status: CheckoutStatus): number => {
    const count = counted.filter((one) => one.status === status).reduce((sum, one) => sum + one.count, 0);
    return Math.min(count, MAX_COUNT);
  };
  return {
    open: of('open'),
    collecting: of('collecting'),
    funded: of('funded'),
    completed: of('completed'),
    expired: of('expired'),
    canceled: of('canceled'),
  };
}

interface Counted {
  readonly status: CheckoutStatus;
  readonly count: number;
}

const statusSql = (now: string): string => `case when ${overdueSql(now, 'c')} then 'expired' else c.status end`;

async function countNarrow(db: Queryable, filter: CheckoutFilter, now: number): Promise<Counted[]> {
  const values = new Values();
  const rows = source(filter, 'all', null, values);
  return db.query<Counted>(
    `select ${statusSql(values.add(now))} as status, count(*) as count from ${rows} c group by 1`,
    values.list,
  );
}

/**
 * Reads at most MAX_COUNT entries of the index of each status, and of the overdue ones. Overdue ones are counted apart,
 * because their time is not in that index: one statement for both would read a row of the table for each entry.
 */
async function countByIndex(db: Queryable, filter: CheckoutFilter, now: number): Promise<Counted[]> {
  const values = new Values();
  const window = windowOf(filter, values);
  const overdue = `select c.status from checkouts c where ${window} and ${overdueSql(values.add(now), 'c')} limit ${MAX_COUNT}`;
  return db.query<Counted>(
    `with overdue as (select status, count(*) as count from (${overdue}) found group by status)
     select s.status, found.count - coalesce((select count from overdue o where o.status = s.status), 0) as count
     from unnest(${values.add(CHECKOUT_STATUSES)}::text[]) as s (status)
     cross join lateral (
       select count(*) as count from (
         select from checkouts c where ${window} and c.status = s.status limit ${MAX_COUNT}) entries) found
     union all
     select 'expired', count from overdue`,
    values.list,
  );
}

/** When the last checkout that was looked through for a page was created; null: all of them were. */
export async function searchedSince(
  db: Queryable,
  filter: CheckoutFilter,
  part: ListPart,
  after: ListPlace | null,
): Promise<string | null> {
  const values = new Values();
  const rows = await db.query<{ at: string }>(
    `select utc_micros(c.created_at) as at from (${lookedThrough(filter, part, after, values)}
       offset ${MAX_SEARCHED - 1} limit 2) c order by c.created_at desc`,
    values.list,
  );
  return rows.length === 2 ? (rows[0]?.at ?? null) : null;
}

/** Null: the venue has no such share. */
export async function checkoutOfShare(db: Queryable, venueId: string, shareId: string): Promise<string | null> {
  const [found] = await db.query<{ readonly id: string }>(
    'select checkout_id as "id" from shares where venue_id = $1 and share_id = $2',
    [venueId, shareId],
  );
  return found?.id ?? null;
}
