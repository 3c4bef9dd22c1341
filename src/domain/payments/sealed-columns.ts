// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';

export const PAYMENT_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'holds',
    column: 'client_secret',
    key: ['venue_id', 'hold_id'],
    sealName: ({ venue_id, hold_id }) => `hold ${venue_id} ${hold_id}`,
  },
];
