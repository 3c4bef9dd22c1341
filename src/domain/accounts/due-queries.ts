// The rows of accounts that wait for a loop of the worker.

import type { Queues } from '../../base/due-rows.ts';

const DAY_MS = 24 * 3_600_000;

export const ACCOUNT_QUEUES: Queues = {
  'delete-old-account-sign-ins': { table: 'account_challenges', dueAt: 'expires_at', afterMs: DAY_MS },
  'delete-old-passkey-challenges': { table: 'passkey_challenges', dueAt: 'expires_at' },
  'delete-old-devices': { table: 'account_devices', dueAt: 'last_used_at', afterMs: 90 * DAY_MS },
  'delete-old-invitations': { table: 'venue_invitations', dueAt: 'expires_at', afterMs: 30 * DAY_MS },
};
