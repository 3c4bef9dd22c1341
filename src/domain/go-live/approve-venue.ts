// The operator's approval of a venue: approved, or not any more. Where LIVE_NEEDS_APPROVAL=1 it is a line of the checklist. A
// venue that is linked already stays linked.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { audit } from '../venues/audit.ts';
import { findVenue, lockVenue, type VenueRow } from '../venues/queries.ts';
import type { GoLiveSettings } from './checklist.ts';
import { linkWhenReady } from './link-when-ready.ts';
import { clearApproved, setApproved } from './queries.ts';

export async function approveVenue(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  settings: GoLiveSettings,
): Promise<VenueRow> {
  await requireVenueRow(await lockVenue(tx, venueId));
  if (await setApproved(tx, venueId, command.now)) {
    await audit(tx, command, { venueId, action: 'venue.approve', subject: venueId });
    await notifyOwners(tx, command, venueId, true);
    await linkWhenReady(tx, command, venueId, settings);
  }
  return requireVenueRow(await findVenue(tx, venueId));
}

export async function unapproveVenue(tx: Queryable, command: CommandContext, venueId: string): Promise<VenueRow> {
  const venue = requireVenueRow(await lockVenue(tx, venueId));
  if (await clearApproved(tx, venueId)) {
    await audit(tx, command, { venueId, action: 'venue.unapprove', subject: venueId });
    await notifyOwners(tx, command, venueId, false);
  }
  return venue;
}

async function notifyOwners(tx: Queryable, command: CommandContext, venueId: string, approved: boolean): Promise<void> {
  const subject = `${venueId} ${command.now}`;
  await recordNotice(tx, command, { venueId, mode: 'live', kind: 'approval', subject, detail: { approved } });
}

function requireVenueRow(venue: VenueRow | null): VenueRow {
  if (venue === null) throw notFound();
  return venue;
}
