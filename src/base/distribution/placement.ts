// Where a table lives in a distributed installation. The domain says which table has which (domain/installation/placements.ts).

export type Placement =
  /** Distributed by venue_id, all such tables together: the rows of a venue are on one worker. */
  | { readonly by: 'venue' }
  /** Distributed by the column that leads to a venue. */
  | { readonly by: 'key'; readonly column: string }
  /** The whole table on every node: rarely written, read beside the rows of a venue. */
  | { readonly by: 'copy' }
  /** On the coordinator alone. */
  | { readonly by: 'coordinator' };
