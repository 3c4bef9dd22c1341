// Dated events that a venue submits for review.

import { formOf } from '../../domain/experiences/experience.ts';
import { getExperience, listExperiences } from '../../domain/experiences/read-experiences.ts';
import { submitExperience } from '../../domain/experiences/submit-experience.ts';
import type { AppOperation } from '../app-operation.ts';
import { enveloped, flag, paged, pageQuery, REVIEW_STATUSES, shown } from './shapes.ts';

const SUBMITTED_BEFORE = flag(
  'True when this `external_id` was submitted before: `data` is the first submission, and what was sent now is not stored.',
);

export const experiences: readonly AppOperation[] = [
  {
    id: 'submitExperience',
    kind: 'command',
    method: 'POST',
    path: '/v1/experiences',
    tag: 'Experiences',
    summary: 'Submit a dated event',
    description:
      'Takes an Event or the older experience body. A second call with the same `external_id` answers 200 with the original and changes nothing.',
    auth: 'secret',
    scopes: ['offerings:write'],
    effect: 'write',
    body: [
      { schema: 'legacy_experience', when: (body) => formOf(body) === 'legacy_experience' },
      { schema: 'event', when: () => true },
    ],
    responses: {
      200: shown(
        { duplicate: true },
        enveloped('It was submitted before; the original is returned.', 'submission', { duplicate: SUBMITTED_BEFORE }),
      ),
      201: shown(
        { duplicate: false },
        enveloped('Submitted for review.', 'submission', { duplicate: SUBMITTED_BEFORE }),
      ),
    },
    errors: ['review_queue_full'],
    run: submitExperience,
  },
  {
    id: 'listExperiences',
    kind: 'query',
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
    kind: 'query',
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
