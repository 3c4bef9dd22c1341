// The only place that touches the table of webhook endpoints.

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
  if (rows[0] === undefined) throw new Error('an insert gives its row back');
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
  readonly previousSecret: Buffer | null;
  readonly previousUntil: number | null;
}

export async function findSecrets(db: Queryable, venueId: string, id: string): Promise<EndpointSecrets | null> {
  const rows = await db.query<EndpointSecrets>(
    `select secret, previous_secret as "previousSecret",
       (extract(epoch from previous_until) * 1000)::float8 as "previousUntil"
     from webhook_endpoints where venue_id = $1 and endpoint_id = $2`,
    [venueId, id],
  );
  return rows[0] ?? null;
}

/** The secret that counts becomes the one before; what was before that no longer signs. Null: there is no such endpoint. */
export async function replaceSecret(
  tx: Queryable,
  endpoint: { readonly venueId: string; readonly mode: Mode; readonly id: string },
  secret: Buffer,
  previousUntil: number,
): Promise<(EndpointRow & { readonly previous_until: string }) | null> {
  const rows = await tx.query<EndpointRow & { previous_until: string }>(
    `update webhook_endpoints set previous_secret = secret, previous_until = to_timestamp($5 / 1000.0), secret = $4
     where venue_id = $1 and endpoint_id = $2 and mode = $3 returning ${COLUMNS}, previous_until`,
    [endpoint.venueId, endpoint.id, endpoint.mode, secret, previousUntil],
  );
  return rows[0] ?? null;
}

/** Null: there is none, or it is so already. A reason disables, null enables. */
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

/** False: there was none. */
export async function deleteEndpoint(tx: Queryable, venueId: string, mode: Mode, id: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from webhook_endpoints where venue_id = $1 and endpoint_id = $2 and mode = $3 returning endpoint_id',
    [venueId, id, mode],
  );
  return rows.length > 0;
}
