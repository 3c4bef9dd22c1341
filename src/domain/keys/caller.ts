// Who is calling, once they are known: the venue, the mode and the key they come with, and how the audit log names them.

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

/** What a caller came to read, found in the same question as their key: theirs, and as it was after they came. */
export interface PrefetchedCheckout {
  /** The partner's view as JSON text. */
  readonly json: string;
  /** Its time is up and nobody has said so yet. */
  readonly overdue: boolean;
}

/** A caller with a key, in the middle of an act. */
export interface Caller extends CommandContext {
  readonly venue: Venue;
  readonly mode: Mode;
  readonly key: CallerKey;
  /** Null: there is no such thing. Absent: nobody has looked yet. */
  readonly prefetched?: PrefetchedCheckout | null;
}
