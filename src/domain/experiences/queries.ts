// The only place that touches the tables of experiences. What they share with offerings and boats is in catalogue/.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { catalogueQueries, type ReviewOutcome } from '../catalogue/queries.ts';
import type { ExperienceContent, ExperienceForm, ExperienceRow } from './experience.ts';

const COLUMNS = `submission_id as id, venue_id, mode, external_id, form, status, review_note, content, experience_id,
  created_at, reviewed_at`;

export const {
  findByReference: findExperience,
  findByExternalIds,
  countByStatus: countExperiences,
  listPage: listExperienceRows,
  listForReview: listExperiencesForReview,
  listByChange: listExperiencesByChange,
  countPending: countPendingExperiences,
} = catalogueQueries<ExperienceRow, ExperienceRow>({
  table: 'experiences',
  idColumn: 'submission_id',
  columns: COLUMNS,
  listColumns: COLUMNS,
  pageColumn: 'created_at',
  titleField: 'title',
});

/** Each mode has a queue of its own. Under the venue's list lock the count stays true until commit. */
export async function countPending(tx: Queryable, venueId: string, mode: Mode): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    "select count(*) as count from experiences where venue_id = $1 and mode = $2 and status = 'pending'",
    [venueId, mode],
  );
  return rows[0]?.count ?? 0;
}

export async function insertExperience(
  tx: Queryable,
  experience: {
    readonly venueId: string;
    readonly mode: Mode;
    readonly id: string;
    readonly externalId: string | null;
    readonly form: ExperienceForm;
    readonly content: ExperienceContent;
    readonly at: string;
  },
): Promise<ExperienceRow> {
  const { venueId, mode, id, externalId, form, content, at } = experience;
  const rows = await tx.query<ExperienceRow>(
    `insert into experiences (venue_id, mode, submission_id, external_id, form, status, content, created_at)
     values ($1, $2, $3, $4, $5, 'pending', $6, $7) returning ${COLUMNS}`,
    [venueId, mode, id, externalId, form, JSON.stringify(content), at],
  );
  if (rows[0] === undefined) throw new Error('the insert of an experience returned no row');
  return rows[0];
}

/**
 * Records the review of a pending submission. An approved one gets the id under which it is live, and the route that
 * leads from that id to its venue. Null: it is not pending, and nothing is written.
 */
export async function setReviewed(
  tx: Queryable,
  venueId: string,
  id: string,
  { from, status, note, at, experienceId }: ReviewOutcome & { readonly experienceId: string | null },
): Promise<ExperienceRow | null> {
  // An experience that was taken down and is approved again has the same id, so that its figures go on.
  const rows = await tx.query<ExperienceRow>(
    `update experiences set status = $3, review_note = $4, experience_id = coalesce(experience_id, $6),
       reviewed_at = case when $3 = 'pending' then null else $5::timestamptz end
     where venue_id = $1 and submission_id = $2 and status = any($7) returning ${COLUMNS}`,
    [venueId, id, status, note, at, experienceId, from],
  );
  const [reviewed] = rows;
  if (reviewed === undefined) return null;
  if (reviewed.experience_id !== null)
    await tx.query(
      'insert into experience_routes (experience_id, venue_id, mode) values ($1, $2, $3) on conflict do nothing',
      [reviewed.experience_id, venueId, reviewed.mode],
    );
  return reviewed;
}

export interface ExperienceRoute {
  readonly experience_id: string;
  readonly venue_id: string;
  readonly mode: Mode;
}

/** The venue and mode of each id that is a live experience; other ids, and those that were taken down, are left out. */
export async function findRoutes(db: Queryable, ids: readonly string[]): Promise<ExperienceRoute[]> {
  if (ids.length === 0) return [];
  const routes = await db.query<ExperienceRoute>(
    'select experience_id, venue_id, mode from experience_routes where experience_id = any($1::uuid[])',
    [ids],
  );
  // The second condition on the venue tells a distributed database which nodes to ask.
  const live = await db.query<{ id: string }>(
    `select e.experience_id as id from unnest($1::uuid[], $2::uuid[]) r(venue_id, id)
     join experiences e on e.venue_id = r.venue_id and e.experience_id = r.id
     where e.venue_id = any($1::uuid[]) and e.status = 'approved'`,
    [routes.map(({ venue_id }) => venue_id), routes.map(({ experience_id }) => experience_id)],
  );
  const isLive = new Set(live.map(({ id }) => id));
  return routes.filter(({ experience_id }) => isLive.has(experience_id));
}

export interface ApprovedExperience {
  readonly id: string;
  readonly title: string;
  readonly startsAt: string;
}

const APPROVED_COLUMNS = `experience_id as id, content ->> 'title' as title, content ->> 'starts_at' as "startsAt"`;

/**
 * The venue's approved experiences, newest first. created_at is unique (experiences_by_creation). `limit` null: all.
 */
export async function listApproved(
  db: Queryable,
  venueId: string,
  mode: Mode,
  limit: number | null,
): Promise<ApprovedExperience[]> {
  return db.query<ApprovedExperience>(
    `select ${APPROVED_COLUMNS} from experiences where venue_id = $1 and mode = $2 and status = 'approved'
     order by created_at desc limit $3`,
    [venueId, mode, limit],
  );
}

/** The ids under which experiences of the venue were live that are not approved any more. */
export async function listTakenDown(db: Queryable, venueId: string, mode: Mode): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select experience_id as id from experiences
     where venue_id = $1 and mode = $2 and status in ('pending', 'rejected') and experience_id is not null`,
    [venueId, mode],
  );
  return rows.map(({ id }) => id);
}

/** An approved experience, by the id under which it is live. */
export async function findApproved(
  db: Queryable,
  venueId: string,
  mode: Mode,
  experienceId: string,
): Promise<ApprovedExperience | null> {
  const rows = await db.query<ApprovedExperience>(
    `select ${APPROVED_COLUMNS} from experiences
     where venue_id = $1 and experience_id = $2 and mode = $3 and status = 'approved'`,
    [venueId, experienceId, mode],
  );
  return rows[0] ?? null;
}
