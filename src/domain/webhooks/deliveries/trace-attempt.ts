// An attempt as a span of the trace in which its event was recorded.

import type { Queryable } from '../../../base/db.ts';
import type { Tracing } from '../../../base/tracing/tracing.ts';
import { findTraceparent } from '../../events/trace-queries.ts';
import type { Attempt } from './attempt.ts';
import type { EndpointQueue } from './queries.ts';

export type TraceAttempt = (queue: EndpointQueue, createdAt: string, work: () => Promise<Attempt>) => Promise<Attempt>;

export function makeTraceAttempt(db: Queryable, tracing: Tracing): TraceAttempt {
  return async (queue, createdAt, work) => {
    const parent = await findTraceparent(db, queue.venueId, queue.mode, createdAt);
    const attributes = { 'everyshare.endpoint': queue.endpointId };
    return tracing.run({ name: 'deliver event', kind: 'producer', attributes, parent }, async (span) => {
      try {
        const attempt = await work();
        const status = attempt.status === null ? {} : { 'http.response.status_code': attempt.status };
        span.end({ 'everyshare.delivered': attempt.delivered, ...status }, null);
        return attempt;
      } catch (error) {
        span.end({}, error);
        throw error;
      }
    });
  };
}
