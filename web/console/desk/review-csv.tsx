// The review queue as a CSV file, in the order of the queue.

import type { JSX } from 'preact';
import type { ListReviewsParams } from '../client/operations.gen.ts';
import type { ReviewItem } from '../client/types.gen.ts';
import type { Columns } from '../ui/csv.ts';
import { ListCsvButton, MAX_PAGE_ROWS } from '../ui/list-csv-button.tsx';
import { desk } from './session.ts';

const COLUMNS: Columns<ReviewItem> = [
  ['id', ({ id }) => id],
  ['external_id', ({ external_id }) => external_id],
  ['kind', ({ kind }) => kind],
  ['mode', ({ mode }) => mode],
  ['status', ({ status }) => status],
  ['title', ({ title }) => title],
  ['venue_id', ({ venue }) => venue.id],
  ['venue', ({ venue }) => venue.name],
  ['is_change', ({ is_change }) => String(is_change)],
  ['waiting_since', ({ waiting_since }) => waiting_since],
];

export function ReviewCsv({ query }: { readonly query: ListReviewsParams }): JSX.Element {
  return (
    <ListCsvButton
      name="reviews"
      columns={COLUMNS}
      rows={(limit) => desk.listReviews({ ...query, limit: MAX_PAGE_ROWS }).toArray({ limit })}
    />
  );
}
