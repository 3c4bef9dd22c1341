// The SQL of the browsers in which accounts have signed in.

import type { Queryable } from '../../base/db.ts';

const KEPT_DAYS = 90;

const isRecent = (at: string): string => `last_used_at > ${at} - interval '${KEPT_DAYS} days'`;

/** Stores the use. Returns whether the account had used this browser in the 90 days before. */
export async function useDevice(tx: Queryable, accountId: string, deviceHash: Buffer, now: number): Promise<boolean> {
  const rows = await tx.query<{ was_known: boolean }>(
    `with before as (
       select 1 from account_devices
       where account_id = $1 and device_hash = $2 and ${isRecent('to_timestamp($3 / 1000.0)')}
     )
     insert into account_devices (account_id, device_hash, created_at, last_used_at)
     values ($1, $2, to_timestamp($3 / 1000.0), to_timestamp($3 / 1000.0))
     on conflict (account_id, device_hash) do update set last_used_at = excluded.last_used_at
     returning exists (select 1 from before) as was_known`,
    [accountId, deviceHash, now],
  );
  return rows[0]?.was_known === true;
}

/** Whether the account of this mail address has signed in in this browser. */
export async function isDeviceOf(db: Queryable, emailHash: Buffer, deviceHash: Buffer, now: number): Promise<boolean> {
  const rows = await db.query(
    `select 1 from accounts a join account_devices d on d.account_id = a.account_id
     where a.email_hash = $1 and d.device_hash = $2 and ${isRecent('to_timestamp($3 / 1000.0)')}`,
    [emailHash, deviceHash, now],
  );
  return rows.length > 0;
}

/** Deletes browsers that were not used for 90 days. Returns how many. */
export async function deleteOldDevices(db: Queryable, now: number, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from account_devices where (account_id, device_hash) in (
       select account_id, device_hash from account_devices
       where last_used_at <= to_timestamp($1 / 1000.0) - interval '${KEPT_DAYS} days' limit $2) returning 1`,
    [now, limit],
  );
  return rows.length;
}
