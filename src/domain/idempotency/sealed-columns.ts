// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { sealNameOfResponse } from './stored-responses.ts';

export const IDEMPOTENCY_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'idempotency_keys',
    column: 'response',
    key: ['venue_id', 'mode', 'idempotency_key'],
    sealName: ({ venue_id = '', mode = '', idempotency_key = '' }) =>
      sealNameOfResponse({ venueId: venue_id, mode, key: idempotency_key }),
  },
];
