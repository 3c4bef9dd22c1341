// The console's operations on the keys of a venue, in the mode of the session. A key of another venue or mode is not
// found.

import type { ApiKey, ApiKeyCreate, ApiKeyRoll, ApiKeyUpdate } from '../../../schemas/types.gen.ts';
import type { Db, Queryable } from '../../base/db.ts';
import { conflict, invalid, notFound, Problem } from '../../base/errors.ts';
import type { Input, OperationResult } from '../../base/operation.ts';
import { pageOf, pageQueryOf } from '../../base/page.ts';
import { lockVenue } from '../venues/queries.ts';
import type { Caller } from './caller.ts';
import { issueKey } from './issue-key.ts';
import { MONEY_SCOPE, SCOPES, statusOfKey } from './key.ts';
import { countActiveKeys, findKey, type KeyRow, listKeysOfMode } from './queries.ts';
import { revokeKey } from './revoke-key.ts';
import { DEFAULT_OVERLAP_HOURS, rollKey } from './roll-key.ts';
import { updateKey } from './update-key.ts';

interface Services {
  readonly db: Db;
}

/** A person of the venue. */
interface TeamMember extends Caller {
  readonly role: string;
}

/** Each key has limits of its own, so that the number of keys is a limit on what a venue can ask for. */
const MAX_ACTIVE_KEYS = 100;

export async function listVenueKeys(db: Db, { venue, mode, now }: Caller, { query }: Input): Promise<OperationResult> {
  const { status, limit } = pageQueryOf({ ...query, before: null });
  const before = typeof query.before === 'string' ? query.before : null;
  const found = await listKeysOfMode(db, venue.id, mode, { status, before, limit }, now);
  const { rows, nextBefore } = pageOf(found, limit, ({ id }) => id);
  return { status: 200, body: { data: rows.map((key) => keyView(key, now)), next_before: nextBefore } };
}

export function keyView(key: KeyRow, now: number): ApiKey {
  const { id, name, kind, mode, hint, scopes, allow_ips, writes_per_hour, reads_per_hour } = key;
  const { created_at, expires_at, revoked_at, rolled_to, last_used_at, last_used_address } = key;
  return {
    id,
    name,
    kind,
    mode,
    hint,
    status: statusOfKey(key, now),
    scopes: scopes as ApiKey['scopes'],
    allow_ips: allow_ips ?? [],
    writes_per_hour,
    reads_per_hour,
    created_at,
    expires_at,
    revoked_at,
    rolled_to,
    last_used_at,
    last_used_address,
  };
}

export async function createVenueKey(
  { db }: Services,
  caller: TeamMember,
  { body }: Input<ApiKeyCreate>,
): Promise<OperationResult> {
  const { venue, mode, now } = caller;
  const { kind, name = null, scopes = [], expires_at = null, allow_ips = [] } = body;
  if (kind === 'secret' && mode === 'live' && scopes.length === 0) throw scopesMissing();
  requireMoneyRole(caller, scopes);
  const issued = await db.transaction(async (tx) => {
    await lockVenue(tx, venue.id);
    await requireRoomForKey(tx, caller);
    return issueKey(tx, caller, {
      venueId: venue.id,
      name,
      kind,
      mode,
      scopes,
      expiresAt: expires_at,
      allowIps: allow_ips,
      writesPerHour: null,
      readsPerHour: null,
    });
  });
  return { status: 201, body: { ...keyView(issued, now), key: issued.key } };
}

/**
 * A key may not do what the role of the person who gets its text may not: with a live key of this scope a developer could
 * create, cancel and refund checkouts. In test mode no money moves.
 */
function requireMoneyRole({ role, mode }: TeamMember, scopes: readonly string[]): void {
  if (mode === 'test' || role === 'owner' || !scopes.includes(MONEY_SCOPE)) return;
  throw new Problem('role_not_allowed', {
    message: `Your role in this venue is ${role}, and a live key with ${MONEY_SCOPE} can refund: an owner has to create or roll it. You can make one with the other scopes.`,
  });
}

/** The caller has locked the venue. */
async function requireRoomForKey(tx: Queryable, { venue, mode, now }: Caller): Promise<void> {
  if ((await countActiveKeys(tx, venue.id, mode, now)) < MAX_ACTIVE_KEYS) return;
  const message = `A venue has at most ${MAX_ACTIVE_KEYS} active keys in ${mode} mode: revoke one that is not used.`;
  throw conflict('too_many_keys', message);
}

export async function changeVenueKey(
  { db }: Services,
  caller: Caller,
  { params: { id = '' }, body }: Input<ApiKeyUpdate>,
): Promise<OperationResult> {
  const { name, expires_at: expiresAt, allow_ips: allowIps } = body;
  const changed = await db.transaction(async (tx) => {
    await requireOwnKey(tx, caller, id);
    return updateKey(tx, caller, id, {
      ...(name === undefined ? {} : { name }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(allowIps === undefined ? {} : { allowIps }),
    });
  });
  return { status: 200, body: keyView(changed, caller.now) };
}

export async function rollVenueKey(
  { db }: Services,
  caller: TeamMember,
  { params: { id = '' }, body: { overlap_hours = DEFAULT_OVERLAP_HOURS } }: Input<ApiKeyRoll>,
): Promise<OperationResult> {
  const { issued, old } = await db.transaction(async (tx) => {
    await lockVenue(tx, caller.venue.id);
    requireMoneyRole(caller, (await requireOwnKey(tx, caller, id)).scopes);
    // For the time of the overlap both keys count.
    if (overlap_hours > 0) await requireRoomForKey(tx, caller);
    return rollKey(tx, caller, id, overlap_hours);
  });
  const { now } = caller;
  return { status: 201, body: { ...keyView(issued, now), key: issued.key, rolled: keyView(old, now) } };
}

export async function revokeVenueKey(
  { db }: Services,
  caller: Caller,
  { params: { id = '' } }: Input,
): Promise<OperationResult> {
  const revoked = await db.transaction(async (tx) => {
    await requireOwnKey(tx, caller, id);
    return revokeKey(tx, caller, id);
  });
  return { status: 200, body: keyView(revoked, caller.now) };
}

/** The venue and mode of a key never change, so that no lock is needed here. */
async function requireOwnKey(tx: Queryable, { venue, mode }: Caller, id: string): Promise<KeyRow> {
  const key = await findKey(tx, id);
  if (key === null || key.venue_id !== venue.id || key.mode !== mode) throw notFound();
  return key;
}

function scopesMissing() {
  return invalid([
    {
      code: 'missing_field',
      field: '/scopes',
      message: `A live secret key needs at least one scope: ${SCOPES.join(', ')}.`,
      expected: 'at least one scope',
      example_fix: ['checkouts:write', 'checkouts:read'],
    },
  ]);
}
