// The keys of a state beyond one page: for the search, which the API does not have, and for the CSV file.

import type { RequestOptions } from '../../../../sdk/src/api.ts';
import type { Client } from '../../client/api.ts';
import type { RequestSummary } from '../../client/types.gen.ts';
import type { Columns } from '../../ui/csv.ts';
import { MAX_PAGE_ROWS } from '../../ui/list-csv-button.tsx';
import { contains } from '../../ui/search-field.tsx';
import type { Key } from './key-words.ts';

/** A venue has at most 100 active keys in a mode; expired and revoked ones can be more. */
export const MAX_SEARCHED = 1_000;

/** Newest first, at most `limit`. */
export function readKeys(
  { console: api }: Client,
  status: Key['status'],
  limit: number,
  options: RequestOptions = {},
): Promise<Key[]> {
  return api.listKeys({ status, limit: MAX_PAGE_ROWS }, options).toArray({ limit });
}

export const isKeyFound = ({ name, hint, id }: Key, text: string): boolean => contains(text, [name, hint, id]);

export const totalOf = ({ keys }: RequestSummary, id: string): number =>
  keys.find(({ key }) => key.id === id)?.total ?? 0;

/** `summary`: of the requests of the last 7 days; undefined: it is not read yet, and its column is empty. */
export const keyColumns = (summary: RequestSummary | undefined): Columns<Key> => [
  ['id', ({ id }) => id],
  ['name', ({ name }) => name],
  ['kind', ({ kind }) => kind],
  ['mode', ({ mode }) => mode],
  ['hint', ({ hint }) => hint],
  ['status', ({ status }) => status],
  ['scopes', ({ scopes }) => scopes.join(' ')],
  ['allow_ips', ({ allow_ips }) => allow_ips.join(' ')],
  ['created_at', ({ created_at }) => created_at],
  ['expires_at', ({ expires_at }) => expires_at],
  ['revoked_at', ({ revoked_at }) => revoked_at],
  ['rolled_to', ({ rolled_to }) => rolled_to],
  ['last_used_at', ({ last_used_at }) => last_used_at],
  ['last_used_address', ({ last_used_address }) => last_used_address],
  ['requests_7_days', ({ id }) => (summary === undefined ? null : totalOf(summary, id))],
];
