// GET /desk/api/reviews: what waits for review, the longest wait first; or what was reviewed, the newest first.

import type { ReviewItem } from '../../../schemas/types.gen.ts';
import type { Db } from '../../base/db.ts';
import { invalid } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { DeskCaller } from '../accounts/account.ts';
import { countPendingBoats, listBoatsByChange } from '../boats/queries.ts';
import type { ReviewFilter, ReviewStatus, WaitingRow } from '../catalogue/queries.ts';
import { countPendingExperiences, listExperiencesByChange } from '../experiences/queries.ts';
import { countPendingOfferings, listOfferingsByChange } from '../offerings/queries.ts';
import { REJECTION_REASONS } from '../review/rejection-reasons.ts';
import { findVenues } from '../venues/queries.ts';

/** As the database writes times. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/;

type Kind = ReviewItem['kind'];
type Waiting = WaitingRow & { readonly kind: Kind };

const LISTS = {
  offering: listOfferingsByChange,
  event: listExperiencesByChange,
  boat: listBoatsByChange,
} as const;

export async function listReviews(
  { db }: { readonly db: Db },
  _caller: DeskCaller,
  { query }: Input,
): Promise<OperationResult> {
  const limit = Number(query.limit);
  const status = (query.status ?? 'pending') as ReviewStatus;
  const filter: ReviewFilter = {
    status,
    mode: (query.mode as ReviewFilter['mode'] | undefined) ?? null,
    venueId: typeof query.venue === 'string' ? query.venue : null,
    limit: limit + 1,
    after: positionOf(query.after),
  };
  const kinds = query.kind === undefined ? (Object.keys(LISTS) as Kind[]) : [query.kind as Kind];
  const [lists, waiting] = await Promise.all([
    Promise.all(kinds.map(async (kind) => (await LISTS[kind](db, filter)).map((row): Waiting => ({ kind, ...row })))),
    countWaiting(db, filter.mode),
  ]);
  const rows = lists.flat().sort(status === 'pending' ? inOrder : (one, other) => inOrder(other, one));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next_after = rows.length > limit && last !== undefined ? `${last.waiting_since},${last.id}` : null;
  const data = await itemsOf(db, page);
  return { status: 200, body: { data, next_after, waiting, reasons: REJECTION_REASONS } };
}

/** JavaScript takes February 30 for March 2; PostgreSQL refuses it. */
function isTime(text: string): boolean {
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 19) === text.slice(0, 19);
}

/** The cursor of the page before: the time and the id of its last item. */
function positionOf(after: unknown): ReviewFilter['after'] {
  if (typeof after !== 'string') return null;
  const [createdAt = '', id = '', ...rest] = after.split(',');
  if (TIME.test(createdAt) && isTime(createdAt) && isUuid(id) && rest.length === 0) return { createdAt, id };
  throw invalid([
    {
      code: 'invalid_value',
      field: '/query/after',
      message: 'This is no `next_after` of a page: leave it out to begin with the first page.',
      expected: 'the next_after of the previous page',
      example_fix: '2027-06-12T13:30:00.000123Z,0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10',
    },
  ]);
}

/** Times are ISO 8601 in UTC with microseconds, so their texts sort by time. */
function inOrder(one: Waiting, other: Waiting): number {
  const [a, b] = [`${one.waiting_since} ${one.id}`, `${other.waiting_since} ${other.id}`];
  return a < b ? -1 : 1;
}

async function countWaiting(db: Db, mode: ReviewFilter['mode']): Promise<number> {
  const counts = await Promise.all(
    [countPendingOfferings, countPendingExperiences, countPendingBoats].map((count) => count(db, mode)),
  );
  return counts.reduce((sum, one) => sum + one, 0);
}

async function itemsOf(db: Db, rows: readonly Waiting[]): Promise<ReviewItem[]> {
  const venues = await findVenues(db, [...new Set(rows.map(({ venue_id }) => venue_id))]);
  const names = new Map(venues.map(({ id, name }) => [id, name]));
  return rows.map(({ id, kind, venue_id, mode, status, title, external_id, waiting_since, is_change }) => ({
    object: 'review_item',
    id,
    kind,
    mode,
    status,
    title,
    external_id,
    venue: { id: venue_id, name: names.get(venue_id) ?? '' },
    is_change: status === 'pending' && is_change,
    waiting_since,
  }));
}
