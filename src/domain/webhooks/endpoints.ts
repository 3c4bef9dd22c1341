// The endpoints that receive a venue's events: create, list, delete. The signing secret is shown once and stored
// sealed, bound to its row. A URL without a public address is refused before anything is stored.

import type { Queryable } from '../../base/db.ts';
import { type FieldProblem, invalid, notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import type { Outbound } from '../../base/outbound/outbound.ts';
import type { Caller } from '../keys/caller.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import { insertQueue, makeQueueDue, newestDeliveries } from './deliveries/queries.ts';
import { newSecret, secretRow } from './deliveries/signature.ts';
import { endpointView } from './endpoint.ts';
import { countEndpoints, deleteEndpoint, type EndpointRow, insertEndpoint, listEndpoints } from './queries.ts';

const MAX_ENDPOINTS = 50;

export interface NewEndpoint {
  readonly url: string;
  readonly events: readonly string[];
}

/** The outbound client checks the address again at each delivery, because DNS can change. */
export async function checkEndpoint(
  { outbound }: { readonly outbound: Outbound },
  { body }: Pick<Input<NewEndpoint>, 'body'>,
): Promise<FieldProblem[]> {
  const refusal = await outbound.refusal(body.url);
  if (refusal === null) return [];
  return [
    {
      code: 'invalid_value',
      field: '/url',
      message: refusal,
      expected: 'an https address that can be reached from the public internet',
      example_fix: 'https://example.com/hooks/everyshare',
    },
  ];
}

export async function createEndpoint(
  tx: Queryable,
  caller: Caller,
  input: Input<NewEndpoint>,
): Promise<OperationResult> {
  // Locks the venue's row, so that concurrent calls cannot exceed the limit.
  await lockVenue(tx, caller.venue.id);
  const { row, secret } = await addEndpoint(tx, caller, { id: caller.ids.prefixed('whe'), ...input.body });
  const { last_delivery, disabled_at, disabled_reason, ...shown } = endpointView(row, undefined);
  return { status: 201, body: { ...shown, secret } };
}

/** The caller has locked the venue's row. */
export async function addEndpoint(
  tx: Queryable,
  caller: Caller,
  { id, url, events }: NewEndpoint & { readonly id: string },
): Promise<{ readonly row: EndpointRow; readonly secret: string }> {
  const { venue, mode, now } = caller;
  if ((await countEndpoints(tx, venue.id, mode)) >= MAX_ENDPOINTS) throw invalid([tooManyEndpoints(url)]);
  const secret = newSecret(caller);
  const sealed = caller.seal.seal(secret, secretRow(venue.id, id));
  const row = await insertEndpoint(tx, { venueId: venue.id, id, mode, url, events, secret: sealed, now });
  await insertQueue(tx, venue.id, id);
  const detail = { url, events, mode };
  await audit(tx, caller, { venueId: venue.id, action: 'webhook_endpoint.create', subject: id, detail });
  return { row, secret };
}

function tooManyEndpoints(url: string) {
  return {
    code: 'too_many_items',
    field: '/url',
    message: `This venue has ${MAX_ENDPOINTS} endpoints already: delete one that is no longer used.`,
    expected: `at most ${MAX_ENDPOINTS} endpoints for a venue and mode`,
    example_fix: url,
  } as const;
}

export async function listAllEndpoints(db: Queryable, caller: Caller): Promise<OperationResult> {
  const rows = await listEndpoints(db, caller.venue.id, caller.mode);
  const ids = rows.map(({ id }) => id);
  const newest = new Map((await newestDeliveries(db, caller.venue.id, ids)).map((row) => [row.endpoint_id, row]));
  return { status: 200, body: { data: rows.map((row) => endpointView(row, newest.get(row.id))) } };
}

/** Deletes an endpoint with its deliveries and their log: the worker sends nothing more to it. */
export async function removeEndpoint(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const id = input.params.id ?? '';
  // Locks the queue before the endpoint, in the same order as the worker, to avoid deadlocks.
  await makeQueueDue(tx, caller.venue.id, id, caller.now);
  if (!(await deleteEndpoint(tx, caller.venue.id, caller.mode, id))) throw notFound();
  await audit(tx, caller, { venueId: caller.venue.id, action: 'webhook_endpoint.delete', subject: id });
  return { status: 200, body: { id, object: 'webhook_endpoint', deleted: true } };
}
