// Generates the tables of a provider's page from its mapping and its reader: what each event does, where each field comes
// from, and what is read from the provider's API.
// The setup steps before the tables and the section on what we cannot know after them are written by hand.

import { MAX_MEMBERS } from '../src/base/json/scan.ts';
import type { Mapping, MappingField, Reader } from './types.gen.ts';

type Event = Mapping['events'][number];
type Entry = Mapping['objects'][number];

const FIRST_HEADING = '## What each event does';
const LAST_HEADING = '## What we cannot know';

/** The page with its tables generated again. `reader` null: the API is not read. */
export function providerPage(page: string, mapping: Mapping, reader: Reader | null): string {
  const [start, end] = [page.indexOf(FIRST_HEADING), page.indexOf(LAST_HEADING)];
  if (start < 0 || end < start)
    throw new Error(`the page of ${mapping.provider} lacks the headings "${FIRST_HEADING}" and "${LAST_HEADING}"`);
  const read = reader === null ? '' : `\n${readerTables(reader)}`;
  return `${page.slice(0, start)}${tables(mapping, reader)}${read}\n${page.slice(end)}`;
}

function tables({ events, objects }: Mapping, reader: Reader | null): string {
  const rows = events.map((event) => {
    const object = objects.find(({ name }) => name === event.object);
    return [`\`${event.name}\``, effectOf(event, object, reader), event.why ?? '', event.sure];
  });
  const parts = [
    FIRST_HEADING,
    table(['Event', 'What it does', 'Why it does no more', 'Source'], rows),
    '## What we read',
  ];
  for (const object of objects) parts.push(...fieldTable(object));
  return `${parts.join('\n\n')}\n`;
}

/** What the worker asks the provider's API for, with which credentials, and what it takes from the answers. */
function readerTables({ credentials, reads, limits, sources, objects }: Reader): string {
  const steps = new Map(
    reads.flatMap((read) => read.steps.map((step) => [`${step.method} ${step.path}`, { read, step }] as const)),
  );
  const parts = [
    '## What we read from the API',
    'With [credentials](../guides/venue-systems.md#reading-from-the-api-of-a-system) the worker reads the objects that a delivery only names.',
    table(
      ['Credential', 'Its name there', 'Where it is', 'Required'],
      credentials.map(({ name, label, where, required }) => [`\`${name}\``, label, where, required ? 'yes' : 'no']),
    ),
    table(
      ['Request', 'For', 'Source'],
      [...steps].map(([name, { read, step }]) => [`\`${name}\``, read.name, step.sure]),
    ),
    `At most ${limits.requests_per_minute} requests a minute${limits.requests_per_day === undefined ? '' : ` and ${limits.requests_per_day} a day`}. [${limits.sure}]${limits.note === undefined ? '' : ` ${limits.note}`} An answer of more than ${limits.max_bytes / 1_048_576} MB or ${MAX_MEMBERS.toLocaleString('en-US')} fields is not read. Facts: ${sources.map((url) => `<${url}>`).join(', ')}.`,
  ];
  for (const object of objects) parts.push(...fieldTable(object, true));
  return `${parts.join('\n\n')}\n`;
}

function effectOf({ action, name }: Event, object: Entry | undefined, reader: Reader | null): string {
  if (action === 'ignore') return 'stored as `ignored`';
  const isRead = reader?.reads.some(({ events }) => events.includes(name)) === true;
  if (action === 'refresh' && isRead) return 'read from the API; without credentials `needs_api_read`';
  if (action === 'refresh' || object === undefined) return 'stored as `needs_api_read`';
  const { fields } = object;
  const isBooking = fields['booking.party'] !== undefined;
  if (action === 'cancel') {
    if (isBooking) return 'adds the booking’s places back to its slot';
    const isOfSlot = object.whole === undefined && fields['slot.starts_at']?.source === 'webhook';
    return isOfSlot ? 'the slot can no longer be booked' : 'the offering can no longer be booked';
  }
  if (!isBooking) return 'updates an offering or its slot';
  if (fields['slot.capacity']?.source === 'webhook') return 'updates an offering or its slot, and counts the booking';
  const isWhole = fields.title?.source === 'webhook' && fields['tier.amount']?.source === 'webhook';
  return isWhole ? 'creates an offering; subtracts the party from its slot' : 'subtracts the party from its slot';
}

