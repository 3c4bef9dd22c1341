// The only file that reads and writes the table of credentials and of the state of reads (integration_readers).

import type { Mode } from '../../../base/config.ts';
import type { Queryable } from '../../../base/db.ts';
import type { Defaults } from '../integration.ts';
import { IS_NAMED } from './named-read-queries.ts';

/** What the API shows of the reads of an integration; no credential is in it. */
export interface ReaderRow {
  readonly integration_id: string;
  readonly fields: readonly string[];
  readonly set_at: string;
  readonly pause_reason: string | null;
  readonly wait_reason: string | null;
  readonly is_checked: boolean;
  readonly next_request_at: string;
  readonly is_waiting: boolean;
  readonly last_read_at: string | null;
  readonly requests_today: number;
  readonly waiting: number;
}

export async function listReaderRows(
  db: Queryable,
  venueId: string,
  integrationIds: readonly string[],
  now: number,
): Promise<ReaderRow[]> {
  if (integrationIds.length === 0) return [];
  return db.query<ReaderRow>(
    `select r.integration_id, r.fields, r.set_at, r.pause_reason, r.wait_reason, r.is_checked,
       r.next_request_at, r.last_read_at,
       r.wait_reason is not null and r.next_request_at > to_timestamp($3 / 1000.0) as is_waiting,
       case when r.requests_on = (to_timestamp($3 / 1000.0) at time zone 'UTC')::date then r.requests_count else 0 end
         as requests_today,
       (select count(*) from hook_reads h
        where h.venue_id = r.venue_id and h.integration_id = r.integration_id and h.due_at is not null) as waiting
     from integration_readers r where r.venue_id = $1 and r.integration_id = any($2::text[])`,
    [venueId, integrationIds, now],
  );
}

/** How long the reads have been paused; 0: they are not. */
export async function pausedMsOf(tx: Queryable, venueId: string, integrationId: string, now: number): Promise<number> {
  const rows = await tx.query<{ ms: number }>(
    `select greatest(0, $3 - extract(epoch from paused_at) * 1000)::float8 as ms from integration_readers
     where venue_id = $1 and integration_id = $2 and paused_at is not null for update`,
    [venueId, integrationId, now],
  );
  return rows[0]?.ms ?? 0;
}

/** New credentials end a pause and a back-off: reads that wait are due now, and so is the trial of the credentials. */
export async function storeCredentials(
  tx: Queryable,
  reader: {
    readonly venueId: string;
    readonly integrationId: string;
    readonly credentials: Buffer;
    readonly fields: readonly string[];
    readonly now: number;
  },
): Promise<void> {
  await tx.query(
    `insert into integration_readers as r (venue_id, integration_id, credentials, fields, set_at, next_request_at,
       due_at, is_checked)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0), to_timestamp($5 / 1000.0), to_timestamp($5 / 1000.0), false)
     on conflict (venue_id, integration_id) do update
       set credentials = excluded.credentials, fields = excluded.fields, set_at = excluded.set_at, paused_at = null,
         pause_reason = null, wait_reason = null, failures = 0, next_request_at = excluded.next_request_at,
         lease_token = null, leased_until = null, due_at = excluded.due_at, is_checked = false`,
    [reader.venueId, reader.integrationId, reader.credentials, reader.fields, reader.now],
  );
}

/** Deletes the credentials with every read that waits. False: there were none. */
export async function deleteReader(tx: Queryable, venueId: string, integrationId: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from integration_readers where venue_id = $1 and integration_id = $2 returning 1',
    [venueId, integrationId],
  );
  return rows.length > 0;
}

/** True: the integration has credentials. The row is locked, and a read is due as soon as the provider's pace allows it. */
export async function makeReaderDue(
  tx: Queryable,
  venueId: string,
  integrationId: string,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(
    `update integration_readers set due_at = least(due_at, greatest(next_request_at, to_timestamp($3 / 1000.0)))
     where venue_id = $1 and integration_id = $2 returning 1`,
    [venueId, integrationId, now],
  );
  return rows.length > 0;
}

export async function hasReader(tx: Queryable, venueId: string, integrationId: string): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from integration_readers where venue_id = $1 and integration_id = $2 for update',
    [venueId, integrationId],
  );
  return rows.length > 0;
}

/** An integration whose next read this worker may make. */
export interface ClaimedReader {
  readonly venue_id: string;
  readonly integration_id: string;
  readonly mode: Mode;
  readonly provider: string;
  readonly defaults: Defaults;
  readonly credentials: Buffer;
  readonly set_at: string;
  /** By the clock of the database, just before the claim. */
  readonly claimed_at: string;
  readonly failures: number;
  /** False: no request with these credentials has been answered. */
  readonly is_checked: boolean;
  readonly lease_token: string;
  /** With the one that was counted with the claim. */
  readonly requests_today: number;
}

