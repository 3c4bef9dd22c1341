// Disables an endpoint that has failed for 72 hours, and records it in the audit log and in the event log, where the
// partner can see why events no longer arrive.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { recordEvent } from '../events/record.ts';
import { recordNotice } from '../notices/record-notice.ts';
import { audit } from '../venues/audit.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { type EndpointQueue, newestDeliveries } from './deliveries/queries.ts';
import { endpointView } from './endpoint.ts';
import { setEndpointStatus } from './queries.ts';

const WORKER = { name: 'worker', via: 'worker', address: null, requestId: null } as const;

export async function disableDeadEndpoint(
  tx: Queryable,
  { ids, log }: { readonly ids: Ids; readonly log: Log },
  { venueId, endpointId, mode }: Pick<EndpointQueue, 'venueId' | 'endpointId' | 'mode'>,
  now: number,
): Promise<void> {
  const row = await setEndpointStatus(tx, venueId, endpointId, 'failed_for_72_hours', now);
  if (row === null) return;
  const [last] = await newestDeliveries(tx, venueId, [endpointId]);
  const object = endpointView(row, last);
  const timestamps = await allocateTimestamps(tx, venueId, mode, now, 1);
  await recordEvent(
    tx,
    { ids },
    { venueId, mode, type: 'webhook_endpoint.disabled', subject: endpointId, data: { object }, at: timestamps.at(0) },
  );
  await audit(
    tx,
    { ids, now, actor: WORKER },
    {
      venueId,
      action: 'webhook_endpoint.disable',
      subject: endpointId,
      detail: { reason: 'failed_for_72_hours', mode },
    },
  );
  const detail = { state: 'disabled', endpoint: endpointId, host: new URL(row.url).host };
  const subject = `${endpointId} disabled at ${now}`;
  await recordNotice(tx, { ids, now }, { venueId, mode, kind: 'endpoint', subject, detail });
  log.warn({ endpoint: endpointId }, 'the worker disabled an endpoint that failed for 72 hours');
}
