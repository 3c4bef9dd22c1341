// What an operator can do about money that is stuck, in words, by the error that was recorded. The desk shows it beside the case.

import { VENUE_NOT_PAYABLE } from '../checkouts/capture/decide-capture.ts';
import type { OpenDispute, StuckMovement } from '../payments/money-health-queries.ts';
import { CHARGE_DISPUTED } from '../payments/settle-refund.ts';

export function captureRemedy(error: string | null): string {
  if (error === null)
    return 'No try has failed: check that a worker runs, then try now. A card that is charged is not charged again.';
  if (error === VENUE_NOT_PAYABLE)
    return 'The processor cannot pay the venue, so no card is charged. Its page says what its account lacks. Once that is mended, try now; at its deadline the checkout is canceled and the cards are released.';
  return 'The worker tries again by itself. If the processor answers others, try now. A card that is charged is not charged again.';
}

export function disputeRemedy({ status }: OpenDispute): string {
  if (status.endsWith('needs_response'))
    return 'Answer it in the processor’s dashboard, with the booking and what the guest agreed to. Without an answer in time it is lost.';
  return 'It is answered: the guest’s bank decides. Nothing to do.';
}

export function movementRemedy({ kind, status, error, byHandBy }: StuckMovement): string {
  if (byHandBy !== null)
    return 'It is reserved for payment by hand, and not sent again. Mark it as paid with the reference, or give it back if it was not paid.';
  if (status === 'waiting') return 'Check that a worker runs, then try now.';
  if (status !== 'failed') return 'The worker tries again by itself. Try now if the cause is mended.';
  const known = error === null ? undefined : FAILED_REMEDIES[error];
  return known ?? OTHER_REMEDIES[kind];
}

/** By the code with which the processor refused it. */
const FAILED_REMEDIES: Readonly<Record<string, string>> = {
  insufficient_capabilities_for_transfer:
    'The venue’s account cannot take transfers. Its page says what the account lacks; once that is mended, try now: the transfer is sent under a new key.',
  account_invalid:
    'The processor does not know the venue’s account, or we lost access to it. Connect the venue’s payouts again, then try now: the transfer is sent under a new key.',
  balance_insufficient:
    'Our balance at the processor did not cover it. Add funds there, then try now: it is sent under a new key.',
  transfer_failed: 'The transfer that it takes back has failed. Try that payout first, then this reversal.',
  amount_too_large:
    'The processor has less left of the charge than this amount: someone has moved money there. Run the reconcile before anything else.',
  charge_already_refunded:
    'The processor says that the charge is refunded already: look it up there before you pay. Trying again does not help.',
  [CHARGE_DISPUTED]:
    'The dispute of this charge is lost, and the processor pays nothing more out of it. Pay another way if the guest is still owed money.',
};

const OTHER_REMEDIES: Readonly<Record<StuckMovement['kind'], string>> = {
  refund:
    'Try now: it is sent under a new key. If the guest’s card is closed, reserve it, pay another way, and mark it with the reference.',
  return:
    'Try now: it is sent under a new key. If the guest’s card is closed, reserve it, pay another way, and mark it with the reference.',
  transfer:
    'Look up the code in the processor’s dashboard, mend the venue’s account, then try now: it is sent under a new key. If the account is closed, reserve it, pay the venue another way, and mark it with the reference.',
  reversal:
    'Look up the code in the processor’s dashboard, then try now: it is sent under a new key. If it cannot be taken back, make it a debt: later payouts settle it, or you write it off.',
};
