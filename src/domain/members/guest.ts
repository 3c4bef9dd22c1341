// Who comes without a key: a signed-in member, or a stranger who wants to become one. What guest operations are handed.

import type { CommandContext } from '../../base/command-context.ts';
import type { Language } from '../../base/translations.ts';

export interface Guest extends CommandContext {
  readonly memberId: string;
  /** The party that they were looking at while they chose, as `partySeen` names it: whoever sat down since is not thrown out. */
  readonly partyVersion?: string;
}

/** Nobody knows them yet; their address is what counts against them. */
export interface AnonymousCaller extends CommandContext {
  readonly address: string;
  /** What their browser asked for; null: it did not say. */
  readonly language: Language | null;
}

export function isGuest(principal: object): principal is Guest {
  return 'memberId' in principal;
}
