// A delivery as the API shows it. Its id is composed of the ids of its event and its endpoint.

import type { DeliveryRow, EarlierAttempt } from './queries.ts';

export function deliveryId({ event_id, endpoint_id }: Pick<DeliveryRow, 'event_id' | 'endpoint_id'>): string {
  return `dlv_${event_id.slice(4)}_${endpoint_id.slice(4)}`;
}

/** The event's id in a delivery's id. Null: it is not a delivery of this endpoint. */
export function eventOf(deliveryId: string, endpointId: string): string | null {
  const match = /^dlv_([0-9a-z]{1,64})_([0-9a-z]{1,64})$/.exec(deliveryId);
  return match !== null && `whe_${match[2]}` === endpointId ? `evt_${match[1]}` : null;
}

export function deliveryView(row: DeliveryRow) {
  return {
    id: deliveryId(row),
    object: 'delivery',
    endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    last_status: row.last_status,
    last_error: row.end_reason ?? row.last_error,
    last_response: row.last_response,
    last_duration_ms: row.last_duration_ms,
    last_attempt_at: row.last_attempt_at,
    next_attempt_at: row.next_attempt_at,
    delivered_at: row.delivered_at,
    attempts_log: attemptsOf(row),
    created_at: row.created_at,
    sample: row.sample === true,
  };
}

/** The last ten attempts, the newest last. */
function attemptsOf(row: DeliveryRow): EarlierAttempt[] {
  const { last_attempt_at: at, last_status: status, last_error: error, last_duration_ms: durationMs } = row;
  if (at === null) return [];
  return [...(row.earlier_attempts ?? []), { at, status, error, duration_ms: durationMs ?? 0 }];
}
