// The SQL of the console's list of checkouts: filters, search, two orders, and counts by status. A page reads a bounded
// number of rows: search by words looks through the newest MAX_SEARCHED of the other filters, and ids are found by index.

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import { overdueSql, toPaySql } from '../expire-queries.ts';
import type { CheckoutStatus } from '../transitions.ts';

export const MAX_SEARCHED = 20_000;

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

/** SQL: the conditions of a filter but its status and its search. */
function conditionsOf(filter: CheckoutFilter, values: Values): string {
  const { from, to, minAmount, maxAmount, offering, key } = filter;
  const given: readonly (readonly [string, unknown])[] = [
    ['c.venue_id =', filter.venueId],
    ['c.mode =', filter.mode],
    ['c.created_at >=', from],
    ['c.created_at <', to],
    ['c.amount >=', minAmount],
    ['c.amount <=', maxAmount],
    ['c.offering_external_id =', offering],
    ['c.created_by =', key],
  ];
  return given
    .filter(([, value]) => value !== null)
    .map(([condition, value]) => `${condition} ${values.add(value)}`)
    .join(' and ');
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

/** SQL: the name of the organizer's share, as the view shows it. */
const ORGANIZER = `left join lateral (
    select share_name(s) as name from shares s
    where s.venue_id = c.venue_id and s.checkout_id = c.checkout_id and s.is_organizer and s.dropped_at is null limit 1) o on true`;

/** SQL: the checkouts of a filter without its status, as a table `c`. */
function source(filter: CheckoutFilter, values: Values): string {
  const conditions = conditionsOf(filter, values);
  if (filter.search === null) return `(select c.* from checkouts c where ${conditions})`;
  return `(select c.* from checkouts c where ${conditions} and c.checkout_id in (
      select c.checkout_id from (
        select c.* from checkouts c where ${conditions} order by c.created_at desc limit ${MAX_SEARCHED}) c
      ${ORGANIZER} where ${matches(filter.search, values)}
      union all ${named(filter, filter.search, values)}))`;
}

/** SQL: the checkout with this id, and that of the share with this id. */
function named({ venueId }: CheckoutFilter, search: string, values: Values): string {
  const [venue, id] = [values.add(venueId), values.add(search)];
  return `select ${id}::text union all
      select s.checkout_id from shares s where s.venue_id = ${venue} and s.share_id = ${id}::text`;
}

const CONDITIONS: Readonly<Record<ListPart, string>> = {
  due: toPaySql('c'),
  rest: `not ${toPaySql('c')}`,
  all: 'true',
};

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
  const rows = source(filter, values);
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
    `select c.checkout_id as "id", checkout_view(c)::text as "json", c.created_by as "createdBy",
       utc_micros(${column}) as "at", ${isOverdue} as "isOverdue"
     from checkouts c
     where c.venue_id = $1 and c.checkout_id = any(array(
       select c.checkout_id from ${rows} c where ${conditions.join(' and ')} order by ${order} limit ${values.add(limit)}))
     order by ${order}`,
    values.list,
  );
}

export type StatusCounts = Readonly<Record<CheckoutStatus, number>>;

/** How many checkouts of the filter, its status aside, have each status. */
export async function countByStatus(db: Queryable, filter: CheckoutFilter, now: number): Promise<StatusCounts> {
  const values = new Values();
  const rows = source(filter, values);
  const counted = await db.query<{ status: CheckoutStatus; count: number }>(
    `select case when ${overdueSql(values.add(now), 'c')} then 'expired' else c.status end as status, count(*) as count
     from ${rows} c group by 1`,
    values.list,
  );
  const of = (status: CheckoutStatus): number => counted.find((one) => one.status === status)?.count ?? 0;
  return {
    open: of('open'),
    collecting: of('collecting'),
    funded: of('funded'),
    completed: of('completed'),
    expired: of('expired'),
    canceled: of('canceled'),
  };
}

/** When the oldest checkout that a search by words looks at was created; null: it looks at all of them. */
export async function searchedSince(db: Queryable, filter: CheckoutFilter): Promise<string | null> {
  const values = new Values();
  const rows = await db.query<{ at: string }>(
    `select utc_micros(c.created_at) as at from checkouts c where ${conditionsOf(filter, values)}
     order by c.created_at desc offset ${MAX_SEARCHED} limit 1`,
    values.list,
  );
  return rows[0]?.at ?? null;
}
