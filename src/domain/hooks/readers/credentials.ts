// The credentials with which an integration reads its venue system: set and delete. They are stored sealed and never
// shown; which fields are set can be seen. Both write to the audit log. New credentials end a pause.

import type { Reader } from '../../../../schemas/types.gen.ts';
import type { Queryable } from '../../../base/db.ts';
import { conflict, type FieldProblem, invalid, notFound } from '../../../base/errors.ts';
import type { Input, OperationResult } from '../../../base/operation.ts';
import type { Caller } from '../../keys/caller.ts';
import { audit } from '../../venues/audit.ts';
import { endReading } from '../deliveries/reading-queries.ts';
import type { IntegrationRow } from '../integration.ts';
import { findIntegration } from '../queries.ts';
import { excludePauseOfReads } from './read-queries.ts';
import { deleteReader, pausedMsOf, storeCredentials } from './reader-queries.ts';
import { viewWithReads } from './reads-view.ts';
import { cancelSyncs, excludePauseOfSync } from './sync-queries.ts';

interface CredentialsBody {
  readonly credentials: Readonly<Record<string, string>>;
}

/** The row that sealed credentials are bound to. */
export const credentialsRow = (venueId: string, integrationId: string): string =>
  `integration_reader ${venueId} ${integrationId}`;

const NO_READER =
  'The server does not read from this venue system: its deliveries carry what can be read, or its API is not known.';
const REVOKED = 'This integration is revoked: connect the venue system again.';

/** The integration of the caller, if it is active and its venue system can be read. */
export async function requireReadable(
  db: Queryable,
  caller: Caller,
  input: Input,
): Promise<{ readonly integration: IntegrationRow; readonly reader: Reader }> {
  const integration = await findIntegration(db, caller.venue.id, caller.mode, input.params.id ?? '');
  if (integration === null) throw notFound();
  const reader = caller.readers.get(integration.provider);
  if (reader === undefined) throw conflict('no_reader', NO_READER);
  if (integration.revoked_at !== null) throw conflict('integration_revoked', REVOKED);
  return { integration, reader };
}

export async function setCredentials(
  tx: Queryable,
  caller: Caller,
  input: Input<CredentialsBody>,
): Promise<OperationResult> {
  const { integration, reader } = await requireReadable(tx, caller, input);
  const { credentials } = input.body;
  const problems = problemsOf(reader, credentials);
  if (problems.length > 0) throw invalid(problems);
  const fields = reader.credentials.map(({ name }) => name).filter((name) => Object.hasOwn(credentials, name));
  const { venue, seal, now } = caller;
  const pausedMs = await pausedMsOf(tx, venue.id, integration.id, now);
  if (pausedMs > 0) {
    await excludePauseOfReads(tx, venue.id, integration.id, pausedMs);
    await excludePauseOfSync(tx, venue.id, integration.id, pausedMs);
  }
  await storeCredentials(tx, {
    venueId: venue.id,
    integrationId: integration.id,
    credentials: seal.seal(JSON.stringify(credentials), credentialsRow(venue.id, integration.id)),
    fields,
    now,
  });
  const detail = { provider: integration.provider, fields };
  await audit(tx, caller, {
    venueId: venue.id,
    action: 'integration.set_credentials',
    subject: integration.id,
    detail,
  });
  return { status: 200, body: { data: await viewWithReads(tx, caller, integration) } };
}

function problemsOf({ credentials: fields, provider }: Reader, sent: CredentialsBody['credentials']): FieldProblem[] {
  const known = fields.map(({ name }) => name).join(', ');
  const unknown = Object.keys(sent)
    .filter((name) => !fields.some((field) => field.name === name))
    .map(
      (name): FieldProblem => ({
        code: 'unknown_field',
        field: `/credentials/${name}`,
        message: `The credentials of ${provider} have no field ${name}: leave it out.`,
        expected: `only these fields: ${known}`,
        example_fix: null,
      }),
    );
  const missing = fields
    .filter(({ name, required }) => required && !Object.hasOwn(sent, name))
    .map(
      ({ name, label, where }): FieldProblem => ({
        code: 'missing_field',
        field: `/credentials/${name}`,
        message: `The credentials of ${provider} need ${name} (${label}). You find it here: ${where}.`,
        expected: 'a text of printable characters without spaces',
        example_fix: 'value-from-the-venue-system',
      }),
    );
  return [...unknown, ...missing];
}

const CREDENTIALS_DELETED = 'The credentials were deleted before the server had read the object.';

/** Idempotent: a retry changes nothing. Deliveries that wait for a read become `needs_api_read` again. */
export async function deleteCredentials(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { integration } = await requireReadable(tx, caller, input);
  const { provider } = integration;
  if (await dropReader(tx, caller.venue.id, integration.id, caller.now))
    await audit(tx, caller, {
      venueId: caller.venue.id,
      action: 'integration.delete_credentials',
      subject: integration.id,
      detail: { provider },
    });
  return { status: 200, body: { data: await viewWithReads(tx, caller, integration) } };
}

/** Deletes the credentials and ends everything that waits for a read. False: there were no credentials. */
export async function dropReader(tx: Queryable, venueId: string, integrationId: string, now: number): Promise<boolean> {
  const deleted = await deleteReader(tx, venueId, integrationId);
  await endReading(tx, venueId, integrationId, CREDENTIALS_DELETED);
  await cancelSyncs(tx, venueId, integrationId, now);
  return deleted;
}
