// The columns of the CSV files of addresses and of their deliveries. What a server answered is in the API.

import type { Delivery, StoredWebhookEndpoint } from '../../../../sdk/src/types.gen.ts';
import type { Columns } from '../../ui/csv.ts';

export const ENDPOINT_COLUMNS: Columns<StoredWebhookEndpoint> = [
  ['id', ({ id }) => id],
  ['url', ({ url }) => url],
  ['mode', ({ mode }) => mode],
  ['status', ({ status }) => status],
  ['disabled_at', ({ disabled_at }) => disabled_at],
  ['disabled_reason', ({ disabled_reason }) => disabled_reason],
  ['events', ({ events }) => events.join(' ')],
  ['last_delivery_id', ({ last_delivery }) => last_delivery?.id ?? null],
  ['last_delivery_status', ({ last_delivery }) => last_delivery?.status ?? null],
  ['last_delivery_at', ({ last_delivery }) => last_delivery?.created_at ?? null],
  ['created_at', ({ created_at }) => created_at],
];

export const DELIVERY_COLUMNS: Columns<Delivery> = [
  ['id', ({ id }) => id],
  ['endpoint_id', ({ endpoint_id }) => endpoint_id],
  ['event_id', ({ event_id }) => event_id],
  ['type', ({ type }) => type],
  ['is_sample', ({ sample }) => String(sample)],
  ['status', ({ status }) => status],
  ['attempts', ({ attempts }) => attempts],
  ['last_status', ({ last_status }) => last_status],
  ['last_error', ({ last_error }) => last_error],
  ['last_duration_ms', ({ last_duration_ms }) => last_duration_ms],
  ['last_attempt_at', ({ last_attempt_at }) => last_attempt_at],
  ['next_attempt_at', ({ next_attempt_at }) => next_attempt_at],
  ['delivered_at', ({ delivered_at }) => delivered_at],
  ['created_at', ({ created_at }) => created_at],
];
