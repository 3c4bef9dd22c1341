// The worker's call for a movement as a span of the trace in which the movement was decided: that of the refund's request,
// for example.

import type { Queryable } from '../../base/db.ts';
import { inSpan, type Tracing } from '../../base/tracing/tracing.ts';
import type { MovementRow } from './movement-queries.ts';
import { findMovementTraceparent } from './movement-trace-queries.ts';

export type TraceMovement = (movement: MovementRow, work: () => Promise<void>) => Promise<void>;

export function makeTraceMovement(db: Queryable, tracing: Tracing): TraceMovement {
  return async ({ venueId, id, kind, mode }, work) => {
    const parent = await findMovementTraceparent(db, venueId, id);
    const attributes = { 'everyshare.mode': mode };
    return inSpan(tracing, { name: `settle ${kind}`, kind: 'internal', attributes, parent }, work);
  };
}
