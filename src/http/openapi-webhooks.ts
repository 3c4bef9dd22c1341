// The `webhooks` of the OpenAPI document: the request that the service sends for each type of event that an endpoint can
// subscribe to, with its headers, its body and what the response means.

import type { SchemaRef } from '../base/operation.ts';
import { sample } from '../base/schema/describe.ts';
import { CHECKOUT } from '../run/operations/examples.ts';
import { asSchema, mergeExample, type Source } from './openapi-components.ts';

type Json = Record<string, unknown>;

interface WebhookType {
  readonly operationId: string;
  readonly summary: string;
  /** Where the example differs from the example of the schema. */
  readonly sequence: number;
  readonly checkout: Readonly<Json>;
}

/** The types of event that an endpoint can subscribe to; a test compares them with the schema of an endpoint. */
const WEBHOOK_TYPES: Readonly<Record<string, WebhookType>> = {
  'checkout.created': {
    operationId: 'onCheckoutCreated',
    summary: 'A checkout was created',
    sequence: 1,
    checkout: CHECKOUT.open,
  },
  'checkout.collecting': {
    operationId: 'onCheckoutCollecting',
    summary: 'The organizer chose the party, or changed it',
    sequence: 2,
    checkout: CHECKOUT.collecting,
  },
  'share.held': {
    operationId: 'onShareHeld',
    summary: 'One share is held',
    sequence: 3,
    checkout: CHECKOUT.oneHeld,
  },
  'checkout.funded': {
    operationId: 'onCheckoutFunded',
    summary: 'Every share is held',
    sequence: 5,
    checkout: CHECKOUT.funded,
  },
  'checkout.completed': {
    operationId: 'onCheckoutCompleted',
    summary: 'Every card was charged: confirm the booking',
    sequence: 6,
    checkout: CHECKOUT.completed,
  },
  'checkout.expired': {
    operationId: 'onCheckoutExpired',
    summary: '`pay_by` passed, and every hold was released: free the place',
    sequence: 4,
    checkout: CHECKOUT.expired,
  },
  'checkout.canceled': {
    operationId: 'onCheckoutCanceled',
    summary: 'The checkout was canceled, and every hold was released: free the place',
    sequence: 4,
    checkout: CHECKOUT.canceled,
  },
};

const EVENT: SchemaRef = 'webhook_event';

const SIGNATURE: Json = {
  name: 'Service-Signature',
  in: 'header',
  required: true,
  description:
    '`t=<Unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole secret of the endpoint. Verify it over the raw bytes before you parse them, and refuse a `t` more than five minutes from now. For 24 hours after a rotation there are several `v1`; one that matches is enough.',
  schema: {
    type: 'string',
    examples: ['t=1812105603,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd'],
  },
};

/** The headers of Standard Webhooks, for receivers that verify deliveries with one of its libraries. */
const STANDARD: readonly Json[] = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same for each attempt: process each once.',
    schema: { type: 'string', examples: ['evt_01jz3k9a4d5m2n9t4w6x8y0abf'] },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was signed, in Unix seconds. Refuse one more than five minutes from now.',
    schema: { type: 'string', pattern: '^[0-9]+$', examples: ['1812105603'] },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      '`v1,<base64>`: the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of the secret after `whsec_`. For 24 hours after a rotation there are several, separated by spaces; one that matches is enough. Instead of `Service-Signature`, not beside it: one is enough.',
    schema: { type: 'string', examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] },
  },
];

const USER_AGENT: Json = {
  name: 'User-Agent',
  in: 'header',
  required: true,
  description: 'The sender of every delivery.',
  schema: { type: 'string', const: 'Everyshare-Webhooks/1' },
};

export function describeWebhooks(source: Source): Json {
  return Object.fromEntries(
    Object.entries(WEBHOOK_TYPES).map(([type, described]) => [
      type,
      { post: describeWebhook(type, described, source) },
    ]),
  );
}

function describeWebhook(
  type: string,
  { operationId, summary, sequence, checkout }: WebhookType,
  source: Source,
): Json {
  const { registry, components } = source;
  // The schema of an event chooses the object by its content; here the type says that it is a checkout.
  const ofThisType = {
    type: 'object',
    properties: {
      type: { const: type },
      data: { type: 'object', properties: { object: components.schemaOf('checkout') }, required: ['object'] },
    },
    required: ['type', 'data'],
  };
  const example = mergeExample(sample(registry, asSchema(EVENT)), { type, sequence, data: { object: checkout } });
  return {
    operationId,
    tags: ['Events'],
    summary,
    description: `${summary}. A delivery may arrive more than once and out of order: process each \`id\` once, and compare \`sequence\`.`,
    security: [],
    parameters: [SIGNATURE, ...STANDARD, USER_AGENT],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { allOf: [components.schemaOf(EVENT), ofThisType] }, example } },
    },
    responses: {
      '2XX': { description: 'Any 2xx within 10 seconds acknowledges the event.' },
      default: {
        description:
          'Any other status, a redirect too, is a failure: the delivery is repeated for 72 hours, then given up.',
      },
    },
  };
}
