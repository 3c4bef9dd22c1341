// The columns of the CSV files of venue systems and of what they sent. The address of a system is left out, because a secret
// is in it.

import type { InboundDelivery, StoredIntegration } from '../../../../sdk/src/types.gen.ts';
import type { Columns } from '../../ui/csv.ts';

export const INTEGRATION_COLUMNS: Columns<StoredIntegration> = [
  ['id', ({ id }) => id],
  ['provider', ({ provider }) => provider],
  ['mode', ({ mode }) => mode],
  ['status', ({ status }) => status],
  ['signed', ({ signed }) => String(signed)],
  ['delivery_count', ({ delivery_count }) => delivery_count],
  ['last_delivery_at', ({ last_delivery_at }) => last_delivery_at],
  ['created_at', ({ created_at }) => created_at],
];

export const INBOUND_COLUMNS: Columns<InboundDelivery> = [
  ['id', ({ id }) => id],
  ['integration_id', ({ integration_id }) => integration_id],
  ['provider', ({ provider }) => provider],
  ['provider_event_id', ({ provider_event_id }) => provider_event_id],
  ['type', ({ type }) => type],
  ['status', ({ status }) => status],
  ['reason', ({ reason }) => reason],
  ['offering_external_id', ({ offering_external_id }) => offering_external_id],
  ['received_at', ({ received_at }) => received_at],
  ['applied_at', ({ applied_at }) => applied_at],
];
