// What the venue is paid.

import { listPayouts } from '../../domain/checkouts/accounting/list-payouts.ts';
import type { AppOperation } from '../app-operation.ts';
import { paged, pageQuery, time } from './shapes.ts';

export const payouts: readonly AppOperation[] = [
  {
    id: 'listPayouts',
    kind: 'query',
    method: 'GET',
    path: '/v1/payouts',
    tag: 'Payouts',
    auth: 'secret',
    scopes: ['checkouts:read'],
    effect: 'read',
    summary: 'List payouts to the venue',
    description:
      'Newest first. `from` and `to` make the list the statement of a period; `totals` cover the whole period, not only the page.',
    query: pageQuery(null, {
      from: time('Only payouts created at this time or later.'),
      to: time('Only payouts created before this time.'),
    }),
    responses: { 200: paged('One page of payouts.', 'payout', { totals: { $ref: 'payout_totals.json' } }) },
    csv: { lines: 'the payouts of the same page', isPage: true },
    run: listPayouts,
  },
];
