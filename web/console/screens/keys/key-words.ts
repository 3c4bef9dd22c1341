// How the console speaks about keys: what they may do, when they end, and which ones need attention.

import type { ApiKey } from '../../client/types.gen.ts';
import { count, date, number, span } from '../../ui/format.ts';

export type Key = ApiKey;
export type Scope = ApiKey['scopes'][number];

export const SCOPES: readonly Scope[] = [
  'checkouts:write',
  'checkouts:read',
  'bookings:read',
  'offerings:write',
  'offerings:read',
  'analytics:read',
  'webhooks:write',
  'boats:write',
  'boats:read',
];

export interface Preset {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly scopes: readonly Scope[];
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'bookings',
    name: 'Take bookings',
    text: 'Create, read, cancel and refund checkouts',
    scopes: ['checkouts:write', 'checkouts:read', 'bookings:read'],
  },
  {
    id: 'read',
    name: 'Read only',
    text: 'Checkouts, payouts and analytics',
    scopes: ['checkouts:read', 'bookings:read', 'offerings:read', 'analytics:read', 'boats:read'],
  },
  {
    id: 'publish',
    name: 'Publish offerings',
    text: 'Offerings, prices and free times',
    scopes: ['offerings:write', 'offerings:read', 'boats:write', 'boats:read'],
  },
  { id: 'choose', name: 'Choose scopes', text: 'Nine switches', scopes: [] },
];

const DAY_MS = 24 * 3_600_000;
const UNUSED_DAYS = 30;
const SOON_DAYS = 14;

export const nameOf = ({ name, hint }: Pick<ApiKey, 'name' | 'hint'>): string => name ?? hint;

export function mayDo({ kind, mode, scopes }: Key): readonly string[] {
  if (kind === 'publishable') return ['open checkouts'];
  if (mode === 'test' || scopes.length === SCOPES.length) return ['everything'];
  return scopes;
}

export function expiryOf({ status, expires_at }: Key): { readonly text: string; readonly isSoon: boolean } {
  if (expires_at === null) return { text: 'never', isSoon: false };
  if (status !== 'active') return { text: date(expires_at), isSoon: false };
  const left = Date.parse(expires_at) - Date.now();
  return { text: `in ${span(left)}`, isSoon: left < SOON_DAYS * DAY_MS };
}

/** For how many days an active key was not used; null: less than thirty. A new key gets its thirty days too. */
export function unusedDays({ status, created_at, last_used_at }: Key): number | null {
  if (status !== 'active') return null;
  const days = Math.floor((Date.now() - Date.parse(last_used_at ?? created_at)) / DAY_MS);
  return days >= UNUSED_DAYS ? days : null;
}

/** How many addresses an address or a CIDR range holds; null: it is neither. The server checks it again. */
export function addressesIn(text: string): number | null {
  const [address = '', bits, ...more] = text.split('/');
  const isFour = /^\d{1,3}(\.\d{1,3}){3}$/.test(address) && address.split('.').every((part) => Number(part) <= 255);
  const isSix = !isFour && address.includes(':') && isHost(`[${address}]`);
  const size = isFour ? 32 : 128;
  if ((!isFour && !isSix) || more.length > 0) return null;
  if (bits === undefined) return 1;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= size ? 2 ** (size - Number(bits)) : null;
}

/** The browser's own parser reads an IPv6 address between brackets. */
const isHost = (host: string): boolean => URL.canParse(`http://${host}/`);

/** What the hint under the field says about what was typed. */
export function addressesInWords(list: readonly string[]): string {
  if (list.length === 0) return 'Empty: every address. Separate several by spaces or commas.';
  const sizes = list.map(addressesIn);
  if (sizes.includes(null)) return '';
  const total = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  return total > 1e9 ? 'More than a billion addresses.' : `${count(total, 'address', 'addresses')}.`;
}

export const splitAddresses = (text: string): readonly string[] => text.split(/[\s,]+/).filter((part) => part !== '');

export const EXPIRIES: readonly { readonly id: string; readonly name: string; readonly days: number | null }[] = [
  { id: '30', name: '30 d', days: 30 },
  { id: '90', name: '90 d', days: 90 },
  { id: '365', name: '1 year', days: 365 },
  { id: 'never', name: 'Never', days: null },
];

export const expiresAfter = (days: number | null): string | null =>
  days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString();

export const limitsOf = ({ writes_per_hour, reads_per_hour }: Key): string =>
  `${number(writes_per_hour)} writes and ${number(reads_per_hour)} reads an hour`;
