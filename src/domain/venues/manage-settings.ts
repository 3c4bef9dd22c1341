// The console's operations on the settings of a venue, which count for both modes.

import type { VenueSettings, VenueUpdate } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { findVenue, type VenueRow } from './queries.ts';
import { changeVenueProfile, parseProfileChanges } from './venue-profile.ts';

interface VenueCaller extends CommandContext {
  readonly venue: { readonly id: string };
}

export async function showVenueSettings(db: Db, { venue }: VenueCaller): Promise<OperationResult> {
  const row = await findVenue(db, venue.id);
  if (row === null) throw notFound();
  return { status: 200, body: settingsView(row) };
}

export async function changeVenueSettings(
  { db }: { readonly db: Db },
  caller: VenueCaller,
  { body }: Input<VenueUpdate>,
): Promise<OperationResult> {
  const typed = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? '']));
  const changes = parseProfileChanges(typed);
  const changed = await db.transaction((tx) => changeVenueProfile(tx, caller, caller.venue.id, changes));
  return { status: 200, body: settingsView(changed) };
}

function settingsView(venue: VenueRow): VenueSettings {
  const { id, name, linked, created_at, fee_bps: bps, fee_fixed: fixed, timezone } = venue;
  const { support_email, support_phone, support_url, terms_url, privacy_url, accent_color, logo_url } = venue;
  return {
    ...{ id, name, linked, created_at, fee: { bps, fixed }, timezone },
    ...{ support_email, support_phone, support_url, terms_url, privacy_url, accent_color, logo_url },
  };
}
