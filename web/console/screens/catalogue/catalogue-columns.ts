// The columns of the catalogue's CSV file.

import type { CatalogueItem } from '../../client/types.gen.ts';
import type { Columns } from '../../ui/csv.ts';

export const CATALOGUE_COLUMNS: Columns<CatalogueItem> = [
  ['id', ({ id }) => id],
  ['external_id', ({ external_id }) => external_id],
  ['kind', ({ kind }) => kind],
  ['title', ({ title }) => title],
  ['category', ({ category }) => category],
  ['status', ({ status }) => status],
  ['review_note', ({ review_note }) => review_note],
  ['is_visible', ({ is_visible }) => String(is_visible)],
  ['is_change_waiting', ({ is_change_waiting }) => String(is_change_waiting)],
  ['price_amount', ({ price }) => price?.amount ?? null],
  ['price_currency', ({ price }) => price?.currency ?? null],
  ['price_unit', ({ price }) => price?.unit ?? null],
  ['next_slot', ({ next_slot }) => next_slot],
  ['changed_at', ({ changed_at }) => changed_at],
  ['reviewed_at', ({ reviewed_at }) => reviewed_at],
];
