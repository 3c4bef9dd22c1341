// Known bugs, each as a small change of one file, and the tests that must notice it. list.test.ts fails when a quoted
// line is no longer in its file.

import { ACCESS_BUGS } from './access-bugs.ts';
import { ACCOUNT_BUGS } from './account-bugs.ts';
import { CONSOLE_BUGS } from './console-bugs.ts';
import { DEBT_BUGS } from './debt-bugs.ts';
import { DESK_BUGS } from './desk-bugs.ts';
import { GUARD_BUGS } from './guard-bugs.ts';
import { GUEST_PAGE_BUGS } from './guest-page-bugs.ts';
import { KEY_BUGS } from './key-bugs.ts';
import { LEASE_BUGS } from './lease-bugs.ts';
import { LEAVE_BUGS } from './leave-bugs.ts';
import { MESSAGE_BUGS } from './message-bugs.ts';
import { MONEY_BUGS } from './money-bugs.ts';
import { OVERLOAD_BUGS } from './overload-bugs.ts';
import { PASSKEY_BUGS } from './passkey-bugs.ts';
import { PROCESSOR_BUGS } from './processor-bugs.ts';
import { READER_BUGS } from './reader-bugs.ts';
import { REFUND_BUGS } from './refund-bugs.ts';
import { RENEWAL_BUGS } from './renewal-bugs.ts';
import { REQUEST_LOG_BUGS } from './request-log-bugs.ts';
import { SDK_BUGS } from './sdk-bugs.ts';
import { STREAM_BUGS } from './stream-bugs.ts';

export interface Mutant {
  readonly area:
    | 'money'
    | 'idempotency'
    | 'events'
    | 'walls'
    | 'limits'
    | 'catalogue'
    | 'hooks'
    | 'guests'
    | 'analytics'
    | 'tools'
    | 'logs';
  /** What the program does wrong with the bug, as a bug report would say it. */
  readonly bug: string;
  readonly file: string;
  readonly from: string;
  /** In how many places `from` occurs; 1 by default. All of them are changed. */
  readonly places?: number;
  readonly to: string;
  /** What must notice the bug: test files, or seeds of the simulation. */
  readonly tests: readonly string[] | 'simulation';
}

export const MUTANTS: readonly Mutant[] = [
  ...MONEY_BUGS,
  ...LEASE_BUGS,
  ...MESSAGE_BUGS,
  ...ACCESS_BUGS,
  ...GUARD_BUGS,
  ...PROCESSOR_BUGS,
  ...DEBT_BUGS,
  ...DESK_BUGS,
  ...REFUND_BUGS,
  ...ACCOUNT_BUGS,
  ...CONSOLE_BUGS,
  ...READER_BUGS,
  ...REQUEST_LOG_BUGS,
  ...KEY_BUGS,
  ...PASSKEY_BUGS,
  ...RENEWAL_BUGS,
  ...OVERLOAD_BUGS,
  ...STREAM_BUGS,
  ...GUEST_PAGE_BUGS,
  ...LEAVE_BUGS,
  ...SDK_BUGS,
];
