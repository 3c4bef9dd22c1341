// How an endpoint has answered in the last 48 hours: for the console, which draws it.

import type { Queryable } from '../../../base/db.ts';
import { notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { findEndpoint } from '../queries.ts';
import { readHealth } from './health-queries.ts';

const HOURS = 48;
const HOUR_MS = 3_600_000;
/** A busy endpoint has more: the newest ones say enough about its health. */
const MAX_COUNTED = 20_000;
const NOTHING = { firstTry: 0, late: 0, waiting: 0, failed: 0 };

export async function getEndpointHealth(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const endpoint = await findEndpoint(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (endpoint === null) throw notFound();
  // Whole hours: the last one is still running.
  const from = (Math.floor(caller.now / HOUR_MS) + 1 - HOURS) * HOUR_MS;
  const found = await readHealth(db, {
    venueId: caller.venue.id,
    endpointId: endpoint.id,
    from,
    maxCounted: MAX_COUNTED,
  });
  const hours = Array.from({ length: HOURS }, (_, hour) => {
    const counts = found.hours.find((one) => one.hour === hour) ?? NOTHING;
    const { firstTry: first_try, late, waiting, failed } = counts;
    return { at: new Date(from + hour * HOUR_MS).toISOString(), first_try, late, waiting, failed };
  });
  const sum = (name: 'first_try' | 'late' | 'waiting' | 'failed') => hours.reduce((total, one) => total + one[name], 0);
  const body = {
    object: 'endpoint_health',
    endpoint_id: endpoint.id,
    from: new Date(from).toISOString(),
    is_complete: found.counted < MAX_COUNTED,
    first_try: sum('first_try'),
    late: sum('late'),
    waiting: sum('waiting'),
    failed: sum('failed'),
    retrying: found.retrying,
    oldest_waiting_at: found.oldestRetryAt,
    median_ms: found.medianMs === null ? null : Math.round(found.medianMs),
    slow_ms: found.slowMs === null ? null : Math.round(found.slowMs),
    common_failure: found.failure,
    hours,
  };
  return { status: 200, body };
}
