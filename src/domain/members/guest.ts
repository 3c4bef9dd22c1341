// The callers without an API key: a signed-in member, or an anonymous caller who signs in. Used by guest operations.

import type { CommandContext } from '../../base/command-context.ts';
import type { Language } from '../../base/translations.ts';

export interface Guest extends CommandContext {
  readonly memberId: string;
}

/** A caller who is not signed in; limits count by address. */
export interface AnonymousCaller extends CommandContext {
  readonly address: string;
  /** The browser's preferred language; null: it sent none. */
  readonly language: Language | null;
  /** Of a caller who signs in to the console. */
  readonly browser?: { readonly deviceToken: string | null; readonly userAgent: string | null };
}

export function isGuest(principal: object): principal is Guest {
  return 'memberId' in principal;
}
