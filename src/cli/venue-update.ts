// The operator's command that changes the name of a venue and what guests see of it, and how `venue show` prints it.

import type { VenueRow } from '../domain/venues/queries.ts';
import {
  changeVenueProfile,
  type ProfileChanges,
  type ProfileField,
  parseProfileChanges,
} from '../domain/venues/venue-profile.ts';
import { explainNotFound, usageError } from './cli-error.ts';
import type { Command, CommandInput, Option } from './command-definition.ts';
import { venueIdIn } from './require-venue.ts';
import { block } from './table.ts';

const FIELDS: readonly (readonly [ProfileField, string, string])[] = [
  ['timezone', 'ZONE', 'the IANA time zone of its texts and pages, such as America/New_York'],
  ['support_email', 'ADDRESS', 'where guests can write'],
  ['support_phone', 'PHONE', 'where guests can call, with its country code'],
  ['support_url', 'URL', 'its page with help or contact'],
  ['terms_url', 'URL', 'its terms'],
  ['privacy_url', 'URL', 'its privacy notice'],
  ['accent_color', 'COLOUR', 'the colour of its pages as #rrggbb; contrast is computed'],
  ['logo_url', 'URL', 'its logo: an image that the service fetches and serves itself'],
];

const optionName = (field: ProfileField): string => field.replaceAll('_', '-');

const OPTIONS: readonly Option[] = [
  ...FIELDS.map(([field, valueName, help]): Option => {
    return { name: optionName(field), valueName, mayBeEmpty: true, help };
  }),
  { name: 'name', valueName: 'NAME', help: 'its name, 1 to 120 characters' },
];

export function profileJson(venue: VenueRow) {
  const { timezone, support_email, support_phone, support_url } = venue;
  const { terms_url, privacy_url, accent_color, logo_url } = venue;
  const support = { email: support_email, phone: support_phone, url: support_url };
  return { timezone, support, terms_url, privacy_url, accent_color, logo_url };
}

export function profileLines(venue: VenueRow): [string, string][] {
  return FIELDS.flatMap(([field]): [string, string][] => {
    const value = venue[field];
    return value === null ? [] : [[optionName(field).replaceAll('-', ' '), value]];
  });
}

function changesIn(input: CommandInput): ProfileChanges {
  const typed = [...FIELDS.map(([field]) => field), 'name' as const].flatMap((field) => {
    const text = input.text(optionName(field));
    return text === null ? [] : [[field, text] as const];
  });
  if (typed.length === 0) {
    const names = OPTIONS.map(({ name }) => `--${name}`).join(', ');
    throw usageError(`"venue update" has nothing to change: give some of ${names}.`);
  }
  return parseProfileChanges(Object.fromEntries(typed));
}

export const update: Command = {
  words: ['venue', 'update'],
  arguments: ['ID'],
  help: 'change the name of a venue and what guests see of it; an empty text ("") clears a value',
  options: OPTIONS,
  async run(input, open) {
    const id = venueIdIn(input);
    const changes = changesIn(input);
    const { context, command } = await open();
    const venue = await explainNotFound('venue', id, () =>
      context.db.transaction((tx) => changeVenueProfile(tx, command, id, changes)),
    );
    return {
      json: { id: venue.id, name: venue.name, ...profileJson(venue) },
      text: block([['id', venue.id], ['name', venue.name], ...profileLines(venue)]),
    };
  },
};
