// What the console's screens about checkouts read beyond the operations of partners. Reads alone: what changes a checkout
// is the partner's own operation.

import { getCheckoutMoney } from '../../domain/checkouts/accounting/checkout-money.ts';
import { listConsoleCheckouts } from '../../domain/checkouts/overview/list-checkouts.ts';
import { previewRefund } from '../../domain/checkouts/refunds/preview-refund.ts';
import { getCheckoutTimeline } from '../../domain/checkouts/timeline/read-timeline.ts';
import { CHECKOUT_STATUSES } from '../../domain/checkouts/transitions.ts';
import type { AppOperation } from '../app-operation.ts';
import { closed, only, plain, time } from './shapes.ts';

const READ = { audience: 'console', tag: 'Console', auth: 'team', effect: 'read' } as const;

const text = (description: string, example: string, maxLength = 100): object => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^[^\\u0000-\\u001f]*$',
  description,
  examples: [example],
});

const money = (description: string): object => ({
  type: 'integer',
  minimum: 0,
  maximum: 99_999_999,
  description,
  examples: [100_000],
});

const LIST_QUERY = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: CHECKOUT_STATUSES, description: 'Only checkouts in this state.' },
    q: text(
      'The id of a checkout, of a share or of a payout, the beginning of a booking id, or words of the description or of the organizer’s name.',
      'cabana',
    ),
    from: time('Only checkouts created at this time or later.'),
    to: time('Only checkouts created before this time.'),
    min_amount: money('Only checkouts of at least this amount, in minor units (cents).'),
    max_amount: money('Only checkouts of at most this amount, in minor units (cents).'),
    offering: text('Only checkouts of the offering with this id of yours.', 'cabana-day', 255),
    key: text('Only checkouts that the key with this id created.', 'key_01jz3k8q7v5m2n9t4w6x8y0abc'),
    sort: {
      type: 'string',
      enum: ['newest', 'due'],
      default: 'newest',
      description:
        'Newest first; or by what is due next: open and collecting ones by pay_by, then the others newest first.',
    },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 50,
      description: 'The largest number of checkouts in the page.',
      examples: [50],
    },
    before: text('The `next_before` of the previous page, with the same sort.', '2027-06-12T13:30:00.000000Z'),
  },
  additionalProperties: false,
} as const;

const count = {
  type: 'integer',
  minimum: 0,
  description: 'How many there are; of one status at most 10,000, which means that many or more.',
  examples: [3],
} as const;

const LIST = closed({
  data: { type: 'array', items: { $ref: 'checkout_row.json' } },
  next_before: {
    type: ['string', 'null'],
    description:
      'Send it as `before` to get the next page, which may be empty while `searched_since` is not null; null on the last page.',
    examples: ['2027-06-12T13:30:00.000123Z', null],
  },
  counts: {
    ...closed({ all: count, ...Object.fromEntries(CHECKOUT_STATUSES.map((status) => [status, count])) }),
    description: 'How many checkouts of the same filters, but the status, have each status.',
  },
  searched_since: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'A search, and the filters by amount, offering and key, look at 20,000 checkouts for a page: this is when the last of them was created, and `next_before` goes on after it. `counts` are of the newest 20,000 then. Null when all were looked at.',
    examples: ['2027-01-12T13:30:00.000123Z', null],
  },
});

export const consoleCheckouts: readonly AppOperation[] = [
  {
    ...READ,
    id: 'listConsoleCheckouts',
    kind: 'query',
    method: 'GET',
    path: '/console/api/checkouts',
    summary: 'List, filter and search checkouts',
    query: LIST_QUERY,
    responses: { 200: { description: 'One page of checkouts, with counts by status.', schema: LIST } },
    csv: { lines: 'the checkouts of the same page', isPage: true },
    run: listConsoleCheckouts,
  },
  {
    ...READ,
    id: 'getCheckoutTimeline',
    kind: 'query',
    method: 'GET',
    path: '/console/api/checkouts/{id}/timeline',
    summary: 'Get everything that happened to a checkout',
    description:
      'Oldest first: the party, cards, reminders, charges, transfers, refunds, disputes and deliveries. Declined cards are kept for 90 days, deliveries and texts for as long as their own lists.',
    responses: { 200: plain('The entries.', 'checkout_timeline') },
    errors: ['not_found'],
    run: getCheckoutTimeline,
  },
  {
    ...READ,
    id: 'previewRefund',
    kind: 'external',
    method: 'POST',
    path: '/console/api/checkouts/{id}/refund_preview',
    summary: 'Preview a refund',
    description:
      'Takes the body of a refund and answers what it would do, to the cent: the same decision on the checkout as it is now. Nothing is refunded. A refund that would be refused is refused here in the same way.',
    body: only('refund'),
    responses: { 200: plain('What the refund would do.', 'refund_preview') },
    errors: ['not_found', 'conflict'],
    run: previewRefund,
  },
  {
    ...READ,
    id: 'getCheckoutMoney',
    kind: 'query',
    method: 'GET',
    path: '/console/api/checkouts/{id}/money',
    summary: 'Get the money of a checkout',
    description: 'Sums that add up, for the checkout and for each share.',
    responses: { 200: plain('The money of the checkout.', 'checkout_money') },
    errors: ['not_found'],
    run: getCheckoutMoney,
  },
];
