// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { sealNameOfRequest } from './request-log.ts';

export const REQUEST_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'request_log',
    column: 'failure',
    key: ['venue_id', 'mode', 'request_id', 'slot'],
    sealName: ({ venue_id = '', request_id = '' }) => sealNameOfRequest(venue_id, request_id),
  },
];
