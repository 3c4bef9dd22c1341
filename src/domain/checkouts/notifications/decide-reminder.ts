// Whether an organizer may remind one guest now, and when the text is sent. Pure, and made under the checkout's row lock. A
// guest is reminded at most once in three hours, by the organizer or by the service, and never in quiet hours.

import { isOverdue, isUnpaid, type LockedCheckout, type ShareState } from '../locked-checkout.ts';
import { afterQuietHours, nextQuietHours } from './reminders.ts';

export const MIN_REMINDER_GAP_MS = 3 * 3_600_000;

export type ReminderRefusal =
  | 'checkout_past_pay_by'
  | 'checkout_not_collecting'
  | 'share_already_held'
  | 'own_share'
  | 'open_seat'
  | 'quiet_hours';

export interface ReminderRequest {
  readonly share: ShareState;
  readonly isOpenSeat: boolean;
  /** The last reminder, in the checkout's own time; null: none yet. */
  readonly remindedAt: number | null;
  readonly zone: string;
}

export type ReminderDecision =
  | { readonly refusal: ReminderRefusal }
  /** The guest was reminded a short time ago: nothing is sent. */
  | { readonly isRepeat: true; readonly remindedAt: number }
  /** All times are in the checkout's own time. */
  | { readonly isRepeat: false; readonly remindedAt: number; readonly sendBefore: number };

export function decideReminder(checkout: LockedCheckout, request: ReminderRequest, now: number): ReminderDecision {
  const { share, zone, remindedAt } = request;
  if (isOverdue(checkout, now) || checkout.status === 'expired') return { refusal: 'checkout_past_pay_by' };
  if (checkout.status !== 'collecting') return { refusal: 'checkout_not_collecting' };
  if (!isUnpaid(share)) return { refusal: 'share_already_held' };
  if (share.isOrganizer) return { refusal: 'own_share' };
  if (request.isOpenSeat) return { refusal: 'open_seat' };
  const checkoutNow = now + checkout.clockAhead;
  if (remindedAt !== null && checkoutNow < remindedAt + MIN_REMINDER_GAP_MS) return { isRepeat: true, remindedAt };
  const sendAt = afterQuietHours(checkoutNow, zone);
  if (sendAt >= checkout.payBy) return { refusal: 'quiet_hours' };
  return { isRepeat: false, remindedAt: sendAt, sendBefore: Math.min(checkout.payBy, nextQuietHours(sendAt, zone)) };
}
