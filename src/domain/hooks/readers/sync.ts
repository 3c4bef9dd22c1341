// Reads the whole catalogue of a venue system once, in the background: start a run, read its progress. A second start
// while one runs returns the same run.

import type { Queryable } from '../../../base/db.ts';
import { conflict, notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { audit } from '../../venues/audit.ts';
import { findIntegration } from '../queries.ts';
import { requireReadable } from './credentials.ts';
import { hasReader, listReaderRows, makeReaderDue } from './reader-queries.ts';
import { findSync, insertSync, type SyncRow } from './sync-queries.ts';

const NO_CREDENTIALS =
  'This integration has no credentials to read with: set them with POST /v1/integrations/{id}/credentials first.';
const PAUSED =
  'The venue system has refused the credentials of this integration: set others with POST /v1/integrations/{id}/credentials first.';

export async function startSync(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { venue, ids, now } = caller;
  const { integration } = await requireReadable(tx, caller, input);
  if (!(await hasReader(tx, venue.id, integration.id))) throw conflict('no_credentials', NO_CREDENTIALS);
  const [state] = await listReaderRows(tx, venue.id, [integration.id], now);
  if (state?.pause_reason != null) throw conflict('credentials_refused', PAUSED);
  const started = await insertSync(tx, {
    venueId: venue.id,
    integrationId: integration.id,
    id: ids.prefixed('syn'),
    now,
  });
  if (started !== null) {
    await makeReaderDue(tx, venue.id, integration.id, now);
    await audit(tx, caller, {
      venueId: venue.id,
      action: 'integration.sync',
      subject: integration.id,
      detail: { sync_id: started.id },
    });
  }
  const row = started ?? (await findSync(tx, venue.id, integration.id));
  if (row === null) throw new Error('a running catalogue run was not found');
  return { status: 202, body: { data: syncView(row) } };
}

export async function getSync(db: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const integration = await findIntegration(db, caller.venue.id, caller.mode, input.params.id ?? '');
  const row = integration === null ? null : await findSync(db, caller.venue.id, integration.id);
  if (row === null) throw notFound();
  return { status: 200, body: { data: syncView(row) } };
}

function syncView(row: SyncRow) {
  return {
    id: row.id,
    object: 'integration_sync',
    integration_id: row.integration_id,
    status: row.status,
    reason: row.status === 'failed' ? row.reason : null,
    listed: row.listed_count,
    read: row.read_count,
    created: row.created_count,
    changed: row.changed_count,
    unchanged: row.unchanged_count,
    skipped: row.skipped_count,
    skipped_objects: row.skipped,
    started_at: row.started_at,
    finished_at: row.finished_at,
  };
}
