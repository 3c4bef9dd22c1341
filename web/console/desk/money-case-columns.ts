// The columns of the CSV files of money cases and disputes.

import type { MoneyCase } from '../client/types.gen.ts';
import type { Columns } from '../ui/csv.ts';

export const MONEY_CASE_COLUMNS: Columns<MoneyCase> = [
  ['kind', ({ kind }) => kind],
  ['id', ({ id }) => id],
  ['venue_id', ({ venue }) => venue.id],
  ['venue', ({ venue }) => venue.name],
  ['checkout_id', ({ checkout_id }) => checkout_id],
  ['amount', ({ amount }) => amount],
  ['currency', ({ currency }) => currency],
  ['what', ({ what }) => what],
  ['error', ({ error }) => error],
  ['remedy', ({ remedy }) => remedy],
  ['since', ({ since }) => since],
  ['tries', ({ tries }) => tries],
  ['next_try_at', ({ next_try_at }) => next_try_at],
  ['answer_by', ({ answer_by }) => answer_by],
  ['reserved_by', ({ reserved }) => reserved?.by ?? null],
  ['reserved_at', ({ reserved }) => reserved?.at ?? null],
];
