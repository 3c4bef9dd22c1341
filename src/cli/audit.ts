// The operator's view of the audit log.

import { listAudit } from '../domain/venues/audit.ts';
import { uuidOf, wholeOf } from './options.ts';
import type { Command } from './shape.ts';
import { shownTime, table } from './table.ts';
import { knownVenue } from './venue.ts';

const list: Command = {
  words: ['audit', 'list'],
  arguments: [],
  help: 'list who did what and when, newest first',
  options: [
    { name: 'venue', value: 'ID', help: 'what was done to one venue' },
    { name: 'limit', value: 'N', help: 'how many, 1 to 1000; 50 when absent' },
    { name: 'before', value: 'ID', help: 'go on after the entry with this id' },
  ],
  async run(given, open) {
    const venue = given.text('venue');
    const venueId = venue === null ? null : uuidOf(venue, '--venue', 'venue list');
    const last = given.text('before');
    const before = last === null ? null : uuidOf(last, '--before', 'audit list');
    const limit = wholeOf(given, 'limit', 1, 1000) ?? 50;
    const { context } = await open();
    if (venueId !== null) await knownVenue(context.db, venueId);
    const entries = await listAudit(context.db, { venueId, before, limit });
    const rows = entries.map(({ at, actor, via, action, subject, venue_id, id }) => [
      shownTime(at),
      actor,
      via,
      action,
      subject,
      venue_id,
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
