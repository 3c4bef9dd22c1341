// Boats and whole fleets.

import { deactivateBoat, getBoat, listBoats } from '../../domain/boats/read-boats.ts';
import { upsertBoats } from '../../domain/boats/upsert-boats.ts';
import type { AppOperation } from '../app-operation.ts';
import { CHANGED, NEW } from './examples.ts';
import {
  DUPLICATE,
  enveloped,
  has,
  MB,
  oneOrMany,
  paged,
  pageQuery,
  REVIEW_STATUSES,
  shown,
  UPDATED,
} from './shapes.ts';

const result = {
  type: 'string',
  enum: ['created', 'updated', 'unchanged'],
  description: 'What happened to the boat.',
};
const boatResponse = enveloped('The boat.', 'stored_boat', { result, duplicate: DUPLICATE, updated: UPDATED });

export const boats: readonly AppOperation[] = [
  {
    id: 'upsertBoats',
    kind: 'command',
    method: 'POST',
    path: '/v1/boats',
    tag: 'Boats',
    summary: 'Create or change boats',
    description:
      'Takes one boat, or `{boats: [...]}` with 1 to 100, up to 1 MB. A fleet is processed boat by boat: valid boats are stored even when others fail.',
    auth: 'secret',
    scopes: ['boats:write'],
    effect: 'write',
    body: [
      { schema: 'fleet', when: (body) => has(body, 'boats'), itemsOf: '/boats' },
      { schema: 'boat', when: () => true },
    ],
    bodyLimit: MB,
    responses: {
      200: shown(
        { ...CHANGED, result: 'updated' },
        oneOrMany('Replayed or updated; for a fleet, the result of each.', boatResponse, 'fleet_result'),
      ),
      201: shown({ ...NEW, result: 'created' }, { ...boatResponse, description: 'Created.' }),
    },
    run: upsertBoats,
  },
  {
    id: 'listBoats',
    kind: 'query',
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
    kind: 'query',
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
    kind: 'command',
    method: 'POST',
    path: '/v1/boats/{id}/deactivate',
    tag: 'Boats',
    summary: 'Deactivate a boat',
    description: 'The same as sending the boat again with `active` false.',
    auth: 'secret',
    scopes: ['boats:write'],
    effect: 'write',
    responses: {
      200: shown({ data: { status: 'inactive', active: false } }, enveloped('The boat, now inactive.', 'stored_boat')),
    },
    errors: ['not_found'],
    run: deactivateBoat,
  },
];
