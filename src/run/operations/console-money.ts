// What the console's screens about money read: statements whose lines add up, the checkouts behind them, and disputes.

import { listDisputes } from '../../domain/checkouts/accounting/list-disputes.ts';
import { listPaidCheckouts } from '../../domain/checkouts/accounting/paid-checkouts.ts';
import { listStatements } from '../../domain/checkouts/accounting/statements.ts';
import type { AppOperation } from '../app-operation.ts';
import { closed, paged, pageQuery } from './shapes.ts';

const READ = {
  audience: 'console',
  tag: 'Console',
  auth: 'team',
  effect: 'read',
  kind: 'query',
  method: 'GET',
} as const;

const day = (description: string, example: string): object => ({
  type: 'string',
  format: 'date',
  description,
  examples: [example],
});

const limit = (maximum: number, standard: number, what: string): object => ({
  type: 'integer',
  minimum: 1,
  maximum,
  default: standard,
  description: `The largest number of ${what} in the page.`,
  examples: [standard],
});

const FROM = day('Only what was completed on this day or later, in the venue’s time zone.', '2027-06-07');
const TO = day('Only what was completed before this day.', '2027-06-14');

const STATEMENT_QUERY = {
  type: 'object',
  properties: {
    period: {
      type: 'string',
      enum: ['week', 'day'],
      default: 'week',
      description: 'One line for each week, which begins on Monday, or for each day.',
    },
    from: FROM,
    to: TO,
    limit: limit(53, 8, 'periods'),
    before: day('The `next_before` of the previous page: the answer holds only earlier periods.', '2027-05-31'),
  },
  additionalProperties: false,
} as const;

const list = (schema: string): object => ({ type: 'array', items: { $ref: `${schema}.json` } });
const next = (example: string): object => ({
  type: ['string', 'null'],
  description: 'Send it as `before` to get the next page; null on the last page.',
  examples: [example, null],
});
const count = { type: 'integer', minimum: 0, description: 'How many there are.', examples: [1] } as const;

export const consoleMoney: readonly AppOperation[] = [
  {
    ...READ,
    id: 'listStatements',
    path: '/console/api/payouts',
    summary: 'List statements by week or day',
    description:
      'Newest first; periods without a completed checkout are left out. In each line paid less fee, refunded and lost_to_disputes is kept. `totals` are the sums of the lines of the page.',
    query: STATEMENT_QUERY,
    responses: {
      200: {
        description: 'One page of statements, and what is still to come.',
        schema: closed({
          data: list('statement'),
          next_before: next('2027-05-31'),
          totals: list('statement_totals'),
          balance: list('payout_balance'),
        }),
      },
    },
    csv: { lines: 'the statements of the same page', isPage: true },
    run: listStatements,
  },
  {
    ...READ,
    id: 'listPaidCheckouts',
    path: '/console/api/payouts/checkouts',
    summary: 'List the checkouts of a statement',
    description: 'Newest first, by the day of completion.',
    query: pageQuery(null, { from: FROM, to: TO }),
    responses: { 200: paged('One page of completed checkouts with their transfers.', 'paid_checkout') },
    csv: { lines: 'the checkouts of the same page', isPage: true },
    run: listPaidCheckouts,
  },
  {
    ...READ,
    id: 'listDisputes',
    path: '/console/api/disputes',
    summary: 'List disputed charges',
    description: 'Newest first.',
    query: {
      type: 'object',
      properties: {
        status: { type: 'string', enum: ['open', 'won', 'lost'], description: 'Only disputes with this outcome.' },
        limit: limit(100, 50, 'disputes'),
        before: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          pattern: '^[^\\u0000-\\u001f]*$',
          description: 'The `next_before` of the previous page.',
          examples: ['2027-06-20T08:00:00.000000Z dp_1PgafTB7WZ01zgkW'],
        },
      },
      additionalProperties: false,
    },
    responses: {
      200: {
        description: 'One page of disputes, with counts by outcome.',
        schema: closed({
          data: list('listed_dispute'),
          next_before: next('2027-06-20T08:00:00.000000Z dp_1PgafTB7WZ01zgkW'),
          counts: { ...closed({ open: count, won: count, lost: count }), description: 'How many have each outcome.' },
        }),
      },
    },
    csv: { lines: 'the disputes of the same page', isPage: true },
    run: listDisputes,
  },
];
