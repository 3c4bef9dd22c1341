// The statements that the tables of offerings, experiences and boats have in common: find one, find by external ids,
// list a page, list for review. A folder describes its own table once and gets functions over it; their SQL is built
// from that description alone, when the program starts, and never from input. Writing a row stays with its own
// folder.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import { type PageQuery, pageRowsSql } from '../../base/page.ts';

export interface CatalogueTable {
  readonly table: 'offerings' | 'experiences' | 'boats';
  readonly idColumn: 'offering_id' | 'submission_id' | 'boat_id';
  /** The select list of a whole row. */
  readonly columns: string;
  /** The select list of a row in the partner's list. */
  readonly listColumns: string;
  /** The time by which the list pages: unique for a venue and mode. */
  readonly pageColumn: 'created_at' | 'changed_at';
  /** The field of the content that names the object to a reviewer. */
  readonly titleField: 'title' | 'name';
}

export type ReviewStatus = 'pending' | 'approved' | 'rejected';

export interface ReviewFilter {
  readonly status: ReviewStatus;
  /** Null: both modes. */
  readonly mode: Mode | null;
  /** Null: every venue. */
  readonly venueId: string | null;
  readonly limit: number;
  /** The last object of the page before; null: the first page. */
  readonly after: { readonly createdAt: string; readonly id: string } | null;
}

export interface ReviewListRow {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly status: ReviewStatus;
  readonly title: string;
  readonly external_id: string | null;
  readonly created_at: string;
}

/** A line of the desk's queue. */
export interface WaitingRow {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly status: ReviewStatus;
  readonly title: string;
  readonly external_id: string | null;
  /** Of the last change. */
  readonly waiting_since: string;
  /** It was reviewed before. */
  readonly is_change: boolean;
}

/** What a review writes to an object that has one of the statuses `from`, at `at`, a page timestamp of the venue. */
export interface ReviewOutcome {
  /** Hides the version that members see, whether a change of it waits or not. Absent: a rejected change leaves it. */
  readonly takesDown?: boolean;
  readonly from: readonly ReviewStatus[];
  readonly status: ReviewStatus;
  readonly note: string | null;
  readonly at: string;
}

export interface CatalogueQueries<Row, ListRow> {
  /** Finds by the object's id or by the venue's own id; a match of the object's id wins. */
  findByReference(db: Queryable, venueId: string, mode: Mode, reference: string): Promise<Row | null>;
  /** The rows that exist, by external id. */
  findByExternalIds(
    db: Queryable,
    venueId: string,
    mode: Mode,
    externalIds: readonly string[],
  ): Promise<Map<string, Row>>;
  /**
   * Newest first, one row more than the page holds: the extra row says that there is a next page. `search`: only objects
   * whose title or external id contains it.
   */
  listPage(
    db: Queryable,
    venueId: string,
    mode: Mode,
    page: PageQuery & { readonly search?: string | null },
  ): Promise<ListRow[]>;
  /** How many objects the venue has in each status. */
  countByStatus(db: Queryable, venueId: string, mode: Mode): Promise<ReadonlyMap<string, number>>;
  /** Oldest first. */
  listForReview(db: Queryable, filter: ReviewFilter): Promise<ReviewListRow[]>;
  /** By the last change: what waits oldest first, what was reviewed newest first. */
  listByChange(db: Queryable, filter: ReviewFilter): Promise<WaitingRow[]>;
  /** Mode null: of both. */
  countPending(db: Queryable, mode: Mode | null): Promise<number>;
}

export function catalogueQueries<Row extends { readonly external_id: string | null }, ListRow extends object>(
  description: CatalogueTable,
): CatalogueQueries<Row, ListRow> {
  const { table, idColumn, columns, listColumns, pageColumn, titleField } = description;
  const byReference = `select ${columns} from ${table}
    where venue_id = $1 and mode = $2 and (${idColumn} = $3::uuid or external_id = $4)
    order by ${idColumn} = $3::uuid desc nulls last limit 1`;
  const byExternalIds = `select ${columns} from ${table}
    where venue_id = $1 and mode = $2 and external_id = any($3)`;
  const newest = `select * from ${table}
    where venue_id = $1 and mode = $2 and ($3::text is null or status = $3)
      and ${pageColumn} < coalesce($4::timestamptz, 'infinity')
      and ($6::text is null or lower(content ->> '${titleField}') like $6 or lower(external_id) like $6)
    order by ${pageColumn} desc limit $5`;
  const page = pageRowsSql(listColumns, newest, pageColumn, 'octet_length(content::text)');
  // PostgreSQL plans it for the given status, and so uses the partial index of pending rows.
  const reviewList = `select ${idColumn} as id, venue_id, mode, status,
      content ->> '${titleField}' as title, external_id, created_at
    from ${table}
    where status = $1 and ($2::text is null or mode = $2) and ($3::uuid is null or venue_id = $3)
      and ($5::timestamptz is null or (created_at, ${idColumn}) > ($5, $6::uuid))
    order by created_at, ${idColumn} limit $4`;
  const byChange = (compared: '<' | '>', order: 'asc' | 'desc') => `select ${idColumn} as id, venue_id, mode, status,
      content ->> '${titleField}' as title, external_id, ${pageColumn} as waiting_since, reviewed_at is not null as is_change
    from ${table}
    where status = $1 and ($2::text is null or mode = $2) and ($3::uuid is null or venue_id = $3)
      and ($5::timestamptz is null or (${pageColumn}, ${idColumn}) ${compared} ($5, $6::uuid))
    order by ${pageColumn} ${order}, ${idColumn} ${order} limit $4`;
  const [oldestFirst, newestFirst] = [byChange('>', 'asc'), byChange('<', 'desc')];
  const statusCounts = `select status, count(*) as count from ${table} where venue_id = $1 and mode = $2 group by status`;
  return {
    async findByReference(db, venueId, mode, reference) {
      const id = isUuid(reference) ? reference : null;
      const rows = await db.query<Row>(byReference, [venueId, mode, id, reference]);
      return rows[0] ?? null;
    },
    async findByExternalIds(db, venueId, mode, externalIds) {
      const rows = await db.query<Row>(byExternalIds, [venueId, mode, externalIds]);
      return new Map(rows.map((row) => [row.external_id ?? '', row]));
    },
    listPage: (db, venueId, mode, { status, before, limit, search = null }) =>
      db.query<ListRow>(page, [venueId, mode, status, before, limit + 1, search === null ? null : patternOf(search)]),
    async countByStatus(db, venueId, mode) {
      const rows = await db.query<{ status: string; count: number }>(statusCounts, [venueId, mode]);
      return new Map(rows.map(({ status, count }) => [status, count]));
    },
    listForReview: (db, { status, mode, venueId, limit, after }) =>
      db.query<ReviewListRow>(reviewList, [status, mode, venueId, limit, after?.createdAt ?? null, after?.id ?? null]),
    listByChange: (db, { status, mode, venueId, limit, after }) =>
      db.query<WaitingRow>(status === 'pending' ? oldestFirst : newestFirst, [
        ...[status, mode, venueId, limit, after?.createdAt ?? null, after?.id ?? null],
      ]),
    async countPending(db, mode) {
      const rows = await db.query<{ count: number }>(
        `select count(*) as count from ${table} where status = 'pending' and ($1::text is null or mode = $1)`,
        [mode],
      );
      return rows[0]?.count ?? 0;
    },
  };
}

/** Of LIKE: any text that contains this one, in lower case. */
function patternOf(search: string): string {
  return `%${search.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
}
