// The life of a hold: a card is asked, may have to be approved by its owner, is held, captured, released or lapses.
// Every change of an intent's status that money follows from is in this file.

import { type CardDecline, cardByName, declines, type TestCard } from './cards.ts';
import { openDispute } from './disputes.ts';
import { cannot, Refusal } from './refusal.ts';
import type { ChargeRow, IntentRow, MethodRow } from './rows.ts';
import { chargeWire, guestIntentWire, intentWire } from './shapes.ts';
import type { Work } from './work.ts';

const HOLD_SECONDS = 7 * 86_400;

export interface Asking {
  readonly offSession: boolean;
  readonly returnUrl: string | null;
  /** The answer goes to a browser that has only the publishable key. */
  readonly byGuest: boolean;
}

/** Asks the card. Throws the decline, which is in the books by then. */
export function askCard(work: Work, before: IntentRow, method: MethodRow, asking: Asking): IntentRow {
  const card = cardByName(method.card);
  const intent: IntentRow = {
    ...before,
    method: method.id,
    returnUrl: asking.returnUrl,
    offSession: asking.offSession,
  };
  const decline = card.decline ?? (asking.offSession ? card.declineOffSession : undefined);
  if (decline !== undefined) throw refuse(work, intent, method, decline, asking.byGuest);
  if (card.authentication === 'always' && !asking.offSession) {
    const waiting = work.put('intents', {
      ...intent,
      status: 'requires_action',
      challenge: work.secretWord(),
      failure: null,
    });
    work.raise('payment_intent.requires_action', intentWire(work, waiting));
    return waiting;
  }
  return holdOrPay(work, intent, method, card, false);
}

/** The owner has answered on the 3-D Secure page. Never throws for a decline: the page shows what came of it. */
export function answerChallenge(work: Work, intent: IntentRow, approved: boolean): IntentRow {
  const method = work.need('methods', intent.method ?? '');
  const card = cardByName(method.card);
  const decline = approved ? card.declineAfterAuthentication : declines.failedAuthentication;
  if (decline !== undefined) return recordDecline(work, intent, method, decline);
  return holdOrPay(work, intent, method, card, true);
}

function recordDecline(work: Work, intent: IntentRow, method: MethodRow, decline: CardDecline): IntentRow {
  const { code, decline: word, message } = decline;
  // An owner who did not approve never got as far as the bank: there is no charge then.
  const reached = decline !== declines.failedAuthentication;
  const charge = reached ? newCharge(work, intent, method, decline, false) : null;
  const failed = work.put('intents', {
    ...intent,
    status: 'requires_payment_method',
    method: null,
    challenge: null,
    charge: charge?.id ?? intent.charge,
    failure: { code, decline: word, message, charge: charge?.id ?? null, method: method.id },
  });
  work.raise('payment_intent.payment_failed', intentWire(work, failed));
  return failed;
}

function refuse(work: Work, intent: IntentRow, method: MethodRow, decline: CardDecline, byGuest: boolean): Refusal {
  const failed = recordDecline(work, intent, method, decline);
  return cardRefusal(work, failed, decline, byGuest);
}

function cardRefusal(work: Work, intent: IntentRow, decline: CardDecline, byGuest: boolean): Refusal {
  const error = {
    type: 'card_error' as const,
    code: decline.code,
    ...(decline.decline === null ? {} : { decline_code: decline.decline }),
    message: decline.message,
    ...(intent.charge === null || byGuest ? {} : { charge: intent.charge }),
    payment_intent: byGuest ? guestIntentWire(work, intent) : intentWire(work, intent),
  };
  return new Refusal(402, error, true);
}

