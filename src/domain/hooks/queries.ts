// The only file that reads and writes the tables of integrations, their routes, their queues, and the owners of
// offerings.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import type { CountedCalls } from '../keys/queries.ts';
import type { Defaults, IntegrationRow } from './integration.ts';

const COLUMNS = `integration_id as id, venue_id, mode, provider, defaults, created_at, revoked_at, last_delivery_at,
  delivery_count, refused_at, refusal_code`;

export interface NewIntegration {
  readonly venueId: string;
  readonly id: string;
  readonly mode: Mode;
  readonly provider: string;
  readonly tokenHash: Buffer;
  readonly secret: Buffer | null;
  readonly address: string;
  readonly defaults: Defaults;
  readonly now: number;
}

export async function insertIntegration(tx: Queryable, integration: NewIntegration): Promise<IntegrationRow> {
  const { venueId, id, mode, provider, secret, address, defaults, now } = integration;
  const rows = await tx.query<IntegrationRow>(
    `insert into integrations (venue_id, integration_id, mode, provider, secret, address, defaults, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0)) returning ${COLUMNS}`,
    [venueId, id, mode, provider, secret, address, JSON.stringify(defaults), now],
  );
  await tx.query('insert into hook_routes (token_hash, venue_id, integration_id) values ($1, $2, $3)', [
    integration.tokenHash,
    venueId,
    id,
  ]);
  await tx.query('insert into integration_queues (venue_id, integration_id) values ($1, $2)', [venueId, id]);
  if (rows[0] === undefined) throw new Error('the insert returned no row');
  return rows[0];
}

/** Counts the integrations that are not revoked. */
export async function countActive(tx: Queryable, venueId: string, mode: Mode): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    'select count(*) as count from integrations where venue_id = $1 and mode = $2 and revoked_at is null',
    [venueId, mode],
  );
  return rows[0]?.count ?? 0;
}

/** Newest first. If there are more than the limit, active integrations are preferred to revoked ones. */
export async function listIntegrationRows(
  db: Queryable,
  venueId: string,
  mode: Mode,
  limit: number,
): Promise<IntegrationRow[]> {
  return db.query<IntegrationRow>(
    `select * from (
       select ${COLUMNS} from integrations where venue_id = $1 and mode = $2
       order by revoked_at is null desc, integration_id desc limit $3) i
     order by i.id desc`,
    [venueId, mode, limit],
  );
}

export async function findIntegration(
  db: Queryable,
  venueId: string,
  mode: Mode,
  id: string,
): Promise<IntegrationRow | null> {
  const rows = await db.query<IntegrationRow>(
    `select ${COLUMNS} from integrations where venue_id = $1 and integration_id = $2 and mode = $3`,
    [venueId, id, mode],
  );
  return rows[0] ?? null;
}

/** Null: the integration was already revoked. */
export async function setRevoked(
  tx: Queryable,
  venueId: string,
  id: string,
  now: number,
): Promise<IntegrationRow | null> {
  const rows = await tx.query<IntegrationRow>(
    `update integrations set revoked_at = to_timestamp($3 / 1000.0)
     where venue_id = $1 and integration_id = $2 and revoked_at is null returning ${COLUMNS}`,
    [venueId, id, now],
  );
  return rows[0] ?? null;
}

/** The integration of an admitted delivery, with its calls counted in the current hour. */
export interface AdmittedHook extends CountedCalls {
  readonly venue_id: string;
  readonly integration_id: string;
  readonly mode: Mode;
  readonly secret: Buffer | null;
  readonly address: string;
}

/** Null: the token is unknown, is revoked, or belongs to another provider. */
export async function admitHook(
  db: Queryable,
  tokenHash: Buffer,
  provider: string,
  limit: number,
): Promise<AdmittedHook | null> {
  const rows = await db.query<AdmittedHook>('select * from admit_hook($1, $2, $3)', [tokenHash, provider, limit]);
  return rows[0] ?? null;
}

/** Writes at most once a second, unless the error code has changed. */
export async function updateLastRefusal(
  db: Queryable,
  venueId: string,
  id: string,
  refused: { readonly code: string; readonly now: number },
): Promise<void> {
  await db.query(
    `update integrations set refused_at = to_timestamp($3 / 1000.0), refusal_code = $4
     where venue_id = $1 and integration_id = $2
       and (refusal_code is distinct from $4 or refused_at < to_timestamp($3 / 1000.0) - interval '1 second')`,
    [venueId, id, refused.now, refused.code],
  );
}

/** The claim of one provider on an offering of a venue and mode. */
export interface OfferingOwner {
  readonly venueId: string;
  readonly mode: Mode;
  readonly externalId: string;
  readonly provider: string;
}

/** Another provider that owns the offering and is still connected. Null: there is none. */
export async function findOtherOwner(tx: Queryable, owner: OfferingOwner): Promise<string | null> {
  const rows = await tx.query<{ provider: string }>(
    `select h.provider from hook_offerings h
     where h.venue_id = $1 and h.mode = $2 and h.external_id = $3 and h.provider <> $4
       and exists (select 1 from integrations i
         where i.venue_id = h.venue_id and i.mode = h.mode and i.provider = h.provider and i.revoked_at is null)`,
    [owner.venueId, owner.mode, owner.externalId, owner.provider],
  );
  return rows[0]?.provider ?? null;
}

export async function claimOffering(tx: Queryable, owner: OfferingOwner, now: number): Promise<void> {
  await tx.query(
    `insert into hook_offerings (venue_id, mode, external_id, provider, linked_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     on conflict (venue_id, mode, external_id) do update set provider = excluded.provider, linked_at = excluded.linked_at
       where hook_offerings.provider <> excluded.provider`,
    [owner.venueId, owner.mode, owner.externalId, owner.provider, now],
  );
}

/** A read has listed all times of the offering. */
export async function recordListing(
  tx: Queryable,
  { venueId, mode, externalId, provider }: OfferingOwner,
  listing: { readonly at: string; readonly until: number },
): Promise<void> {
  await tx.query(
    `update hook_offerings set listed_at = greatest(listed_at, $5), listed_until = to_timestamp($6 / 1000.0)
     where venue_id = $1 and mode = $2 and external_id = $3 and provider = $4`,
    [venueId, mode, externalId, provider, listing.at, listing.until],
  );
}

/** True: a read that began after `since` has listed the times of the offering up to this start or beyond. */
export async function findListing(
  tx: Queryable,
  { venueId, mode, externalId, provider }: OfferingOwner,
  since: string,
  start: string,
): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from hook_offerings where venue_id = $1 and mode = $2 and external_id = $3 and provider = $4
       and listed_at > $5 and listed_until > $6::timestamptz`,
    [venueId, mode, externalId, provider, since, start],
  );
  return rows.length > 0;
}
