// Reads and writes activity events and their figures, for which people-queries.ts is the only other file. SQL functions
// count and repair, each in one transaction under a lock on the venue's row in activity_venues, so that two servers
// cannot lose each other's counts.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export type ActivityType = 'view' | 'booking_start' | 'save' | 'booking' | 'check_in' | 'venue_page_view';

/** One event of a venue, with hashed ids. */
export interface ActivityEvent {
  readonly key: string;
  readonly type: ActivityType;
  /** The experience, or the venue for a view of its own page. */
  readonly subject: string;
  /** The mode of the experience; null: the venue's page. */
  readonly subjectMode: Mode | null;
  readonly person: string;
  readonly at: string;
  readonly guests: number;
  readonly cents: number;
  readonly mode: Mode;
}

export type EventOutcome = 'counted' | 'duplicate' | 'too_old';

/** Counts each event once. Returns an outcome for each, in their order. */
export async function recordActivityEvents(
  tx: Queryable,
  venueId: string,
  events: readonly ActivityEvent[],
): Promise<EventOutcome[]> {
  const column = <K extends keyof ActivityEvent>(name: K): ActivityEvent[K][] => events.map((one) => one[name]);
  const rows = await tx.query<{ outcome: EventOutcome }>(
    'select outcome from record_activity($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) order by position',
    [
      venueId,
      column('key'),
      column('type'),
      column('subject'),
      column('subjectMode'),
      column('person'),
      column('at'),
      column('guests'),
      column('cents'),
      column('mode'),
    ],
  );
  return rows.map(({ outcome }) => outcome);
}

/** The subject that stands for all experiences of a mode, so that a person counts once. SQL: all_experiences_id(). */
export function allExperiencesId(mode: Mode): string {
  return `00000000-0000-0000-0000-00000000000${mode === 'live' ? 1 : 2}`;
}

export interface Figures {
  readonly views: number;
  readonly saves: number;
  readonly bookings: number;
  readonly guests: number;
  readonly cents: number;
  readonly check_ins: number;
  /** Distinct people. */
  readonly viewers: number;
  readonly starters: number;
}

export type FigureRow =
  | ({ readonly row_kind: 'subject'; readonly subject: string; readonly day: null } & Figures)
  | ({ readonly row_kind: 'day'; readonly subject: null; readonly day: string } & Figures)
  | ({ readonly row_kind: 'subject_day'; readonly subject: string; readonly day: string } & Figures);

export interface WindowFigures {
  /** The window that was counted: widened to whole days where the events were deleted. */
  readonly from: string;
  readonly to: string;
  /** Start of retention, if part of a day was counted from its events; null: no such part. */
  readonly retainedFrom: string | null;
  readonly rows: readonly FigureRow[];
}

interface WindowRow {
  readonly row_kind: 'window';
  readonly window_from: string;
  readonly window_to: string;
  readonly retained_from: string | null;
}

/**
 * Figures from one snapshot: of each subject over the window, and of each day over all subjects; with `byDay`, of each
 * subject and day.
 */
export async function findFigures(
  db: Queryable,
  query: {
    readonly venueId: string;
    readonly subjects: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly byDay: boolean;
  },
): Promise<WindowFigures> {
  const { venueId, subjects, from, to, byDay } = query;
  const rows = await db.query<FigureRow | WindowRow>(
    `select row_kind, subject, to_char(day, 'YYYY-MM-DD') as day, views, saves, bookings, guests, cents, check_ins, viewers, starters,
       window_from, window_to, retained_from
     from activity_figures($1, $2, $3, $4, $5)`,
    [venueId, subjects, from, to, byDay],
  );
  const window = rows.find((row): row is WindowRow => row.row_kind === 'window');
  if (window === undefined) throw new Error('activity_figures() returned no row for the window');
  return {
    from: window.window_from,
    to: window.window_to,
    retainedFrom: window.retained_from,
    rows: rows.filter((row): row is FigureRow => row.row_kind !== 'window'),
  };
}

/** The start of retention: older events are deleted. */
export async function readRetainedFrom(db: Queryable): Promise<string> {
  const rows = await db.query<{ retained_from: string }>('select retained_from from activity_retention');
  return rows[0]?.retained_from ?? '-infinity';
}

/** Moves the start of retention forward, never back. The lock makes later recordings and repairs read the new time. */
export async function advanceRetention(tx: Queryable, before: string): Promise<void> {
  await tx.query('lock table activity_venues in exclusive mode');
  await tx.query('update activity_retention set retained_from = greatest(retained_from, $1::timestamptz)', [before]);
}

/** Monthly partitions of the events; each can be truncated on its own. */
export const PARTITION_COUNT = 24;

/** Truncates a partition if all its events are old; checks first without a lock. False: it has newer events. */
export async function truncateOldPartition(tx: Queryable, partition: number, before: string): Promise<boolean> {
  const name = partitionTable(partition);
  if (await hasNewerEvents(tx, name, before)) return false;
  if ((await tx.query(`select from ${name} limit 1`)).length === 0) return true;
  await tx.query(`lock table ${name} in access exclusive mode`);
  if (await hasNewerEvents(tx, name, before)) return false;
  await tx.query(`truncate ${name}`);
  return true;
}

