// What the commands of guests work with, besides what payments and sign-in need.

import type { Random } from '../../../base/random.ts';
import type { RunOnce } from '../../idempotency/run-once.ts';
import type { SignInServices } from '../../members/sign-in.ts';
import type { Tokens } from '../../members/tokens.ts';
import type { PaymentServices } from '../payment-services.ts';

export interface GuestServices extends PaymentServices, SignInServices {
  readonly random: Random;
  readonly tokens: Tokens;
  /** Whether mails are sent, or stored for the outbox of the sandbox. */
  readonly hasMail: boolean;
  /** Runs a call with an Idempotency-Key at most once. */
  readonly runOnce: RunOnce;
  /** `{checkout_page_base}`: the address of every invite begins with it. */
  readonly pageBase: () => string;
}
