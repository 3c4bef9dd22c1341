// Where a table or a function lives in a distributed installation. The domain says which has which
// (domain/installation/placements.ts).

export type Placement =
  /** Distributed by venue_id, all such tables together: the rows of a venue are on one worker. */
  | { readonly by: 'venue' }
  /** Distributed by a column of its own. `beside`: its rows are on the node that has those of this table with the same value. */
  | { readonly by: 'key'; readonly column: string; readonly beside?: string }
  /** The whole table on every node: rarely written, read beside the rows of a venue. */
  | { readonly by: 'copy' }
  /** On the coordinator alone. */
  | { readonly by: 'coordinator' };

export type FunctionPlacement =
  /** A call runs on the node that has the rows of `beside` for the value of the argument. */
  | {
      readonly by: 'argument';
      readonly argument: string;
      readonly beside: string;
      /** Also where a function on the coordinator calls it: then it may name no other table. */
      readonly isAlways: boolean;
    }
  | { readonly by: 'copy' }
  | { readonly by: 'coordinator' };