/** One index lookup for each venue, so the time does not depend on the number of events. */
async function hasNewerEvents(tx: Queryable, table: string, before: string): Promise<boolean> {
  const found = await tx.query(
    `select from activity_venues v cross join lateral (
       select from ${table} a where a.venue_id = v.venue_id and activity_day(a.at) >= activity_day($1::timestamptz) limit 1
     ) a limit 1`,
    [before],
  );
  return found.length > 0;
}

function partitionTable(partition: number): string {
  return `activity_partition_${String(partition).padStart(2, '0')}`;
}

/** A table, or a partition by its number, that is pruned block by block, so that no batch scans deleted rows again. */
export type PrunedTable = number | 'ids' | 'people' | 'hours';

/** A longer time between two days on which a person was seen counts as this. SQL: gap_in_days(), recent_hour(). */
export const MAX_GAP_DAYS = 400;

function pruneTarget(target: PrunedTable): { table: string; isOld: string } {
  if (target === 'ids') return { table: 'activity_ids', isOld: 'at < $1::timestamptz' };
  if (target === 'people')
    return { table: 'activity_people', isOld: `day < activity_day($1::timestamptz) - ${MAX_GAP_DAYS}` };
  // A window that covers part of such a day is widened to the whole day.
  if (target === 'hours')
    return { table: 'activity_days', isOld: 'hour_of_day < 24 and day < activity_day($1::timestamptz)' };
  return { table: partitionTable(target), isOld: 'at < $1::timestamptz' };
}

export async function blocksOf(db: Queryable, target: PrunedTable): Promise<number> {
  const rows = await db.query<{ blocks: number }>(
    `select pg_relation_size($1::regclass) / current_setting('block_size')::bigint as blocks`,
    [pruneTarget(target).table],
  );
  return rows[0]?.blocks ?? 0;
}

/** Deletes the old rows in these blocks; returns how many. No old rows are added meanwhile: recording refuses them. */
export async function deleteOldInBlocks(
  db: Queryable,
  target: PrunedTable,
  before: string,
  range: { readonly from: number; readonly to: number },
): Promise<number> {
  const { table, isOld } = pruneTarget(target);
  const rows = await db.query<{ deleted: number }>(
    `with deleted as (
       delete from ${table} where ctid >= $2::text::tid and ctid < $3::text::tid and ${isOld} returning 1
     )
     select count(*) as deleted from deleted`,
    [before, `(${range.from},0)`, `(${range.to},0)`],
  );
  return rows[0]?.deleted ?? 0;
}

export async function countVenuesWithActivity(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: number }>('select count(*) as count from activity_venues');
  return rows[0]?.count ?? 0;
}

/** Venues whose figures have no hours: their activity is older than hourly counting, and no rebuild has run since. */
export async function countVenuesWithoutHours(db: Queryable): Promise<number> {
  const rows = await db.query<{ count: number }>(
    'select count(*) as count from activity_venues where not has_hourly_figures',
  );
  return rows[0]?.count ?? 0;
}

