// A webhook endpoint as the API shows it, without its secrets.

import { deliveryId } from './deliveries/delivery.ts';
import type { DeliveryRow } from './deliveries/queries.ts';
import type { EndpointRow } from './queries.ts';

export function endpointView(row: EndpointRow, last: DeliveryRow | undefined) {
  return {
    id: row.id,
    object: 'webhook_endpoint',
    url: row.url,
    events: row.events,
    mode: row.mode,
    status: row.status,
    disabled_at: row.disabled_at,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at,
    last_delivery:
      last === undefined
        ? null
        : {
            id: deliveryId(last),
            event_id: last.event_id,
            type: last.type,
            status: last.status,
            last_status: last.last_status,
            created_at: last.created_at,
          },
  };
}
