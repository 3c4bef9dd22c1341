// Who makes a request, once authorize.ts knows: a partner with a key, a person in the console, a signed-in member, a
// caller without proof, a venue system or the operator. Each way to prove it gives one type of caller.

import type { Auth } from '../base/operation.ts';
import type { AccountCaller, DeskCaller, TeamCaller } from '../domain/accounts/account.ts';
import type { HookCaller, IntegrationCaller } from '../domain/hooks/receive.ts';
import type { Caller } from '../domain/keys/caller.ts';
import { type AnonymousCaller, type Guest, isGuest } from '../domain/members/guest.ts';

/** The holder of the operator's token. */
export interface Operator {
  readonly isOperator: true;
}

/** The type of the caller that each kind of authentication gives. */
export interface Callers extends Record<Auth, unknown> {
  readonly open: AnonymousCaller;
  readonly secret: Caller;
  readonly guest: Caller | Guest;
  readonly member: Guest;
  readonly account: AccountCaller;
  readonly team: TeamCaller;
  readonly desk: DeskCaller;
  readonly hook: HookCaller;
  readonly operator: Operator;
}

export type Principal = Callers[Auth];

export function isPartner(principal: Principal | null): principal is Caller {
  return principal !== null && 'venue' in principal;
}

export function isAccount(principal: Principal | null): principal is AccountCaller {
  return principal !== null && 'account' in principal;
}

export function isTeam(principal: Principal | null): principal is TeamCaller {
  return isAccount(principal) && 'role' in principal;
}

export function isDesk(principal: Principal | null): principal is DeskCaller {
  return isAccount(principal) && 'operatorRole' in principal;
}

export function isMember(principal: Principal | null): principal is Guest {
  return principal !== null && isGuest(principal);
}

export function isAnonymous(principal: Principal | null): principal is AnonymousCaller {
  return principal !== null && 'language' in principal;
}

export function isIntegration(principal: Principal | null): principal is IntegrationCaller {
  return principal !== null && 'integrationId' in principal;
}

/** A venue system, at its own address or at one that several venues share. */
export function isHook(principal: Principal | null): principal is HookCaller {
  return isIntegration(principal) || (principal !== null && 'sharedHookId' in principal);
}

export function isOperator(principal: Principal | null): principal is Operator {
  return principal !== null && 'isOperator' in principal;
}