/** The most requests of one integration in a day, by its provider. */
type RequestsPerDay = Readonly<Record<string, number>>;

/** An integration, as a look across venues finds it: what follows is done integration by integration. */
interface FoundReader {
  readonly venueId: string;
  readonly integrationId: string;
}

interface DueReader extends FoundReader {
  /** By the clock of the database, because those of workers and servers differ. */
  readonly lookedAt: string;
}

/** The day (UTC) and the first moment of the next one, for a time in milliseconds. */
const todayAt = (now: string): string => `(to_timestamp(${now} / 1000.0) at time zone 'UTC')::date`;
const tomorrowAt = (now: string): string => `((${todayAt(now)} + 1)::timestamp at time zone 'UTC')`;

/** SQL: the reader r of the integration i has made its requests of the day, unless its credentials are new. */
const isSpent = (now: string, perDay: string): string =>
  `(r.is_checked and r.requests_on = ${todayAt(now)} and r.requests_count >= (${perDay}::jsonb ->> i.provider)::integer)`;

/** Puts integrations that have made their requests of the day off until the next one. That wait is no failure of the provider. */
async function putOffUntilTomorrow(db: Queryable, now: number, perDay: RequestsPerDay): Promise<void> {
  const spent = await db.query<FoundReader>(
    `select r.venue_id as "venueId", r.integration_id as "integrationId" from integration_readers r
     join integrations i on i.venue_id = r.venue_id and i.integration_id = r.integration_id
     where r.due_at <= to_timestamp($1 / 1000.0) and r.paused_at is null and ${isSpent('$1', '$2')}`,
    [now, JSON.stringify(perDay)],
  );
  for (const { venueId, integrationId } of spent) {
    const longer = `(failing_since at time zone 'UTC' + (${tomorrowAt('$3')} - to_timestamp($3 / 1000.0))) at time zone 'UTC'`;
    await db.query(
      `with put_off as (
         update integration_readers r set wait_reason = 'daily_limit', next_request_at = ${tomorrowAt('$3')}, due_at = ${tomorrowAt('$3')}
         from integrations i
         where r.venue_id = $1 and r.integration_id = $2 and i.venue_id = $1 and i.integration_id = $2
           and r.due_at <= to_timestamp($3 / 1000.0) and r.paused_at is null and ${isSpent('$3', '$4')}
         returning 1),
       syncs as (
         update hook_syncs set failing_since = ${longer}
         where venue_id = $1 and integration_id = $2 and failing_since is not null and exists (select from put_off))
       update hook_reads set failing_since = ${longer}
       where venue_id = $1 and integration_id = $2 and failing_since is not null and exists (select from put_off)`,
      [venueId, integrationId, now, JSON.stringify(perDay)],
    );
  }
}

/**
 * Claims due integrations, each with a lease. One that has made its requests of the day is put off until the next day,
 * unless its credentials are new.
 * The request is counted with the claim, so that a worker that dies cannot exceed the limit.
 */
export async function claimReaders(
  db: Queryable,
  now: number,
  leaseSeconds: number,
  perDay: RequestsPerDay,
  leaseToken: string,
  limit: number,
): Promise<ClaimedReader[]> {
  await putOffUntilTomorrow(db, now, perDay);
  const isClaimable = (at: string, limits: string): string =>
    `r.due_at <= to_timestamp(${at} / 1000.0) and r.paused_at is null
       and (r.leased_until is null or r.leased_until < to_timestamp(${at} / 1000.0))
       and not coalesce(${isSpent(at, limits)}, false)`;
  const due = await db.query<DueReader>(
    `select r.venue_id as "venueId", r.integration_id as "integrationId", now() as "lookedAt" from integration_readers r
     join integrations i on i.venue_id = r.venue_id and i.integration_id = r.integration_id
     where ${isClaimable('$1', '$2')} order by r.due_at limit $3`,
    [now, JSON.stringify(perDay), limit],
  );
  const claimed: ClaimedReader[] = [];
  for (const { venueId, integrationId, lookedAt } of due) {
    const rows = await db.query<Omit<ClaimedReader, 'claimed_at'>>(
      `update integration_readers r set lease_token = $5, leased_until = to_timestamp($6 / 1000.0),
         requests_on = ${todayAt('$3')},
         requests_count = 1 + case when r.requests_on = ${todayAt('$3')} then r.requests_count else 0 end
       from integrations i
       where r.venue_id = $1 and r.integration_id = $2 and i.venue_id = $1 and i.integration_id = $2
         and ${isClaimable('$3', '$4')}
       returning r.venue_id, r.integration_id, i.mode, i.provider, i.defaults, r.credentials, r.set_at, r.failures,
         r.is_checked, r.lease_token, r.requests_count as requests_today`,
      [venueId, integrationId, now, JSON.stringify(perDay), leaseToken, now + leaseSeconds * 1000],
    );
    claimed.push(...rows.map((row) => ({ ...row, claimed_at: lookedAt })));
  }
  return claimed;
}

