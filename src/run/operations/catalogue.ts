// What a venue sells: offerings, dated events and boats.

import type { Operation } from '../../base/operation.ts';
import { deactivateBoat, getBoat, listBoats } from '../../domain/boats/read-boats.ts';
import { upsertBoats } from '../../domain/boats/upsert-boats.ts';
import { formOf } from '../../domain/experiences/experience.ts';
import { getExperience, listExperiences } from '../../domain/experiences/read-experiences.ts';
import { submitExperience } from '../../domain/experiences/submit-experience.ts';
import type { Caller } from '../../domain/keys/caller.ts';
import { listSlots } from '../../domain/offerings/list-slots.ts';
import { getOffering, listOfferings } from '../../domain/offerings/read-offerings.ts';
import { upsertOfferings } from '../../domain/offerings/upsert-offerings.ts';
import { closed, enveloped, flag, has, MB, oneOrMany, paged, pageQuery, REVIEW_STATUSES, time } from './shapes.ts';

const duplicate = flag('True when the same content was sent before: nothing was written.');
const updated = flag('True when an existing object was changed.');
const boatResult = {
  type: 'string',
  enum: ['created', 'updated', 'unchanged'],
  description: 'What happened to the boat.',
};

export const experiences: readonly Operation<Caller>[] = [
  {
    id: 'submitExperience',
    method: 'POST',
    path: '/v1/experiences',
    tag: 'Experiences',
    summary: 'Submit a dated event',
    description:
      'Takes an Event or the older experience body. The same `external_id` again answers 200 with the original and changes nothing.',
    auth: 'secret',
    scopes: ['offerings:write'],
    effect: 'write',
    body: [
      { schema: 'legacy_experience', when: (body) => formOf(body) === 'legacy_experience' },
      { schema: 'event', when: () => true },
    ],
    responses: {
      200: enveloped('It was submitted before; the original is returned.', 'submission', { duplicate }),
      201: enveloped('Submitted for review.', 'submission', { duplicate }),
    },
    errors: ['review_queue_full'],
    run: submitExperience,
  },
  {
    id: 'listExperiences',
    method: 'GET',
    path: '/v1/experiences',
    tag: 'Experiences',
    summary: 'List submissions',
    description: 'Newest first.',
    auth: 'secret',
    scopes: ['offerings:read'],
    effect: 'read',
    query: pageQuery(REVIEW_STATUSES),
    responses: { 200: paged('One page of submissions.', 'submission') },
    run: listExperiences,
  },
  {
    id: 'getExperience',
    method: 'GET',
    path: '/v1/experiences/{id}',
    tag: 'Experiences',
    summary: 'Get one submission',
    auth: 'secret',
    scopes: ['offerings:read'],
    effect: 'read',
    responses: { 200: enveloped('The submission.', 'submission') },
    errors: ['not_found'],
    run: getExperience,
  },
];

const offeringAnswer = enveloped('The offering.', 'stored_offering', { duplicate, updated });

export const offerings: readonly Operation<Caller>[] = [
  {
    id: 'upsertOfferings',
    method: 'POST',
    path: '/v1/offerings',
    tag: 'Offerings',
    summary: 'Create or change offerings',
    description:
      'Takes one offering, or `{offerings: [...]}` with 1 to 25. A batch is validated as a whole: one problem, and nothing is stored.',
    auth: 'secret',
    scopes: ['offerings:write'],
    effect: 'write',
    body: [
      { schema: 'offering_batch', when: (body) => has(body, 'offerings') },
      { schema: 'offering', when: () => true },
    ],
    responses: {
      200: oneOrMany('Replayed or updated; for a batch, the result of each.', offeringAnswer, 'offering_batch_result'),
      201: { ...offeringAnswer, description: 'Created.' },
    },
    run: upsertOfferings,
  },
  {
    id: 'listOfferings',
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
    method: 'GET',
    path: '/v1/offerings/{id}/slots',
    tag: 'Offerings',
    summary: 'What can be booked, at what price',
    description:
      'Expands slots and recurrence in the venue’s timezone and prices each one. `from` and `to` are at most 62 days apart.',
    auth: 'secret',
    scopes: ['offerings:read'],
    effect: 'read',
    query: {
      type: 'object',
      properties: {
        from: time('The first moment asked about.'),
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
              'The answer ends before this moment: send it as `from`, with the same `to`, for the slots that follow. Null when the answer is complete.',
            examples: ['2027-06-14T13:30:00Z', null],
          },
        }),
      },
    },
    errors: ['not_found'],
    run: listSlots,
  },
];

const boatAnswer = enveloped('The boat.', 'stored_boat', { result: boatResult, duplicate, updated });

export const boats: readonly Operation<Caller>[] = [
  {
    id: 'upsertBoats',
    method: 'POST',
    path: '/v1/boats',
    tag: 'Boats',
    summary: 'Create or change boats',
    description:
      'Takes one boat, or `{boats: [...]}` with 1 to 100, up to 1 MB. A fleet is processed boat by boat: good ones are written even when others fail.',
    auth: 'secret',
    scopes: ['boats:write'],
    effect: 'write',
    body: [
      { schema: 'fleet', when: (body) => has(body, 'boats'), itemsOf: '/boats' },
      { schema: 'boat', when: () => true },
    ],
    bodyLimit: MB,
    responses: {
      200: oneOrMany('Replayed or updated; for a fleet, the result of each.', boatAnswer, 'fleet_result'),
      201: { ...boatAnswer, description: 'Created.' },
    },
    run: upsertBoats,
  },
  {
    id: 'listBoats',
    method: 'GET',
    path: '/v1/boats',
    tag: 'Boats',
    summary: 'List boats',
    description: 'Most recently changed first.',
    auth: 'secret',
    scopes: ['boats:read'],
    effect: 'read',
    query: pageQuery([...REVIEW_STATUSES, 'inactive']),
    responses: { 200: paged('One page of boats.', 'stored_boat') },
    run: listBoats,
  },
  {
    id: 'getBoat',
    method: 'GET',
    path: '/v1/boats/{id}',
    tag: 'Boats',
    summary: 'Get one boat',
    description: 'By its id or by your own `external_id`, percent-encoded.',
    auth: 'secret',
    scopes: ['boats:read'],
    effect: 'read',
    responses: { 200: enveloped('The boat.', 'stored_boat') },
    errors: ['not_found'],
    run: getBoat,
  },
  {
    id: 'deactivateBoat',
    method: 'POST',
    path: '/v1/boats/{id}/deactivate',
    tag: 'Boats',
    summary: 'Deactivate a boat',
    description: 'The same as sending the boat again with `active` false.',
    auth: 'secret',
    scopes: ['boats:write'],
    effect: 'write',
    responses: { 200: enveloped('The boat, now inactive.', 'stored_boat') },
    errors: ['not_found'],
    run: deactivateBoat,
  },
];