function newCharge(
  work: Work,
  intent: IntentRow,
  method: MethodRow,
  failure: CardDecline | null,
  authenticated: boolean,
): ChargeRow {
  const card = cardByName(method.card);
  return work.put('charges', {
    id: work.newId('ch'),
    created: work.now,
    intent: intent.id,
    amount: card.half === true && failure === null ? Math.ceil(intent.amount / 2) : intent.amount,
    currency: intent.currency,
    customer: intent.customer,
    method: method.id,
    description: intent.description,
    group: intent.group,
    metadata: intent.metadata,
    failure: failure === null ? null : { code: failure.code, decline: failure.decline, message: failure.message },
    authenticated,
    captured: false,
    amountCaptured: 0,
    refunded: 0,
    released: false,
    transferred: 0,
    dispute: null,
    captureBefore:
      failure === null && intent.capture === 'manual' ? work.now + (card.holdSeconds ?? HOLD_SECONDS) : null,
    captureTries: 0,
  });
}

function holdOrPay(
  work: Work,
  intent: IntentRow,
  method: MethodRow,
  card: TestCard,
  authenticated: boolean,
): IntentRow {
  const charge = newCharge(work, intent, method, null, authenticated);
  if (intent.customer !== null && intent.futureUse !== null && method.customer === null) {
    work.put('methods', { ...method, customer: intent.customer });
  }
  const agreed: IntentRow = { ...intent, charge: charge.id, failure: null, challenge: null };
  if (intent.capture !== 'manual') return pay(work, agreed, charge, charge.amount, card);
  const held = work.put('intents', { ...agreed, status: 'requires_capture', capturable: charge.amount });
  work.raise('payment_intent.amount_capturable_updated', intentWire(work, held));
  return held;
}

function pay(work: Work, intent: IntentRow, charge: ChargeRow, amount: number, card: TestCard): IntentRow {
  const captured = work.put('charges', { ...charge, captured: true, amountCaptured: amount });
  const paid = work.put('intents', { ...intent, status: 'succeeded', capturable: 0, received: amount });
  if (intent.capture === 'manual') work.raise('charge.captured', chargeWire(work, captured));
  else work.raise('charge.succeeded', chargeWire(work, captured));
  work.raise('payment_intent.succeeded', intentWire(work, paid));
  if (card.disputed !== undefined) openDispute(work, captured, amount, card.disputed);
  return paid;
}

export function captureHold(work: Work, intent: IntentRow, wanted: number | null): IntentRow {
  if (intent.status !== 'requires_capture') {
    const why =
      intent.status === 'succeeded'
        ? 'it has already been captured'
        : `it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be captured: requires_capture`;
    throw unexpected(work, intent, `This PaymentIntent could not be captured because ${why}.`);
  }
  const amount = wanted ?? intent.capturable;
  if (amount > intent.capturable) {
    const message = `The amount_to_capture (${amount}) is greater than the amount that can be captured (${intent.capturable}).`;
    throw cannot('amount_too_large', message, { param: 'amount_to_capture' });
  }
  const charge = work.need('charges', intent.charge ?? '');
  const card = cardByName(work.need('methods', charge.method).card);
  const failing = card.failingCaptures ?? 0;
  if (card.captureDecline !== undefined && (failing < 0 || charge.captureTries < failing)) {
    work.put('charges', { ...charge, captureTries: charge.captureTries + 1 });
    throw cardRefusal(work, intent, card.captureDecline, false);
  }
  return pay(work, intent, charge, amount, card);
}

export function unexpected(work: Work, intent: IntentRow, message: string): Refusal {
  return cannot('payment_intent_unexpected_state', message, { payment_intent: intentWire(work, intent) });
}

/** Ends an intent without money: asked for, or because the hold's time is over. */
export function endIntent(work: Work, intent: IntentRow, reason: string | null): IntentRow {
  if (intent.charge !== null) {
    const charge = work.need('charges', intent.charge);
    if (charge.failure === null) work.put('charges', { ...charge, released: true });
  }
  const ended = work.put('intents', {
    ...intent,
    status: 'canceled',
    capturable: 0,
    challenge: null,
    canceledAt: work.now,
    cancelReason: reason,
  });
  work.raise('payment_intent.canceled', intentWire(work, ended));
  return ended;
}