/** A worker with a stale lease token must not write: false. The row stays locked until the transaction ends. */
export async function lockLease(tx: Queryable, reader: ClaimedReader): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from integration_readers where venue_id = $1 and integration_id = $2 and lease_token = $3 for update`,
    [reader.venue_id, reader.integration_id, reader.lease_token],
  );
  return rows.length > 0;
}

/** The worker goes on with what it has read, in another transaction. */
export async function extendLease(tx: Queryable, reader: ClaimedReader, now: number, leaseSeconds: number) {
  await tx.query(
    `update integration_readers set leased_until = to_timestamp($4 / 1000.0)
     where venue_id = $1 and integration_id = $2 and lease_token = $3`,
    [reader.venue_id, reader.integration_id, reader.lease_token, now + leaseSeconds * 1000],
  );
}

export interface ReaderOutcome {
  /** The earliest time of the next request. */
  readonly nextRequestAt: number;
  readonly waitReason: 'rate_limited' | 'provider_unavailable' | null;
  readonly isPaused: boolean;
  readonly failures: number;
  /** The earliest time of the next request of a catalogue run or of a daily read. */
  readonly backgroundFrom: number;
  /** Requests beyond the one that was counted with the claim. */
  readonly moreRequests: number;
  readonly hasRead: boolean;
  /** The provider has answered and has not refused the credentials, or they are not tried again. */
  readonly isAnswered: boolean;
  readonly now: number;
}

/**
 * Ends the lease. The integration is due again if reads, a catalogue run or the trial of its credentials wait, or when an
 * object is to be read again.
 */
export async function releaseReader(tx: Queryable, reader: ClaimedReader, outcome: ReaderOutcome): Promise<void> {
  await tx.query(
    `update integration_readers r set lease_token = null, leased_until = null, failures = $5, wait_reason = $6,
       next_request_at = to_timestamp($4 / 1000.0), requests_count = r.requests_count + $7,
       paused_at = case when $8 then to_timestamp($9 / 1000.0) end,
       pause_reason = case when $8 then 'credentials_refused' end,
       last_read_at = case when $10 then to_timestamp($9 / 1000.0) else r.last_read_at end,
       is_checked = r.is_checked or $11,
       due_at = greatest(to_timestamp($4 / 1000.0), least(
         (select min(h.due_at) from hook_reads h
          where h.venue_id = r.venue_id and h.integration_id = r.integration_id and h.due_at is not null
            and ${IS_NAMED}),
         (select greatest(min(h.due_at), to_timestamp($12 / 1000.0)) from hook_reads h
          where h.venue_id = r.venue_id and h.integration_id = r.integration_id and h.due_at is not null
          having count(*) > 0),
         (select greatest(min(h.refresh_at), to_timestamp($12 / 1000.0)) from hook_reads h
          where h.venue_id = r.venue_id and h.integration_id = r.integration_id and h.refresh_at is not null
            and h.due_at is null
          having count(*) > 0),
         (select to_timestamp($12 / 1000.0) from hook_syncs s
          where s.venue_id = r.venue_id and s.integration_id = r.integration_id and s.status = 'running'
            and not s.is_listed),
         case when not (r.is_checked or $11) then to_timestamp($4 / 1000.0) end))
     where r.venue_id = $1 and r.integration_id = $2 and r.lease_token = $3`,
    [
      reader.venue_id,
      reader.integration_id,
      reader.lease_token,
      outcome.nextRequestAt,
      outcome.failures,
      outcome.waitReason,
      outcome.moreRequests,
      outcome.isPaused,
      outcome.now,
      outcome.hasRead,
      outcome.isAnswered,
      outcome.backgroundFrom,
    ],
  );
  // greatest() ignores null: without waiting work nothing is due.
  await tx.query(
    `update integration_readers r set due_at = null
     where r.venue_id = $1 and r.integration_id = $2 and r.lease_token is null and r.is_checked
       and not exists (select 1 from hook_reads h
         where h.venue_id = r.venue_id and h.integration_id = r.integration_id
           and (h.due_at is not null or h.refresh_at is not null))
       and not exists (select 1 from hook_syncs s
         where s.venue_id = r.venue_id and s.integration_id = r.integration_id and s.status = 'running'
           and not s.is_listed)`,
    [reader.venue_id, reader.integration_id],
  );
}
