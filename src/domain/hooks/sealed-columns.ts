// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { secretRow } from './integration.ts';
import { credentialsRow } from './readers/credentials.ts';
import { bodyRow } from './receive.ts';

export const HOOK_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'integrations',
    column: 'secret',
    key: ['venue_id', 'integration_id'],
    sealName: ({ venue_id = '', integration_id = '' }) => secretRow(venue_id, integration_id),
  },
  {
    table: 'integration_readers',
    column: 'credentials',
    key: ['venue_id', 'integration_id'],
    sealName: ({ venue_id = '', integration_id = '' }) => credentialsRow(venue_id, integration_id),
  },
  {
    table: 'inbound_deliveries',
    column: 'body',
    key: ['venue_id', 'delivery_id'],
    sealName: ({ venue_id = '', delivery_id = '' }) => bodyRow(venue_id, delivery_id),
  },
];
