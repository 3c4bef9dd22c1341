// The only place that touches activity and its figures. What counts and what mends stands in functions of the database, each
// one transaction under the venue's row of activity_venues, so that two servers cannot count past one another.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export type ActivityType = 'view' | 'booking_start' | 'save' | 'booking' | 'check_in' | 'venue_page_view';

/** One event of a venue, its ids hashed. */
export interface Happening {
  readonly key: string;
  readonly type: ActivityType;
  /** The experience, or for a view of the venue's own page the venue. */
  readonly thing: string;
  /** Of the experience; null: the venue's page. */
  readonly thingMode: Mode | null;
  readonly person: string;
  readonly at: string;
  readonly guests: number;
  readonly cents: number;
  readonly mode: Mode;
}

export type Outcome = 'counted' | 'duplicate' | 'too_old';

/** Counts them, each once; what became of each, in their order. */
export async function recordHappenings(
  tx: Queryable,
  venueId: string,
  happenings: readonly Happening[],
): Promise<Outcome[]> {
  const column = <K extends keyof Happening>(name: K): Happening[K][] => happenings.map((one) => one[name]);
  const rows = await tx.query<{ outcome: Outcome }>(
    'select outcome from record_activity($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) order by place',
    [
      venueId,
      column('key'),
      column('type'),
      column('thing'),
      column('thingMode'),
      column('person'),
      column('at'),
      column('guests'),
      column('cents'),
      column('mode'),
    ],
  );
  return rows.map(({ outcome }) => outcome);
}

/** Stands for all experiences of a mode, among whom a person counts once; everything_of() says the same. */
export function everythingOf(mode: Mode): string {
  return `00000000-0000-0000-0000-00000000000${mode === 'live' ? 1 : 2}`;
}

export interface Figures {
  readonly views: number;
  readonly saves: number;
  readonly bookings: number;
  readonly guests: number;
  readonly cents: number;
  readonly check_ins: number;
  /** Different people. */
  readonly viewers: number;
  readonly starters: number;
}

export type FigureRow =
  | ({ readonly what: 'thing'; readonly thing: string; readonly day: null } & Figures)
  | ({ readonly what: 'day'; readonly thing: null; readonly day: string } & Figures)
  | ({ readonly what: 'both'; readonly thing: string; readonly day: string } & Figures);

export interface FiguresFound {
  /** As answered: widened to whole days where single events are gone. */
  readonly from: string;
  readonly to: string;
  /** Since when events are kept, where a part of a day was counted from its events; null: nowhere. */
  readonly partsSince: string | null;
  readonly rows: readonly FigureRow[];
}

interface WindowRow {
  readonly what: 'window';
  readonly window_from: string;
  readonly window_to: string;
  readonly parts_since: string | null;
}

/** Of these things, in one moment: each over the window and each day over the things; or each thing on each day. */
export async function findFigures(
  db: Queryable,
  question: {
    readonly venueId: string;
    readonly things: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly byDay: boolean;
  },
): Promise<FiguresFound> {
  const { venueId, things, from, to, byDay } = question;
  const rows = await db.query<FigureRow | WindowRow>(
    `select what, thing, to_char(day, 'YYYY-MM-DD') as day, views, saves, bookings, guests, cents, check_ins, viewers, starters,
       window_from, window_to, parts_since
     from activity_figures($1, $2, $3, $4, $5)`,
    [venueId, things, from, to, byDay],
  );
  const window = rows.find((row): row is WindowRow => row.what === 'window');
  if (window === undefined) throw new Error('activity_figures() answers a row for the window');
  return {
    from: window.window_from,
    to: window.window_to,
    partsSince: window.parts_since,
    rows: rows.filter((row): row is FigureRow => row.what !== 'window'),
  };
}

/** Since when single events are kept. */
export async function keptFrom(db: Queryable): Promise<string> {
  const rows = await db.query<{ kept: string }>('select kept_from as kept from activity_kept');
  return rows[0]?.kept ?? '-infinity';
}

/** From now on nothing before this time is counted any more; never moved back. Waits for whoever counts a day anew. */
export async function moveKeptFrom(tx: Queryable, before: string): Promise<void> {
  await tx.query('update activity_kept set kept_from = greatest(kept_from, $1::timestamptz)', [before]);
}

/** Partitions of months: each can be emptied by itself. */
export const SLOTS = 24;

/** All at once, if nothing in it is younger; false: something is. Whoever records waits for the moment it takes. */
export async function emptySlot(tx: Queryable, slot: number, before: string): Promise<boolean> {
  const name = `activity_slot_${String(slot).padStart(2, '0')}`;
  await tx.query(`lock table ${name} in access exclusive mode`);
  const young = await tx.query(`select from ${name} where at >= $1 limit 1`, [before]);
  if (young.length > 0) return false;
  await tx.query(`truncate ${name}`);
  return true;
}

export async function forgetEvents(db: Queryable, slot: number, before: string, batch: number): Promise<number> {
  const rows = await db.query(
    `delete from activity where slot = $1 and (tableoid, ctid) in (
       select tableoid, ctid from activity where slot = $1 and at < $2 limit $3) returning 1`,
    [slot, before, batch],
  );
  return rows.length;
}

export async function forgetIds(db: Queryable, before: string, batch: number): Promise<number> {
  const rows = await db.query(
    `delete from activity_ids where ctid = any(array(
       select ctid from activity_ids where at < $1 limit $2)) returning 1`,
    [before, batch],
  );
  return rows.length;
}

/** No gap reaches back so far. */
export async function forgetSeen(db: Queryable, before: string, batch: number): Promise<number> {
  const rows = await db.query(
    `delete from activity_seen where ctid = any(array(
       select ctid from activity_seen where day < activity_day($1::timestamptz) - 400 limit $2)) returning 1`,
    [before, batch],
  );
  return rows.length;
}

/** Venues with activity, in order of their ids. */
export async function venuesWithActivity(db: Queryable, after: string | null, batch: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select venue_id as id from activity_venues where $1::uuid is null or venue_id > $1 order by venue_id limit $2`,
    [after, batch],
  );
  return rows.map(({ id }) => id);
}

/** The days of a venue with anything on them, right or wrong, in their order. */
export async function daysWithActivity(db: Queryable, venueId: string): Promise<string[]> {
  const rows = await db.query<{ day: string }>(
    `with recursive
     happened as (
       select activity_day(min(at)) as day from activity where venue_id = $1
       union all
       select (select activity_day(min(a.at)) from activity a
         where a.venue_id = $1 and a.at >= (h.day + 1)::timestamp at time zone 'UTC') from happened h where h.day is not null
     ), seen as (
       select min(day) as day from activity_seen where venue_id = $1
       union all
       select (select min(a.day) from activity_seen a where a.venue_id = $1 and a.day > s.day) from seen s where s.day is not null
     )
     select to_char(day, 'YYYY-MM-DD') as day from (
       select day from happened union select day from seen union select day from activity_days where venue_id = $1
     ) d where day is not null order by d.day`,
    [venueId],
  );
  return rows.map(({ day }) => day);
}

export async function mendSeen(tx: Queryable, venueId: string, day: string): Promise<number> {
  const rows = await tx.query<{ changed: number }>('select mend_seen($1, $2::date) as changed', [venueId, day]);
  return rows[0]?.changed ?? 0;
}

export async function recountDay(tx: Queryable, venueId: string, day: string): Promise<number> {
  const rows = await tx.query<{ changed: number }>('select recount_day($1, $2::date) as changed', [venueId, day]);
  return rows[0]?.changed ?? 0;
}
