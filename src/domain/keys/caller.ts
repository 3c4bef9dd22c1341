// A caller that has been authorized for a venue and mode: its key, and how the audit log names it.

import type { CommandContext } from '../../base/command-context.ts';
import type { Mode } from '../../base/config.ts';
import type { Venue } from '../venues/venue.ts';
import type { KeyKind } from './key.ts';

export interface CallerKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly scopes: readonly string[];
  readonly writesPerHour: number;
  readonly readsPerHour: number;
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

/**
 * The checkout of a read request, fetched in the same statement as the key. It belongs to the caller's venue and
 * mode.
 */
export interface PrefetchedCheckout {
  /** The partner's view as JSON text. */
  readonly json: string;
  /** Its expiry time has passed, but it has not been expired yet. */
  readonly overdue: boolean;
}

/** The context of a command that a caller with a key runs, or a person in the console. */
export interface Caller extends CommandContext {
  readonly venue: Venue;
  readonly mode: Mode;
  /** Null: a session of the console. */
  readonly key: CallerKey | null;
  /** Null: the venue has no such checkout. Absent or undefined: it was not fetched. */
  readonly prefetched?: PrefetchedCheckout | null | undefined;
}
