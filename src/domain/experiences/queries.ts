// The only place that touches the table of experiences.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { isUuid } from '../../base/ids.ts';
import type { PageQuery } from '../../base/page.ts';
import type { ExperienceContent, ExperienceForm, ExperienceRow } from './experience.ts';

const COLUMNS = `submission_id as id, venue_id, mode, external_id, form, status, review_note, content, experience_id,
  created_at, reviewed_at`;

export async function findByExternalId(
  db: Queryable,
  venueId: string,
  mode: Mode,
  externalId: string,
): Promise<ExperienceRow | null> {
  const rows = await db.query<ExperienceRow>(
    `select ${COLUMNS} from experiences where venue_id = $1 and mode = $2 and external_id = $3`,
    [venueId, mode, externalId],
  );
  return rows[0] ?? null;
}

/** By its id or by the venue's own id; an id match wins. */
export async function findExperience(
  db: Queryable,
  venueId: string,
  mode: Mode,
  reference: string,
): Promise<ExperienceRow | null> {
  const rows = await db.query<ExperienceRow>(
    `select ${COLUMNS} from experiences
     where venue_id = $1 and mode = $2 and (submission_id = $3::uuid or external_id = $4)
     order by submission_id = $3::uuid desc nulls last limit 1`,
    [venueId, mode, isUuid(reference) ? reference : null, reference],
  );
  return rows[0] ?? null;
}

export async function listExperienceRows(
  db: Queryable,
  venueId: string,
  mode: Mode,
  page: PageQuery,
): Promise<ExperienceRow[]> {
  return db.query<ExperienceRow>(
    `select ${COLUMNS} from experiences
     where venue_id = $1 and mode = $2 and ($3::text is null or status = $3)
       and created_at < coalesce($4::timestamptz, 'infinity')
     order by created_at desc limit $5`,
    [venueId, mode, page.status, page.before, page.limit + 1],
  );
}

export interface ExperienceForReview {
  readonly id: string;
  readonly venue_id: string;
  readonly mode: Mode;
  readonly status: string;
  readonly title: string;
  readonly external_id: string | null;
  readonly created_at: string;
}

/** Of every venue and both modes, unless narrowed; oldest first. The status is part of the text, so that its index is. */
export async function listExperiencesForReview(
  db: Queryable,
  question: {
    readonly status: 'pending' | 'approved' | 'rejected';
    readonly mode: Mode | null;
    readonly venueId: string | null;
    readonly limit: number;
  },
): Promise<ExperienceForReview[]> {
  return db.query<ExperienceForReview>(
    `select submission_id as id, venue_id, mode, status, content ->> 'title' as title, external_id, created_at
     from experiences
     where status = '${question.status}' and ($1::text is null or mode = $1) and ($2::uuid is null or venue_id = $2)
     order by created_at, submission_id limit $3`,
    [question.mode, question.venueId, question.limit],
  );
}

/** Of both modes' queues, each its own. Counted under the venue's ticks, so that it stays true until commit. */
export async function countWaiting(tx: Queryable, venueId: string, mode: Mode): Promise<number> {
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
  if (rows[0] === undefined) throw new Error('an insert gives its row back');
  return rows[0];
}

/** Moves a pending submission by its review; null: it is not pending (any more). */
export async function setReviewed(
  tx: Queryable,
  venueId: string,
  id: string,
  authResult: {
    readonly status: 'approved' | 'rejected';
    readonly note: string | null;
    readonly at: string;
    readonly experienceId: string | null;
  },
): Promise<ExperienceRow | null> {
  const rows = await tx.query<ExperienceRow>(
    `with moved as (
       update experiences set status = $3, review_note = $4, reviewed_at = $5, experience_id = $6
       where venue_id = $1 and submission_id = $2 and status = 'pending' returning *
     ), routed as (
       insert into experience_routes (experience_id, venue_id, mode)
       select experience_id, venue_id, mode from moved where experience_id is not null
     )
     select ${COLUMNS} from moved`,
    [venueId, id, authResult.status, authResult.note, authResult.at, authResult.experienceId],
  );
  return rows[0] ?? null;
}

export interface ExperienceRoute {
  readonly experience_id: string;
  readonly venue_id: string;
  readonly mode: Mode;
}

/** Of those ids that are live experiences: whose they are. */
export async function findRoutes(db: Queryable, ids: readonly string[]): Promise<ExperienceRoute[]> {
  if (ids.length === 0) return [];
  return db.query<ExperienceRoute>(
    `select r.experience_id, r.venue_id, r.mode from unnest($1::uuid[]) u(id)
     cross join lateral (select * from experience_routes r where r.experience_id = u.id offset 0) r`,
    [ids],
  );
}

export interface LiveExperience {
  readonly id: string;
  readonly title: string;
  readonly startsAt: string;
}

const LIVE = `experience_id as id, content ->> 'title' as title, content ->> 'starts_at' as "startsAt"`;

/** The venue's approved experiences, newest first; no two have the same created_at (experiences_by_creation). `most` null: all. */
export async function listLive(
  db: Queryable,
  venueId: string,
  mode: Mode,
  most: number | null,
): Promise<LiveExperience[]> {
  return db.query<LiveExperience>(
    `select ${LIVE} from experiences where venue_id = $1 and mode = $2 and status = 'approved'
     order by created_at desc limit $3`,
    [venueId, mode, most],
  );
}

/** One of them, by the id under which it is live. */
export async function findLive(
  db: Queryable,
  venueId: string,
  mode: Mode,
  experienceId: string,
): Promise<LiveExperience | null> {
  const rows = await db.query<LiveExperience>(
    `select ${LIVE} from experiences where venue_id = $1 and experience_id = $2 and mode = $3`,
    [venueId, experienceId, mode],
  );
  return rows[0] ?? null;
}
