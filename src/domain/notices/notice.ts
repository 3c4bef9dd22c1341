// A notice to the people of a venue: its kinds, and what it says. It holds no data of a guest.

import type { Mode } from '../../base/config.ts';

export type NoticeKind = 'endpoint' | 'payout' | 'dispute' | 'review' | 'key_expiry' | 'payable' | 'live' | 'approval';

export interface NewNotice {
  readonly venueId: string;
  readonly mode: Mode;
  readonly kind: NoticeKind;
  /** What it is about and which change of it: a second notice with the same one is ignored. */
  readonly subject: string;
  readonly detail: Readonly<Record<string, string | number | boolean | null>>;
}

/** One that waits, or was taken to be mailed. */
export interface Notice {
  readonly id: string;
  readonly venueId: string;
  readonly mode: Mode;
  readonly kind: NoticeKind;
  readonly detail: Readonly<Record<string, unknown>>;
}
