// What the desk calls about its operator and the review. Operators alone, from our own origin; src/domain/accounts/
// operator-roles.ts says which role may make which write.

import { showDeskSession } from '../../domain/accounts/operators.ts';
import {
  approveReview,
  getReview,
  rejectReview,
  reopenReview,
  takeDownReview,
} from '../../domain/desk/decide-review.ts';
import { listReviews } from '../../domain/desk/list-reviews.ts';
import type { AppOperation } from '../app-operation.ts';
import { closed, only, plain, REVIEW_STATUSES } from './shapes.ts';

const DESK = { kind: 'external', audience: 'desk', tag: 'Desk', auth: 'desk' } as const;
const DECISION = {
  ...DESK,
  method: 'POST',
  effect: 'write',
  errors: ['not_found', 'conflict'],
} as const;
const CURSOR = '2027-06-12T13:30:00.000123Z,0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d10';
const CHANGED = '409 `changed_since`: it was changed after it was shown.';

export const desk: readonly AppOperation[] = [
  {
    ...DESK,
    id: 'getDeskSession',
    method: 'GET',
    path: '/desk/api/session',
    summary: 'Get the signed-in operator',
    effect: 'read',
    responses: { 200: plain('The account, its role at the desk and the session.', 'desk_session') },
    run: showDeskSession,
  },
  {
    ...DESK,
    id: 'listReviews',
    method: 'GET',
    path: '/desk/api/reviews',
    summary: 'List what waits for review',
    description:
      'Offerings, events and boats of every venue, in both modes. What waits comes oldest first; what was reviewed, newest first.',
    effect: 'read',
    query: {
      type: 'object',
      properties: {
        status: {
          type: 'string',
          enum: REVIEW_STATUSES,
          default: 'pending',
          description: 'Only objects in this state.',
        },
        kind: { type: 'string', enum: ['offering', 'event', 'boat'], description: 'Only objects of this kind.' },
        mode: { type: 'string', enum: ['test', 'live'], description: 'Only objects of this mode.' },
        venue: {
          type: 'string',
          format: 'uuid',
          description: 'Only objects of this venue.',
          examples: ['0197f2c4-6a10-7c3e-9b1d-5f2a8c4e7d12'],
        },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 100,
          default: 50,
          description: 'The largest number of objects in the page.',
          examples: [50],
        },
        after: {
          type: 'string',
          maxLength: 100,
          description: 'The `next_after` of the previous page.',
          examples: [CURSOR],
        },
      },
      additionalProperties: false,
    },
    responses: {
      200: {
        description: 'One page of the queue.',
        schema: closed({
          data: { type: 'array', items: { $ref: 'review_item.json' } },
          next_after: {
            type: ['string', 'null'],
            description: 'Send it as `after` to get the next page; null on the last page.',
            examples: [CURSOR, null],
          },
          waiting: { type: 'integer', description: 'How many objects wait for review.', examples: [9] },
          reasons: { type: 'array', items: { $ref: 'review_reason.json' } },
        }),
      },
    },
    run: listReviews,
  },
  {
    ...DESK,
    id: 'getReview',
    method: 'GET',
    path: '/desk/api/reviews/{id}',
    summary: 'Get an object as a reviewer sees it',
    description:
      'What members see beside what waits, where the two differ, what reviewers alone see, and the decisions.',
    effect: 'read',
    responses: { 200: plain('The object.', 'review_case') },
    errors: ['not_found'],
    run: getReview,
  },
  {
    ...DECISION,
    id: 'approveReview',
    path: '/desk/api/reviews/{id}/approve',
    summary: 'Approve what waits',
    description: `Members see it from now on. ${CHANGED}`,
    body: only('desk_decision'),
    responses: { 200: plain('The object as it is now.', 'review_case') },
    run: approveReview,
  },
  {
    ...DECISION,
    id: 'rejectReview',
    path: '/desk/api/reviews/{id}/reject',
    summary: 'Reject what waits',
    description: `The venue reads the note. A version that members see stays. ${CHANGED}`,
    body: only('desk_rejection'),
    responses: { 200: plain('The object as it is now.', 'review_case') },
    run: rejectReview,
  },
  {
    ...DECISION,
    id: 'takeDownReview',
    path: '/desk/api/reviews/{id}/take_down',
    summary: 'Take down what members see',
    description: `Members see no version of it from now on, and the venue reads the note. ${CHANGED}`,
    body: only('desk_rejection'),
    responses: { 200: plain('The object as it is now.', 'review_case') },
    run: takeDownReview,
  },
  {
    ...DECISION,
    id: 'reopenReview',
    path: '/desk/api/reviews/{id}/reopen',
    summary: 'Let what was rejected wait again',
    description: `Its note is gone, and its venue gets no event. ${CHANGED}`,
    body: only('desk_decision'),
    responses: { 200: plain('The object as it is now.', 'review_case') },
    run: reopenReview,
  },
];
