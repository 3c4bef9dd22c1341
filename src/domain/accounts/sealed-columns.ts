// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { sealNameOfAccount, sealNameOfChallenge } from './account.ts';
import { sealNameOfInvitation } from './invitations.ts';

export const ACCOUNT_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'accounts',
    column: 'email',
    key: ['account_id'],
    sealName: ({ account_id }) => sealNameOfAccount(account_id ?? ''),
  },
  {
    table: 'account_challenges',
    column: 'email',
    key: ['challenge_id'],
    sealName: ({ challenge_id }) => sealNameOfChallenge(challenge_id ?? ''),
  },
  {
    table: 'venue_invitations',
    column: 'email',
    key: ['venue_id', 'invitation_id'],
    sealName: ({ invitation_id }) => sealNameOfInvitation(invitation_id ?? ''),
  },
];
