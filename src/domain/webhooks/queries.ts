// The only file that reads and writes the table of webhook endpoints.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface EndpointRow {
  readonly id: string;
  readonly mode: Mode;
  readonly url: string;
  readonly events: string[];
  readonly status: 'active' | 'disabled';
  readonly disabled_at: string | null;
  readonly disabled_reason: DisabledReason | null;
  readonly created_at: string;
}

export type DisabledReason = 'requested' | 'failed_for_72_hours';

const COLUMNS = 'endpoint_id as id, mode, url, events, status, disabled_at, disabled_reason, created_at';

export async function insertEndpoint(
  tx: Queryable,
  endpoint: {
    readonly venueId: string;
    readonly id: string;
    readonly mode: Mode;
    readonly url: string;
    readonly events: readonly string[];
    readonly secret: Buffer;
    readonly now: number;
  },
): Promise<EndpointRow> {
  const rows = await tx.query<EndpointRow>(
    `insert into webhook_endpoints (venue_id, endpoint_id, mode, url, events, secret, created_at)
     values ($1, $2, $3, $4, $5, $6, to_timestamp($7 / 1000.0)) returning ${COLUMNS}`,
    [endpoint.venueId, endpoint.id, endpoint.mode, endpoint.url, endpoint.events, endpoint.secret, endpoint.now],
  );
  if (rows[0] === undefined) throw new Error('the insert returned no row');
  return rows[0];
}

export async function countEndpoints(tx: Queryable, venueId: string, mode: Mode): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    'select count(*) as count from webhook_endpoints where venue_id = $1 and mode = $2',
    [venueId, mode],
  );
  return rows[0]?.count ?? 0;
}

export async function listEndpoints(db: Queryable, venueId: string, mode: Mode): Promise<EndpointRow[]> {
  return db.query<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where venue_id = $1 and mode = $2 order by endpoint_id desc`,
    [venueId, mode],
  );
}

export async function findEndpoint(
  db: Queryable,
  venueId: string,
  mode: Mode,
  id: string,
): Promise<EndpointRow | null> {
  const rows = await db.query<EndpointRow>(
    `select ${COLUMNS} from webhook_endpoints where venue_id = $1 and endpoint_id = $2 and mode = $3`,
    [venueId, id, mode],
  );
  return rows[0] ?? null;
}

export interface EndpointSecrets {
  readonly secret: Buffer;
  /** Earlier secrets that are still valid, newest first. */
  readonly earlierSecrets: Buffer[];
}

export async function findSecrets(
  db: Queryable,
  venueId: string,
  id: string,
  now: number,
): Promise<EndpointSecrets | null> {
  const rows = await db.query<EndpointSecrets>(
    `select secret, ${earlierSecretsSql('w', '$3')} as "earlierSecrets"
     from webhook_endpoints w where venue_id = $1 and endpoint_id = $2`,
    [venueId, id, now],
  );
  return rows[0] ?? null;
}

/** SQL for the earlier secrets of an endpoint that are valid at `now`, a parameter in milliseconds. */
export const earlierSecretsSql = (alias: string, now: string): string =>
  `array(select e.secret from unnest(${alias}.earlier_secrets, ${alias}.earlier_until) with ordinality as e(secret, until, place)
     where e.until > to_timestamp(${now} / 1000.0) order by e.place)`;

/** How many earlier secrets may be valid at the same time. A CHECK constraint enforces the same limit. */
export const MAX_EARLIER_SECRETS = 4;

/** Counts the earlier secrets that are still valid, with the time at which the first one expires. Locks the row. */
export async function lockEarlierSecrets(
  tx: Queryable,
  venueId: string,
  id: string,
  now: number,
): Promise<{ readonly count: number; readonly firstExpiresAt: string | null }> {
  const rows = await tx.query<{ count: number; firstExpiresAt: string | null }>(
    `with w as (select earlier_until from webhook_endpoints where venue_id = $1 and endpoint_id = $2 for update)
     select count(until)::integer as count, min(until) as "firstExpiresAt" from w, unnest(w.earlier_until) as until
     where until > to_timestamp($3 / 1000.0)`,
    [venueId, id, now],
  );
  return rows[0] ?? { count: 0, firstExpiresAt: null };
}

/**
 * Replaces the current secret, which becomes the newest earlier one; the others keep their expiry. Null: no such
 * endpoint.
 */
export async function replaceSecret(
  tx: Queryable,
  endpoint: { readonly venueId: string; readonly mode: Mode; readonly id: string },
  secret: Buffer,
  now: number,
  until: number,
): Promise<(EndpointRow & { readonly earlier_until: string }) | null> {
  const rows = await tx.query<EndpointRow & { earlier_until: string }>(
    `update webhook_endpoints w set secret = $4,
       earlier_secrets = array[secret] || ${earlierSecretsSql('w', '$5')},
       earlier_until = array[to_timestamp($6 / 1000.0)] || array(
         select u.until from unnest(w.earlier_until) with ordinality as u(until, place)
         where u.until > to_timestamp($5 / 1000.0) order by u.place)
     where venue_id = $1 and endpoint_id = $2 and mode = $3 returning ${COLUMNS}, earlier_until[1] as earlier_until`,
    [endpoint.venueId, endpoint.id, endpoint.mode, secret, now, until],
  );
  return rows[0] ?? null;
}

/** A reason disables the endpoint, null enables it. Returns null if there is none, or if it has this status already. */
export async function setEndpointStatus(
  tx: Queryable,
  venueId: string,
  id: string,
  reason: DisabledReason | null,
  now: number,
): Promise<EndpointRow | null> {
  const rows = await tx.query<EndpointRow>(
    `update webhook_endpoints set status = case when $3::text is null then 'active' else 'disabled' end,
       disabled_reason = $3, disabled_at = case when $3::text is not null then to_timestamp($4 / 1000.0) end
     where venue_id = $1 and endpoint_id = $2 and (disabled_at is null) <> ($3::text is null) returning ${COLUMNS}`,
    [venueId, id, reason, now],
  );
  return rows[0] ?? null;
}

/** False: there is no such endpoint. */
export async function deleteEndpoint(tx: Queryable, venueId: string, mode: Mode, id: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from webhook_endpoints where venue_id = $1 and endpoint_id = $2 and mode = $3 returning endpoint_id',
    [venueId, id, mode],
  );
  return rows.length > 0;
}
