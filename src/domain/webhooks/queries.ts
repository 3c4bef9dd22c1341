// The only place that touches the table of webhook endpoints.

import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';

export interface EndpointRow {
  readonly id: string;
  readonly mode: Mode;
  readonly url: string;
  readonly events: string[];
  readonly created_at: string;
}

const COLUMNS = 'endpoint_id as id, mode, url, events, created_at';

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

/** False: there was none. */
export async function deleteEndpoint(tx: Queryable, venueId: string, mode: Mode, id: string): Promise<boolean> {
  const rows = await tx.query(
    'delete from webhook_endpoints where venue_id = $1 and endpoint_id = $2 and mode = $3 returning endpoint_id',
    [venueId, id, mode],
  );
  return rows.length > 0;
}
