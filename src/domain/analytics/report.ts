// GET /v1/analytics: the figures of a venue's approved experiences over a window, as JSON, or as CSV with a line for
// each experience and day. Figures are exact and anonymous: people are only counted. The caller passes the experiences
// and calls refuseTooMany() first.

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Analytics } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import { csvLines } from '../../base/csv.ts';
import type { Queryable } from '../../base/db.ts';
import { invalid } from '../../base/errors.ts';
import { utc } from '../../base/schema/normalize.ts';
import { findPeopleOfApproved, type People } from './people-queries.ts';
import { allExperiencesId, type Figures, findFigures, readRetainedFrom, type WindowFigures } from './queries.ts';
import { daysOf, type Window } from './window.ts';

export interface ReportedExperience {
  readonly id: string;
  readonly title: string;
  readonly startsAt: string;
}

export interface ReportQuery {
  readonly venueId: string;
  readonly mode: Mode;
  readonly experiences: readonly ReportedExperience[];
  /** The venue's experiences that were approved once and are not any more: a member seen there alone does not count. */
  readonly takenDown: readonly string[];
  /** The report is about one experience, so its people are the total. */
  readonly isOneExperience: boolean;
  readonly window: Window;
}

const NO_FIGURES: Figures = {
  views: 0,
  saves: 0,
  bookings: 0,
  guests: 0,
  cents: 0,
  check_ins: 0,
  viewers: 0,
  starters: 0,
};

export async function report(db: Queryable, query: ReportQuery): Promise<Analytics> {
  const { venueId, experiences } = query;
  const allExperiences = allExperiencesId(query.mode);
  const wholeVenue = query.isOneExperience ? [] : [allExperiences];
  const found = await findConsistentFigures(db, query, [...ids(query), ...wholeVenue, venueId], false);
  const subjects = new Map<string, Figures>();
  const days = new Map<string, Figures>();
  for (const row of found.rows) {
    if (row.row_kind === 'subject') subjects.set(row.subject, row);
    if (row.row_kind === 'day') days.set(row.day, row);
  }
  const each = experiences.map((experience) => ({ experience, figures: subjects.get(experience.id) ?? NO_FIGURES }));
  const { viewers, starters } = query.isOneExperience
    ? (each[0]?.figures ?? NO_FIGURES)
    : (found.peopleOfApproved ?? subjects.get(allExperiences) ?? NO_FIGURES);
  const totals = { ...sumFigures(each.map(({ figures }) => figures)), viewers, starters };
  const window = { from: utc(found.from), to: utc(found.to) };
  return {
    ...window,
    totals: {
      experiences: experiences.length,
      ...figuresView(totals),
      view_to_booking_rate: rate(totals.bookings, totals.viewers),
      show_rate: rate(totals.check_ins, totals.bookings),
      // Members see the page of a venue in live mode alone.
      venue_page_views: query.mode === 'live' ? (subjects.get(venueId)?.views ?? 0) : 0,
    },
    experiences: each.map(({ experience, figures }) => ({
      experience_id: experience.id,
      title: experience.title,
      starts_at: experience.startsAt,
      ...figuresView(figures),
      view_to_booking_rate: rate(figures.bookings, figures.viewers),
    })),
    daily: daysOf(window).map((date) => ({
      date,
      views: days.get(date)?.views ?? 0,
      bookings: days.get(date)?.bookings ?? 0,
    })),
  };
}

const COLUMNS = [
  'experience_id',
  'title',
  'starts_at',
  'date',
  'views',
  'unique_viewers',
  'booking_starts',
  'saves',
  'bookings',
  'guests',
  'booked_value',
  'checked_in',
  'from',
  'to',
] as const;

