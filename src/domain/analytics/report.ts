// GET /v1/analytics: the figures of a venue's approved experiences over a window, as JSON, or as CSV with a line for each
// experience and day. Figures are exact and are about nobody: people are only ever counted. Which experiences there are is
// told by whoever asks, who has those that are too many refused.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Analytics } from '../../../schemas/types.gen.ts';
import type { Mode } from '../../base/config.ts';
import { csvLines } from '../../base/csv.ts';
import type { Queryable } from '../../base/db.ts';
import { invalid } from '../../base/errors.ts';
import { utc } from '../../base/schema/normal.ts';
import { everythingOf, type Figures, type FiguresFound, findFigures, retainedSince } from './queries.ts';
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
  /** The answer is about one experience: its people are all there are. */
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

export async function report(db: Queryable, question: ReportQuery): Promise<Analytics> {
  const { venueId, experiences } = question;
  const everything = everythingOf(question.mode);
  const asked = question.isOneExperience ? [] : [everything];
  const found = await findConsistentFigures(db, question, [...ids(question), ...asked, venueId], false);
  const things = new Map<string, Figures>();
  const days = new Map<string, Figures>();
  for (const row of found.rows) {
    if (row.what === 'thing') things.set(row.thing, row);
    if (row.what === 'day') days.set(row.day, row);
  }
  const each = experiences.map((one) => ({ one, figures: things.get(one.id) ?? NO_FIGURES }));
  const people = question.isOneExperience ? (each[0]?.figures ?? NO_FIGURES) : (things.get(everything) ?? NO_FIGURES);
  const { viewers, starters } = people;
  const totals = { ...sumFigures(each.map(({ figures }) => figures)), viewers, starters };
  const window = { from: utc(found.from), to: utc(found.to) };
  return {
    ...window,
    totals: {
      experiences: experiences.length,
      ...figuresView(totals),
      view_to_booking_rate: rate(totals.bookings, totals.viewers),
      show_rate: rate(totals.check_ins, totals.bookings),
      venue_page_views: things.get(venueId)?.views ?? 0,
    },
    experiences: each.map(({ one, figures }) => ({
      experience_id: one.id,
      title: one.title,
      starts_at: one.startsAt,
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

/** People are those of each day. Each line has the window as it was counted, which may be wider than was asked. */
export async function reportCsv(db: Queryable, question: ReportQuery): Promise<string> {
  const { experiences } = question;
  const found = await findConsistentFigures(db, question, ids(question), true);
  const lines = new Map<string, Figures>();
  for (const row of found.rows) if (row.what === 'both') lines.set(`${row.thing} ${row.day}`, row);
  const window = { from: utc(found.from), to: utc(found.to) };
  const days = daysOf(window);
  const slices = [csvLines([COLUMNS])];
  const atOnce = Math.ceil(LINES_PER_SLICE / days.length);
  for (let from = 0; from < experiences.length; from += atOnce) {
    const rows = experiences.slice(from, from + atOnce).flatMap(({ id, title, startsAt }) =>
      days.map((date) => {
        const figures = figuresView(lines.get(`${id} ${date}`) ?? NO_FIGURES);
        const named = { experience_id: id, title, starts_at: startsAt, date, ...figures, ...window };
        return COLUMNS.map((column) => named[column]);
      }),
    );
    slices.push(csvLines(rows));
    await nextTurn();
  }
  return slices.join('');
}

/** A few milliseconds of work: others have their turn in between. */
const LINES_PER_SLICE = 1_000;

/** What one answer has at the most: in CSV a year of 54 experiences, or a month of 645; in JSON these, whatever the window. */
const MAX_CSV_LINES = 20_000;
const MAX_EXPERIENCES = 5_000;

/** So many experiences are enough to refuse the question. */
export const experienceFetchLimit = (asCsv: boolean): number => (asCsv ? MAX_CSV_LINES : MAX_EXPERIENCES) + 1;

/** Whatever the window, one experience always fits. */
export function refuseTooMany({ experiences, window }: ReportQuery, asCsv: boolean): void {
  const days = daysOf(window).length;
  const isTooMany = asCsv ? experiences.length * days > MAX_CSV_LINES : experiences.length > MAX_EXPERIENCES;
  if (!isTooMany) return;
  throw invalid([
    {
      code: 'out_of_range',
      field: '/query/experience_id',
      message: asCsv
        ? `This would be more than ${MAX_CSV_LINES} lines of CSV, which is the most. Ask for one experience by experience_id, or for fewer days.`
        : `The venue has more than ${MAX_EXPERIENCES} approved experiences, which is the most that an answer lists. Ask for one by experience_id.`,
      expected: asCsv
        ? `experiences times days at most ${MAX_CSV_LINES}`
        : `one experience, or a venue that has at most ${MAX_EXPERIENCES}`,
      example_fix: experiences[0]?.id ?? null,
    },
  ]);
}

function ids({ experiences }: ReportQuery): string[] {
  return experiences.map(({ id }) => id);
}

/** Events that are dropped while they are counted are missed: then it is asked again, and the window is widened. */
async function findConsistentFigures(
  db: Queryable,
  { venueId, window }: ReportQuery,
  things: readonly string[],
  byDay: boolean,
): Promise<FiguresFound> {
  for (;;) {
    const found = await findFigures(db, { venueId, things, ...window, byDay });
    if (found.partialDaysSince === null || found.partialDaysSince === (await retainedSince(db))) return found;
  }
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

/** From 0 to 1, to 4 decimals: somebody may book without having looked, and no rate is above 1 for it. */
function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(1, Math.round((part * 10_000) / whole) / 10_000);
}
