// What the console's catalogue reads: offerings, events and boats in one list, and both versions of one of them.

import { getCatalogueItem, listCatalogue } from '../../domain/review/read-catalogue.ts';
import type { AppOperation } from '../app-operation.ts';
import { closed, paged, pageQuery, plain } from './shapes.ts';

const READ = {
  audience: 'console',
  tag: 'Console',
  auth: 'team',
  effect: 'read',
  kind: 'query',
  method: 'GET',
} as const;

const count = { type: 'integer', minimum: 0, description: 'How many there are.', examples: [2] } as const;
const counts = {
  ...closed({ all: count, pending: count, approved: count, rejected: count, inactive: count }),
  description: 'How many objects of the kind have each status.',
};

export const consoleCatalogue: readonly AppOperation[] = [
  {
    ...READ,
    id: 'listCatalogue',
    path: '/console/api/catalogue',
    summary: 'List offerings, events and boats',
    description: 'The newest change first. `counts` are of the whole catalogue.',
    query: pageQuery(['pending', 'approved', 'rejected', 'inactive'], {
      kind: { type: 'string', enum: ['offering', 'event', 'boat'], description: 'Only objects of this kind.' },
      q: {
        type: 'string',
        minLength: 1,
        maxLength: 100,
        pattern: '^[^\\u0000-\\u001f]*$',
        description: 'Only objects whose title or id of yours contains this text.',
        examples: ['cabana'],
      },
    }),
    responses: {
      200: paged('One page of the catalogue.', 'catalogue_item', {
        counts: {
          ...closed({ offering: counts, event: counts, boat: counts }),
          description: 'How many objects there are, by kind and status.',
        },
      }),
    },
    run: listCatalogue,
  },
  {
    ...READ,
    id: 'getCatalogueItem',
    path: '/console/api/catalogue/{kind}/{id}',
    summary: 'Get both versions of an offering, an event or a boat',
    description:
      'By its id or your own. `visible` is what members see, `waiting` what they do not see, `differences` the fields in which they differ.',
    responses: { 200: plain('The object and its versions.', 'catalogue_versions') },
    errors: ['not_found'],
    run: getCatalogueItem,
  },
];
