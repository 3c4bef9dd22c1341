// The operator's view of the audit log.

import { listAudit } from '../domain/venues/audit.ts';
import type { Command } from './command-definition.ts';
import { integerOption, parseId } from './options.ts';
import { requireVenue } from './require-venue.ts';
import { formatTimestamp, table } from './table.ts';

const list: Command = {
  words: ['audit', 'list'],
  arguments: [],
  help: 'list who did what and when, newest first',
  options: [
    { name: 'venue', valueName: 'ID', help: 'what was done to one venue' },
    { name: 'limit', valueName: 'N', help: 'how many, 1 to 1000; 50 when absent' },
    { name: 'before', valueName: 'ID', help: 'go on after the entry with this id' },
  ],
  async run(input, open) {
    const venue = input.text('venue');
    const venueId = venue === null ? null : parseId(venue, '--venue', 'venue list');
    const last = input.text('before');
    const before = last === null ? null : parseId(last, '--before', 'audit list');
    const limit = integerOption(input, 'limit', 1, 1000) ?? 50;
    const { context } = await open();
    if (venueId !== null) await requireVenue(context.db, venueId);
    const entries = await listAudit(context.db, { venueId, before, limit });
    const rows = entries.map(({ at, actor, via, action, subject, venue_id, id }) => [
      formatTimestamp(at),
      actor,
      via,
      action,
      subject,
      venue_id ?? '',
      id,
    ]);
    return {
      json: entries,
      text:
        rows.length === 0
          ? 'There are no entries.'
          : table(['AT', 'ACTOR', 'VIA', 'ACTION', 'SUBJECT', 'VENUE', 'ID'], rows),
    };
  },
};

export const auditCommands: readonly Command[] = [list];
