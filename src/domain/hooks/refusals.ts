// Records on the integration when the last delivery was refused and with which error code. Refused deliveries are not
// stored, so a venue would otherwise not notice a wrong secret. A failure here does not change the response.

import type { Clock } from '../../base/clock.ts';
import type { Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import { updateLastRefusal } from './queries.ts';
import type { IntegrationCaller } from './receive.ts';

const RECORDED_CODES = ['unauthorized', 'invalid_json', 'payload_too_large', 'rate_limited'];

export interface RefusalServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
}

export async function recordRefusal(
  { db, clock, log }: RefusalServices,
  caller: IntegrationCaller,
  code: string,
): Promise<void> {
  if (!RECORDED_CODES.includes(code)) return;
  try {
    await updateLastRefusal(db, caller.venueId, caller.integrationId, { code, now: clock.now() });
  } catch (error) {
    log.warn({ integration: caller.integrationId, code, err: error }, 'the server could not record a refused delivery');
  }
}
