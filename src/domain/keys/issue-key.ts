// Issues a key, or imports a legacy live key. The text of a key is returned once; only its hash is stored.

import { isAddressRange } from '../../base/address-range.ts';
import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import {
  hashOfKey,
  hintOfKey,
  isLegacyKey,
  type KeyKind,
  newKeyText,
  READS_PER_HOUR,
  SCOPES,
  WRITES_PER_HOUR,
} from './key.ts';
import { findKey, insertKey, type KeyRow } from './queries.ts';

const MAX_NAME_LENGTH = 100;

export interface NewKeyRequest {
  readonly venueId: string;
  readonly name?: string | null;
  readonly kind: KeyKind;
  readonly mode: Mode;
  /** The scopes of a live secret key. A test key has every scope, also if the request names some. */
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly allowIps: readonly string[];
  readonly writesPerHour: number | null;
  readonly readsPerHour: number | null;
}

export interface IssuedKey extends KeyRow {
  /** The whole key, shown once. */
  readonly key: string;
}

export async function issueKey(tx: Queryable, command: CommandContext, request: NewKeyRequest): Promise<IssuedKey> {
  return store(tx, command, request, newKeyText(command.random, request.kind, request.mode), 'key.create');
}

/** A live key of the legacy form (48 hex characters) keeps working, with every scope. */
export async function importKey(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  text: string,
): Promise<IssuedKey> {
  if (!isLegacyKey(text)) {
    throw refusal(
      '/key',
      'Only a live key of the older form can be imported: svc_live_ and 48 hex characters in lower case.',
    );
  }
  const request: NewKeyRequest = {
    venueId,
    kind: 'secret',
    mode: 'live',
    scopes: SCOPES,
    expiresAt: null,
    allowIps: [],
    writesPerHour: null,
    readsPerHour: null,
  };
  return store(tx, command, request, text, 'key.import');
}

async function store(
  tx: Queryable,
  command: CommandContext,
  request: NewKeyRequest,
  text: string,
  action: string,
): Promise<IssuedKey> {
  check(request, command.now);
  const venue = await lockVenue(tx, request.venueId);
  if (venue === null) throw notFound();
  if (venue.revoked_at !== null) throw refusal('/venue', 'This venue was revoked: it gets no new keys.');
  if (request.mode === 'live' && !venue.linked) {
    throw new Problem('venue_not_linked', { message: 'This venue is a sandbox: link it before it gets live keys.' });
  }
  const id = command.ids.prefixed('key');
  const stored = await insertKey(tx, {
    venueId: request.venueId,
    id,
    name: request.name ?? null,
    hash: hashOfKey(text),
    kind: request.kind,
    mode: request.mode,
    hint: hintOfKey(text),
    scopes: scopesOf(request),
    writesPerHour: request.writesPerHour ?? WRITES_PER_HOUR,
    readsPerHour: request.readsPerHour ?? READS_PER_HOUR,
    allowIps: request.allowIps.length === 0 ? null : request.allowIps,
    expiresAt: request.expiresAt,
    now: command.now,
  });
  if (!stored) throw refusal('/key', 'This key is known already.');
  await audit(tx, command, {
    venueId: request.venueId,
    action,
    subject: id,
    detail: { kind: request.kind, mode: request.mode, hint: hintOfKey(text) },
  });
  const row = await findKey(tx, id);
  if (row === null) throw new Error('the stored key was not found');
  return { ...row, key: text };
}

function scopesOf(request: NewKeyRequest): readonly string[] {
  if (request.kind === 'publishable') return [];
  return request.mode === 'test' ? SCOPES : SCOPES.filter((scope) => request.scopes.includes(scope));
}

function refusal(field: string, message: string): Problem {
  return new Problem('invalid_request', { field, message });
}

function check(request: NewKeyRequest, now: number): void {
  const unknown = request.scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined) throw refusal('/scopes', `There is no scope "${unknown}". Scopes: ${SCOPES.join(', ')}.`);
  if (request.kind === 'publishable' && request.scopes.length > 0) throw onlySecret();
  if (request.kind === 'secret' && request.mode === 'live' && request.scopes.length === 0) {
    throw refusal('/scopes', `A live secret key needs at least one scope: ${SCOPES.join(', ')}.`);
  }
  checkKeyValues({ ...request, name: request.name ?? null }, now);
}

function onlySecret(): Problem {
  return refusal('/kind', 'A publishable key has neither scopes nor hourly limits of its own: leave them out.');
}

/** The rules of the values that can change later. A limit of null is the default one. */
export function checkKeyValues(
  request: Pick<NewKeyRequest, 'kind' | 'expiresAt' | 'allowIps' | 'writesPerHour' | 'readsPerHour'> & {
    readonly name: string | null;
  },
  now: number,
): void {
  const { kind, name, writesPerHour, readsPerHour } = request;
  if (kind === 'publishable' && (writesPerHour !== null || readsPerHour !== null)) throw onlySecret();
  if (name !== null && (name.trim() === '' || [...name].length > MAX_NAME_LENGTH)) {
    throw refusal('/name', `The name of a key has 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  if (request.expiresAt !== null && !(Date.parse(request.expiresAt.toUpperCase()) > now)) {
    throw refusal('/expires_at', 'The expiry must be a time in the future, such as 2027-06-12T09:30:00Z.');
  }
  const range = request.allowIps.find((text) => !isAddressRange(text));
  if (range !== undefined)
    throw refusal('/allow_ips', `"${range}" is not an address or a CIDR range, such as 203.0.113.0/24.`);
  if (request.allowIps.length > 100) throw refusal('/allow_ips', 'A key takes at most 100 address ranges.');
  for (const [field, limit] of [
    ['/writes_per_hour', writesPerHour],
    ['/reads_per_hour', readsPerHour],
  ] as const) {
    if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000_000)) {
      throw refusal(field, 'An hourly limit is a whole number from 1 to 1000000000.');
    }
  }
}
