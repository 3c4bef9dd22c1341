// Checkouts as a partner creates, reads, cancels and refunds them.

import { cancelCheckout } from '../../domain/checkouts/cancel.ts';
import { createCheckout } from '../../domain/checkouts/create.ts';
import { getCheckout, listCheckouts } from '../../domain/checkouts/read.ts';
import { refundCheckout } from '../../domain/checkouts/refunds/refund.ts';
import { CHECKOUT_STATUSES } from '../../domain/checkouts/transitions.ts';
import type { AppOperation } from '../app-operation.ts';
import { CHECKOUT } from './examples.ts';
import { only, paged, pageQuery, plain } from './shapes.ts';

const READ = { auth: 'secret', scopes: ['checkouts:read'], effect: 'read' } as const;
const WRITE = { auth: 'secret', scopes: ['checkouts:write'], effect: 'write' } as const;

export const checkouts: readonly AppOperation[] = [
  {
    ...WRITE,
    id: 'createCheckout',
    kind: 'statement',
    method: 'POST',
    path: '/v1/checkouts',
    tag: 'Checkouts',
    summary: 'Create a checkout for a party',
    description:
      'The amount is the party’s whole total. Without the Idempotency-Key header, `external_booking_id` is the key. A live checkout needs a venue that can be paid.',
    idempotent: true,
    body: only('checkout_create'),
    responses: { 201: plain('The checkout; send the organizer to its `url`.', 'checkout', CHECKOUT.open) },
    errors: ['conflict', 'venue_not_linked', 'venue_suspended'],
    run: createCheckout,
  },
  {
    ...READ,
    id: 'listCheckouts',
    kind: 'query',
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
    kind: 'query',
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
    kind: 'command',
    method: 'POST',
    path: '/v1/checkouts/{id}/cancel',
    tag: 'Checkouts',
    summary: 'Cancel a checkout and release every hold',
    description: 'While it is open or collecting. Canceling a canceled one answers 200 unchanged.',
    idempotent: true,
    responses: { 200: plain('The checkout.', 'checkout', CHECKOUT.canceled) },
    errors: ['not_found', 'conflict'],
    run: cancelCheckout,
  },
  {
    ...WRITE,
    id: 'refundCheckout',
    stepUp: 'live',
    kind: 'command',
    method: 'POST',
    path: '/v1/checkouts/{id}/refund',
    tag: 'Checkouts',
    summary: 'Refund a completed checkout',
    description:
      'By `amount`, by the offering’s cancellation policy (`starts_at`), or the whole rest; divided over the shares in proportion.',
    idempotent: true,
    body: only('refund'),
    responses: { 200: plain('The checkout with `refunded_amount`.', 'checkout', CHECKOUT.refunded) },
    errors: ['not_found', 'conflict'],
    run: refundCheckout,
  },
];
