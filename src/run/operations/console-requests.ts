// The request log of the console: every call with a key of the venue, of the mode of the session.

import { getLoggedRequest, listLoggedRequests, summarizeRequests } from '../../domain/requests/read-requests.ts';
import type { AppOperation } from '../app-operation.ts';
import { closed, plain, time } from './shapes.ts';

const REQUESTS = { kind: 'external', audience: 'console', tag: 'Console', auth: 'team', effect: 'read' } as const;

const ID_PATTERN = '^req_[0-9a-z]{26}$';
const WINDOW = {
  from: time('Only requests that arrived at this time or later.'),
  to: time('Only requests that arrived before this time.'),
} as const;

const text = (description: string, example: string, maxLength: number): object => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[^\\u0000-\\u001f]*$',
  description,
  examples: [example],
});

const requestId = (description: string): object => ({
  type: 'string',
  pattern: ID_PATTERN,
  description,
  examples: ['req_01m7jxg750zvvr9etbq94z96f6'],
});

const LIST_QUERY = {
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 50,
      description: 'The largest number of requests in the page.',
      examples: [50],
    },
    before: requestId('The `next_before` of the previous page: the answer holds only older requests.'),
    outcome: {
      type: 'string',
      enum: ['succeeded', 'refused', 'failed', 'unsuccessful'],
      description: 'By status: 2xx and 3xx, 4xx, 5xx, or 4xx and 5xx.',
      examples: ['refused'],
    },
    status: { type: 'integer', minimum: 100, maximum: 599, description: 'Exactly this status.', examples: [422] },
    code: text('With this error code, or this reason of a conflict.', 'invalid_type', 64),
    method: {
      type: 'string',
      enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      description: 'With this method.',
      examples: ['POST'],
    },
    operation: text('Of this operation, by its id.', 'createCheckout', 64),
    key: text('With this key, by its id.', 'key_01m7jxg750zvvr9etbq94z96f6', 64),
    request_id: requestId('The request with this id.'),
    ...WINDOW,
    search: text('Text in the path, or the beginning of a request id.', '/v1/checkouts', 100),
  },
  additionalProperties: false,
} as const;

export const consoleRequests: readonly AppOperation[] = [
  {
    ...REQUESTS,
    id: 'listRequests',
    method: 'GET',
    path: '/console/api/requests',
    summary: 'List the requests of the venue’s keys',
    description:
      'Newest first, of the last 7 days or as long as the operator keeps them. A request is listed about a second after its answer; under overload some are not kept. Calls of the console itself are not in the list.',
    query: LIST_QUERY,
    responses: {
      200: {
        description: 'One page.',
        schema: closed({
          data: { type: 'array', items: { $ref: 'logged_request.json' } },
          next_before: {
            type: ['string', 'null'],
            description: 'Send it as `before` to get the next page; null on the last page.',
            examples: ['req_01m7jxg750zvvr9etbq94z96f6'],
          },
          searched_since: {
            type: ['string', 'null'],
            format: 'date-time',
            description:
              'A page looks through 50,000 requests at most. If it found less than it may, this is when the last of them arrived, and `next_before` goes on after it; else null.',
            examples: ['2027-01-12T13:30:00.000123Z', null],
          },
        }),
      },
    },
    csv: { lines: 'the requests of the page', isPage: true },
    run: listLoggedRequests,
  },
  {
    ...REQUESTS,
    id: 'summarizeRequests',
    method: 'GET',
    path: '/console/api/requests/summary',
    summary: 'Count the requests of the venue’s keys',
    description: 'By outcome, by kind of failure and by key, over the last 24 hours where the query names no time.',
    query: { type: 'object', properties: WINDOW, additionalProperties: false },
    responses: { 200: plain('The counts.', 'request_summary') },
    run: summarizeRequests,
  },
  {
    ...REQUESTS,
    id: 'getRequest',
    method: 'GET',
    path: '/console/api/requests/{id}',
    summary: 'Get one request',
    description: 'With what was wrong, what to send instead, and the body that was sent, masked.',
    responses: { 200: plain('The request.', 'logged_request_detail') },
    errors: ['not_found'],
    run: getLoggedRequest,
  },
];
