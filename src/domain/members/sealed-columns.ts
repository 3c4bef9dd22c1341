// The columns of this folder's tables that hold sealed values, for the rotation of the encryption key.

import type { SealedColumn } from '../../base/seal.ts';
import { sealNameOfPhone } from './phone.ts';
import { sealNameOfTokenKey } from './token-keys.ts';

/** PostgreSQL writes a bytea as \\x and hex digits. */
const hashOf = (text: string | undefined): Buffer => Buffer.from((text ?? '').slice(2), 'hex');

export const MEMBER_SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    table: 'members',
    column: 'phone',
    key: ['member_id'],
    needs: ['phone_hash', 'invited_phone_hash'],
    sealName: ({ phone_hash, invited_phone_hash }) => sealNameOfPhone(hashOf(phone_hash ?? invited_phone_hash)),
  },
  {
    table: 'sign_in_challenges',
    column: 'phone',
    key: ['challenge_id'],
    needs: ['phone_hash'],
    sealName: ({ phone_hash }) => sealNameOfPhone(hashOf(phone_hash)),
  },
  {
    table: 'messages',
    column: 'phone',
    key: ['message_id'],
    needs: ['phone_hash'],
    sealName: ({ phone_hash }) => sealNameOfPhone(hashOf(phone_hash)),
  },
  {
    table: 'messages',
    column: 'body',
    key: ['message_id'],
    sealName: ({ message_id }) => `message ${message_id}`,
  },
  {
    table: 'token_keys',
    column: 'private_key',
    key: ['key_id'],
    sealName: ({ key_id }) => sealNameOfTokenKey(key_id ?? ''),
  },
];