/** The table of one object's fields; fields that only the venue supplies are listed below it. */
function fieldTable(entry: Entry, inAnswers = false): string[] {
  const { name, fields, each_where, each_tier_where, each_slot, each_slot_where, each_slot_days } = entry;
  const all = Object.entries(fields);
  const isOnlyFromVenue = (field: MappingField): boolean =>
    field.source === 'venue_supplied' && field.note === undefined;
  const fromVenue = all.filter(
    ([field, source]) => isOnlyFromVenue(source) && !['kind', 'timezone', 'currency'].includes(field),
  );
  const rows = all
    .filter((row) => !fromVenue.includes(row))
    .map(([field, source]) => [
      `\`${field}\``,
      sourceOf(source, field, inAnswers),
      formatOf(source, inAnswers),
      source.sure,
      notes(source),
    ]);
  const words = name.replaceAll('_', ' ');
  const title = inAnswers ? `### Answers: ${words}` : `### ${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  const only = (what: string, conditions: Entry['each_where']): string[] =>
    conditions === undefined ? [] : [`${what} count only where ${conditions.map(conditionText).join(' and ')}.`];
  const parts = [
    title,
    ...only('Items', each_where),
    ...only('Prices', each_tier_where),
    ...(each_slot === undefined
      ? []
      : [`One slot for each item of \`${each_slot}\`: all that can be booked in the next ${each_slot_days} days.`]),
    ...only('Slots', each_slot_where),
    table(['Field', 'From', 'Read as', 'Source', 'Note'], rows),
  ];
  if (fromVenue.length > 0)
    parts.push(
      `We found these fields in no ${inAnswers ? 'answer' : 'delivery'}; the venue sends them itself: ${fromVenue.map(([field]) => `\`${field}\``).join(', ')}.`,
    );
  return parts;
}

const DEFAULTS = ['kind', 'timezone', 'currency', 'category', 'tier.unit'];

/** Of several paths the first that has a value counts. */
const quoted = (path: string): string =>
  path
    .split('|')
    .map((alternative) => `\`${alternative}\``)
    .join(', else ');

function sourceOf(
  { source, path, value, with: beside, otherwise }: MappingField,
  name: string,
  inAnswers: boolean,
): string {
  const venue = DEFAULTS.includes(name) ? 'the venue (`defaults`)' : 'the venue';
  if (source === 'venue_supplied') return venue;
  if (source === 'fixed') return `always \`${value}\``;
  const quotedPath = path === undefined ? '' : quoted(path);
  const isOnlyInApi = source === 'api' && !inAnswers;
  const found = isOnlyInApi
    ? `only in the API${quotedPath === '' ? '' : ` (${quotedPath})`}`
    : `${quotedPath}${beside === undefined ? '' : ` with \`${beside}\``}`;
  if (otherwise === undefined) return found;
  return `${found}, else ${otherwise === 'api' ? 'only in the API' : venue}`;
}

const formatOf = ({ source, as }: MappingField, inAnswers: boolean): string =>
  source === 'webhook' || (source === 'api' && inAnswers) ? (as ?? 'text') : '';

function conditionText({ path, is, not, at_most }: NonNullable<MappingField['where']>[number]): string {
  const values = (list: readonly string[]): string => list.map((value) => `\`${value}\``).join(', ');
  if (at_most !== undefined) return `\`${path}\` is absent or at most ${at_most}`;
  if (not?.includes('*')) return `\`${path}\` is absent`;
  if (is !== undefined) return `\`${path}\` is ${values(is)}`;
  return not === undefined ? `\`${path}\` is there` : `\`${path}\` is not ${values(not)}`;
}

function notes({ as, value, choices, where, plus, note }: MappingField): string {
  const chosen = Object.entries(choices ?? {}).map(([theirs, ours]) => `\`${theirs}\`: ${ours}`);
  return [
    ...(as === 'template' ? [`As \`${value}\`.`] : []),
    ...(chosen.length > 0 ? [`${chosen.join('; ')}.`] : []),
    ...(where === undefined ? [] : [`Only where ${where.map(conditionText).join(' and ')}.`]),
    ...(plus === undefined
      ? []
      : [
          `Plus \`${plus.path}\`${plus.where === undefined ? '' : ` where ${plus.where.map(conditionText).join(' and ')}`}.`,
        ]),
    ...(note === undefined ? [] : [note]),
  ].join(' ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