/** People are counted by day. Each line has the window that was counted, which may be wider than the requested one. */
export async function reportCsv(db: Queryable, query: ReportQuery): Promise<string> {
  const { experiences } = query;
  const found = await findConsistentFigures(db, query, ids(query), true);
  const lines = new Map<string, Figures>();
  for (const row of found.rows) if (row.row_kind === 'subject_day') lines.set(`${row.subject} ${row.day}`, row);
  const window = { from: utc(found.from), to: utc(found.to) };
  const days = daysOf(window);
  const slices = [csvLines([COLUMNS])];
  const experiencesPerSlice = Math.ceil(LINES_PER_SLICE / days.length);
  for (let from = 0; from < experiences.length; from += experiencesPerSlice) {
    const rows = experiences.slice(from, from + experiencesPerSlice).flatMap(({ id, title, startsAt }) =>
      days.map((date) => {
        const figures = figuresView(lines.get(`${id} ${date}`) ?? NO_FIGURES);
        const values = { experience_id: id, title, starts_at: startsAt, date, ...figures, ...window };
        return COLUMNS.map((column) => values[column]);
      }),
    );
    slices.push(csvLines(rows));
    await yieldToEventLoop();
  }
  return slices.join('');
}

/** A few milliseconds of work; the event loop runs other requests between slices. */
const LINES_PER_SLICE = 1_000;

/**
 * Limits of one response. In CSV: a year of 54 experiences, or a month of 645. In JSON: experiences, for any window.
 */
const MAX_CSV_LINES = 20_000;
const MAX_EXPERIENCES = 5_000;

/** How many experiences the caller must read to know whether there are too many. */
export const experienceFetchLimit = (asCsv: boolean): number => (asCsv ? MAX_CSV_LINES : MAX_EXPERIENCES) + 1;

/** One experience is always within the limits, for any window. */
export function refuseTooMany({ experiences, window }: ReportQuery, asCsv: boolean): void {
  const days = daysOf(window).length;
  const [first] = experiences;
  const isTooMany = asCsv ? experiences.length * days > MAX_CSV_LINES : experiences.length > MAX_EXPERIENCES;
  if (first === undefined || !isTooMany) return;
  throw invalid([
    {
      code: 'out_of_range',
      field: '/query/experience_id',
      message: asCsv
        ? `This would be more than ${MAX_CSV_LINES} lines of CSV, which is the most. Ask for one experience by experience_id, or for fewer days.`
        : `The venue has more than ${MAX_EXPERIENCES} approved experiences, which is the most that a response lists. Ask for one by experience_id.`,
      expected: asCsv
        ? `experiences times days at most ${MAX_CSV_LINES}`
        : `one experience, or a venue that has at most ${MAX_EXPERIENCES}`,
      example_fix: first.id,
    },
  ]);
}

function ids({ experiences }: ReportQuery): string[] {
  return experiences.map(({ id }) => id);
}

interface ConsistentFigures extends WindowFigures {
  /** Null: the figures of all experiences have them, because none was taken down. */
  readonly peopleOfApproved: People | null;
}

/** Events are deleted once a day at most, so a second count is the exception. */
const MAX_COUNTS = 10;

/** Events that are deleted during the count would be missing: then it counts again, with a widened window. */
async function findConsistentFigures(
  db: Queryable,
  query: ReportQuery,
  subjects: readonly string[],
  byDay: boolean,
): Promise<ConsistentFigures> {
  const { venueId, window, takenDown } = query;
  const approved = ids(query);
  for (let round = 0; round < MAX_COUNTS; round++) {
    const found = await findFigures(db, { venueId, subjects, ...window, byDay });
    const peopleOfApproved =
      takenDown.length === 0 ? null : await findPeopleOfApproved(db, { ...query, ...window, approved });
    if (found.retainedFrom === null || found.retainedFrom === (await readRetainedFrom(db)))
      return { ...found, peopleOfApproved };
  }
  throw new Error(`events of venue ${venueId} were deleted during each of ${MAX_COUNTS} counts`);
}

function sumFigures(all: readonly Figures[]): Figures {
  const sum = { ...NO_FIGURES };
  for (const one of all) for (const name of Object.keys(sum) as (keyof Figures)[]) sum[name] += one[name];
  return sum;
}

function figuresView(figures: Figures) {
  return {
    views: figures.views,
    unique_viewers: figures.viewers,
    booking_starts: figures.starters,
    saves: figures.saves,
    bookings: figures.bookings,
    guests: figures.guests,
    booked_value: figures.cents / 100,
    checked_in: figures.check_ins,
  };
}

/** From 0 to 1, with 4 decimals. A guest may book without a view, so the rate is capped at 1. */
function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, Math.round((part * 10_000) / whole) / 10_000);
}
