// Hook addresses that several venues share, for a provider that has one address for each partner application. The
// operator creates them and routes each account of the provider to the integration of its venue. The address with its
// token is shown once; the token is stored as a hash. Every change writes to the audit log.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Queryable } from '../../base/db.ts';
import { randomText } from '../../base/random.ts';
import { audit, auditInstallation } from '../venues/audit.ts';
import { tokenHash } from './integrations.ts';
import { findIntegration } from './queries.ts';
import {
  insertSharedHook,
  type SharedHookRow,
  setSharedHookRevoked,
  storeAccountRoute,
} from './shared-hook-queries.ts';

export interface CreatedSharedHook {
  readonly id: string;
  readonly url: string;
}

export async function createSharedHook(
  tx: Queryable,
  command: CommandContext,
  provider: string,
  mode: Mode,
): Promise<CreatedSharedHook> {
  const id = command.ids.prefixed('shk');
  const token = randomText(command.random, 32);
  await insertSharedHook(tx, { id, provider, mode, tokenHash: tokenHash(token), now: command.now });
  await auditInstallation(tx, command, { action: 'shared_hook.create', subject: id, detail: { provider, mode } });
  return { id, url: `${command.hookUrl(provider)}${token}` };
}

/** The address returns 401 from the next request on. Null: there is no such address, or it was revoked before. */
export async function revokeSharedHook(
  tx: Queryable,
  command: CommandContext,
  id: string,
): Promise<SharedHookRow | null> {
  const revoked = await setSharedHookRevoked(tx, id, command.now);
  if (revoked !== null) await auditInstallation(tx, command, { action: 'shared_hook.revoke', subject: id });
  return revoked;
}

export interface RouteRequest {
  readonly venueId: string;
  readonly mode: Mode;
  readonly integrationId: string;
  readonly provider: string;
  readonly account: string;
}

export type RouteResult = 'routed' | 'unknown_integration' | 'taken';

export async function routeAccount(
  tx: Queryable,
  command: CommandContext,
  { venueId, mode, integrationId, provider, account }: RouteRequest,
): Promise<RouteResult> {
  const integration = await findIntegration(tx, venueId, mode, integrationId);
  if (integration === null || integration.provider !== provider || integration.revoked_at !== null)
    return 'unknown_integration';
  const route = { venue_id: venueId, integration_id: integrationId };
  if (!(await storeAccountRoute(tx, { ...route, provider, mode, account, now: command.now }))) return 'taken';
  const detail = { provider, account };
  await audit(tx, command, { venueId, action: 'integration.route', subject: integrationId, detail });
  return 'routed';
}
