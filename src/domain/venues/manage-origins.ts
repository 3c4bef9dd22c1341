// The console's operations on the origins of a venue. The body names the mode, so that a venue that is not linked yet can
// register the origins that it needs to go live.

import type { VenueOrigin, VenueOriginChange } from '../../../schemas/types.gen.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Db } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { addOrigin, originsOf, removeOrigin } from './change-venue.ts';
import { requireOrigin } from './create-venue.ts';
import { findVenue, lockVenue } from './queries.ts';

interface Services {
  readonly db: Db;
}

interface VenueCaller extends CommandContext {
  readonly venue: { readonly id: string };
  readonly mode: Mode;
}

export async function listVenueOrigins(db: Db, { venue }: VenueCaller): Promise<OperationResult> {
  const row = await findVenue(db, venue.id);
  const of = (mode: Mode): VenueOrigin[] =>
    row === null ? [] : originsOf(row, mode).map((origin) => ({ mode, origin }));
  return { status: 200, body: { data: [...of('test'), ...of('live')] } };
}

export async function addVenueOrigin(
  { db }: Services,
  caller: VenueCaller,
  { body }: Input<VenueOriginChange>,
): Promise<OperationResult> {
  const { mode = caller.mode } = body;
  const origin = requireOrigin(body.origin, mode);
  const isNew = await db.transaction(async (tx) => {
    const before = await lockVenue(tx, caller.venue.id);
    await addOrigin(tx, caller, caller.venue.id, origin, mode);
    return before !== null && !originsOf(before, mode).includes(origin);
  });
  return { status: isNew ? 201 : 200, body: { mode, origin } satisfies VenueOrigin };
}

export async function removeVenueOrigin(
  { db }: Services,
  caller: VenueCaller,
  { body }: Input<VenueOriginChange>,
): Promise<OperationResult> {
  const { mode = caller.mode } = body;
  const origin = requireOrigin(body.origin);
  await db.transaction(async (tx) => {
    const before = await lockVenue(tx, caller.venue.id);
    if (before === null || !originsOf(before, mode).includes(origin)) throw notFound();
    await removeOrigin(tx, caller, caller.venue.id, origin, mode);
  });
  return { status: 200, body: { mode, origin } satisfies VenueOrigin };
}
