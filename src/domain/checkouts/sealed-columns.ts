// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';

export const CHECKOUT_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'invites',
    column: 'token',
    key: ['venue_id', 'share_id'],
    sealName: ({ share_id }) => `invite ${share_id}`,
  },
  {
    table: 'party_drafts',
    column: 'draft',
    key: ['venue_id', 'checkout_id', 'member_id'],
    sealName: ({ checkout_id, member_id }) => `party draft ${checkout_id} ${member_id}`,
  },
];
