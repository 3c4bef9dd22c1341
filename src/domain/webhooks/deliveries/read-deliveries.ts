// The log of what was sent to an endpoint and what came back; sending one again, and all that have failed since a time.

import type { Queryable } from '../../../base/db.ts';
import { conflict, invalid, notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../../base/page.ts';
import { findEventView } from '../../events/queries.ts';
import type { Caller } from '../../keys/caller.ts';
import { audit } from '../../venues/audit.ts';
import { type EndpointRow, findEndpoint } from '../queries.ts';
import { eventOf, shownDelivery } from './delivery.ts';
import { listDeliveryRows, makeQueueDue, redeliverFailed, redeliverOne } from './queries.ts';

/** The log goes back so far. */
const KEPT_DAYS = 30;
const DAY = 24 * 3_600_000;
const MOST_AT_ONCE = 10_000;

async function known(db: Queryable, caller: Caller, input: Input): Promise<EndpointRow> {
  const row = await findEndpoint(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return row;
}

export async function listDeliveries(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const endpoint = await known(db, caller, input);
  const question = pageQueryOf(input.query);
  const found = await listDeliveryRows(db, caller.venue.id, endpoint.id, question);
  const { rows, nextBefore } = pageOf(found, question.limit, ({ created_at }) => created_at);
  return { status: 200, body: { data: rows.map(shownDelivery), next_before: nextBefore } };
}

export async function redeliver(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const endpoint = await known(tx, caller, input);
  const eventId = eventOf(input.params.delivery_id ?? '', endpoint.id);
  const event = eventId === null ? null : await findEventView(tx, caller.venue.id, caller.mode, eventId);
  if (event === null) throw notFound();
  // The lane first, as the worker locks them.
  await makeQueueDue(tx, caller.venue.id, endpoint.id, caller.now);
  const row = await redeliverOne(tx, caller.venue.id, endpoint.id, event, caller.now);
  if (row === null) throw notFound();
  if (endpoint.status === 'disabled') throw isDisabled();
  await audit(tx, caller, {
    venueId: caller.venue.id,
    action: 'webhook_endpoint.redeliver',
    subject: endpoint.id,
    detail: { event_id: event.id },
  });
  return { status: 202, body: shownDelivery(row) };
}

export async function recover(
  tx: Queryable,
  caller: Caller,
  input: Input<{ readonly since: string }>,
): Promise<OperationResult> {
  const endpoint = await known(tx, caller, input as Input);
  const { since } = input.body;
  if (Date.parse(since) < caller.now - KEPT_DAYS * DAY || Date.parse(since) > caller.now) throw invalid([outOfReach()]);
  if (endpoint.status === 'disabled') throw isDisabled();
  await makeQueueDue(tx, caller.venue.id, endpoint.id, caller.now);
  const recovered = await redeliverFailed(tx, caller.venue.id, endpoint.id, since, caller.now, MOST_AT_ONCE);
  await audit(tx, caller, {
    venueId: caller.venue.id,
    action: 'webhook_endpoint.recover',
    subject: endpoint.id,
    detail: { since, recovered },
  });
  return {
    status: 202,
    body: { endpoint_id: endpoint.id, since, recovered, has_more: recovered === MOST_AT_ONCE },
  };
}

function isDisabled() {
  return conflict('endpoint_disabled', 'This endpoint is disabled: enable it first.');
}

function outOfReach() {
  return {
    code: 'out_of_range',
    field: '/since',
    message: `since must lie within the last ${KEPT_DAYS} days: the log of deliveries goes back so far.`,
    expected: `a time within the last ${KEPT_DAYS} days`,
    example_fix: null,
  } as const;
}
