// Disables an endpoint that has failed for a whole 72 hours, and tells its partner: in the audit log, and in the event log,
// where it is read by whoever wonders why nothing comes.

import type { Queryable } from '../../base/db.ts';
import type { Ids } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import { recordEvent } from '../events/record.ts';
import { audit } from '../venues/audit.ts';
import { allocateTimestamps } from '../venues/page-timestamps.ts';
import { type EndpointQueue, newestDeliveries } from './deliveries/queries.ts';
import { shownEndpoint } from './endpoint.ts';
import { setEndpointStatus } from './queries.ts';

const WORKER = { actor: 'worker', via: 'worker', address: null, requestId: null } as const;

export async function disableDeadEndpoint(
  tx: Queryable,
  { ids, log }: { readonly ids: Ids; readonly log: Log },
  { venueId, endpointId, mode }: Pick<EndpointQueue, 'venueId' | 'endpointId' | 'mode'>,
  now: number,
): Promise<void> {
  const row = await setEndpointStatus(tx, venueId, endpointId, 'failed_for_72_hours', now);
  if (row === null) return;
  const [last] = await newestDeliveries(tx, venueId, [endpointId]);
  const object = shownEndpoint(row, last);
  const ticks = await allocateTimestamps(tx, venueId, mode, now, 1);
  await recordEvent(
    tx,
    { ids },
    { venueId, mode, type: 'webhook_endpoint.disabled', subject: endpointId, data: { object }, at: ticks.at(0) },
  );
  await audit(
    tx,
    { ids, now, by: WORKER },
    {
      venueId,
      action: 'webhook_endpoint.disable',
      subject: endpointId,
      detail: { reason: 'failed_for_72_hours', mode },
    },
  );
  log.warn({ endpoint: endpointId }, 'an endpoint has failed for 72 hours and is disabled');
}
