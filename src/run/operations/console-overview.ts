// What the console's first screens read: the figures of the venue, the first steps of a newcomer, and the built-in test
// inbox.

import { getFirstSteps } from '../../domain/checkouts/overview/first-steps.ts';
import { getConsoleHome } from '../../domain/checkouts/overview/home.ts';
import { createTestInbox, getTestInbox } from '../../domain/webhooks/inbox/inbox.ts';
import type { AppOperation } from '../app-operation.ts';
import { plain } from './shapes.ts';

const CONSOLE = { audience: 'console', tag: 'Console', auth: 'team' } as const;

const INBOX_QUERY = {
  type: 'object',
  properties: {
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 50,
      description: 'The largest number of messages.',
      examples: [50],
    },
  },
  additionalProperties: false,
} as const;

export const consoleOverview: readonly AppOperation[] = [
  {
    ...CONSOLE,
    id: 'getConsoleHome',
    kind: 'query',
    method: 'GET',
    path: '/console/api/home',
    effect: 'read',
    summary: 'Get the first page of the console',
    description:
      'What is held, completed and paid out, what needs a person, the funnel and the days of the last 30 days, and the latest events. Each sum is by currency.',
    responses: { 200: plain('The figures.', 'console_home') },
    run: getConsoleHome,
  },
  {
    ...CONSOLE,
    id: 'getFirstSteps',
    kind: 'query',
    method: 'GET',
    path: '/console/api/first_steps',
    effect: 'read',
    summary: 'Get the first steps of a newcomer',
    description: 'Of test mode, in either mode of the session. A step is done by what really happened.',
    responses: { 200: plain('The three steps.', 'first_steps') },
    run: getFirstSteps,
  },
  {
    ...CONSOLE,
    id: 'createTestInbox',
    kind: 'external',
    method: 'POST',
    path: '/console/api/test_inbox',
    effect: 'write',
    testOnly: true,
    summary: 'Create the test inbox',
    description:
      'A webhook endpoint inside the service, for every event, so that deliveries can be seen without a server. A venue has one: a second call answers 200 with it.',
    responses: {
      200: plain('The inbox that the venue has.', 'test_inbox'),
      201: plain('The new inbox.', 'test_inbox'),
    },
    run: createTestInbox,
  },
  {
    ...CONSOLE,
    id: 'getTestInbox',
    kind: 'query',
    method: 'GET',
    path: '/console/api/test_inbox',
    effect: 'read',
    testOnly: true,
    summary: 'Read the test inbox',
    description: 'The newest 50 deliveries of the last 24 hours. 404 before the inbox is created.',
    query: INBOX_QUERY,
    responses: { 200: plain('The inbox and its messages, newest first.', 'test_inbox') },
    errors: ['not_found'],
    run: getTestInbox,
  },
];
