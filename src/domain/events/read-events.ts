// GET /v1/events and /v1/events/{id}: the log as it was written, newest first, including events that no endpoint can
// subscribe to.

import type { Queryable } from '../../base/db.ts';
import { notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageJson, pageQueryOf } from '../../base/page.ts';
import type { Caller } from '../keys/caller.ts';
import { findEventView, listEventViews } from './queries.ts';

export async function listEvents(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { limit, before } = pageQueryOf(input.query);
  const textParameter = (name: string): string | null =>
    typeof input.query[name] === 'string' ? input.query[name] : null;
  const filter = { type: textParameter('type'), subject: textParameter('checkout'), before, limit: limit + 1 };
  const found = await listEventViews(db, caller.venue.id, caller.mode, filter);
  const objects = found.map(({ json, createdAt }) => ({ json, time: createdAt }));
  return { status: 200, json: pageJson(objects, limit) };
}

export async function getEvent(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const event = await findEventView(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (event === null) throw notFound();
  return { status: 200, json: event.json };
}
