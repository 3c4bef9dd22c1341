// What the console's screens about checkouts read beyond the operations of partners. Reads alone: what changes a checkout
// is the partner's own operation.

import { getCheckoutMoney } from '../../domain/checkouts/accounting/checkout-money.ts';
import { previewRefund } from '../../domain/checkouts/refunds/preview-refund.ts';
import { getCheckoutTimeline } from '../../domain/checkouts/timeline/read-timeline.ts';
import type { AppOperation } from '../app-operation.ts';
import { only, plain } from './shapes.ts';

const READ = { audience: 'console', tag: 'Console', auth: 'team', effect: 'read' } as const;

export const consoleCheckouts: readonly AppOperation[] = [
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
