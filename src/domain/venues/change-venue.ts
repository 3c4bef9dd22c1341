// The changes that an operator makes to a venue: link it, revoke it, change its origins or its fee. Each change locks
// the venue's row first and is audited. A request for the state that the venue already has writes nothing.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { MAX_AMOUNT } from '../../base/money.ts';
import { audit } from './audit.ts';
import { MAX_ORIGINS, requireOrigin, tooManyOrigins } from './create-venue.ts';
import { lockVenue, setFee, setLinked, setOrigins, setRevoked, setSuspended, type VenueRow } from './queries.ts';

async function lockExistingVenue(tx: Queryable, venueId: string): Promise<VenueRow> {
  const venue = await lockVenue(tx, venueId);
  if (venue === null) throw notFound();
  return venue;
}

/**
 * Linked means verified and able to receive money: the operator asserts it by linking, or the checklist of going live shows
 * it. `reason` says which, for the audit log. A venue without live origins gets those of test mode, so that its pages work
 * in live mode too.
 */
export async function linkVenue(
  tx: Queryable,
  command: Pick<CommandContext, 'ids' | 'actor' | 'now'>,
  venueId: string,
  reason: Readonly<Record<string, unknown>> = {},
): Promise<VenueRow> {
  const venue = await lockExistingVenue(tx, venueId);
  if (venue.linked) return venue;
  await setLinked(tx, venueId, command.now);
  const live = venue.test_origins.filter((origin) => origin.startsWith('https://'));
  const isCopied = venue.live_origins.length === 0 && live.length > 0;
  if (isCopied) await setOrigins(tx, venueId, { test: venue.test_origins, live });
  const detail = { ...reason, ...(isCopied ? { live_origins: live } : {}) };
  await audit(tx, command, { venueId, action: 'venue.link', subject: venueId, detail });
  return { ...venue, linked: true, ...(isCopied ? { live_origins: live } : {}) };
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

/** No new checkouts from now on, in both modes. Those that exist end as they would. */
export async function suspendVenue(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  note: string,
): Promise<VenueRow> {
  const venue = await lockExistingVenue(tx, venueId);
  if (venue.suspended_at !== null) return venue;
  await setSuspended(tx, venueId, { now: command.now, note });
  await audit(tx, command, { venueId, action: 'venue.suspend', subject: venueId, detail: { note } });
  return lockExistingVenue(tx, venueId);
}

export async function resumeVenue(tx: Queryable, command: CommandContext, venueId: string): Promise<VenueRow> {
  const venue = await lockExistingVenue(tx, venueId);
  if (venue.suspended_at === null) return venue;
  await setSuspended(tx, venueId, null);
  await audit(tx, command, { venueId, action: 'venue.resume', subject: venueId });
  return lockExistingVenue(tx, venueId);
}

const BOTH_MODES: readonly Mode[] = ['test', 'live'];

/** Without a mode for both. A list that has the origin stays as it is. */
export async function addOrigin(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  text: string,
  mode: Mode | null = null,
): Promise<VenueRow> {
  const origin = requireOrigin(text, mode);
  const venue = await lockExistingVenue(tx, venueId);
  const modes = modesOf(mode).filter((one) => !originsOf(venue, one).includes(origin));
  if (modes.some((one) => originsOf(venue, one).length >= MAX_ORIGINS)) throw tooManyOrigins(origin);
  return changeOrigins(tx, command, venue, 'origin.add', origin, modes, (origins) => [...origins, origin]);
}

/** Without a mode from both. */
export async function removeOrigin(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  text: string,
  mode: Mode | null = null,
): Promise<VenueRow> {
  const origin = requireOrigin(text);
  const venue = await lockExistingVenue(tx, venueId);
  const modes = modesOf(mode).filter((one) => originsOf(venue, one).includes(origin));
  return changeOrigins(tx, command, venue, 'origin.remove', origin, modes, (origins) =>
    origins.filter((registered) => registered !== origin),
  );
}

const modesOf = (mode: Mode | null): readonly Mode[] => (mode === null ? BOTH_MODES : [mode]);

export const originsOf = (venue: VenueRow, mode: Mode): string[] =>
  mode === 'live' ? venue.live_origins : venue.test_origins;

/** Changes the lists of these modes. Writes nothing when there are none. */
async function changeOrigins(
  tx: Queryable,
  command: CommandContext,
  venue: VenueRow,
  action: string,
  origin: string,
  modes: readonly Mode[],
  change: (origins: string[]) => string[],
): Promise<VenueRow> {
  if (modes.length === 0) return venue;
  const [test, live] = BOTH_MODES.map((mode) => {
    const origins = originsOf(venue, mode);
    return modes.includes(mode) ? change(origins) : origins;
  }) as [string[], string[]];
  await setOrigins(tx, venue.id, { test, live });
  await audit(tx, command, { venueId: venue.id, action, subject: origin, detail: { modes } });
  return { ...venue, test_origins: test, live_origins: live };
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
