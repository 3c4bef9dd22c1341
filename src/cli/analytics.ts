// The operator's commands for analytics: show a venue's figures, recount them from the events, delete old events.

import type { Mode } from '../base/config.ts';
import { isDate, isTime } from '../base/schema/formats.ts';
import { utc } from '../base/schema/normalize.ts';
import { dropActivity } from '../domain/analytics/drop.ts';
import { rebuild } from '../domain/analytics/rebuild.ts';
import { report } from '../domain/analytics/report.ts';
import { windowOf } from '../domain/analytics/window.ts';
import { listApproved, listTakenDown } from '../domain/experiences/queries.ts';
import { quoted, usageError } from './cli-error.ts';
import type { Command, CommandInput } from './command-definition.ts';
import { choiceOption, parseId } from './options.ts';
import { drawBars } from './plot.ts';
import { ProgressBar } from './progress-bar.ts';
import { requireVenue } from './require-venue.ts';
import { block, formatTimestamp } from './table.ts';

const DAY_MS = 86_400_000;

/** A day, or a time with its offset, by the rules of the API. */
function timeIn(input: CommandInput, name: string): string | null {
  const text = input.text(name);
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
    { name: 'venue', valueName: 'ID', isRequired: true, help: 'whose figures' },
    { name: 'from', valueName: 'T', help: 'the first moment; 30 days before --to when absent' },
    { name: 'to', valueName: 'T', help: 'the end, exclusive; now when absent' },
    { name: 'mode', valueName: 'test|live', help: 'whose experiences; live when absent' },
  ],
  async run(input, open) {
    const venueId = parseId(input.required('venue'), '--venue', 'venue list');
    const mode: Mode = input.text('mode') === null ? 'live' : choiceOption(input, 'mode', ['test', 'live']);
    const [from, to] = [timeIn(input, 'from'), timeIn(input, 'to')];
    const { context, command } = await open();
    const venue = await requireVenue(context.db, venueId);
    const window = windowOf({ from, to }, command.now);
    const experiences = await listApproved(context.db, venueId, mode, null);
    const takenDown = await listTakenDown(context.db, venueId, mode);
    const query = { venueId, mode, experiences, takenDown, isOneExperience: false, window };
    const figures = await report(context.db, query);
    return { json: { venue_id: venueId, mode, ...figures }, text: reportText(venue.name, mode, figures) };
  },
};

function reportText(name: string, mode: Mode, { from, to, totals, daily }: Awaited<ReturnType<typeof report>>): string {
  const rows = Object.entries(totals).map(
    ([figure, value]) =>
      [figure.replaceAll('_', ' '), figure === 'booked_value' ? value.toFixed(2) : String(value)] as const,
  );
  const other = mode === 'live' ? 'test' : 'live';
  const emptyText = `No ${mode} experience of this venue is approved; --mode ${other} shows those of ${other} mode.`;
  return [
    block([[`${name}, ${formatTimestamp(from)} to ${formatTimestamp(to)}`]]),
    drawBars(
      'Views',
      daily.map(({ date, views }) => ({ date, value: views })),
    ),
    drawBars(
      'Bookings',
      daily.map(({ date, bookings }) => ({ date, value: bookings })),
    ),
    block(rows),
    ...(totals.experiences === 0 ? [emptyText] : []),
  ].join('\n\n');
}

const rebuildFigures: Command = {
  words: ['analytics', 'rebuild'],
  arguments: [],
  help: 'recount figures from the stored events; safe beside running servers',
  options: [{ name: 'venue', valueName: 'ID', help: 'of one venue; of all when absent' }],
  async run(input, open) {
    const text = input.text('venue');
    const venueId = text === null ? null : parseId(text, '--venue', 'venue list');
    const { context } = await open();
    if (venueId !== null) await requireVenue(context.db, venueId);
    const bar = new ProgressBar('recounting', context.clock, input.flag('json') ? null : process.stderr);
    const done = await rebuild(context.db, venueId, (share) => bar.showShare(share));
    bar.end();
    const { venues, days, mended } = done;
    const outcome = mended === 0 ? 'everything was right' : `${mended} rows were wrong and are corrected`;
    return { json: done, text: `${venues} venues, ${days} days recounted: ${outcome}.` };
  },
};

const drop: Command = {
  words: ['analytics', 'drop'],
  arguments: [],
  help: 'drop single events by their age; figures of whole days stay, later reports of that time are refused',
  options: [{ name: 'before', valueName: 'T', isRequired: true, help: 'events before this day in UTC are deleted' }],
  async run(input, open) {
    const time = timeIn(input, 'before') ?? '';
    const { context } = await open();
    const before = `${time.slice(0, 10)}T00:00:00.000Z`;
    const latest = new Date(Math.floor(context.clock.now() / DAY_MS) * DAY_MS).toISOString();
    if (before > latest) throw usageError(`--before is after ${latest}: today’s events are still coming in.`);
    const bar = new ProgressBar('dropping', context.clock, input.flag('json') ? null : process.stderr);
    const { emptied, deleted } = await dropActivity(context.db, before, (share) => bar.showShare(share));
    bar.end();
    return {
      json: { before, emptied_months: emptied, deleted_events: deleted },
      text: `Single events before ${formatTimestamp(before)} are deleted. Figures of whole days are unchanged.`,
    };
  },
};

export const analyticsCommands: readonly Command[] = [show, rebuildFigures, drop];
