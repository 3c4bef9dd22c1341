// Creates a venue with every kind of key: valid ones with limits that no run reaches, and ones that must be refused.

import type { Mode } from '../../src/base/config.ts';
import { issueKey, type NewKeyRequest } from '../../src/domain/keys/issue-key.ts';
import { SCOPES } from '../../src/domain/keys/key.ts';
import { revokeKey } from '../../src/domain/keys/revoke-key.ts';
import { createVenue } from '../../src/domain/venues/create-venue.ts';
import { type AppContext, commandContext } from '../../src/run/context.ts';
import { storePayableAccount } from '../support/payable-venue.ts';
import { recordSecret } from '../support/record-logs.ts';

export const ORIGIN = 'https://harbor.example';
const UNREACHABLE_LIMIT = 1_000_000_000;

export interface Keys {
  readonly test: string;
  readonly live: string;
  readonly publishableTest: string;
  readonly publishableLive: string;
  /** A live key with only analytics:read. */
  readonly scopeless: string;
  readonly revoked: string;
  /** Allowed only from an address that no request has. */
  readonly otherAddress: string;
}

/** The example of the body that removes an origin. */
const REMOVED_ORIGIN = 'https://shop.example.com';

export async function issueKeys(context: AppContext): Promise<{ readonly venueId: string; readonly keys: Keys }> {
  const command = commandContext(context, { name: 'fuzz', via: 'cli', address: null, requestId: null });
  return context.db.transaction(async (tx) => {
    const options = { name: 'Harbor Club', origins: [ORIGIN, 'https://example.com', REMOVED_ORIGIN], sandbox: false };
    const { id: venueId } = await createVenue(tx, command, options);
    await storePayableAccount(tx, venueId);
    const issue = (kind: NewKeyRequest['kind'], mode: Mode, more: Partial<NewKeyRequest> = {}) =>
      issueKey(tx, command, {
        venueId,
        kind,
        mode,
        scopes: mode === 'live' && kind === 'secret' ? SCOPES : [],
        expiresAt: null,
        allowIps: [],
        writesPerHour: kind === 'secret' ? UNREACHABLE_LIMIT : null,
        readsPerHour: kind === 'secret' ? UNREACHABLE_LIMIT : null,
        ...more,
      });
    const revoked = await issue('secret', 'test');
    await revokeKey(tx, command, revoked.id);
    const keys: Keys = {
      test: (await issue('secret', 'test')).key,
      live: (await issue('secret', 'live')).key,
      publishableTest: (await issue('publishable', 'test')).key,
      publishableLive: (await issue('publishable', 'live')).key,
      scopeless: (await issue('secret', 'live', { scopes: ['analytics:read'] })).key,
      revoked: revoked.key,
      otherAddress: (await issue('secret', 'test', { allowIps: ['192.0.2.0/24'] })).key,
    };
    for (const key of Object.values<string>({ ...keys })) recordSecret('key', key);
    return { venueId, keys };
  });
}
