// An account of the console: a person with a mail address. How the address is stored, and the callers that a session
// gives: the person alone, or the person in one venue and mode.

import type { CommandContext } from '../../base/command-context.ts';
import type { Seal } from '../../base/seal.ts';
import type { Caller } from '../keys/caller.ts';
import type { OperatorRole } from './operator-roles.ts';
import type { Role } from './roles.ts';

/** A person who is signed in to the console. */
export interface AccountCaller extends CommandContext {
  readonly account: { readonly id: string; readonly email: string; readonly name: string | null };
  readonly session: CurrentSession;
}

/** A person who is signed in, in the venue and mode that the request names. Runs what a secret key runs. */
export interface TeamCaller extends AccountCaller, Caller {
  readonly key: null;
  readonly role: Role;
}

/** An operator at the desk: a person who runs the service. */
export interface DeskCaller extends AccountCaller {
  readonly operatorRole: OperatorRole;
}

/** Times in milliseconds. */
export interface CurrentSession {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** When the person last proved who they are with a code; null: at the sign-in alone. */
  readonly steppedUpAt: number | null;
  /** Of the last use, to five minutes. */
  readonly address: string | null;
  /** Browser and system in words. */
  readonly device: string | null;
  /** The account had not signed in in this browser in the 90 days before. */
  readonly isNewDevice: boolean;
}

/** A domain is the same in any case, and so is nearly every mailbox. */
export function hashOfEmail(seal: Seal, email: string): Buffer {
  return seal.fingerprint(email.toLowerCase(), 'account email');
}

export function sealNameOfAccount(accountId: string): string {
  return `account email ${accountId}`;
}

export function sealNameOfChallenge(challengeId: string): string {
  return `account challenge ${challengeId}`;
}

/** How the audit log names an account. */
export function actorNameOf(accountId: string): string {
  return `account ${accountId}`;
}

/** How the audit log names an account at the desk: its venue reads that an operator did it, and not which one. */
export function operatorNameOf(accountId: string): string {
  return `operator ${accountId}`;
}

/** The account of an operator at the desk; null: the actor is none. */
export function operatorOfActor(actor: string): string | null {
  return actor.startsWith('operator ') ? actor.slice('operator '.length) : null;
}

/** The account that the audit log names; null: the actor is no account. */
export function accountOfActor(actor: string): string | null {
  return actor.startsWith('account ') ? actor.slice('account '.length) : null;
}
