// How the API shows the reads of an integration: which fields of the credentials are set, whether reads wait or are
// paused, and why. No value of a credential is in it.

import type { Queryable } from '../../../base/db.ts';
import type { Caller } from '../../keys/caller.ts';
import { type IntegrationRow, integrationView } from '../integration.ts';
import { requestsPerDay } from './pace.ts';
import { listReaderRows, type ReaderRow } from './reader-queries.ts';

type ViewCaller = Pick<Caller, 'venue' | 'now' | 'readers' | 'readsPerDay'>;

export async function viewsWithReads(db: Queryable, caller: ViewCaller, rows: readonly IntegrationRow[]) {
  const readable = rows.filter(({ provider }) => caller.readers.has(provider)).map(({ id }) => id);
  const found = await listReaderRows(db, caller.venue.id, readable, caller.now);
  const byId = new Map(found.map((row) => [row.integration_id, row]));
  return rows.map((row) => ({ ...integrationView(row), reads: readsView(caller, row, byId.get(row.id) ?? null) }));
}

export async function viewWithReads(db: Queryable, caller: ViewCaller, row: IntegrationRow) {
  const [view] = await viewsWithReads(db, caller, [row]);
  if (view === undefined) throw new Error('one integration has one view');
  return view;
}

function readsView({ readers, readsPerDay }: ViewCaller, { provider }: IntegrationRow, row: ReaderRow | null) {
  const reader = readers.get(provider);
  if (reader === undefined) return null;
  const isWaiting = row?.is_waiting === true && row.pause_reason === null;
  return {
    status: statusOf(row, isWaiting),
    reason: row?.pause_reason ?? (isWaiting ? row.wait_reason : null),
    credential_fields: reader.credentials.map((field) => ({
      ...field,
      is_set: row?.fields.includes(field.name) === true,
    })),
    set_at: row?.set_at ?? null,
    waiting: row?.waiting ?? 0,
    next_attempt_at: isWaiting ? row.next_request_at : null,
    last_read_at: row?.last_read_at ?? null,
    requests_today: row?.requests_today ?? 0,
    requests_per_day: requestsPerDay(readsPerDay, reader),
  };
}

function statusOf(row: ReaderRow | null, isWaiting: boolean): string {
  if (row === null) return 'no_credentials';
  if (row.pause_reason !== null) return 'paused';
  if (isWaiting) return 'waiting';
  return row.is_checked ? 'active' : 'checking';
}
