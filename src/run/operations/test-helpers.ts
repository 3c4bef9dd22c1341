// Operations that drive a test checkout, or a test submission, to any state.

import {
  testAdvance,
  testCollect,
  testComplete,
  testExpire,
  testHold,
} from '../../domain/checkouts/test-mode/test-helpers.ts';
import { testReview } from '../../domain/review/test-review.ts';
import type { AppOperation } from '../app-operation.ts';
import { CHECKOUT, REVIEWED } from './examples.ts';
import { closed, only, plain } from './shapes.ts';

const HELPER = {
  auth: 'secret',
  scopes: ['checkouts:write'],
  effect: 'write',
  testOnly: true,
  tag: 'Test helpers',
  errors: ['not_found', 'conflict'],
} as const;

export const testHelpers: readonly AppOperation[] = [
  {
    ...HELPER,
    id: 'testReview',
    kind: 'command',
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
        exampleWith: { data: REVIEWED },
      },
    },
    run: testReview,
  },
  {
    ...HELPER,
    id: 'testCollect',
    kind: 'external',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/collect',
    summary: 'Choose a party of test members',
    description: 'Creates test members for the whole party, with an equal split.',
    responses: { 200: plain('The checkout.', 'checkout', CHECKOUT.collecting) },
    run: testCollect,
  },
  {
    ...HELPER,
    id: 'testHold',
    kind: 'external',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/hold',
    summary: 'Hold one share, or all',
    description: 'With the last share held, every card is charged: the checkout is completed.',
    body: only('test_hold'),
    responses: { 200: plain('The checkout.', 'checkout', CHECKOUT.completed) },
    run: testHold,
  },
  {
    ...HELPER,
    id: 'testComplete',
    kind: 'external',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/complete',
    summary: 'Complete a checkout',
    description: 'Collects a party, holds and captures the shares, as far as that is not done yet.',
    responses: { 200: plain('The checkout.', 'checkout', CHECKOUT.completed) },
    run: testComplete,
  },
  {
    ...HELPER,
    id: 'testExpire',
    kind: 'external',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/expire',
    summary: 'Let `pay_by` pass',
    responses: { 200: plain('The checkout.', 'checkout', CHECKOUT.expired) },
    run: testExpire,
  },
  {
    ...HELPER,
    id: 'testAdvance',
    kind: 'external',
    method: 'POST',
    path: '/v1/test_helpers/checkouts/{id}/advance',
    summary: 'Move the checkout’s own clock',
    body: only('test_advance'),
    responses: { 200: plain('The checkout.', 'checkout', CHECKOUT.expired) },
    run: testAdvance,
  },
];
