// `everyshare venue approve` and `unapprove`: the operator's approval of a venue that goes live; and what `venue link` overrides.

import type { CommandContext } from '../base/command-context.ts';
import type { Queryable } from '../base/db.ts';
import { notFound } from '../base/errors.ts';
import { approveVenue, unapproveVenue } from '../domain/go-live/approve-venue.ts';
import { checklist, type GoLiveSettings } from '../domain/go-live/checklist.ts';
import { readFacts } from '../domain/go-live/link-when-ready.ts';
import { linkVenue } from '../domain/venues/change-venue.ts';
import { lockVenue, type VenueRow } from '../domain/venues/queries.ts';
import { explainNotFound } from './cli-error.ts';
import type { Command, CommandResult } from './command-definition.ts';
import { venueIdIn } from './require-venue.ts';

export const approve: Command = {
  words: ['venue', 'approve'],
  arguments: ['ID'],
  help: 'approve a venue that goes live; needed where LIVE_NEEDS_APPROVAL=1',
  options: [],
  async run(input, open) {
    const id = venueIdIn(input);
    const { context, command } = await open();
    const { goLive } = context.services;
    const venue = await explainNotFound('venue', id, () =>
      context.db.transaction((tx) => approveVenue(tx, command, id, goLive)),
    );
    const rest = venue.linked ? 'It is linked.' : await missingText(context.db, venue, goLive);
    return resultOf(venue, true, `${venue.name} is approved. ${rest}`);
  },
};

export const unapprove: Command = {
  words: ['venue', 'unapprove'],
  arguments: ['ID'],
  help: 'take the approval of a venue back; a linked venue stays linked',
  options: [],
  async run(input, open) {
    const id = venueIdIn(input);
    const { context, command } = await open();
    const venue = await explainNotFound('venue', id, () =>
      context.db.transaction((tx) => unapproveVenue(tx, command, id)),
    );
    const rest = venue.linked ? ' It is linked and stays so: "everyshare venue revoke" stops it.' : '';
    return resultOf(venue, false, `${venue.name} is not approved.${rest}`);
  },
};

function resultOf({ id, name, linked }: VenueRow, approved: boolean, text: string): CommandResult {
  return { json: { id, name, linked, approved }, text };
}

async function missingText(db: Queryable, venue: VenueRow, settings: GoLiveSettings): Promise<string> {
  const missing = checklist(await readFacts(db, venue), settings).flatMap((step) => step.missing ?? []);
  return `It is not linked yet. ${missing.join(' ')}`;
}

/**
 * Links a venue on the operator's approval, and returns the lines of the checklist that do not hold. Payouts are not among
 * them: without them live checkouts are refused all the same.
 */
export async function linkAndOverride(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  settings: GoLiveSettings,
): Promise<{ readonly venue: VenueRow; readonly overrides: readonly string[] }> {
  const before = await lockVenue(tx, venueId);
  if (before === null) throw notFound();
  const steps = checklist(await readFacts(tx, before), settings);
  const missing = steps.filter(({ id, done }) => !done && id !== 'payouts').map(({ id }) => id);
  const overrides = before.linked ? [] : missing;
  const venue = await linkVenue(tx, command, venueId, { by: 'operator', overrides });
  return { venue, overrides };
}
