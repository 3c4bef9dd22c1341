// The operator's commands for analytics: look at a venue's figures, count them anew from the events, drop old events.

import type { Mode } from '../base/config.ts';
import { isDate, isTime } from '../base/schema/formats.ts';
import { utc } from '../base/schema/normal.ts';
import { dropActivity } from '../domain/analytics/drop.ts';
import { rebuild } from '../domain/analytics/rebuild.ts';
import { report } from '../domain/analytics/report.ts';
import { windowOf } from '../domain/analytics/window.ts';
import { listLive } from '../domain/experiences/queries.ts';
import { quoted, usageError } from './cli-error.ts';
import { choiceOf, uuidOf } from './options.ts';
import { drawBars } from './plot.ts';
import { ProgressBar } from './progress-bar.ts';
import type { Command, Given } from './shape.ts';
import { block, shownTime } from './table.ts';
import { knownVenue } from './venue.ts';

const DAY = 86_400_000;

/** A day, or a time with its offset, by the rules of the API. */
function timeIn(given: Given, name: string): string | null {
  const text = given.text(name);
  if (text === null) return null;
  if (isDate(text)) return `${text}T00:00:00Z`;
  if (isTime(text)) return utc(text);
  throw usageError(
    `--${name} is ${quoted(text)}: give a day such as 2027-06-01, or a time such as 2027-06-01T09:30:00-04:00.`,
  );
}

const show: Command = {
  words: ['analytics', 'show'],
  arguments: [],
  help: 'draw a venue’s views and bookings by the day, with its totals',
  options: [
    { name: 'venue', value: 'ID', needed: true, help: 'whose figures' },
    { name: 'from', value: 'T', help: 'the first moment; 30 days before --to when absent' },
    { name: 'to', value: 'T', help: 'the end, exclusive; now when absent' },
    { name: 'mode', value: 'test|live', help: 'whose experiences; live when absent' },
  ],
  async run(given, open) {
    const venueId = uuidOf(given.needed('venue'), '--venue', 'venue list');
    const mode: Mode = given.text('mode') === null ? 'live' : choiceOf(given, 'mode', ['test', 'live']);
    const [from, to] = [timeIn(given, 'from'), timeIn(given, 'to')];
    const { context, command } = await open();
    const venue = await knownVenue(context.db, venueId);
    const window = windowOf({ from, to }, command.now);
    const experiences = await listLive(context.db, venueId, mode, null);
    const figures = await report(context.db, { venueId, mode, experiences, isOneExperience: false, window });
    return { json: { venue_id: venueId, mode, ...figures }, text: drawn(venue.name, mode, figures) };
  },
};

function drawn(name: string, mode: Mode, { from, to, totals, daily }: Awaited<ReturnType<typeof report>>): string {
  const rows = Object.entries(totals).map(
    ([figure, value]) =>
      [figure.replaceAll('_', ' '), figure === 'booked_value' ? value.toFixed(2) : String(value)] as const,
  );
  const other = mode === 'live' ? 'test' : 'live';
  const none = `No ${mode} experience of this venue is approved; --mode ${other} shows those of ${other} mode.`;
  return [
    block([[`${name}, ${shownTime(from)} to ${shownTime(to)}`]]),
    drawBars(
      'Views',
      daily.map(({ date, views }) => ({ date, value: views })),
    ),
    drawBars(
      'Bookings',
      daily.map(({ date, bookings }) => ({ date, value: bookings })),
    ),
    block(rows),
    ...(totals.experiences === 0 ? [none] : []),
  ].join('\n\n');
}

const recount: Command = {
  words: ['analytics', 'rebuild'],
  arguments: [],
  help: 'count figures anew from the events that are kept; safe beside running servers',
  options: [{ name: 'venue', value: 'ID', help: 'of one venue; of all when absent' }],
  async run(given, open) {
    const text = given.text('venue');
    const venueId = text === null ? null : uuidOf(text, '--venue', 'venue list');
    const { context } = await open();
    if (venueId !== null) await knownVenue(context.db, venueId);
    const bar = new ProgressBar('counting anew', context.clock, given.flag('json') ? null : process.stderr);
    const done = await rebuild(context.db, venueId, (share) => bar.showShare(share));
    bar.end();
    const { venues, days, mended } = done;
    const was = mended === 0 ? 'everything was right' : `${mended} rows were wrong and are mended`;
    return { json: done, text: `${venues} venues, ${days} days counted anew: ${was}.` };
  },
};

const drop: Command = {
  words: ['analytics', 'drop'],
  arguments: [],
  help: 'drop single events by their age; figures of whole days stay, later reports of that time are refused',
  options: [
    { name: 'before', value: 'T', needed: true, help: 'what is older goes; the beginning of its day in UTC counts' },
  ],
  async run(given, open) {
    const time = timeIn(given, 'before') ?? '';
    const { context } = await open();
    const before = `${time.slice(0, 10)}T00:00:00.000Z`;
    const latest = new Date(Math.floor(context.clock.now() / DAY) * DAY).toISOString();
    if (before > latest) throw usageError(`--before is after ${latest}: today’s events are still coming in.`);
    const bar = new ProgressBar('dropping', context.clock, given.flag('json') ? null : process.stderr);
    const { emptied, deleted } = await dropActivity(context.db, before, (share) => bar.showShare(share));
    bar.end();
    return {
      json: { before, emptied_months: emptied, deleted_events: deleted },
      text: `Single events before ${shownTime(before)} are gone. Figures of whole days are what they were.`,
    };
  },
};

export const analyticsCommands: readonly Command[] = [show, recount, drop];
