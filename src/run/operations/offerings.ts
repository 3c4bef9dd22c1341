// What a venue sells repeatedly, and the slots that can be booked.

import { listSlots } from '../../domain/offerings/list-slots.ts';
import { getOffering, listOfferings } from '../../domain/offerings/read-offerings.ts';
import { upsertOfferings } from '../../domain/offerings/upsert-offerings.ts';
import type { AppOperation } from '../app-operation.ts';
import { CHANGED, NEW } from './examples.ts';
import {
  closed,
  DUPLICATE,
  enveloped,
  has,
  oneOrMany,
  paged,
  pageQuery,
  REVIEW_STATUSES,
  shown,
  time,
  UPDATED,
} from './shapes.ts';

const offeringResponse = enveloped('The offering.', 'stored_offering', { duplicate: DUPLICATE, updated: UPDATED });

export const offerings: readonly AppOperation[] = [
  {
    id: 'upsertOfferings',
    kind: 'command',
    method: 'POST',
    path: '/v1/offerings',
    tag: 'Offerings',
    summary: 'Create or change offerings',
    description:
      'Takes one offering, or `{offerings: [...]}` with 1 to 25. A batch is validated as a whole: if one offering has a problem, nothing is stored.',
    auth: 'secret',
    scopes: ['offerings:write'],
    effect: 'write',
    body: [
      { schema: 'offering_batch', when: (body) => has(body, 'offerings') },
      { schema: 'offering', when: () => true },
    ],
    responses: {
      200: shown(
        CHANGED,
        oneOrMany('Replayed or updated; for a batch, the result of each.', offeringResponse, 'offering_batch_result'),
      ),
      201: shown(NEW, { ...offeringResponse, description: 'Created.' }),
    },
    run: upsertOfferings,
  },
  {
    id: 'listOfferings',
    kind: 'query',
    method: 'GET',
    path: '/v1/offerings',
    tag: 'Offerings',
    summary: 'List offerings',
    description: 'Most recently changed first.',
    auth: 'secret',
    scopes: ['offerings:read'],
    effect: 'read',
    query: pageQuery(REVIEW_STATUSES),
    responses: { 200: paged('One page of offerings.', 'stored_offering') },
    run: listOfferings,
  },
  {
    id: 'getOffering',
    kind: 'query',
    method: 'GET',
    path: '/v1/offerings/{id}',
    tag: 'Offerings',
    summary: 'Get one offering',
    description: 'By its id or by your own `external_id`, percent-encoded.',
    auth: 'secret',
    scopes: ['offerings:read'],
    effect: 'read',
    responses: { 200: enveloped('The offering.', 'stored_offering') },
    errors: ['not_found'],
    run: getOffering,
  },
  {
    id: 'listSlots',
    kind: 'query',
    method: 'GET',
    path: '/v1/offerings/{id}/slots',
    tag: 'Offerings',
    summary: 'List the bookable slots and their prices',
    description:
      'Expands slots and recurrence rules in the venue’s timezone and prices each slot. `from` and `to` are at most 62 days apart.',
    auth: 'secret',
    scopes: ['offerings:read'],
    effect: 'read',
    query: {
      type: 'object',
      properties: {
        from: time('The beginning of the window.'),
        to: time('The end of the window, exclusive.'),
        party_size: {
          type: 'integer',
          minimum: 1,
          maximum: 500,
          default: 2,
          description: 'How many people.',
          examples: [2],
        },
      },
      required: ['from', 'to'],
      additionalProperties: false,
    },
    responses: {
      200: {
        description: 'The slots in order of time.',
        schema: closed({
          data: { type: 'array', items: { $ref: 'slot.json' } },
          next_from: {
            type: ['string', 'null'],
            format: 'date-time',
            description:
              'The time at which this answer ends: send it as `from`, with the same `to`, for the slots that follow. Null when the answer is complete.',
            examples: ['2027-06-14T13:30:00Z', null],
          },
        }),
      },
    },
    errors: ['not_found'],
    run: listSlots,
  },
];
