// Checkouts, payouts, and the helpers that drive a test checkout to any state.

import type { Operation } from '../../base/operation.ts';
import { listPayouts } from '../../domain/checkouts/accounting/list-payouts.ts';
import { cancelCheckout } from '../../domain/checkouts/cancel.ts';
import { createCheckout } from '../../domain/checkouts/create.ts';
import { getCheckout, listCheckouts } from '../../domain/checkouts/read.ts';
import { refundCheckout } from '../../domain/checkouts/refunds/refund.ts';
import { testAdvance, testCollect, testComplete, testExpire, testHold } from '../../domain/checkouts/test-helpers.ts';
import type { Caller } from '../../domain/keys/caller.ts';
import { testReview } from '../../domain/review/test-review.ts';
import { closed, only, paged, pageQuery, plain, time } from './shapes.ts';

const CHECKOUT_STATUSES = ['open', 'collecting', 'funded', 'completed', 'expired', 'canceled'];
const READ = { auth: 'secret', scopes: ['checkouts:read'], effect: 'read' } as const;
const WRITE = { auth: 'secret', scopes: ['checkouts:write'], effect: 'write' } as const;
const HELPER = { ...WRITE, testOnly: true, tag: 'Test helpers', errors: ['not_found', 'conflict'] } as const;

export const checkouts: readonly Operation<Caller>[] = [
  {
    ...WRITE,
    id: 'createCheckout',
    method: 'POST',
    path: '/v1/checkouts',
    tag: 'Checkouts',
    summary: 'Create a checkout for a party',
    description: 'For the party’s whole total. Without the Idempotency-Key header, `external_booking_id` is the key.',
    idempotent: true,
    body: only('checkout_create'),
    responses: { 201: plain('The checkout; send the organizer to its `url`.', 'checkout') },
    errors: ['conflict'],
    inOneStatement: true,
    run: createCheckout,
  },
  {
    ...READ,
    id: 'listCheckouts',
    method: 'GET',
    path: '/v1/checkouts',
    tag: 'Checkouts',
    summary: 'List checkouts',
    description: 'Newest first.',
    query: pageQuery(CHECKOUT_STATUSES),
    responses: { 200: paged('One page of checkouts.', 'checkout') },
    run: listCheckouts,
  },
  {
    ...READ,
    id: 'getCheckout',
    method: 'GET',
    path: '/v1/checkouts/{id}',
    tag: 'Checkouts',
    summary: 'Get one checkout',
    responses: { 200: plain('The checkout.', 'checkout') },
    errors: ['not_found'],
    prefetchesCheckout: true,
    run: getCheckout,
  },
  {
    ...WRITE,
    id: 'cancelCheckout',
    method: 'POST',
    path: '/v1/checkouts/{id}/cancel',
    tag: 'Checkouts',
    summary: 'Cancel a checkout and release every hold',
    description: 'While it is open or collecting. Canceling a canceled one answers 200 unchanged.',
    responses: { 200: plain('The checkout.', 'checkout') },
    errors: ['not_found', 'conflict'],
    run: cancelCheckout,
  },
  {
    ...WRITE,
    id: 'refundCheckout',
    method: 'POST',
    path: '/v1/checkouts/{id}/refund',
    tag: 'Checkouts',
    summary: 'Refund a completed checkout',
    description:
      'By `amount`, by the offering’s cancellation policy (`starts_at`), or all that is left; divided over the shares in proportion.',
    idempotent: true,
    body: only('refund'),
    responses: { 200: plain('The checkout with `refunded_amount`.', 'checkout') },
    errors: ['not_found', 'conflict'],
    run: refundCheckout,
  },
  {
    ...READ,
    id: 'listPayouts',
    method: 'GET',
    path: '/v1/payouts',
    tag: 'Payouts',
    summary: 'List payouts to the venue',
    description:
      'Newest first. `from` and `to` make it the statement of a period; `totals` are over all of it, whatever the page.',
    query: pageQuery(null, {
      from: time('Only payouts created at this time or later.'),
      to: time('Only payouts created before this time.'),
    }),
    responses: { 200: paged('One page of payouts.', 'payout', { totals: { $ref: 'payout_totals.json' } }) },
    csv: { lines: 'the same page with a line for each object', isPage: true },
    run: listPayouts,
  },
];

export const testHelpers: readonly Operation<Caller>[] = [
  {
    ...HELPER,
    id: 'testReview',
    method: 'POST',
    path: '/v1/test_helpers/review',
    scopes: ['offerings:write'],
    summary: 'Review a test submission',
    description: 'Test mode has no human reviewer: this approves or rejects an offering, an experience or a boat.',
    body: only('review_decision'),
    responses: {
      200: {
        description: 'The reviewed object, as its own route shows it.',
        schema: closed({
          data: {
            oneOf: [{ $ref: 'stored_offering.json' }, { $ref: 'submission.json' }, { $ref: 'stored_boat.json' }],
          },
        }),
      },
    },
    run: testReview,
  },
  {
    ...HELPER,
    id: 'testCollect',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/collect',
    summary: 'Choose a party of test members',
    description: 'Makes test members for the whole party, with an equal split.',
    responses: { 200: plain('The checkout.', 'checkout') },
    callExternal: testCollect,
  },
  {
    ...HELPER,
    id: 'testHold',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/hold',
    summary: 'Hold one share, or all',
    body: only('test_hold'),
    responses: { 200: plain('The checkout.', 'checkout') },
    callExternal: testHold,
  },
  {
    ...HELPER,
    id: 'testComplete',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/complete',
    summary: 'Do whatever is missing until the checkout is completed',
    responses: { 200: plain('The checkout.', 'checkout') },
    callExternal: testComplete,
  },
  {
    ...HELPER,
    id: 'testExpire',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/expire',
    summary: 'Let `pay_by` pass',
    responses: { 200: plain('The checkout.', 'checkout') },
    callExternal: testExpire,
  },
  {
    ...HELPER,
    id: 'testAdvance',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/advance',
    summary: 'Move the checkout’s own clock',
    body: only('test_advance'),
    responses: { 200: plain('The checkout.', 'checkout') },
    callExternal: testAdvance,
  },
];
