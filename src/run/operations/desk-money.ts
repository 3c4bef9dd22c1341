// What the desk calls about money. Each action needs a fresh code, since it moves money or gives it up.

import { giveBack, oweReversal, payByHand, reserve } from '../../domain/desk/by-hand.ts';
import { requestReconcile, retryCapture, retryMovement, writeOffDebt } from '../../domain/desk/money-actions.ts';
import { getMoneyHealth } from '../../domain/desk/money-health.ts';
import type { AppOperation } from '../app-operation.ts';
import { only, plain } from './shapes.ts';

const DESK = { kind: 'external', audience: 'desk', tag: 'Desk', auth: 'desk' } as const;
const ACTION = {
  ...DESK,
  method: 'POST',
  effect: 'write',
  stepUp: 'always',
  errors: ['not_found', 'conflict'],
} as const;

export const deskMoney: readonly AppOperation[] = [
  {
    ...DESK,
    id: 'getMoneyHealth',
    method: 'GET',
    path: '/desk/api/money',
    summary: 'Get what needs a person about money',
    description:
      'Failed refunds, transfers and reversals, debts and disputes; what is tried again by itself; the last reconcile and ledger check.',
    effect: 'read',
    query: {
      type: 'object',
      properties: {
        mode: { type: 'string', enum: ['test', 'live'], default: 'live', description: 'The mode.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 200,
          default: 200,
          description: 'How many cases of each kind are listed. The figures count all.',
        },
      },
      additionalProperties: false,
    },
    responses: { 200: plain('What needs a person, and what waits.', 'money_health') },
    run: getMoneyHealth,
  },
  {
    ...ACTION,
    id: 'requestReconcile',
    path: '/desk/api/money/reconcile',
    summary: 'Compare a mode with the card processor now',
    description:
      'A worker begins within seconds, as it does every six hours, and settles what is open. What it finds is in `reconciles`. 404: the mode has no card processor.',
    body: only('reconcile_request'),
    responses: { 200: plain('The mode, and that it is due.', 'money_action', { id: 'live', status: 'due' }) },
    run: requestReconcile,
  },
  {
    ...ACTION,
    id: 'retryCapture',
    path: '/desk/api/money/venues/{venue_id}/checkouts/{id}/retry',
    summary: 'Charge the cards of a funded checkout now',
    description:
      'A card that is charged is never charged again. The answer is 200 `funded`, with `error`, when the processor failed again. 409 `not_funded`: nothing is left to charge.',
    responses: { 200: plain('The checkout and its status.', 'money_action', { status: 'completed' }) },
    run: retryCapture,
  },
  {
    ...ACTION,
    id: 'retryMovement',
    path: '/desk/api/money/venues/{venue_id}/movements/{id}/retry',
    summary: 'Try a refund, transfer or reversal again',
    description:
      'The worker sends it within a second. A failed one uses another key at the processor. 409 `not_retryable`: it is done, or not due yet; `already_reserved`: an operator pays it by hand.',
    responses: { 200: plain('The movement and its status.', 'money_action') },
    run: retryMovement,
  },
  {
    ...ACTION,
    id: 'reserveForPaymentByHand',
    path: '/desk/api/money/venues/{venue_id}/movements/{id}/reserve',
    summary: 'Reserve a failed refund or transfer for payment by hand',
    description:
      'Before you pay it: from now on it is not sent again. 409 `already_reserved`: another operator pays it. `take_over` with a `note` makes it yours, and at no moment it can be sent. `not_failed`: it was sent again; `charge_disputed`: a dispute of its charge is not decided.',
    body: only('reservation'),
    responses: { 200: plain('The movement and its status.', 'money_action', { status: 'failed' }) },
    run: reserve,
  },
  {
    ...ACTION,
    id: 'giveBackReserved',
    path: '/desk/api/money/venues/{venue_id}/movements/{id}/give_back',
    summary: 'Give a reserved refund or transfer back',
    description:
      'It was not paid by hand, and can be tried again. What another operator has reserved needs a `note` (422). 409 `not_failed`: it has an end; `already_reserved`: not since `reserved_at`.',
    body: only('reservation_return'),
    responses: { 200: plain('The movement and its status.', 'money_action', { status: 'failed' }) },
    run: giveBack,
  },
  {
    ...ACTION,
    id: 'oweReversal',
    path: '/desk/api/money/venues/{venue_id}/movements/{id}/owe',
    summary: 'Make a failed reversal a debt of the venue',
    description:
      'It is not tried again: later payouts settle it, or it is written off. 409 `not_failed`: it is no failed reversal.',
    responses: { 200: plain('The reversal and its status.', 'money_action', { status: 'owed' }) },
    run: oweReversal,
  },
  {
    ...ACTION,
    id: 'payByHand',
    path: '/desk/api/money/venues/{venue_id}/movements/{id}/pay_by_hand',
    summary: 'Record that a reserved refund or transfer was paid outside',
    description:
      'It is never sent again. The ledger has it as paid elsewhere. 409 `not_reserved`: you have not reserved it; `not_failed`: it has not failed.',
    body: only('manual_payment'),
    responses: { 200: plain('The movement and its status.', 'money_action', { status: 'closed' }) },
    run: payByHand,
  },
  {
    ...ACTION,
    id: 'writeOffDebt',
    path: '/desk/api/money/venues/{venue_id}/movements/{id}/write_off',
    summary: 'Write off what a venue owes',
    description: 'The loss is ours, and the ledger has it. 409 `debt_changed`: the venue owes another amount by now.',
    body: only('debt_write_off'),
    responses: { 200: plain('The debt.', 'money_action', { status: 'written_off' }) },
    run: writeOffDebt,
  },
];
