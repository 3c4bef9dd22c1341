// Counts declined cards, to stop thieves from testing stolen ones. Each decline counts once, by the processor's id, for
// its share and for the address that requested its hold. An address is stored only as a keyed hash, and deleted after a
// day. The decline itself stays for 90 days, for the history of its checkout.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { deleteBatch } from '../../base/delete-batch.ts';
import { blockedUntil, MAX_DECLINES_PER_ADDRESS, MAX_DECLINES_PER_SHARE } from './decline-limit.ts';

/** The newest are enough: so many within an hour would reach the limit by themselves. */
const MAX_READ = 100;

export interface Decline {
  readonly venueId: string;
  readonly holdId: string;
  readonly mode: Mode;
  /** The id of the declined charge, or of the processor's event if there was no charge. */
  readonly declineId: string;
  /** When the issuer declined, in milliseconds. */
  readonly at: number;
  /** `insufficient_funds`, `card_declined`, …; null: the processor gave none. */
  readonly reason: string | null;
}

/** The decline of a renewal with the saved card does not count: no guest had a card form, whose secret it would have. */
export async function countDecline(db: Queryable, decline: Decline): Promise<void> {
  await db.query(
    `insert into declines (venue_id, decline_id, share_id, address_hash, at, reason)
     select h.venue_id, $4, h.share_id, a.address_hash, to_timestamp($5 / 1000.0), $6
     from holds h left join hold_request_addresses a on a.venue_id = h.venue_id and a.hold_id = h.hold_id
     where h.venue_id = $1 and h.hold_id = $2 and h.mode = $3 and (h.renews is null or h.client_secret is not null)
     on conflict (venue_id, decline_id) do nothing`,
    [decline.venueId, decline.holdId, decline.mode, decline.declineId, decline.at, decline.reason],
  );
}

/** Stores the address that requested the hold last. */
export async function recordHoldAddress(
  db: Queryable,
  source: { readonly venueId: string; readonly holdId: string; readonly addressHash: Buffer; readonly now: number },
): Promise<void> {
  await db.query(
    `insert into hold_request_addresses (venue_id, hold_id, address_hash, at) values ($1, $2, $3, to_timestamp($4 / 1000.0))
     on conflict (venue_id, hold_id) do update set address_hash = excluded.address_hash, at = excluded.at`,
    [source.venueId, source.holdId, source.addressHash, source.now],
  );
}

export interface DeclineScope {
  readonly venueId: string;
  readonly shareId: string;
  /** The address of the request, or the address that requested this hold last. */
  readonly by: { readonly addressHash: Buffer | null } | { readonly holdId: string };
}

/** Until when declines block the share or the address, in milliseconds; null: they do not. */
export async function declinesBlockUntil(db: Queryable, scope: DeclineScope, now: number): Promise<number | null> {
  const { by } = scope;
  const rows = await db.query<{ at: number; isOnShare: boolean }>(
    `with address as (
       select coalesce($3::bytea, (select a.address_hash from hold_request_addresses a
         where a.venue_id = $1 and a.hold_id = $4::uuid)) as hash)
     select (extract(epoch from at at time zone 'UTC') * 1000)::float8 as "at", is_on_share as "isOnShare" from (
       (select d.at, true as is_on_share from declines d
        where d.venue_id = $1 and d.share_id = $2 and d.at > to_timestamp($5 / 1000.0) - interval '2 hours'
        order by d.at desc limit ${MAX_READ})
       union all
       (select d.at, false from declines d join address a on a.hash = d.address_hash
        where d.at > to_timestamp($5 / 1000.0) - interval '2 hours' order by d.at desc limit ${MAX_READ})) counted`,
    [scope.venueId, scope.shareId, 'addressHash' in by ? by.addressHash : null, 'holdId' in by ? by.holdId : null, now],
  );
  const times = (isOnShare: boolean): number[] => rows.filter((row) => row.isOnShare === isOnShare).map(({ at }) => at);
  const onShare = blockedUntil(times(true), MAX_DECLINES_PER_SHARE, now);
  const fromAddress = blockedUntil(times(false), MAX_DECLINES_PER_ADDRESS, now);
  return onShare === null || fromAddress === null ? (onShare ?? fromAddress) : Math.max(onShare, fromAddress);
}

export interface DeclineOfShare {
  readonly id: string;
  readonly shareId: string;
  readonly reason: string | null;
  readonly at: string;
}

/** Oldest first. */
export async function declinesOfShares(
  db: Queryable,
  venueId: string,
  shareIds: readonly string[],
  limit: number,
): Promise<DeclineOfShare[]> {
  return db.query<DeclineOfShare>(
    `select decline_id as "id", share_id as "shareId", reason, utc_micros(at) as "at" from declines
     where venue_id = $1 and share_id = any($2) order by at, decline_id limit $3`,
    [venueId, shareIds, limit],
  );
}

const WITH_OLD_ADDRESS = `address_hash is not null and at < to_timestamp($1 / 1000.0) - interval '1 day'`;
const OLD_DECLINES = {
  table: 'declines',
  key: 'venue_id, decline_id',
  isOld: `at < to_timestamp($1 / 1000.0) - interval '90 days'`,
};
const OLD_ADDRESSES = {
  table: 'hold_request_addresses',
  key: 'venue_id, hold_id',
  isOld: `at < to_timestamp($1 / 1000.0) - interval '1 day'`,
};

/** Forgets addresses after a day, and declines after 90 days. */
export async function deleteOldDeclines(db: Queryable, now: number, limit: number): Promise<number> {
  const counts = await Promise.all([
    db.query(
      `update declines set address_hash = null where (venue_id, decline_id) in (
         select venue_id, decline_id from declines where ${WITH_OLD_ADDRESS} limit $2) and ${WITH_OLD_ADDRESS} returning 1`,
      [now, limit],
    ),
    db.query(deleteBatch(OLD_DECLINES, '$2'), [now, limit]),
    db.query(deleteBatch(OLD_ADDRESSES, '$2'), [now, limit]),
  ]);
  return counts.reduce((sum, rows) => sum + rows.length, 0);
}
