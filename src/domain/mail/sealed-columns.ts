// The columns of this folder's table that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { sealNameOf } from './mail.ts';

export const MAIL_SEALED_COLUMNS: readonly SealedColumn[] = (['address', 'content'] as const).map((column) => ({
  table: 'mails',
  column,
  key: ['mail_id'],
  sealName: ({ mail_id }) => sealNameOf(column, mail_id ?? ''),
}));
