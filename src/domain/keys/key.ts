// A key: its kinds, modes and scopes, the text that is shown once, and the hash by which it is found.

import { hash } from 'node:crypto';
import type { Mode } from '../../base/config.ts';
import { type Random, randomText } from '../../base/random.ts';

export type KeyKind = 'secret' | 'publishable';

export const SCOPES = [
  'offerings:write',
  'offerings:read',
  'checkouts:write',
  'checkouts:read',
  'bookings:read',
  'analytics:read',
  'webhooks:write',
  'boats:write',
  'boats:read',
] as const;

/** The scope that creates, cancels and refunds checkouts. */
export const MONEY_SCOPE: (typeof SCOPES)[number] = 'checkouts:write';

export const WRITES_PER_HOUR = 60;
export const READS_PER_HOUR = 600;

const PREFIX: Readonly<Record<KeyKind, Readonly<Record<Mode, string>>>> = {
  secret: { test: 'svc_test_', live: 'svc_live_' },
  publishable: { test: 'pk_test_', live: 'pk_live_' },
};

export function newKeyText(random: Random, kind: KeyKind, mode: Mode): string {
  return PREFIX[kind][mode] + randomText(random, 32);
}

/** Whether the text is a live key of the legacy form, which keeps working with every scope. */
export function isLegacyKey(text: string): boolean {
  return /^svc_live_[0-9a-f]{48}$/.test(text);
}

/** A plain hash is enough, since keys are long and random and cannot be guessed. */
export function hashOfKey(text: string): Buffer {
  return Buffer.from(hashTextOfKey(text), 'latin1');
}

/** The same hash as text, one character for each byte. It is computed at every call, and as text it costs half. */
export function hashTextOfKey(text: string): string {
  return hash('sha256', text, 'binary');
}

export type KeyStatus = 'active' | 'expired' | 'revoked';

export function statusOfKey(
  key: { readonly revoked_at: string | null; readonly expires_at: string | null },
  now: number,
): KeyStatus {
  if (key.revoked_at !== null) return 'revoked';
  return key.expires_at !== null && Date.parse(key.expires_at) <= now ? 'expired' : 'active';
}

/** Enough to recognise a key in a list, not enough to use it. */
export function hintOfKey(text: string): string {
  return `${text.slice(0, text.lastIndexOf('_') + 1)}…${text.slice(-4)}`;
}
