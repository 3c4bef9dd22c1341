// The inbound deliveries of an integration: lists them with their outcomes, and replays one, for instance after the
// cause of its failure is fixed.

import type { Queryable } from '../../../base/db.ts';
import { conflict, notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import { pageJson, pageQueryOf } from '../../../base/page.ts';
import type { Caller } from '../../keys/caller.ts';
import { audit } from '../../venues/audit.ts';
import type { IntegrationRow } from '../integration.ts';
import { findIntegration } from '../queries.ts';
import { deleteWaits } from '../readers/read-queries.ts';
import { type InboundRow, inboundExists, listInboundRows, requeueInbound } from './queries.ts';

const BODY_GONE =
  'This delivery changed nothing, and its body was deleted after a day: let the venue system send it again.';

async function requireIntegration(db: Queryable, caller: Caller, input: Input): Promise<IntegrationRow> {
  const row = await findIntegration(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (row === null) throw notFound();
  return row;
}

export async function listInboundDeliveries(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const integration = await requireIntegration(db, caller, input);
  const page = pageQueryOf(input.query);
  const found = await listInboundRows(db, caller.venue.id, integration.id, page);
  const objects = found.map((row) => ({ json: JSON.stringify(inboundView(row, integration)), time: row.received_at }));
  return { status: 200, json: pageJson(objects, page.limit) };
}

/** Also works for a revoked integration: the deliveries from before are still stored. */
export async function replayInbound(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { venue, now } = caller;
  const integration = await requireIntegration(tx, caller, input);
  const id = input.params.delivery_id ?? '';
  const row = await requeueInbound(tx, venue.id, integration.id, id, now);
  if (row === null) {
    if (await inboundExists(tx, venue.id, integration.id, id)) throw conflict('body_gone', BODY_GONE);
    throw notFound();
  }
  await deleteWaits(tx, venue.id, row.id);
  await audit(tx, caller, {
    venueId: venue.id,
    action: 'integration.replay',
    subject: integration.id,
    detail: { delivery_id: row.id },
  });
  return { status: 200, body: { data: inboundView(row, integration) } };
}

function inboundView(row: InboundRow, { provider, mode }: IntegrationRow) {
  return {
    id: row.id,
    object: 'inbound_delivery',
    integration_id: row.integration_id,
    provider,
    mode,
    provider_event_id: row.provider_event_id,
    type: row.type,
    status: row.status,
    reason: row.reason,
    offering_external_id: row.offering_external_id,
    received_at: row.received_at,
    applied_at: row.applied_at,
  };
}
