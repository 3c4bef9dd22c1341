// Issues a key, or takes over an older live one. The text is given back once and kept only as a hash.

import type { CommandContext } from '../../base/command-context.ts';
import { isAddressRange, type Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { notFound, Problem } from '../../base/errors.ts';
import { audit } from '../venues/audit.ts';
import { lockVenue } from '../venues/queries.ts';
import {
  hashOfKey,
  hintOfKey,
  isOlderKey,
  type KeyKind,
  newKeyText,
  READS_PER_HOUR,
  SCOPES,
  WRITES_PER_HOUR,
} from './key.ts';
import { findKey, insertKey, type KeyRow } from './queries.ts';

export interface NewKeyRequest {
  readonly venueId: string;
  readonly kind: KeyKind;
  readonly mode: Mode;
  /** Of a live secret key: those granted. A test key carries every scope, whatever is asked. */
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly allowIps: readonly string[];
  readonly writesPerHour: number | null;
  readonly readsPerHour: number | null;
}

export interface IssuedKey extends KeyRow {
  /** The whole key: shown once. */
  readonly key: string;
}

export async function issueKey(tx: Queryable, command: CommandContext, wish: NewKeyRequest): Promise<IssuedKey> {
  return store(tx, command, wish, newKeyText(command.random, wish.kind, wish.mode), 'key.create');
}

/** A live key of the older form (48 hex characters) keeps working, with every scope. */
export async function importKey(
  tx: Queryable,
  command: CommandContext,
  venueId: string,
  text: string,
): Promise<IssuedKey> {
  if (!isOlderKey(text)) {
    throw refusal(
      '/key',
      'Only a live key of the older form can be imported: svc_live_ and 48 hex characters in lower case.',
    );
  }
  const wish: NewKeyRequest = {
    venueId,
    kind: 'secret',
    mode: 'live',
    scopes: SCOPES,
    expiresAt: null,
    allowIps: [],
    writesPerHour: null,
    readsPerHour: null,
  };
  return store(tx, command, wish, text, 'key.import');
}

async function store(
  tx: Queryable,
  command: CommandContext,
  wish: NewKeyRequest,
  text: string,
  action: string,
): Promise<IssuedKey> {
  check(wish, command.now);
  const venue = await lockVenue(tx, wish.venueId);
  if (venue === null) throw notFound();
  if (venue.revoked_at !== null) throw refusal('/venue', 'This venue was revoked: it gets no new keys.');
  if (wish.mode === 'live' && !venue.linked) {
    throw new Problem('venue_not_linked', { message: 'This venue is a sandbox: link it before it gets live keys.' });
  }
  const id = command.ids.prefixed('key');
  const stored = await insertKey(tx, {
    venueId: wish.venueId,
    id,
    hash: hashOfKey(text),
    kind: wish.kind,
    mode: wish.mode,
    hint: hintOfKey(text),
    scopes: scopesOf(wish),
    writesPerHour: wish.writesPerHour ?? WRITES_PER_HOUR,
    readsPerHour: wish.readsPerHour ?? READS_PER_HOUR,
    allowIps: wish.allowIps.length === 0 ? null : wish.allowIps,
    expiresAt: wish.expiresAt,
    now: command.now,
  });
  if (!stored) throw refusal('/key', 'This key is known already.');
  await audit(tx, command, {
    venueId: wish.venueId,
    action,
    subject: id,
    detail: { kind: wish.kind, mode: wish.mode, hint: hintOfKey(text) },
  });
  const row = await findKey(tx, id);
  if (row === null) throw new Error('a key that was just stored is gone');
  return { ...row, key: text };
}

function scopesOf(wish: NewKeyRequest): readonly string[] {
  if (wish.kind === 'publishable') return [];
  return wish.mode === 'test' ? SCOPES : SCOPES.filter((scope) => wish.scopes.includes(scope));
}

function refusal(field: string, message: string): Problem {
  return new Problem('invalid_request', { field, message });
}

function check(wish: NewKeyRequest, now: number): void {
  const unknown = wish.scopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined) throw refusal('/scope', `There is no scope "${unknown}". Scopes: ${SCOPES.join(', ')}.`);
  if (
    wish.kind === 'publishable' &&
    (wish.scopes.length > 0 || wish.writesPerHour !== null || wish.readsPerHour !== null)
  ) {
    throw refusal('/kind', 'A publishable key has neither scopes nor hourly limits of its own: leave them out.');
  }
  if (wish.kind === 'secret' && wish.mode === 'live' && wish.scopes.length === 0) {
    throw refusal('/scope', `A live secret key needs at least one scope: ${SCOPES.join(', ')}.`);
  }
  if (wish.expiresAt !== null && !(Date.parse(wish.expiresAt.toUpperCase()) > now)) {
    throw refusal('/expires_at', 'The expiry must be a time in the future, such as 2027-06-12T09:30:00Z.');
  }
  const range = wish.allowIps.find((text) => !isAddressRange(text));
  if (range !== undefined)
    throw refusal('/allow_ip', `"${range}" is not an address or a CIDR range, such as 203.0.113.0/24.`);
  if (wish.allowIps.length > 100) throw refusal('/allow_ip', 'A key takes at most 100 address ranges.');
  for (const [field, limit] of [
    ['/writes_per_hour', wish.writesPerHour],
    ['/reads_per_hour', wish.readsPerHour],
  ] as const) {
    if (limit !== null && (!Number.isInteger(limit) || limit < 1 || limit > 1_000_000_000)) {
      throw refusal(field, 'An hourly limit is a whole number from 1 to 1000000000.');
    }
  }
}
