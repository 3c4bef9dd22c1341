// The operator's command that replaces the encryption key: seals everything again with the first key of ENCRYPTION_KEY.

import type { SealedColumn } from '../base/seal.ts';
import { ACCOUNT_SEALED_COLUMNS } from '../domain/accounts/sealed-columns.ts';
import { CHECKOUT_SEALED_COLUMNS } from '../domain/checkouts/sealed-columns.ts';
import { HOOK_SEALED_COLUMNS } from '../domain/hooks/sealed-columns.ts';
import { IDEMPOTENCY_SEALED_COLUMNS } from '../domain/idempotency/sealed-columns.ts';
import { rotateEncryption } from '../domain/installation/rotate-encryption.ts';
import { MAIL_SEALED_COLUMNS } from '../domain/mail/sealed-columns.ts';
import { MEMBER_SEALED_COLUMNS } from '../domain/members/sealed-columns.ts';
import { PAYMENT_SEALED_COLUMNS } from '../domain/payments/sealed-columns.ts';
import { ERASURE_SEALED_COLUMNS } from '../domain/privacy/erasure-queries.ts';
import { REQUEST_SEALED_COLUMNS } from '../domain/requests/sealed-columns.ts';
import { WEBHOOK_SEALED_COLUMNS } from '../domain/webhooks/sealed-columns.ts';
import type { Command } from './command-definition.ts';
import { ProgressBar } from './progress-bar.ts';

/** All sealed values of the database, except those of the installation itself. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...ACCOUNT_SEALED_COLUMNS,
  ...MEMBER_SEALED_COLUMNS,
  ...MAIL_SEALED_COLUMNS,
  ...CHECKOUT_SEALED_COLUMNS,
  ...PAYMENT_SEALED_COLUMNS,
  ...WEBHOOK_SEALED_COLUMNS,
  ...HOOK_SEALED_COLUMNS,
  ...IDEMPOTENCY_SEALED_COLUMNS,
  ...REQUEST_SEALED_COLUMNS,
  ...ERASURE_SEALED_COLUMNS,
];

const rotate: Command = {
  words: ['encryption', 'rotate'],
  arguments: [],
  help: 'seal everything again with the first key of ENCRYPTION_KEY, while servers run; says what is left',
  options: [],
  async run(input, open) {
    const { context, command } = await open();
    const bar = new ProgressBar('sealing', context.clock, input.flag('json') ? null : process.stderr);
    const onProgress = (done: number, total: number): void =>
      bar.show(done, done, total === 0 ? null : Math.min(1, done / total));
    const result = await rotateEncryption(context.db, command, SEALED_COLUMNS, onProgress);
    bar.end();
    const { resealed, left, unreadable, firstUnreadable } = result;
    const json = { resealed, left, unreadable, first_unreadable: firstUnreadable };
    const sealed = `${resealed} rows are sealed with the first key.`;
    if (unreadable > 0) {
      const failure = `${unreadable} rows open with none of the keys, the first is ${firstUnreadable}: add the key that sealed them.`;
      return { json, text: sealed, failure };
    }
    const outcome =
      left === 0
        ? 'No row is left with an older key: the older keys can be removed from ENCRYPTION_KEY.'
        : `${left} rows are left with an older key, written meanwhile: give every server the new list, then run this again.`;
    return { json, text: `${sealed} ${outcome}` };
  },
};

export const encryptionCommands: readonly Command[] = [rotate];
