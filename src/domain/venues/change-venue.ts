// The changes that an operator makes to a venue: link it, revoke it, change its origins or its fee. Each change locks
// the venue's row first and is audited. A request for the state that the venue already has writes nothing.

import type { CommandContext } from '../../base/command-context.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { MAX_AMOUNT } from '../../base/money.ts';
import { audit } from './audit.ts';
import { MAX_ORIGINS, requireOrigin, tooManyOrigins } from './create-venue.ts';
import { lockVenue, setFee, setLinked, setOrigins, setRevoked, type VenueRow } from './queries.ts';

async function lockExistingVenue(tx: Queryable, venueId: string): Promise<VenueRow> {
  const venue = await lockVenue(tx, venueId);
  if (venue === null) throw notFound();
  return venue;
}

/**
 * Linked means verified and able to receive money: the operator asserts it by linking, or the checklist of going live shows
 * it. `detail` says which, for the audit log.
 */
export async function linkVenue(
  tx: Queryable,
  command: Pick<CommandContext, 'ids' | 'actor' | 'now'>,
  venueId: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<VenueRow> {
  const venue = await lockExistingVenue(tx, venueId);
  if (!venue.linked) {
    await setLinked(tx, venueId, command.now);
    await audit(tx, command, { venueId, action: 'venue.link', subject: venueId, detail });
  }
  return { ...venue, linked: true };
}

/** From the next request on, every key of this venue is refused. */
export async function revokeVenue(tx: Queryable, command: CommandContext, venueId: string): Promise<VenueRow> {
  const venue = await lockExistingVenue(tx, venueId);
  if (venue.revoked_at === null) {
    await setRevoked(tx, venueId, command.now);
    await audit(tx, command, { venueId, action: 'venue.revoke', subject: venueId });
  }
  return lockExistingVenue(tx, venueId);
}

export async function addOrigin(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  text: string,
): Promise<VenueRow> {
  const origin = requireOrigin(text);
  const venue = await lockExistingVenue(tx, venueId);
  if (venue.origins.includes(origin)) return venue;
  if (venue.origins.length >= MAX_ORIGINS) throw tooManyOrigins();
  const origins = [...venue.origins, origin];
  await setOrigins(tx, venueId, origins);
  await audit(tx, command, { venueId, action: 'origin.add', subject: origin });
  return { ...venue, origins };
}

export async function removeOrigin(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  text: string,
): Promise<VenueRow> {
  const origin = requireOrigin(text);
  const venue = await lockExistingVenue(tx, venueId);
  if (!venue.origins.includes(origin)) return venue;
  const origins = venue.origins.filter((registered) => registered !== origin);
  await setOrigins(tx, venueId, origins);
  await audit(tx, command, { venueId, action: 'origin.remove', subject: origin });
  return { ...venue, origins };
}

/** Applies to checkouts created from now on. */
export async function changeFee(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  bps: number,
  fixed: number,
): Promise<VenueRow> {
  if (!Number.isInteger(bps) || bps < 0 || bps > 10_000) {
    throw new Problem('invalid_request', {
      message: 'The fee is 0 to 10000 basis points (hundredths of a percent).',
      field: '/bps',
    });
  }
  if (!Number.isInteger(fixed) || fixed < 0 || fixed > MAX_AMOUNT) {
    const message = `The fixed fee is 0 to ${MAX_AMOUNT} minor units.`;
    throw new Problem('invalid_request', { message, field: '/fixed' });
  }
  const venue = await lockExistingVenue(tx, venueId);
  if (venue.fee_bps === bps && venue.fee_fixed === fixed) return venue;
  await setFee(tx, venueId, bps, fixed);
  const before = { bps: venue.fee_bps, fixed: venue.fee_fixed };
  await audit(tx, command, {
    venueId,
    action: 'venue.fee',
    subject: venueId,
    detail: { before, after: { bps, fixed } },
  });
  return { ...venue, fee_bps: bps, fee_fixed: fixed };
}
