// What the organizer and the guests of a party do from a browser.

import { viewAsGuest } from '../../domain/checkouts/guests/guest-view.ts';
import { mailReceipt } from '../../domain/checkouts/guests/receipt.ts';
import { holdAsGuest } from '../../domain/checkouts/holds/hold-as-guest.ts';
import { remindShare } from '../../domain/checkouts/notifications/remind-share.ts';
import { chooseParty } from '../../domain/checkouts/party/choose-party.ts';
import { claimSeatAsGuest } from '../../domain/checkouts/party/claim-seat.ts';
import { signIn, verifySignIn } from '../../domain/members/sign-in-operations.ts';
import type { AppOperation } from '../app-operation.ts';
import { GUEST_WITH_SEAT } from './examples.ts';
import { only, plain } from './shapes.ts';

export const guests: readonly AppOperation[] = [
  {
    id: 'viewCheckout',
    kind: 'external',
    method: 'GET',
    path: '/v1/public/checkouts/{id}',
    tag: 'Guests',
    summary: 'Get the guest’s view of a checkout',
    description: 'With a publishable key from a registered origin, or as a signed-in member.',
    auth: 'guest',
    effect: 'read',
    responses: { 200: plain('The checkout, without fees, metadata and booking id.', 'guest_checkout') },
    errors: ['not_found'],
    run: viewAsGuest,
  },
  {
    id: 'chooseParty',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/checkouts/{id}/party',
    tag: 'Guests',
    summary: 'Choose the party and the split',
    description: 'An Idempotency-Key belongs to the member and the checkout.',
    idempotent: true,
    auth: 'member',
    effect: 'write',
    body: only('party'),
    responses: { 200: plain('The checkout and an invite for each share.', 'party_result') },
    errors: ['not_found', 'not_organizer', 'conflict'],
    run: chooseParty,
  },
  {
    id: 'takeSeat',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/checkouts/{id}/seat',
    tag: 'Guests',
    summary: 'Take an open seat of the party',
    description:
      'A member who opens the link of the party takes a seat that has no name yet. A member who has a share in this checkout already gets that share.',
    auth: 'member',
    effect: 'write',
    body: only('seat'),
    responses: { 200: plain('The checkout, with the seat as `my_share_id`.', 'guest_checkout', GUEST_WITH_SEAT) },
    errors: ['not_found', 'conflict'],
    run: claimSeatAsGuest,
  },
  {
    id: 'holdShare',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/shares/{share_id}/hold',
    tag: 'Guests',
    summary: 'Hold one share on a card',
    description:
      'Without a body the card form pays. To cover several shares with one card, hold the first with `save_card`, confirm it with the card form, and hold each of the others with `card_share_id`: the server confirms them.',
    auth: 'member',
    effect: 'write',
    body: only('hold_create'),
    responses: { 200: plain('What the card form needs.', 'hold_secret') },
    errors: ['not_found', 'share_not_yours', 'conflict'],
    run: holdAsGuest,
  },
  {
    id: 'mailReceipt',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/checkouts/{id}/receipt',
    tag: 'Guests',
    summary: 'Get the receipt by mail',
    description: 'At most three mails for a guest and a checkout. The address is used for this mail alone.',
    auth: 'member',
    effect: 'write',
    body: only('receipt_mail'),
    responses: { 202: plain('The receipt, which is on its way.', 'receipt') },
    errors: ['not_found', 'conflict'],
    run: mailReceipt,
  },
  {
    id: 'remindShare',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/shares/{share_id}/remind',
    tag: 'Guests',
    summary: 'Remind a guest to pay their share',
    description:
      'For the organizer, while the share is unpaid: sends its guest a text, in the quiet hours of the venue in the morning. Within three hours of a reminder, by the organizer or by the service, nothing is sent and the answer has that reminder.',
    auth: 'member',
    effect: 'write',
    responses: { 200: plain('The reminder.', 'reminder') },
    errors: ['not_found', 'not_organizer', 'conflict'],
    run: remindShare,
  },
  {
    id: 'signIn',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/sign_in',
    tag: 'Guests',
    summary: 'Ask for a code by text message',
    description: 'Answers the same whether or not the phone is known.',
    auth: 'open',
    effect: 'write',
    body: only('sign_in'),
    responses: { 200: plain('A code is on its way.', 'sign_in_challenge') },
    run: signIn,
  },
  {
    id: 'verifySignIn',
    kind: 'external',
    method: 'POST',
    path: '/v1/public/sign_in/verify',
    tag: 'Guests',
    summary: 'Sign in with the code',
    auth: 'open',
    effect: 'write',
    body: only('sign_in_verify'),
    responses: { 200: plain('The member and a token.', 'signed_in') },
    run: verifySignIn,
  },
];
