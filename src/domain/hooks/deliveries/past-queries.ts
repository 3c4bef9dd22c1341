// The SQL of deliveries of venue systems that came in the past, for demo data.

import type { Queryable } from '../../../base/db.ts';
import type { InboundStatus } from './queries.ts';

export interface PastInbound {
  readonly id: string;
  /** In milliseconds; no two deliveries of an integration have the same. */
  readonly at: number;
  readonly eventId: string;
  readonly type: string;
  readonly status: Exclude<InboundStatus, 'pending' | 'reading'>;
  readonly reason: string | null;
  readonly offeringExternalId: string | null;
  /** Sealed, as it came. */
  readonly body: Buffer;
  readonly dedupHash: Buffer;
}

/** Inserts deliveries with their outcome. */
export async function insertPastInbound(
  tx: Queryable,
  venueId: string,
  integrationId: string,
  deliveries: readonly PastInbound[],
): Promise<void> {
  const rows = deliveries.map(({ body, dedupHash, ...delivery }) => ({
    ...delivery,
    body: body.toString('base64'),
    dedup: dedupHash.toString('base64'),
  }));
  await tx.query(
    `insert into inbound_deliveries (venue_id, integration_id, delivery_id, received_at, dedup_hash, provider_event_id, type, body,
       status, reason, offering_external_id, applied_at, attempts)
     select $1, $2, d.id, to_timestamp(d.at / 1000.0), decode(d.dedup, 'base64'), d."eventId", d.type, decode(d.body, 'base64'),
       d.status, d.reason, d."offeringExternalId",
       case d.status when 'applied' then to_timestamp(d.at / 1000.0) + interval '2 seconds' end, 1
     from json_to_recordset($3::json) as d(id text, at float8, "eventId" text, type text, status text, reason text,
       "offeringExternalId" text, body text, dedup text)`,
    [venueId, integrationId, JSON.stringify(rows)],
  );
}