/** Ids of venues with activity, in order, after this one. */
export async function venuesWithActivity(db: Queryable, after: string | null, batch: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select venue_id as id from activity_venues where $1::uuid is null or venue_id > $1 order by venue_id limit $2`,
    [after, batch],
  );
  return rows.map(({ id }) => id);
}

/** The days within retention that have events or figures, in order. A day with hours also has a row for the day. */
export async function daysWithActivity(db: Queryable, venueId: string): Promise<string[]> {
  const rows = await db.query<{ day: string }>(
    `with recursive
     event_days as (
       select min(activity_day(at)) as day from activity where venue_id = $1
       union all
       select (select min(activity_day(a.at)) from activity a where a.venue_id = $1 and activity_day(a.at) > h.day)
       from event_days h where h.day is not null
     ), people_days as (
       select min(day_number(day)) as number from activity_people where venue_id = $1
       union all
       select (select min(day_number(a.day)) from activity_people a where a.venue_id = $1 and day_number(a.day) > s.number)
       from people_days s where s.number is not null
     ), subjects as (
       (select d.subject from activity_days d where d.venue_id = $1 order by d.subject limit 1)
       union all
       select n.subject from subjects t cross join lateral (
         select d.subject from activity_days d where d.venue_id = $1 and d.subject > t.subject order by d.subject limit 1
       ) n
     )
     select to_char(day, 'YYYY-MM-DD') as day from (
       select day from event_days
       union select date '2000-01-01' + number from people_days
       union select k.day from subjects t cross join lateral (
         select d.day from activity_days d where d.venue_id = $1 and d.subject = t.subject and d.hour_of_day = 24 offset 0
       ) k
     ) d where d.day >= (select activity_day(retained_from) from activity_retention) order by d.day`,
    [venueId],
  );
  return rows.map(({ day }) => day);
}

export async function countEvents(db: Queryable, venueId: string, day: string): Promise<number> {
  const rows = await db.query<{ count: number }>(
    `select count(*) as count from activity where venue_id = $1 and partition_number = activity_partition($2::timestamptz)
       and activity_day(at) = $3::date`,
    [venueId, `${day}T00:00:00Z`, day],
  );
  return rows[0]?.count ?? 0;
}

/** A range of hashed person ids, both ends included. */
export interface PersonRange {
  readonly low: string;
  readonly high: string;
}

export async function repairPeople(
  tx: Queryable,
  venueId: string,
  day: string,
  { low, high }: PersonRange,
): Promise<number> {
  const rows = await tx.query<{ changed: number }>('select repair_people($1, $2::date, $3, $4) as changed', [
    venueId,
    day,
    low,
    high,
  ]);
  return rows[0]?.changed ?? 0;
}

export async function repairPreviousHours(
  tx: Queryable,
  venueId: string,
  day: string,
  { low, high }: PersonRange,
): Promise<number> {
  const rows = await tx.query<{ changed: number }>('select repair_previous_hours($1, $2::date, $3, $4) as changed', [
    venueId,
    day,
    low,
    high,
  ]);
  return rows[0]?.changed ?? 0;
}

/** Marks that the venue's figures have hours, so that parts of days are counted by the hour. */
export async function markHourlyFigures(db: Queryable, venueId: string): Promise<void> {
  await db.query(
    'update activity_venues set has_hourly_figures = true where venue_id = $1 and not has_hourly_figures',
    [venueId],
  );
}

/** Identifies figures of a day: a subject, in one hour of the day, or over the whole day (hour_of_day 24). */
export interface FigureKey {
  readonly subject: string;
  readonly hour_of_day: number;
}

export type Counts = Omit<Figures, 'viewers' | 'starters'> & FigureKey;

/** How many people have this gap since their previous action. */
export interface PeopleAtGap extends FigureKey {
  readonly action: 'view' | 'booking_start';
  readonly gap: number;
  readonly people: number;
}

/** Makes all reads of the transaction see one snapshot. Must be the first statement. */
export async function useSnapshot(tx: Queryable): Promise<void> {
  await tx.query('set transaction isolation level repeatable read');
}

/** The number of repairs so far, to detect a concurrent repair. */
export async function repairCountOf(tx: Queryable, venueId: string): Promise<number> {
  const rows = await tx.query<{ repairs: number }>('select repairs from activity_venues where venue_id = $1', [
    venueId,
  ]);
  return rows[0]?.repairs ?? 0;
}

/** Counts of a day, recounted from its events. */
export async function recountEvents(tx: Queryable, venueId: string, day: string): Promise<Counts[]> {
  return tx.query<Counts>('select * from recount_events($1, $2::date)', [venueId, day]);
}

export async function recountPeople(
  tx: Queryable,
  venueId: string,
  day: string,
  { low, high }: PersonRange,
): Promise<PeopleAtGap[]> {
  return tx.query<PeopleAtGap>('select * from recount_people($1, $2::date, $3, $4)', [venueId, day, low, high]);
}

/** Counts of a day, as stored in the figures. */
export async function storedCounts(tx: Queryable, venueId: string, day: string): Promise<Counts[]> {
  return tx.query<Counts>(
    'select subject, hour_of_day, views, saves, bookings, guests, cents, check_ins from stored_figures($1, $2::date)',
    [venueId, day],
  );
}

export async function storedPeople(tx: Queryable, venueId: string, day: string): Promise<PeopleAtGap[]> {
  return tx.query<PeopleAtGap>(
    `select d.subject, d.hour_of_day, p.action, u.gap,
       u.people - lead(u.people, 1, 0) over (partition by d.subject, d.hour_of_day, p.action order by u.gap) as people
     from stored_figures($1, $2::date) d
     cross join lateral (values ('view', d.viewer_gaps, d.viewers), ('booking_start', d.starter_gaps, d.starters))
       p(action, gaps, people)
     cross join lateral unnest(p.gaps, p.people) u(gap, people)`,
    [venueId, day],
  );
}

/** Corrects the figures of a day; returns how many rows changed. Null: another repair ran since `repairCount`. */
export async function repairDay(
  tx: Queryable,
  venueId: string,
  day: string,
  repairCount: number,
  corrections: { readonly counts: readonly Counts[]; readonly people: readonly PeopleAtGap[] },
): Promise<number | null> {
  const { counts, people } = corrections;
  const count = (name: keyof Counts): unknown[] => counts.map((one) => one[name]);
  const names = ['subject', 'hour_of_day', 'views', 'saves', 'bookings', 'guests', 'cents', 'check_ins'] as const;
  const rows = await tx.query<{ repaired: number | null }>(
    'select repair_day($1, $2::date, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) as repaired',
    [
      venueId,
      day,
      repairCount,
      ...names.map(count),
      people.map(({ subject }) => subject),
      people.map(({ hour_of_day }) => hour_of_day),
      people.map(({ action }) => action),
      people.map(({ gap }) => gap),
      people.map((one) => one.people),
    ],
  );
  return rows[0]?.repaired ?? null;
}
