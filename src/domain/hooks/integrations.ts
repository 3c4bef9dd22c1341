// Integrations with venue systems: create, list, revoke. The hook URL with its token and, for custom, the signing
// secret are shown once; the token is stored as a hash, the secret sealed and bound to its row. Create and revoke write
// to the audit log.

import type { Queryable } from '../../base/db.ts';
import { invalid, notFound } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { randomText } from '../../base/random.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Caller } from '../keys/caller.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import { type Defaults, secretRow } from './integration.ts';
import { countActive, findIntegration, insertIntegration, listIntegrationRows, setRevoked } from './queries.ts';
import { dropReader } from './readers/credentials.ts';
import { viewsWithReads, viewWithReads } from './readers/reads-view.ts';

const MAX_ACTIVE = 50;
const MAX_LISTED = 500;

interface NewIntegrationBody {
  readonly provider: string;
  readonly signing_secret?: string;
  readonly defaults?: Defaults;
}

/** The token is the credential of a hook URL: 190 random bits. */
export function tokenHash(token: string): Buffer {
  return sha256(token);
}

export async function createIntegration(
  tx: Queryable,
  caller: Caller,
  input: Input<NewIntegrationBody>,
): Promise<OperationResult> {
  const { venue, mode, random, seal } = caller;
  const { provider, signing_secret, defaults = {} } = input.body;
  // Locks the venue's row, so that concurrent calls cannot exceed the limit.
  await lockVenue(tx, venue.id);
  if ((await countActive(tx, venue.id, mode)) >= MAX_ACTIVE) throw invalid([tooManyIntegrations(provider)]);
  const id = caller.ids.prefixed('int');
  const token = randomText(random, 32);
  const issuedSecret = provider === 'custom' ? `whsec_${randomText(random, 32)}` : null;
  const secret = issuedSecret ?? signing_secret ?? null;
  const address = caller.hookUrl(provider);
  const row = await insertIntegration(tx, {
    venueId: venue.id,
    id,
    mode,
    provider,
    tokenHash: tokenHash(token),
    secret: secret === null ? null : seal.seal(secret, secretRow(venue.id, id)),
    address,
    defaults,
    now: caller.now,
  });
  const detail = { provider, mode, defaults };
  await audit(tx, caller, { venueId: venue.id, action: 'integration.create', subject: id, detail });
  const shownOnce = {
    webhook_url: `${address}${token}`,
    ...(issuedSecret === null ? {} : { signing_secret: issuedSecret }),
  };
  return { status: 201, body: { data: { ...(await viewWithReads(tx, caller, row)), ...shownOnce } } };
}

function tooManyIntegrations(provider: string) {
  return {
    code: 'too_many_items',
    field: '/provider',
    message: `This venue has ${MAX_ACTIVE} integrations already: revoke one that is no longer used.`,
    expected: `at most ${MAX_ACTIVE} active integrations for a venue and mode`,
    example_fix: provider,
  } as const;
}

export async function listIntegrations(db: Queryable, caller: Caller): Promise<OperationResult> {
  const rows = await listIntegrationRows(db, caller.venue.id, caller.mode, MAX_LISTED);
  return { status: 200, body: { data: await viewsWithReads(db, caller, rows) } };
}

/** The hook URL returns 401 from the next request on. Idempotent: a retry changes nothing. */
export async function revokeIntegration(tx: Queryable, caller: Caller, input: Input): Promise<OperationResult> {
  const { venue, mode, now } = caller;
  const before = await findIntegration(tx, venue.id, mode, input.params.id ?? '');
  if (before === null) throw notFound();
  const after = await setRevoked(tx, venue.id, before.id, now);
  if (after !== null) {
    await dropReader(tx, venue.id, before.id, now);
    const detail = { provider: before.provider };
    await audit(tx, caller, { venueId: venue.id, action: 'integration.revoke', subject: before.id, detail });
  }
  return { status: 200, body: { data: await viewWithReads(tx, caller, after ?? before) } };
}
