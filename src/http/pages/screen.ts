// What one state of a checkout's page shows; `screens.ts` chooses it, and the layout puts it together.

import type { Piece } from './html.ts';
import type { Poster } from './poster.ts';

export interface Screen {
  readonly poster: Poster;
  readonly main: Piece;
  readonly bar?: Piece;
  /** The state may change without the guest. */
  readonly shouldPoll?: boolean;
  readonly hasPayForm?: boolean;
  readonly hasPartyForm?: boolean;
}
