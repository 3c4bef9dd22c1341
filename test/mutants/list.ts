// Known bugs, each as a small change of one file, and the tests that must notice it. A line that is no longer found is a mistake of
// this list: list.test.ts says so, and the run calls it broken.

import { DOOR_BUGS } from './door-bugs.ts';
import { GUARD_BUGS } from './guard-bugs.ts';
import { LEASE_BUGS } from './lease-bugs.ts';
import { MESSAGE_BUGS } from './message-bugs.ts';
import { MONEY_BUGS } from './money-bugs.ts';

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
  /** What the bug is, as somebody would say it afterwards. */
  readonly bug: string;
  readonly file: string;
  readonly from: string;
  /** In how many places at once; in one unless told. */
  readonly places?: number;
  readonly to: string;
  /** Where it must be noticed: test files, or seeds of the simulation. */
  readonly tests: readonly string[] | 'simulation';
}

export const MUTANTS: readonly Mutant[] = [...MONEY_BUGS, ...LEASE_BUGS, ...MESSAGE_BUGS, ...DOOR_BUGS, ...GUARD_BUGS];
