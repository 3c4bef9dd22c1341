// A delivery that was refused is not stored, and its sender may never say so to the venue: a wrong secret would go unnoticed.
// So the integration shows when the last one came and what it was told. What goes wrong here changes no answer.

import type { Clock } from '../../base/clock.ts';
import type { Queryable } from '../../base/db.ts';
import type { Log } from '../../base/log.ts';
import { recordRefusal } from './queries.ts';
import type { IntegrationCaller } from './receive.ts';

const RECORDED_CODES = ['unauthorized', 'invalid_json', 'payload_too_large', 'rate_limited'];

export interface RefusalServices {
  readonly db: Queryable;
  readonly clock: Clock;
  readonly log: Log;
}

export async function noteRefusal(
  { db, clock, log }: RefusalServices,
  sender: IntegrationCaller,
  code: string,
): Promise<void> {
  if (!RECORDED_CODES.includes(code)) return;
  try {
    await recordRefusal(db, sender.venueId, sender.integrationId, { as: code, now: clock.now() });
  } catch (error) {
    log.warn({ integration: sender.integrationId, code, err: error }, 'a refused delivery was not noted');
  }
}
