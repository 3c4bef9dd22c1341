// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { secretRow } from './deliveries/signature.ts';

const ENDPOINT = {
  table: 'webhook_endpoints',
  key: ['venue_id', 'endpoint_id'],
  sealName: ({ venue_id = '', endpoint_id = '' }: Readonly<Record<string, string>>) => secretRow(venue_id, endpoint_id),
} as const;

export const WEBHOOK_SEALED_COLUMNS: readonly SealedColumn[] = [
  { ...ENDPOINT, column: 'secret' },
  { ...ENDPOINT, column: 'earlier_secrets', isArray: true },
];
